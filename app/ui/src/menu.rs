//! A button and what it opens: a menu of actions, or anything that floats beside it.

use leptos::{
    ev::{FocusEvent, KeyboardEvent},
    html,
    prelude::*,
};

use crate::{Glyph, Icon, dom};

/// A button that opens something beside it. Esc closes it and gives the focus back; so does leaving it.
#[component]
pub fn Popover(
    /// What the button opens, for screen readers; shown on hover when it has no word.
    #[prop(into)]
    label: String,
    /// The button's word; a caret stands behind it.
    #[prop(optional, into)]
    word: Signal<Option<String>>,
    /// The button's drawing.
    #[prop(optional, into)]
    glyph: Option<Glyph>,
    /// What opens: `menu`, `dialog`, `listbox`.
    #[prop(default = "dialog")]
    role: &'static str,
    /// Opens towards the start, for a button at the far end.
    #[prop(optional)]
    end: bool,
    /// Opens above, for a button at the foot.
    #[prop(optional)]
    above: bool,
    /// A quiet tool of the top bar instead of a framed button.
    #[prop(optional)]
    tool: bool,
    /// Whether it is open.
    #[prop(optional)]
    open: RwSignal<bool>,
    /// What opens.
    children: ChildrenFn,
) -> impl IntoView {
    let (root, inside) = (NodeRef::<html::Span>::new(), NodeRef::<html::Div>::new());
    Effect::new(move |was_open: Option<bool>| {
        let is_open = open.get();
        let Some(root) = root.get() else { return is_open };
        if is_open {
            request_animation_frame(move || {
                let _ = inside.get_untracked().is_some_and(|inside| dom::focus_first(&inside, STOPS));
            });
        } else if was_open == Some(true) && dom::is_lost() {
            // It went with what was closed: back to the button.
            dom::focus_first(&root, ":scope > button");
        }
        is_open
    });
    let close = move || {
        if let Some(root) = root.get_untracked() {
            dom::focus_first(&root, ":scope > button");
        }
        open.set(false);
    };
    let keys = move |event: KeyboardEvent| {
        // The reference to what was open outlives it: the signal tells.
        let Some(inside) = inside.get_untracked().filter(|_| open.get_untracked()) else {
            if event.key() == "ArrowDown" {
                event.prevent_default();
                open.set(true);
            }
            return;
        };
        let step = match event.key().as_str() {
            "Escape" => return close(),
            "ArrowDown" if role != "dialog" => Some(1),
            "ArrowUp" if role != "dialog" => Some(-1),
            "Home" if role != "dialog" => None,
            "End" if role != "dialog" => Some(isize::MAX),
            _ => return,
        };
        event.prevent_default();
        dom::focus_next(&inside, STOPS, step);
    };
    let left = move |event: FocusEvent| {
        if root.get_untracked().is_some_and(|root| dom::leaves(&root, &event)) {
            open.set(false);
        }
    };
    let bare = Signal::derive(move || word.with(Option::is_none));
    let name = label.clone();
    view! {
        <span
            class="pop"
            data-end=end.then_some("")
            data-above=above.then_some("")
            node_ref=root
            on:keydown=keys
            on:focusout=left
        >
            <button
                class=if tool { "tool" } else { "button" }
                type="button"
                aria-haspopup=role
                aria-expanded=move || open.get().to_string()
                aria-label={let label = label.clone(); move || bare.get().then(|| label.clone())}
                title=move || bare.get().then(|| label.clone())
                on:click=move |_| open.update(|open| *open = !*open)
            >
                {glyph.map(|glyph| view! { <Icon glyph=glyph/> })}
                {move || word.get().map(|word| view! { {word}<Icon glyph=Glyph::Down/> })}
            </button>
            <Show when=move || open.get()>
                <div class="menu" role=role aria-label=name.clone() node_ref=inside>{children()}</div>
            </Show>
        </span>
    }
}

/// What the arrow keys stop at.
const STOPS: &str = ":is(a, button, input, select, textarea, [tabindex=\"-1\"])";

