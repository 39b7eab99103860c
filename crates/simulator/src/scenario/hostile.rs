//! One machine whose owner wishes the console no good: markup, script URLs, bidirectional controls, terminal escapes.
//!
//! Whatever shows cluster text must show these as text.

use serde_json::{Value, json};

/// Its name: 63 characters, the longest that Kubernetes lets a VM have.
pub const NAME: &str = "hostile-0123456789-0123456789-0123456789-0123456789-0123456789x";

const DISPLAY: &str = "<script>alert('xss')</script><img src=x onerror=alert(1)>\u{202e}gnp.exe\u{202c}";
const DESCRIPTION: &str =
    "javascript:alert(document.cookie) \u{1b}[31m红色\u{1b}[0m \u{2066}\u{200b}\"><svg onload=alert(2)>";
const SYSTEM: &str = "<b>Linux</b>\u{1b}]0;owned\u{7} \u{202e}xuniL";
const HOST: &str = "javascript:alert(1)//<i>host</i>";

/// The hostname that this machine's cloud-init sets, if it is the hostile one.
pub(super) fn hostname(name: &str) -> Option<&'static str> {
    (name == NAME).then_some(HOST)
}

/// Makes a manifest hostile.
pub(super) fn taint(vm: &mut Value) {
    vm["metadata"]["annotations"]["harvesterhci.io/vmDisplayName"] = json!(DISPLAY);
    vm["metadata"]["annotations"]["field.cattle.io/description"] = json!(DESCRIPTION);
    vm["spec"]["template"]["metadata"]["annotations"][crate::behave::PRETTY_NAME] = json!(SYSTEM);
}
