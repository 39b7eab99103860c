//! The few things widgets do to the document itself: move the focus, ask where it went. Only called from event handlers
//! and effects.

use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Moves the focus to the first element within `root` that fits; `false` when there is none.
pub(crate) fn focus_first(root: &web_sys::Element, selector: &str) -> bool {
    let found = root.query_selector(selector).ok().flatten();
    let Some(found) = found.and_then(|found| found.dyn_into::<web_sys::HtmlElement>().ok()) else { return false };
    found.focus().is_ok()
}

/// Moves the focus by `step` among the elements within `root` that fit, round at the ends; `None` goes to the first,
/// and a `step` of `isize::MAX` to the last.
pub(crate) fn focus_next(root: &web_sys::Element, selector: &str, step: Option<isize>) {
    let Ok(all) = root.query_selector_all(selector) else { return };
    let at = focused(root, selector).and_then(|at| u32::try_from(at).ok());
    if let Some(to) = round(at, step, all.length()) {
        focus_nth(&all, to);
    }
}

/// Moves the focus to the element at a place of a list.
pub(crate) fn focus_nth(all: &web_sys::NodeList, at: u32) {
    if let Some(next) = all.item(at).and_then(|next| next.dyn_into::<web_sys::HtmlElement>().ok()) {
        // What cannot take the focus leaves it where it is.
        let _ = next.focus();
    }
}

/// Which of the elements within `root` that fit has the focus.
pub(crate) fn focused(root: &web_sys::Element, selector: &str) -> Option<usize> {
    let all = root.query_selector_all(selector).ok()?;
    let active: web_sys::Node = document().active_element()?.into();
    let at = (0..all.length()).find(|&at| all.item(at).as_ref() == Some(&active))?;
    usize::try_from(at).ok()
}

/// The place after a step on a circle of `len`.
fn round(at: Option<u32>, step: Option<isize>, len: u32) -> Option<u32> {
    let len = i64::from(len);
    if len == 0 {
        return None;
    }
    let to = match (at, step) {
        (_, Some(isize::MAX)) => len - 1,
        (Some(at), Some(step)) => (i64::from(at) + i64::try_from(step).ok()?).rem_euclid(len),
        (None, Some(step)) if step < 0 => len - 1,
        _ => 0,
    };
    u32::try_from(to).ok()
}

/// Whether the focus leaves `root` with this `focusout`.
pub(crate) fn leaves(root: &web_sys::Element, event: &web_sys::FocusEvent) -> bool {
    let to = event.related_target().and_then(|to| to.dyn_into::<web_sys::Node>().ok());
    !root.contains(to.as_ref())
}

/// Whether nothing has the focus: what had it is gone.
pub(crate) fn is_lost() -> bool {
    document().active_element().is_none_or(|active| active.tag_name() == "BODY")
}

/// Whether keys typed at `target` are text.
pub(crate) fn is_text(target: &web_sys::Element) -> bool {
    let kind = target.get_attribute("type").unwrap_or_default();
    match target.tag_name().as_str() {
        "TEXTAREA" | "SELECT" => true,
        "INPUT" => !matches!(kind.as_str(), "checkbox" | "radio" | "button" | "submit"),
        _ => target.has_attribute("contenteditable"),
    }
}

/// Whether a dialog of the browser's own stands open.
pub(crate) fn is_dialog_open() -> bool {
    document().query_selector("dialog[open]").ok().flatten().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_go_round() {
        assert_eq!(round(Some(2), Some(1), 3), Some(0));
        assert_eq!(round(Some(0), Some(-1), 3), Some(2));
        assert_eq!(round(None, Some(-1), 3), Some(2));
        assert_eq!(round(None, None, 3), Some(0));
        assert_eq!(round(Some(1), Some(isize::MAX), 3), Some(2));
        assert_eq!(round(None, None, 0), None);
    }
}