/// One line of a [`Menu`].
#[derive(Clone, Debug)]
pub struct MenuItem {
    /// What it does.
    pub word: String,
    /// Its drawing.
    pub glyph: Option<Glyph>,
    /// What is to be known before: "asks the guest first".
    pub note: Option<String>,
    /// Why it cannot be done now.
    pub refusal: Option<String>,
    /// It destroys something.
    pub danger: bool,
    /// A hairline stands above it.
    pub apart: bool,
    /// What happens.
    pub act: Callback<()>,
}

impl MenuItem {
    /// A line that does something.
    pub fn new(word: impl Into<String>, act: Callback<()>) -> Self {
        Self { word: word.into(), glyph: None, note: None, refusal: None, danger: false, apart: false, act }
    }

    /// The same with a drawing.
    pub fn glyph(mut self, glyph: Glyph) -> Self {
        self.glyph = Some(glyph);
        self
    }

    /// The same with a note.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// The same, refused when there is a reason.
    pub fn refused(mut self, refusal: Option<String>) -> Self {
        self.refusal = refusal;
        self
    }

    /// The same below a hairline, in the colour of what destroys.
    pub fn dangerous(mut self) -> Self {
        self.danger = true;
        self.apart = true;
        self
    }
}

/// A button that opens a menu of actions. One that cannot be done now stays and says why.
#[component]
pub fn Menu(
    /// What the actions are about.
    #[prop(into)]
    label: String,
    /// The actions.
    #[prop(into)]
    items: Signal<Vec<MenuItem>>,
    /// The button's word.
    #[prop(optional, into)]
    word: Signal<Option<String>>,
    /// The button's drawing.
    #[prop(default = Glyph::More)]
    glyph: Glyph,
    /// Opens towards the start.
    #[prop(optional)]
    end: bool,
    /// Opens above.
    #[prop(optional)]
    above: bool,
    /// A quiet tool instead of a framed button.
    #[prop(optional)]
    tool: bool,
    /// Whether it is open.
    #[prop(optional)]
    open: RwSignal<bool>,
) -> impl IntoView {
    let item = move |item: MenuItem| {
        let refused = item.refusal.is_some();
        let press = move |_| {
            if !refused {
                open.set(false);
                item.act.run(());
            }
        };
        view! {
            {item.apart.then(|| view! { <hr/> })}
            <button
                class="option"
                type="button"
                role="menuitem"
                tabindex="-1"
                data-kind=item.danger.then_some("danger")
                aria-disabled=refused.then_some("true")
                on:click=press
            >
                {item.glyph.map(|glyph| view! { <Icon glyph=glyph/> })}
                {item.word}
                {item.refusal.or(item.note).map(|note| view! { <em>{note}</em> })}
            </button>
        }
    };
    view! {
        <Popover label=label word=word glyph=glyph role="menu" end=end above=above tool=tool open=open>
            {move || items.get().into_iter().map(item).collect_view()}
        </Popover>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn a_closed_menu_is_a_button_that_says_what_it_opens() {
        let menu = html(|| view! { <Menu label="更多" items=Vec::new()/> });
        assert_parts(&menu, &["aria-haspopup=\"menu\"", "aria-expanded=\"false\"", "aria-label=\"更多\"", "#more"]);
        assert!(!menu.contains("role=\"menu\""));
    }

    #[test]
    fn a_refused_action_stays_in_the_menu_with_its_reason() {
        let menu = html(|| {
            let start = MenuItem::new("启动", Callback::new(|()| ())).refused(Some("已在运行".into()));
            let delete = MenuItem::new("删除…", Callback::new(|()| ())).dangerous();
            view! { <Menu label="电源" word="电源" items=vec![start, delete] open=RwSignal::new(true)/> }
        });
        assert_parts(
            &menu,
            &[
                "role=\"menu\"",
                "role=\"menuitem\"",
                "aria-disabled=\"true\"",
                "启动<em>已在运行</em>",
                "<hr",
                "data-kind=\"danger\"",
            ],
        );
    }
}
