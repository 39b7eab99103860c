//! What of the frame stands open, the toasts and the keys: one of these a tab, given by context to the frame and to pages.

use app_ui::{Hotkeys, Toast, Toasts};
use leptos::prelude::*;

/// What stands open.
#[derive(Clone, Copy)]
pub(crate) struct Desk {
    /// The palette.
    pub(crate) palette: RwSignal<bool>,
    /// The task drawer.
    pub(crate) tasks: RwSignal<bool>,
    /// The navigation, on narrow screens.
    pub(crate) menu: RwSignal<bool>,
    /// The navigation shows icons only.
    pub(crate) folded: RwSignal<bool>,
    /// The keys that work now, and the help about them.
    pub(crate) hotkeys: Hotkeys,
    /// What just happened.
    pub(crate) toasts: Toasts,
    /// The path of the open page and what people call its object, where the path has only an id.
    pub(crate) named: RwSignal<Option<(String, String)>>,
}

impl Desk {
    /// Everything closed; gives itself to everything below.
    pub(crate) fn provide(is_folded: bool) -> Self {
        let closed = || RwSignal::new(false);
        let (hotkeys, toasts) = (Hotkeys::default(), Toasts::new());
        let desk = Self {
            palette: closed(),
            tasks: closed(),
            menu: closed(),
            folded: RwSignal::new(is_folded),
            hotkeys,
            toasts,
            named: RwSignal::new(None),
        };
        provide_context(desk);
        provide_context(toasts);
        provide_context(hotkeys);
        desk
    }

    /// That of this tab.
    pub(crate) fn find() -> Self {
        use_context().unwrap_or_else(|| Self::provide(false))
    }

    /// Tells the crumbs what people call the object at `path`, once the page is alive.
    pub(crate) fn name(&self, path: String, name: String) {
        let named = self.named;
        Effect::new(move |_| named.set(Some((path.clone(), name.clone()))));
    }

    /// Says what just happened.
    pub(crate) fn toast(&self, toast: Toast) {
        self.toasts.push(toast);
    }

    /// Closes what floats.
    pub(crate) fn close_all(&self) {
        for open in [self.palette, self.tasks, self.menu] {
            if open.get_untracked() {
                open.set(false);
            }
        }
    }
}
