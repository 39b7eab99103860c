//! Dialogs: the browser's own `<dialog>`, which keeps the focus in, closes on Esc and gives the focus back.

use leptos::{ev::Event, html, prelude::*};

use crate::{Button, Field, Glyph, Icon, Kind, Size, TextArea, TextInput, ToolButton, dom, words};

/// A question or a form that must be answered before anything else.
///
/// The page sets `open`; the dialog sets it back when the reader closes it. What is inside is made when it opens and
/// dropped when it closes, so each opening starts afresh.
#[component]
pub fn Dialog(
    /// Whether it stands there.
    open: RwSignal<bool>,
    /// Its id: unique in the page and the same at each render.
    #[prop(into)]
    id: String,
    /// What it asks.
    #[prop(into)]
    title: Signal<String>,
    /// A drawing before the title.
    #[prop(optional, into)]
    glyph: Option<Glyph>,
    /// It destroys something.
    #[prop(optional)]
    danger: bool,
    /// As wide as a form of two columns or a difference needs.
    #[prop(optional)]
    large: bool,
    /// What stands at the foot: a sentence first, then the buttons, the one that acts last.
    #[prop(optional, into)]
    footer: Option<ViewFn>,
    /// It was closed, whoever closed it: Esc, a button, the page.
    #[prop(optional, into)]
    on_closed: Option<Callback<()>>,
    /// What it holds.
    children: ChildrenFn,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    // The outside follows the signal: showing is the browser's business, not the view's.
    Effect::new(move |_| {
        let (Some(dialog), open) = (dialog.get(), open.get()) else { return };
        if open && !dialog.open() {
            // Fails only for a dialog that is not in the document, which then shows with the next change.
            let _ = dialog.show_modal();
            // What is inside is made in the same turn, perhaps after this: the focus follows in the next frame.
            request_animation_frame(move || focus_first(&dialog));
        } else if !open && dialog.open() {
            dialog.close();
        }
    });
    let title_id = format!("{id}-title");
    let named_by = title_id.clone();
    let closed = move |_: Event| {
        open.set(false);
        on_closed.into_iter().for_each(|on_closed| on_closed.run(()));
    };
    view! {
        <dialog
            class="dialog"
            id=id
            aria-labelledby=named_by
            data-tone=danger.then_some("danger")
            data-size=large.then_some("lg")
            node_ref=dialog
            on:close=closed
        >
            <header>
                {glyph.map(|glyph| view! { <Icon glyph=glyph/> })}
                <h2 id=title_id>{title}</h2>
                <ToolButton label=words().close glyph=Glyph::Close on_press=move |()| open.set(false)/>
            </header>
            <Show when=move || open.get()>
                <div>{children()}</div>
                {footer.clone().map(|footer| view! { <footer>{footer.run()}</footer> })}
            </Show>
        </dialog>
    }
}

/// Where the reader goes on: what asks for the focus, else the first control, else the first button of the foot.
const FIRST: [&str; 3] = ["[autofocus]", ":scope > div :is(input, textarea, select)", ":scope > footer button"];

fn focus_first(dialog: &web_sys::HtmlDialogElement) {
    for selector in FIRST {
        if dom::focus_first(dialog, selector) {
            return;
        }
    }
}

/// What a reader answered to a [`ConfirmDialog`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confirmed {
    /// Why, where it was asked; trimmed.
    pub reason: String,
}

/// What must be typed or said before the button of a [`ConfirmDialog`] can be pressed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The name to type, for what cannot be undone.
    pub name: Option<String>,
    /// Whether a reason is needed.
    pub reason: bool,
}

impl Asked {
    /// Whether the answers are what was asked for.
    pub fn is_met(&self, typed: &str, reason: &str) -> bool {
        self.name.as_deref().is_none_or(|name| typed.trim() == name) && !(self.reason && reason.trim().is_empty())
    }
}

