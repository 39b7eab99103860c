//! Toasts: what just happened, with a link to it, and a way back for some seconds. They wait while they are pointed at.

use std::time::Duration;

use leptos::prelude::*;

use crate::{Button, Glyph, Icon, Kind, ToolButton, tone::Tone, words};

/// How long a toast stays, in seconds; longer than the ten seconds in which a change can be taken back.
const STAY_S: u32 = 11;
/// More than these at once are a log, and there is one: the oldest goes.
const MOST: usize = 4;

/// What a toast says.
#[derive(Clone, Debug)]
pub struct Toast {
    /// Done, failed, under way.
    pub tone: Tone,
    /// What happened.
    pub text: String,
    /// A link to it: where, and its word.
    pub link: Option<(String, String)>,
    /// Takes it back, while it can be.
    pub undo: Option<Callback<()>>,
    /// The button's word instead of "Undo".
    pub undo_word: Option<String>,
}

impl Toast {
    /// Something was done.
    pub fn done(text: impl Into<String>) -> Self {
        Self { tone: Tone::Ok, text: text.into(), link: None, undo: None, undo_word: None }
    }

    /// Something failed.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { tone: Tone::Error, ..Self::done(text) }
    }

    /// The same with a link to the operation.
    pub fn link(mut self, href: impl Into<String>, word: impl Into<String>) -> Self {
        self.link = Some((href.into(), word.into()));
        self
    }

    /// The same with a way back.
    pub fn undo(mut self, undo: Callback<()>) -> Self {
        self.undo = Some(undo);
        self
    }
}

#[derive(Clone, Debug)]
struct Shown {
    id: u64,
    left_s: u32,
    toast: Toast,
}

/// The toasts that stand there; the frame makes it and provides it by context, pages call [`Toasts::push`].
#[derive(Clone, Copy, Debug)]
pub struct Toasts {
    shown: RwSignal<Vec<Shown>>,
    last: StoredValue<u64>,
}

impl Toasts {
    /// None yet.
    pub fn new() -> Self {
        Self { shown: RwSignal::new(Vec::new()), last: StoredValue::new(0) }
    }

    /// Shows one more.
    pub fn push(&self, toast: Toast) {
        self.last.update_value(|last| *last += 1);
        let id = self.last.get_value();
        self.shown.update(|shown| {
            shown.push(Shown { id, left_s: STAY_S, toast });
            let over = shown.len().saturating_sub(MOST);
            shown.drain(..over);
        });
    }

    fn drop_one(&self, id: u64) {
        self.shown.update(|shown| shown.retain(|one| one.id != id));
    }

    /// One second has passed.
    fn tick(&self) {
        if self.shown.with_untracked(Vec::is_empty) {
            return;
        }
        self.shown.update(|shown| {
            shown.iter_mut().for_each(|one| one.left_s = one.left_s.saturating_sub(1));
            // A failure stays until it is read: nobody can act on what is gone.
            shown.retain(|one| one.left_s > 0 || one.toast.tone == Tone::Error);
        });
    }
}

impl Default for Toasts {
    fn default() -> Self {
        Self::new()
    }
}

/// Where toasts rise, once a page, in the frame.
#[component]
pub fn ToastHost(
    /// Those there are.
    toasts: Toasts,
) -> impl IntoView {
    let paused = RwSignal::new(false);
    Effect::new(move |_| {
        let tick = move || {
            if !paused.get_untracked() {
                toasts.tick()
            }
        };
        // Without a timer toasts stay until they are closed.
        let Ok(timer) = set_interval_with_handle(tick, Duration::from_secs(1)) else { return };
        on_cleanup(move || timer.clear());
    });
    let words = words();
    let one = move |Shown { id, toast, .. }: Shown| {
        let glyph = match toast.tone {
            Tone::Error => Glyph::Error,
            Tone::Warning => Glyph::Warning,
            Tone::Moving => Glyph::Moving,
            _ => Glyph::Ok,
        };
        let undo_word = toast.undo_word.unwrap_or_else(|| words.undo.to_owned());
        view! {
            <div class="toast" data-tone=toast.tone.name()>
                <Icon glyph=glyph/>
                <p>{toast.text}</p>
                {toast.link.map(|(href, word)| view! { <a class="link" href=href>{word}</a> })}
                {toast.undo.map(|undo| {
                    let press = move |()| { undo.run(()); toasts.drop_one(id) };
                    view! { <Button word=undo_word glyph=Glyph::Undo kind=Kind::Quiet on_press=press/> }
                })}
                <ToolButton label=words.close glyph=Glyph::Close on_press=move |()| toasts.drop_one(id)/>
            </div>
        }
    };
    view! {
        <div
            class="toasts"
            role="region"
            aria-live="polite"
            aria-label=words.notices
            on:pointerenter=move |_| paused.set(true)
            on:pointerleave=move |_| paused.set(false)
            on:focusin=move |_| paused.set(true)
            on:focusout=move |_| paused.set(false)
        >
            <For each=move || toasts.shown.get() key=|one| one.id children=one/>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn a_toast_is_read_out_and_can_be_taken_back() {
        let host = html(|| {
            let toasts = Toasts::new();
            toasts.push(
                Toast::done("已重启 erp-db-prod-07").link("/operations/1", "看操作").undo(Callback::new(|()| ())),
            );
            view! { <ToastHost toasts=toasts/> }
        });
        assert_parts(
            &host,
            &["aria-live=\"polite\"", "已重启 erp-db-prod-07", "href=\"/operations/1\"", "撤销", "aria-label=\"关闭\""],
        );
    }

    #[test]
    fn what_was_done_goes_and_what_failed_stays() {
        Owner::new().with(|| {
            let toasts = Toasts::new();
            toasts.push(Toast::done("a"));
            toasts.push(Toast::failed("b"));
            (0..STAY_S).for_each(|_| toasts.tick());
            assert_eq!(
                toasts.shown.with(|shown| shown.iter().map(|one| one.toast.text.clone()).collect::<Vec<_>>()),
                ["b"]
            );
        });
    }

    #[test]
    fn no_more_than_four_stand_there() {
        Owner::new().with(|| {
            let toasts = Toasts::new();
            (0..9).for_each(|n| toasts.push(Toast::done(n.to_string())));
            assert_eq!(toasts.shown.with(Vec::len), MOST);
        });
    }
}
