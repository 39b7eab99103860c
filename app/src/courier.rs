//! How calls that change something leave the browser: with the secret that only this session's pages know, so that the
//! server can tell them from those that another site makes with our cookie.
//!
//! Every server function that is not read by `GET` names [`Courier`] as its client; `cargo xtask tidy` sees to it.

use std::future::Future;
use std::sync::OnceLock;

use leptos::server_fn::Bytes;
use leptos::server_fn::client::{Client, browser::BrowserClient};
use leptos::server_fn::error::FromServerFnError;
use leptos::server_fn::request::browser::BrowserRequest;
use leptos::server_fn::response::browser::BrowserResponse;

/// Under which name the secret travels.
pub const CSRF_HEADER: &str = "x-csrf-token";

static CSRF: OnceLock<String> = OnceLock::new();

/// What calls carry from now on: a page has one session as long as it lives.
pub(crate) fn carry(csrf: &str) {
    // Set at first only: the page of another session is another page.
    let _ = CSRF.set(csrf.to_owned());
}

/// The client of server functions that change something.
pub(crate) struct Courier;

impl<E, I, O> Client<E, I, O> for Courier
where
    E: FromServerFnError,
    I: FromServerFnError,
    O: FromServerFnError,
{
    type Request = BrowserRequest;
    type Response = BrowserResponse;

    fn send(request: Self::Request) -> impl Future<Output = Result<Self::Response, E>> + Send {
        request.headers().set(CSRF_HEADER, CSRF.get().map_or("", String::as_str));
        <BrowserClient as Client<E, I, O>>::send(request)
    }

    #[allow(clippy::type_complexity, reason = "the trait's own type")]
    fn open_websocket(
        path: &str,
    ) -> impl Future<
        Output = Result<
            (
                impl futures::Stream<Item = Result<Bytes, Bytes>> + Send + 'static,
                impl futures::Sink<Bytes> + Send + 'static,
            ),
            E,
        >,
    > + Send {
        <BrowserClient as Client<E, I, O>>::open_websocket(path)
    }

    fn spawn(future: impl Future<Output = ()> + Send + 'static) {
        <BrowserClient as Client<E, I, O>>::spawn(future);
    }
}