/// A question before something that is hard to undo: what will be, the name to type, the reason, and what failed.
#[component]
pub fn ConfirmDialog(
    /// Whether it stands there.
    open: RwSignal<bool>,
    /// Its id: unique in the page and the same at each render.
    #[prop(into)]
    id: String,
    /// The question, with the name in it.
    #[prop(into)]
    title: Signal<String>,
    /// What must be typed or said.
    #[prop(optional, into)]
    asked: Signal<Asked>,
    /// The word of the button that acts: "Delete", never "OK".
    #[prop(into)]
    act: Signal<String>,
    /// Destroys something: the button is red.
    #[prop(optional)]
    danger: bool,
    /// It is being done.
    #[prop(optional, into)]
    busy: Signal<bool>,
    /// What stands at the foot: whether it can be undone.
    #[prop(optional, into)]
    foot: Option<String>,
    /// The reader confirmed.
    #[prop(into)]
    on_confirm: Callback<Confirmed>,
    /// What will be, in sentences; the difference; what failed.
    children: ChildrenFn,
) -> impl IntoView {
    let (typed, reason) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let words = words();
    let refusal = Signal::derive(move || {
        let met = asked.with(|asked| typed.with(|typed| reason.with(|reason| asked.is_met(typed, reason))));
        match asked.get().name {
            _ if met => None,
            Some(name) if typed.with(|typed| typed.trim() != name) => Some((words.type_name)(&name)),
            _ => Some(words.reason_needed.to_owned()),
        }
    });
    let confirm = move |()| on_confirm.run(Confirmed { reason: reason.get_untracked().trim().to_owned() });
    // What was answered to one question is no answer to the next.
    let forget = move |()| {
        typed.set(String::new());
        reason.set(String::new());
    };
    let kind = if danger { Kind::DangerSolid } else { Kind::Primary };
    let footer = move || {
        view! {
            <span>{foot.clone()}</span>
            <Button word=words.cancel on_press=move |()| open.set(false)/>
            <Button word=act kind=kind refusal=refusal busy=busy above=true on_press=confirm/>
        }
    };
    let (name_id, reason_id) = (format!("{id}-name"), format!("{id}-reason"));
    let questions = move || {
        let Asked { name, reason: needs_reason } = asked.get();
        view! {
            {needs_reason.then(|| view! {
                <Field id=reason_id.clone() label=words.reason hint=words.reason_needed><TextArea value=reason rows=2/></Field>
            })}
            {name.map(|name| view! {
                <Field id=name_id.clone() label=(words.type_name)(&name)>
                    <TextInput value=typed mono=true size=Size::Form/>
                </Field>
            })}
        }
    };
    view! {
        <Dialog
            open=open
            id=id
            title=title
            danger=danger
            glyph={if danger { Glyph::Warning } else { Glyph::Help }}
            footer=footer
            on_closed=forget
        >
            {children()}
            {questions.clone()}
        </Dialog>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn a_dialog_is_named_by_its_title_and_empty_while_closed() {
        let dialog = html(|| {
            view! { <Dialog open=RwSignal::new(false) id="stop" title="强制关机 erp-db-prod-07？">"说明"</Dialog> }
        });
        assert_parts(
            &dialog,
            &["<dialog", "id=\"stop\"", "aria-labelledby=\"stop-title\"", "id=\"stop-title\"", "aria-label=\"关闭\""],
        );
        assert!(!dialog.contains("说明"));
    }

    #[test]
    fn the_button_waits_for_the_name_and_says_so() {
        let dialog = html(|| {
            let asked = Asked { name: Some("erp-db-prod-07".into()), reason: true };
            view! {
                <ConfirmDialog
                    open=RwSignal::new(true)
                    id="del"
                    title="删除？"
                    asked=asked
                    act="删除"
                    danger=true
                    on_confirm=|_| ()
                >
                    "磁盘一并删除"
                </ConfirmDialog>
            }
        });
        assert_parts(
            &dialog,
            &["磁盘一并删除", "原因", "输入 erp-db-prod-07 以确认", "取消", "aria-disabled=\"true\"", "删除"],
        );
    }

    #[test]
    fn a_name_is_typed_in_full_and_a_reason_is_not_blank() {
        let asked = Asked { name: Some("a-1".into()), reason: true };
        assert!(asked.is_met(" a-1 ", "CHG-1"));
        assert!(!asked.is_met("a-", "CHG-1") && !asked.is_met("a-1", "  "));
        assert!(Asked::default().is_met("", ""));
    }
}
