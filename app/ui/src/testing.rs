//! How widgets are looked at in tests: rendered to a string, as the server does it.

use leptos::prelude::*;

/// The HTML of a view, without the markers that only hydration reads. Everything reactive must be made inside `view`.
pub(crate) fn html<V: IntoView + 'static>(view: impl FnOnce() -> V) -> String {
    let owner = Owner::new();
    owner.with(|| view().into_any().to_html()).replace("<!>", "")
}

/// Panics unless each of `parts` occurs in `html`, in this order.
#[track_caller]
pub(crate) fn assert_parts(html: &str, parts: &[&str]) {
    let mut rest = html;
    for part in parts {
        let Some(at) = rest.find(part) else { panic!("{part}\nis not, or not in this order, in\n{html}") };
        rest = &rest[at + part.len()..];
    }
}
