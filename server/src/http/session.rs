//! Who is it: from the session cookie to the [`Context`] that services want, and the two routes that make and end sessions.

use super::origin;
use crate::wire::Shared;
use app::paths;
use axum::Form;
use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use axum_extra::extract::CookieJar;
use axum_extra::extract::cookie::{Cookie, SameSite};
use http::{HeaderMap, StatusCode, header};
use model::access::SignIn;
use model::{Code, Fault, Say, UnixMs};
use ops::access::{Csrf, Resumed};
use ops::{Actor, Context};
use std::net::{IpAddr, SocketAddr};

/// The request's session token, for routes that end it and for the page that marks it among others.
pub(crate) use app::backend::SessionToken;

/// Puts an [`ops::Context`] into every request's extensions.
pub(crate) async fn context(State(shared): State<Shared>, mut request: Request, next: Next) -> Response {
    let now = shared.ops.clock.now();
    let from = from_address(&shared, &request);
    let jar = CookieJar::from_headers(request.headers());
    let token = jar.get(cookie_name(&shared)).map(|c| c.value().to_owned());
    let resumed = match &token {
        Some(token) => shared.ops.access.resume(token, now).await.unwrap_or_else(|error| {
            tracing::error!(%error, "reading a session");
            None
        }),
        None => None,
    };
    let actor = match resumed {
        Some(Resumed { me, csrf }) => {
            if !brings(&csrf, &request) {
                return no_csrf();
            }
            request.extensions_mut().insert(csrf);
            Actor::Account(me)
        }
        None => Actor::Nobody,
    };
    let request_id = ops::context::request_id();
    let context = Context::new(actor, request_id, from, now);
    request.extensions_mut().insert(context.clone());
    if let Some(token) = token {
        request.extensions_mut().insert(SessionToken(token));
    }
    let answer = next.run(request).await;
    note_denials(&shared, &context).await;
    answer
}

/// Writes into the trail what the role of `context` did not permit since the last time: when a request is answered, and for
/// sockets, which outlive their request, at each refusal.
pub(crate) async fn note_denials(shared: &Shared, context: &Context) {
    let denials = context.denials.take();
    if let Err(error) = shared.ops.audit.denied(context, &denials).await {
        // What was refused is refused all the same; the log has what the trail could not take.
        tracing::error!(%error, actor = context.actor.login(), ?denials, "noting what a role did not permit");
    }
}

/// Whether a request that changes something brings along what only the session's own pages know. Forms bring it as a field,
/// which their handlers read.
fn brings(csrf: &Csrf, request: &Request) -> bool {
    let is_form = matches!(request.uri().path(), paths::SIGN_IN | paths::SIGN_OUT);
    let shown = request.headers().get(app::CSRF_HEADER).and_then(|value| value.to_str().ok()).unwrap_or_default();
    is_form || !origin::changes(request.method()) || csrf.is(shown)
}

fn no_csrf() -> Response {
    let say = Say::fixed(
        "这个页面属于另一次登录，什么都没有执行；请重新加载",
        "this page belongs to another sign-in, nothing was done: load it again",
    );
    (StatusCode::FORBIDDEN, axum::Json(Fault::new(Code::Forbidden, say))).into_response()
}

/// Whether the session goes on at `now`, which counts as a use of it; one that cannot be read does not.
pub(crate) async fn is_alive(shared: &Shared, token: &str, now: UnixMs) -> bool {
    matches!(shared.ops.access.resume(token, now).await, Ok(Some(_)))
}

/// The address that a request came from: the peer's, or what a trusted proxy says of it.
fn from_address(shared: &Shared, request: &Request) -> String {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    let Some(peer) = peer else { return "unknown".to_owned() };
    let is_trusted = |ip: IpAddr| shared.config.trusted_proxies.iter().any(|range| range.contains(ip));
    if !is_trusted(peer) {
        return peer.to_string();
    }
    // The last hop that is not a proxy of ours is the client; what stands before it can be made up.
    let hops =
        request.headers().get_all("x-forwarded-for").iter().filter_map(|v| v.to_str().ok()).flat_map(|v| v.split(','));
    let hops: Vec<IpAddr> = hops.filter_map(|hop| hop.trim().parse().ok()).collect();
    hops.into_iter().rev().find(|&ip| !is_trusted(ip)).unwrap_or(peer).to_string()
}

fn cookie_name(shared: &Shared) -> &'static str {
    // The prefix makes browsers refuse the cookie from another host or over plain HTTP (RFC 6265bis §4.1.3.2).
    if shared.config.session.secure_cookie { "__Host-session" } else { "session" }
}

fn cookie(shared: &Shared, value: String) -> Cookie<'static> {
    Cookie::build((cookie_name(shared), value))
        .path("/")
        .http_only(true)
        .secure(shared.config.session.secure_cookie)
        .same_site(SameSite::Lax)
        .build()
}

/// `POST /sign-in`: a plain form, so that it works without JavaScript. A fault goes back as a code, never as a sentence.
pub(crate) async fn sign_in(
    State(shared): State<Shared>,
    axum::Extension(ctx): axum::Extension<Context>,
    headers: HeaderMap,
    Form(form): Form<SignInForm>,
) -> Response {
    let agent = headers.get(header::USER_AGENT).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let next = paths::safe_next(form.next.as_deref().unwrap_or_default()).to_owned();
    let command = SignIn { login: form.login, password: form.password };
    match shared.ops.access.sign_in(&ctx, command, agent).await {
        Ok(token) => (CookieJar::new().add(cookie(&shared, token)), Redirect::to(&next)).into_response(),
        Err(error) => {
            let fault = app::backend::translate(error);
            Redirect::to(&paths::sign_in_again(&next, fault.code)).into_response()
        }
    }
}

/// What the sign-in form sends.
#[derive(serde::Deserialize)]
pub(crate) struct SignInForm {
    login: String,
    password: String,
    next: Option<String>,
}

/// What the sign-out form sends.
#[derive(serde::Deserialize)]
pub(crate) struct SignOutForm {
    #[serde(default)]
    csrf: String,
}

/// `POST /sign-out`: ends the session in the database, not only in the browser.
pub(crate) async fn sign_out(
    State(shared): State<Shared>,
    axum::Extension(ctx): axum::Extension<Context>,
    token: Option<axum::Extension<SessionToken>>,
    csrf: Option<axum::Extension<Csrf>>,
    Form(form): Form<SignOutForm>,
) -> Response {
    if csrf.is_some_and(|csrf| !csrf.is(&form.csrf)) {
        return no_csrf();
    }
    if let Some(axum::Extension(SessionToken(token))) = token
        && let Err(error) = shared.ops.access.sign_out(&ctx, &token).await
    {
        tracing::error!(%error, "ending a session");
    }
    let mut gone = cookie(&shared, String::new());
    gone.make_removal();
    (CookieJar::new().add(gone), Redirect::to(paths::SIGN_IN)).into_response()
}
