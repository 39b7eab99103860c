//! What the user sees when the interface panics: a bar that asks to reload the page.
//!
//! A panic in WebAssembly does not stop the page: other buttons go on working on state that may be half changed. So the
//! bar is added by plain DOM calls, once, and looks as the stylesheet's `.broken` says (inline styles are forbidden by the
//! content security policy).

use std::panic::PanicHookInfo;

/// The `id` of the bar, so that a second panic does not add a second one.
const BAR_ID: &str = "broken";

/// From now on a panic is logged to the console and shown on the page.
pub(crate) fn install() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        show(info);
    }));
}

/// Adds the bar to the body; does nothing where there is no document or the bar is there already.
fn show(_info: &PanicHookInfo<'_>) {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    if document.get_element_by_id(BAR_ID).is_some() {
        return;
    }
    let (Some(body), Ok(bar), Ok(link)) =
        (document.body(), document.create_element("div"), document.create_element("a"))
    else {
        return;
    };
    let chinese = document
        .document_element()
        .is_some_and(|root| root.get_attribute("lang").unwrap_or_default().starts_with("zh"));
    let (sentence, reload) =
        if chinese { ("此页面出现错误。", "重新加载") } else { ("This page broke. ", "Reload it") };
    bar.set_id(BAR_ID);
    bar.set_class_name("broken");
    // Failing to set an attribute on an element just made leaves a bar that still says what happened.
    let _ = bar.set_attribute("role", "alert");
    bar.set_text_content(Some(sentence));
    let _ = link.set_attribute("href", "");
    let _ = link.set_attribute("rel", "external");
    link.set_text_content(Some(reload));
    let _ = bar.append_child(&link);
    let _ = body.prepend_with_node_1(&bar);
}
