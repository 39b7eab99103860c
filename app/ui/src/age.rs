//! How old what is shown is. Every number has an age.

use leptos::prelude::*;

use crate::{Glyph, Icon, words, words::Words};

/// The time by which ages are counted, in Unix ms: the server's at first render, then a tick of the frame. Given by
/// context, so that a widget never reads a clock.
#[derive(Clone, Copy, Debug)]
pub struct Now(pub Signal<i64>);

/// `◷ 4 秒前`, counted up by the frame's tick; absolute on hover.
#[component]
pub fn Age(
    /// When it was seen, in Unix ms.
    #[prop(into)]
    at_ms: Signal<i64>,
    /// The same in the reader's zone and writing, for hover and for what is away.
    #[prop(optional, into)]
    absolute: Signal<Option<String>>,
    /// Whoever reports it is away: "as of …" in the colour of a warning.
    #[prop(optional, into)]
    old: Signal<bool>,
) -> impl IntoView {
    let words = words();
    // Without a tick the age is that of the moment itself: a page that forgot it is seen at once.
    let now = use_context::<Now>().map_or(at_ms, |now| now.0);
    let text = move || match (old.get(), absolute.get()) {
        (true, Some(time)) => (words.as_of)(&time),
        _ => ago(now.get().saturating_sub(at_ms.get()), words),
    };
    view! {
        <span class="age" data-old=move || old.get().then_some("") title=absolute>
            <Icon glyph=Glyph::Clock/>
            {text}
        </span>
    }
}

/// A span of time as the reader says it, counted down to whole units: `4 秒前`, `2 小时前`.
pub fn ago(span_ms: i64, words: &Words) -> String {
    let seconds = u64::try_from(span_ms / 1000).unwrap_or(0);
    match seconds {
        0 => words.just_now.to_owned(),
        1..60 => (words.seconds_ago)(seconds),
        60..3600 => (words.minutes_ago)(seconds / 60),
        3600..86_400 => (words.hours_ago)(seconds / 3600),
        _ => (words.days_ago)(seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        EN, ZH,
        testing::{assert_parts, html},
    };

    #[test]
    fn ages_are_whole_units() {
        let cases = [
            (-5_000, "刚刚"),
            (999, "刚刚"),
            (4_000, "4 秒前"),
            (119_000, "1 分钟前"),
            (7_200_000, "2 小时前"),
            (172_800_000, "2 天前"),
        ];
        for (span, said) in cases {
            assert_eq!(ago(span, &ZH), said);
        }
        assert_eq!(ago(86_400_000, &EN), "1 day ago");
    }

    #[test]
    fn the_age_is_counted_from_the_frames_clock() {
        let age = html(|| {
            provide_context(Now(Signal::stored(64_000)));
            view! { <Age at_ms=60_000 absolute="14:03:22"/> }
        });
        assert_parts(&age, &["title=\"14:03:22\"", "4 秒前"]);
    }

    #[test]
    fn what_is_away_shows_when_it_was_seen() {
        let age = html(|| view! { <Age at_ms=60_000 absolute="14:03:22" old=true/> });
        assert_parts(&age, &["data-old", "截至 14:03:22"]);
    }
}
