//! Headers that every answer carries, whatever made it.

use axum::Router;
use http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS};
use http::{HeaderName, HeaderValue};
use tower_http::set_header::SetResponseHeaderLayer;

/// Name and value of what is added to answers that do not say it themselves.
///
/// `same-origin` and not `no-referrer`: with the latter Chromium sends `Origin: null` on forms without JavaScript, and our
/// own origin check would refuse them.
const DEFAULTS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
];

/// Adds them around `router`.
pub(crate) fn secured(router: Router) -> Router {
    DEFAULTS.into_iter().fold(router, |router, (name, value)| {
        router.layer(SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value)))
    })
}

/// Pages and answers are somebody's: no cache keeps them.
pub(crate) async fn not_cached<B>(mut response: http::Response<B>) -> http::Response<B> {
    let never = HeaderValue::from_static("no-store");
    response.headers_mut().entry(http::header::CACHE_CONTROL).or_insert(never);
    response
}
