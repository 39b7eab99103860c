//! What every page that fetches something looks like while it is fetched, when it came, and when it did not.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::server::codee::{Decoder, Encoder};
use model::{Code, Fault};
use serde::{Serialize, de::DeserializeOwned};

use super::states::FaultState;
use crate::live::{Link, Live};

/// What a page's resource yields.
pub(crate) type Answered<T> = Resource<Result<T, Fault>, Bytes>;

/// Fetches again whenever `source` changes.
pub(crate) fn fetched<S, T, F>(
    source: impl Fn() -> S + Send + Sync + 'static,
    fetch: impl Fn(S) -> F + Send + Sync + 'static,
) -> Answered<T>
where
    S: PartialEq + Clone + Send + Sync + 'static,
    T: Send + Sync + Serialize + DeserializeOwned + 'static,
    F: Future<Output = Result<T, Fault>> + Send + 'static,
{
    Resource::new_with_options(source, fetch, false)
}

/// How a resource travels in the page: JSON, read as bytes as the answers of server functions are. Leptos' own codec reads
/// text, and with it the interface would carry two copies of every reader: 200 KiB raw, 10 KiB by brotli.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bytes;

impl<T: Serialize> Encoder<T> for Bytes {
    type Error = serde_json::Error;
    type Encoded = String;

    fn encode(value: &T) -> Result<String, serde_json::Error> {
        serde_json::to_string(value)
    }
}

impl<T: DeserializeOwned> Decoder<T> for Bytes {
    type Error = serde_json::Error;
    type Encoded = str;

    fn decode(text: &str) -> Result<T, serde_json::Error> {
        serde_json::from_slice(text.as_bytes())
    }
}

/// Shows `fallback` at the first load, then `children` of what came; while it is fetched again the old stays. A fault is
/// shown by its code, with a way to try again. One of these a page, and no suspense inside (`stack.md` §9).
#[component]
pub(crate) fn Loaded<T, C, V>(
    /// What is fetched.
    from: Answered<T>,
    /// In the shape of what will stand there.
    #[prop(into)]
    fallback: ViewFnOnce,
    /// The fault stands for the whole page.
    #[prop(optional)]
    page: bool,
    /// Draws what came: plain data.
    children: C,
) -> impl IntoView
where
    T: Clone + Send + Sync + Serialize + DeserializeOwned + 'static,
    C: Fn(T) -> V + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let children = Arc::new(children);
    let retry = Callback::new(move |()| from.refetch());
    fetch_when_back(from);
    let content = move || {
        let children = children.clone();
        Suspend::new(async move {
            match from.await {
                Ok(value) => children(value).into_any(),
                Err(fault) => view! { <FaultState fault=fault page=page retry=retry/> }.into_any(),
            }
        })
    };
    view! { <Transition fallback=fallback>{content}</Transition> }
}

/// What could not be fetched because the server was out of reach is fetched once the line to it is open again.
fn fetch_when_back<T>(from: Answered<T>)
where
    T: Clone + Send + Sync + Serialize + DeserializeOwned + 'static,
{
    let Some(live) = use_context::<Live>() else { return };
    Effect::new(move |was_open: Option<bool>| {
        let is_open = live.link.get() == Link::Open;
        let is_missing =
            || from.with_untracked(|answer| matches!(answer, Some(Err(fault)) if fault.code == Code::Offline));
        if is_open && was_open == Some(false) && is_missing() {
            from.refetch();
        }
        is_open
    });
}
