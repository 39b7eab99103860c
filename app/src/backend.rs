//! The door to the server's half: services, who asks, and how errors become what a client may be told.
//!
//! The only module, with the document in [`crate::shell`], that is compiled for the server alone. Errors turn into faults
//! here and nowhere else; the chain goes to the log once, under a reference that the client gets too.

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use http::StatusCode;
use http::header::{ACCEPT_LANGUAGE, COOKIE};
use http::request::Parts;
use leptos::prelude::*;
use leptos_axum::ResponseOptions;
use model::{Code, Fault, Say, UnixMs};
use ops::access::Csrf;
use ops::{Actor, Context, Error, Ops};

use crate::shell::Assets;
use crate::{Answer, Preferences, Session, paths};

/// What the server gives to pages and server functions, by `leptos_routes_with_context`.
#[derive(Clone)]
pub struct Services {
    /// Everything that the platform does.
    pub ops: Arc<Ops>,
    /// The build of the interface.
    pub build: Arc<str>,
}

/// The secret of the session that a request came with; the server's middleware puts it beside the request.
#[derive(Clone)]
pub struct SessionToken(pub String);

/// The services and the circumstances of this request.
pub(crate) fn reach() -> Result<(Arc<Ops>, Context), Fault> {
    let services = use_context::<Services>().ok_or_else(|| broken("no services in the context of this request"))?;
    Ok((services.ops, context()?))
}

/// Who asks, in which request, at what moment: the middleware of the server put it beside the request.
pub(crate) fn context() -> Result<Context, Fault> {
    let parts = use_context::<Parts>();
    parts
        .and_then(|parts| parts.extensions.get::<Context>().cloned())
        .ok_or_else(|| broken("no ops::Context beside the request"))
}

/// The secret of this request's session; empty when there is none, which fits no session.
pub(crate) fn session_token() -> String {
    let token = use_context::<Parts>().and_then(|parts| parts.extensions.get::<SessionToken>().cloned());
    token.map(|token| token.0).unwrap_or_default()
}

/// What the client is told about `error`; sets the status of this answer.
pub(crate) fn fault(error: Error) -> Fault {
    let fault = translate(error);
    set_status(fault.code.status());
    fault
}

/// What the client is told about `error`, for answers that are not made by Leptos, such as the sign-in form's.
pub fn translate(error: Error) -> Fault {
    let say = error.say();
    let code = match &error {
        Error::Unauthenticated => Code::Unauthenticated,
        Error::Forbidden(_) => Code::Forbidden,
        Error::NotFound => Code::NotFound,
        Error::Refused(_) => Code::Refused,
        Error::Conflict(_) => Code::Conflict,
        Error::TooMany(_) => Code::TooMany,
        Error::Away(_) => Code::Away,
        Error::KeyReused => Code::KeyReused,
        Error::Invalid(fault) => return fault.clone(),
        Error::Cluster(error) => error.code(),
        Error::Store(_) | Error::Broken(_) => Code::Internal,
    };
    let mut fault = Fault::new(code, say);
    if let Error::Cluster(cluster) = &error {
        fault.detail =
            cluster.detail().map(|text| Fault::new(code, fault.say.clone()).detail(text)).and_then(|f| f.detail);
    }
    match code {
        Code::Internal => logged(fault, &chain(&error)),
        Code::Away if matches!(error, Error::Cluster(_)) => logged(fault, &chain(&error)),
        _ => fault,
    }
}

/// The session of the page that is being made, for [`crate::shell`].
pub(crate) fn session(assets: &Assets) -> Session {
    let parts = use_context::<Parts>();
    let header = |name| {
        let value = parts.as_ref().and_then(|parts| parts.headers.get(name));
        value.and_then(|value| value.to_str().ok()).unwrap_or_default()
    };
    let context = parts.as_ref().and_then(|parts| parts.extensions.get::<Context>());
    let me = context.and_then(|context| match &context.actor {
        Actor::Account(me) => Some(me.clone()),
        Actor::System | Actor::Nobody => None,
    });
    Session {
        me,
        preferences: Preferences::read(header(COOKIE), header(ACCEPT_LANGUAGE)),
        csrf: parts
            .as_ref()
            .and_then(|p| p.extensions.get::<Csrf>())
            .map(|c| c.reveal().to_owned())
            .unwrap_or_default(),
        now: context.map_or(UnixMs(0), |context| context.now),
        build: assets.build.clone(),
        base: assets.base.clone(),
    }
}

/// Leads whoever is not signed in to the sign-in page, and from there back; `false` when the page is to be made.
pub(crate) fn leads_to_sign_in(session: &Session) -> bool {
    let Some(parts) = use_context::<Parts>().filter(|_| session.me.is_none()) else { return false };
    if parts.uri.path() == paths::SIGN_IN {
        return false;
    }
    let next = parts.uri.path_and_query().map_or(paths::OVERVIEW, |path| path.as_str());
    leptos_axum::redirect(&paths::sign_in(next));
    set_status(StatusCode::FOUND.as_u16());
    true
}

/// Lets pages set the status of their answer.
pub(crate) fn answer() -> Answer {
    let options = use_context::<ResponseOptions>();
    Answer(Arc::new(move |status| {
        if let (Some(options), Ok(status)) = (&options, StatusCode::from_u16(status)) {
            options.set_status(status);
        }
    }))
}

fn set_status(status: u16) {
    (answer().0)(status);
}

fn broken(what: &str) -> Fault {
    fault(Error::Broken(what.to_owned()))
}

/// Writes `chain` to the log and the reference of that line into `fault`.
fn logged(mut fault: Fault, chain: &str) -> Fault {
    let reference = reference();
    tracing::error!(reference, code = fault.code.word(), chain, "a request failed");
    fault.reference = Some(reference);
    if fault.code == Code::Internal {
        fault.say = Say::fixed(
            "平台内部出错，什么都没有执行；凭编号可以查日志",
            "something broke inside the platform; the reference finds it in the log",
        );
    }
    fault
}

/// `3F9A-0007`: the request's first letters and a count, enough to find one line in a log.
fn reference() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let request = use_context::<Parts>().and_then(|parts| parts.extensions.get::<Context>().map(|c| c.request.clone()));
    let request = request.unwrap_or_default();
    // The last ones: ids of ours begin with the time, so that the first letters are the same for hours.
    let tail: String = request.chars().rev().filter(char::is_ascii_alphanumeric).take(4).collect();
    format!("{}-{count:04}", tail.to_ascii_uppercase())
}

/// An error and its causes in one line.
fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_broke_inside_is_told_by_a_reference_only() {
        let fault = translate(Error::Broken("the password is hunter2".into()));
        assert_eq!(fault.code, Code::Internal);
        assert!(fault.reference.is_some() && fault.detail.is_none());
        assert!(!fault.say.en.contains("hunter2"));
    }

    #[test]
    fn refusals_keep_their_sentence() {
        let fault = translate(Error::Refused(Say::fixed("它在运行", "it runs")));
        assert_eq!((fault.code, fault.say.en.as_ref()), (Code::Refused, "it runs"));
        assert_eq!(translate(Error::invalid("name", Say::fixed("空", "empty"))).field.as_deref(), Some("name"));
    }
}
