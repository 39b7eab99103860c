//! The connector that asks [`NetworkPolicy`] about the very address that it then connects to.
//!
//! hyper's connector takes addresses written in the URL without asking the resolver, so both ways are guarded: literals
//! here, looked-up ones in [`Resolver`].

use super::{NetworkPolicy, literal};
use crate::error::causes;
use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use model::Say;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tower::{BoxError, Service};

/// How long a TCP connection may take: a host that is up answers in milliseconds.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);

/// The error of a connection that was not made; found again in the chain by [`refusal_in`].
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NotAllowed(pub Say);

/// The policy's sentence, if that is why a request failed.
pub(crate) fn refusal_in(error: &(dyn std::error::Error + 'static)) -> Option<Say> {
    causes(error).find_map(|cause| cause.downcast_ref()).map(|NotAllowed(say)| say.clone())
}

/// A TCP connector with the policy in front of it.
#[derive(Clone)]
pub(crate) struct Guarded {
    policy: NetworkPolicy,
    inner: HttpConnector<Resolver>,
}

impl Guarded {
    pub(crate) fn new(policy: NetworkPolicy) -> Self {
        let mut inner = HttpConnector::new_with_resolver(Resolver(policy.clone()));
        inner.enforce_http(false);
        inner.set_nodelay(true);
        inner.set_connect_timeout(Some(CONNECT_WITHIN));
        inner.set_keepalive(Some(Duration::from_secs(30)));
        Self { policy, inner }
    }
}

type Pending<T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send>>;

impl Service<Uri> for Guarded {
    type Response = <HttpConnector<Resolver> as Service<Uri>>::Response;
    type Error = BoxError;
    type Future = Pending<Self::Response>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        if let Some(say) = uri.host().and_then(literal).and_then(|address| self.policy.refusal(address)) {
            return Box::pin(async { Err(NotAllowed(say).into()) });
        }
        let connecting = self.inner.call(uri);
        Box::pin(async move { connecting.await.map_err(Into::into) })
    }
}

/// The system's resolver, whose answers the policy filters.
#[derive(Clone)]
pub(crate) struct Resolver(NetworkPolicy);

impl Service<Name> for Resolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = BoxError;
    type Future = Pending<Self::Response>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let policy = self.0.clone();
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            filter(&policy, found).map(Vec::into_iter).map_err(|say| NotAllowed(say).into())
        })
    }
}

/// What may be connected to; the first refusal when that is nothing.
fn filter(policy: &NetworkPolicy, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, Say> {
    let mut refusal = None;
    let mut kept = Vec::new();
    for address in found {
        match policy.refusal(address.ip()) {
            Some(say) => refusal = refusal.or(Some(say)),
            None => kept.push(address),
        }
    }
    match refusal {
        Some(say) if kept.is_empty() => Err(say),
        _ => Ok(kept),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tower::ServiceExt as _;

    async fn why(url: &str) -> Option<String> {
        let error = Guarded::new(NetworkPolicy::default()).oneshot(url.parse().unwrap()).await.err()?;
        refusal_in(error.as_ref()).map(|say| say.en.into_owned())
    }

    #[tokio::test]
    async fn no_spelling_of_the_loopback_is_connected_to() {
        for url in [
            "http://127.0.0.1:9",
            "http://[::1]:9",
            "http://[::ffff:127.0.0.1]:9",
            "http://localhost:9",
            "http://2130706433:9",
            "http://0177.0.0.1:9",
            "http://0x7f.1:9",
            "http://127.1:9",
        ] {
            assert!(why(url).await.is_some_and(|w| w.contains("loopback")), "{url}: {:?}", why(url).await);
        }
    }

    #[tokio::test]
    async fn the_refusal_is_found_through_the_pool_of_hyper() {
        let pool = hyper_util::client::legacy::Client::builder(hyper_util::rt::TokioExecutor::new())
            .build::<_, http_body_util::Empty<bytes::Bytes>>(Guarded::new(NetworkPolicy::default()));
        let error = pool.get("http://localhost:9/".parse().unwrap()).await.unwrap_err();
        assert!(refusal_in(&error).is_some(), "{error:?}");
    }

    #[test]
    fn a_name_with_one_bad_address_leads_to_the_good_one_only() {
        let found = vec!["127.0.0.1:1".parse().unwrap(), "10.0.0.1:1".parse().unwrap()];
        let kept = filter(&NetworkPolicy::default(), found).unwrap();
        assert_eq!(kept, ["10.0.0.1:1".parse().unwrap()]);
    }
}
