//! Refuses changes and upgrades that another site asks for with our cookies.
//!
//! Independent checks: the cookie is `SameSite`, the `Origin` must be ours, and where the browser says where a request comes
//! from (`Sec-Fetch-Site`) it must say "same-origin". The fourth, a secret of the session, is in [`super::session`].

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{HOST, ORIGIN, UPGRADE};
use http::{HeaderMap, Method, StatusCode};
use std::sync::Arc;

/// The origin that people type, or empty to compare with the `Host` header.
#[derive(Debug, Clone, Default)]
pub(crate) struct PublicUrl(pub(crate) Arc<str>);

/// The middleware.
pub(crate) async fn check(State(public): State<PublicUrl>, request: Request, next: Next) -> Response {
    let upgrades = request.headers().contains_key(UPGRADE);
    if (changes(request.method()) || upgrades) && !is_ours(request.headers(), &public.0) {
        return (StatusCode::FORBIDDEN, "the request comes from another site\n").into_response();
    }
    next.run(request).await
}

/// Whether a request with this method may change something.
pub(super) fn changes(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Whether a request that changes something, or upgrades, comes from our own pages.
fn is_ours(headers: &HeaderMap, public: &str) -> bool {
    let text = |name| headers.get(name).and_then(|v| v.to_str().ok());
    if text(http::HeaderName::from_static("sec-fetch-site")).is_some_and(|site| site != "same-origin") {
        return false;
    }
    let Some(origin) = text(ORIGIN) else { return false };
    if !public.is_empty() {
        return origin == public.trim_end_matches('/');
    }
    let bare = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
    bare.is_some() && bare == text(HOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(pairs: &[(&'static str, &str)], public: &str) -> bool {
        let headers = pairs.iter().map(|(k, v)| (http::HeaderName::from_static(k), v.parse().unwrap())).collect();
        is_ours(&headers, public)
    }

    #[test]
    fn only_our_own_pages_may_change_anything() {
        let host = ("host", "ops.example:8080");
        assert!(ours(&[host, ("origin", "http://ops.example:8080")], ""));
        assert!(ours(&[host, ("origin", "http://ops.example:8080"), ("sec-fetch-site", "same-origin")], ""));
        assert!(ours(&[host, ("origin", "https://ops.example")], "https://ops.example/"));
        for (headers, public) in [
            (vec![host], ""),
            (vec![host, ("origin", "null")], ""),
            (vec![host, ("origin", "http://evil.example")], ""),
            (vec![host, ("origin", "http://ops.example:8080.evil.example")], ""),
            (vec![host, ("origin", "http://ops.example:8080"), ("sec-fetch-site", "cross-site")], ""),
            (vec![host, ("origin", "http://ops.example:8080")], "https://ops.example"),
        ] {
            assert!(!ours(&headers, public), "{headers:?} {public}");
        }
    }
}
