//! Shares of a whole: a bar with a mark, a bar of parts, a ring. Geometry is SVG attributes, which the content policy
//! lets pass.

use leptos::prelude::*;

use crate::tone::Tone;

/// From here a bar is coloured as a warning, and from [`FULL`] as an error.
const HIGH: f64 = 80.0;
const FULL: f64 = 95.0;

/// The value of `data-level` for a share in percent.
fn level(share: f64) -> Option<&'static str> {
    if share >= FULL {
        Some("full")
    } else if share >= HIGH {
        Some("high")
    } else {
        None
    }
}

/// A share in percent as an SVG length.
fn length(share: f64) -> String {
    let share = if share.is_finite() { share.clamp(0.0, 100.0) } else { 0.0 };
    format!("{}%", (share * 100.0).round() / 100.0)
}

/// Used of what there is.
#[component]
pub fn Meter(
    /// In percent.
    #[prop(into)]
    used: Signal<f64>,
    /// Promised beyond what is used, in percent from the start.
    #[prop(optional, into)]
    asked: Signal<Option<f64>>,
    /// A limit, in percent.
    #[prop(optional, into)]
    mark: Signal<Option<f64>>,
    /// What is measured and how much it is: "内存 62%".
    #[prop(into)]
    label: Signal<String>,
    /// Half as high.
    #[prop(optional)]
    thin: bool,
    /// A tone instead of the level: `Moving` for progress, `Quiet` for what is away.
    #[prop(optional, into)]
    tone: Signal<Tone>,
) -> impl IntoView {
    let tone_name = move || match tone.get() {
        Tone::Moving => Some("moving"),
        Tone::Ok => Some("ok"),
        Tone::Quiet => Some("mute"),
        _ => None,
    };
    let level = move || if tone_name().is_some() { None } else { level(used.get()) };
    view! {
        <svg class="meter" role="img" aria-label=label data-level=level data-tone=tone_name data-thin=thin.then_some("")>
            <rect class="room" width="100%" height="100%"></rect>
            {move || asked.get().map(|asked| view! { <rect class="asked" width=length(asked) height="100%"></rect> })}
            <rect class="used" width=move || length(used.get()) height="100%"></rect>
            {move || mark.get().map(|mark| view! { <rect class="mark" x=length(mark) width="1.5" height="100%"></rect> })}
        </svg>
    }
}

/// A part of a whole: the class of its fill and its share in percent.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// `s-running` and the other states, `c-1` to `c-6` for series.
    pub fill: &'static str,
    /// In percent.
    pub share: f64,
}

/// Parts of a whole, side by side.
#[component]
pub fn StackedBar(
    /// The parts from the start.
    #[prop(into)]
    parts: Signal<Vec<Part>>,
    /// What they are and how many: read out instead of the picture.
    #[prop(into)]
    label: Signal<String>,
) -> impl IntoView {
    let rects = move || {
        let mut from = 0.0;
        let mut place = |part: Part| {
            let x = length(from);
            from += part.share;
            view! { <rect class=part.fill x=x width=length(part.share) height="100%"></rect> }
        };
        parts.get().into_iter().map(&mut place).collect_view()
    };
    view! { <svg class="stack" role="img" aria-label=label>{rects}</svg> }
}

/// A share as a ring.
#[component]
pub fn Ring(
    /// In percent.
    #[prop(into)]
    used: Signal<f64>,
    /// What is measured and how much it is.
    #[prop(into)]
    label: Signal<String>,
    /// As large as an icon.
    #[prop(optional)]
    small: bool,
    /// Progress rather than use.
    #[prop(optional)]
    moving: bool,
) -> impl IntoView {
    let (side, radius) = if small { (16, 6.0) } else { (64, 28.0) };
    let around: f64 = 2.0 * std::f64::consts::PI * radius;
    let dash = move || format!("{:.2} {around:.2}", around * used.get().clamp(0.0, 100.0) / 100.0);
    let middle = side / 2;
    view! {
        <svg
            class="ring"
            data-size=small.then_some("sm")
            data-tone=moving.then_some("moving")
            viewBox=format!("0 0 {side} {side}")
            role="img"
            aria-label=label
        >
            <circle class="room" cx=middle cy=middle r=radius></circle>
            <circle class="used" data-level=move || level(used.get()) cx=middle cy=middle r=radius stroke-dasharray=dash></circle>
        </svg>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn a_meter_is_a_picture_with_a_name_and_without_styles() {
        let meter = html(|| view! { <Meter used=84.004 asked=91.0 mark=85.0 label="内存 84%"/> });
        assert!(!meter.contains("style="));
        assert_parts(
            &meter,
            &[
                "role=\"img\"",
                "aria-label=\"内存 84%\"",
                "data-level=\"high\"",
                "width=\"91%\"",
                "width=\"84%\"",
                "x=\"85%\"",
            ],
        );
    }

    #[test]
    fn parts_stand_one_after_the_other() {
        let parts = vec![Part { fill: "s-running", share: 40.0 }, Part { fill: "s-error", share: 2.5 }];
        let bar = html(move || view! { <StackedBar parts=parts label="40 运行，2 故障"/> });
        assert_parts(&bar, &["x=\"0%\" width=\"40%\"", "x=\"40%\" width=\"2.5%\""]);
    }

    #[test]
    fn what_is_no_number_is_an_empty_bar() {
        assert_eq!(length(f64::NAN), "0%");
        assert_eq!(length(250.0), "100%");
    }
}
