//! The REST API of a kube-apiserver over a [`World`].
//!
//! One handler for all paths: [`path`] says what a request is about, access is checked, faults on order are carried out,
//! and a file a kind of request answers. What a write means is decided in `world`, never here.

mod access;
mod columns;
mod discovery;
mod evict;
mod fault;
mod list;
mod openapi;
mod path;
mod protobuf;
mod review;
mod sentinel;
mod show;
pub(crate) mod socket;
mod subresource;
mod table;
mod watch;
mod wire;
mod write;

use crate::screen::Screens;
use crate::world::access::User;
use crate::world::catalogue::Kind;
use crate::world::{Status, World};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::header::WARNING;
use http::request::Parts;
use http::{HeaderValue, Method};
use path::{Query, Route, Target};
use wire::{Accepts, Form};

/// The API over a world.
#[derive(Debug, Clone)]
pub struct Api {
    world: World,
    /// Whose token is assumed when a request brings none.
    default_token: Option<String>,
    sessions: socket::Sessions,
    screens: Screens,
}

impl Api {
    /// An API that asks for a bearer token.
    pub fn new(world: World) -> Self {
        // A test's clock is explicit, and a test wants no QEMU.
        let screens = if world.clock().is_explicit() { Screens::drawn(&world) } else { Screens::new(&world) };
        Self { world, default_token: None, sessions: socket::Sessions::default(), screens }
    }

    /// An API that takes requests without a token for those of this token's holder: for clients in the same process.
    pub fn trusting(world: World, token: &str) -> Self {
        Self::new(world).seen_by(token)
    }

    /// The same API, with the same open streams, as the holder of a token sees it without sending it.
    #[must_use]
    pub fn seen_by(&self, token: &str) -> Self {
        Self { default_token: Some(token.into()), ..self.clone() }
    }

    /// The world behind it.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// As an axum router.
    pub fn router(self) -> Router {
        Router::new().fallback(handle).with_state(self)
    }
}

/// A request, taken apart.
pub(crate) struct Call<'a> {
    pub(crate) world: &'a World,
    pub(crate) parts: &'a mut Parts,
    pub(crate) query: Query,
    pub(crate) user: User,
    pub(crate) accepts: Accepts,
    sessions: socket::Sessions,
    screens: Screens,
}

/// A request for objects of a kind.
pub(crate) struct Asked<'a> {
    pub(crate) kind: &'a Kind,
    pub(crate) target: Target,
}

async fn handle(State(api): State<Api>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    respond(&api, &mut parts, body).await.unwrap_or_else(|status| wire::refuse(&status))
}

async fn respond(api: &Api, parts: &mut Parts, body: Body) -> Result<Response, Status> {
    let path = parts.uri.path().to_owned();
    if matches!(path.as_str(), "/healthz" | "/livez" | "/readyz") {
        if parts.uri.query().is_some_and(|query| query.split('&').any(|part| part.starts_with("verbose"))) {
            let text = format!("[+]ping ok\n[+]log ok\n[+]etcd ok\n{} check passed\n", path.trim_start_matches('/'));
            return Ok(wire::raw(200, "text/plain; charset=utf-8", text.into()));
        }
        return Ok(wire::raw(200, "text/plain; charset=utf-8", "ok".into()));
    }
    let user = access::authenticate(&api.world, &parts.headers, api.default_token.as_deref())?;
    let query = Query::parse(parts.uri.query().unwrap_or_default());
    let route = path::parse(&path);
    let wish = access::Wanted::of(&parts.method, &path, &route, &query);
    access::authorize(&user, &wish.wish())?;
    let harms = fault::before(&api.world, &wish).await?;
    // Other paths have media types of their own, and answer for them.
    let accepts = match route {
        Route::Other => Accepts::default(),
        _ => wire::negotiate(&parts.headers, api.world.catalogue().release()).map_err(|status| {
            let is_go = matches!(&route, Route::Object(target) if is_built_in(&api.world, target));
            if is_go { wire::no_representation() } else { status }
        })?,
    };
    let mut call = Call {
        world: &api.world,
        parts,
        query,
        user,
        accepts,
        sessions: api.sessions.clone(),
        screens: api.screens.clone(),
    };
    let warning = match &route {
        Route::Object(target) => {
            deprecation(target).and_then(|text| HeaderValue::from_str(&format!("299 - \"{text}\"")).ok())
        }
        _ => None,
    };
    let response = match route {
        Route::Object(target) => object(&mut call, target, body).await,
        Route::Other => other(&call, &path, body).await,
        route => discovery::serve(&call, &route),
    };
    let mut response = response.unwrap_or_else(|status| wire::refuse(&status));
    if let Some(warning) = warning {
        response.headers_mut().append(WARNING, warning);
    }
    Ok(fault::after(response, &harms))
}

async fn other(call: &Call<'_>, path: &str, body: Body) -> Result<Response, Status> {
    match path.trim_end_matches('/') {
        "/version" => Ok(wire::answer(200, &discovery::version(call.world), false)),
        "/simulator/faults" => fault::control(call, body).await,
        path if path.starts_with("/openapi/") => openapi::serve(call, path),
        // Go's own words: nobody negotiates about a path that nobody serves.
        _ => Ok(wire::raw(404, "text/plain; charset=utf-8", "404 page not found\n".into())),
    }
}

fn is_built_in(world: &World, target: &Target) -> bool {
    world.catalogue().find(&target.group, &target.plural).is_some_and(|kind| !kind.is_custom)
}

/// Served versions and kinds whose use is warned of. Sources: K `components/crds.go`, `pkg/apis/core/v1` (lifecycle).
fn deprecation(target: &Target) -> Option<String> {
    match (target.group.as_str(), target.plural.as_str()) {
        ("kubevirt.io", "virtualmachineinstancepresets") => Some(format!(
            "kubevirt.io/{} VirtualMachineInstancePresets is now deprecated and will be removed in v2.",
            target.version
        )),
        ("", "endpoints") => Some("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice".into()),
        _ => None,
    }
}

async fn object(call: &mut Call<'_>, target: Target, body: Body) -> Result<Response, Status> {
    if target.group == "subresources.kubevirt.io" {
        return subresource::serve(call, target, body).await;
    }
    if matches!(target.group.as_str(), "authorization.k8s.io" | "authentication.k8s.io") {
        return review::serve(call, &target, body).await;
    }
    let world = call.world;
    let kind = world.catalogue().find(&target.group, &target.plural).ok_or_else(Status::no_such_path)?;
    if !kind.versions.contains(&target.version.as_str()) || (target.namespace.is_some() && !kind.namespaced) {
        return Err(Status::no_such_path());
    }
    if kind.namespaced && target.namespace.is_none() && (target.name.is_some() || call.parts.method == Method::POST) {
        return Err(if target.name.is_some() { Status::no_such_path() } else { Status::method_not_allowed() });
    }
    if kind.resource.plural == "pods" && target.sub == "eviction" {
        return evict::serve(call, &target, body).await;
    }
    if !target.sub.is_empty() && !kind.subresources.contains(&target.sub.as_str()) {
        return Err(Status::no_such_path());
    }
    let asked = Asked { kind, target };
    let method = call.parts.method.clone();
    match (method, asked.target.name.is_some()) {
        (Method::GET, false) if call.query.flag("watch") => watch::serve(call, &asked),
        (Method::GET, false) => list::serve(call, &asked),
        (Method::GET, true) => list::one(call, &asked),
        (Method::POST, false) => write::create(call, &asked, body).await,
        (Method::PUT, true) => write::update(call, &asked, body).await,
        (Method::PATCH, true) => write::patch(call, &asked, body).await,
        (Method::DELETE, true) => write::delete(call, &asked, body).await,
        (Method::DELETE, false) => write::delete_collection(call, &asked, body).await,
        _ => Err(Status::method_not_allowed()),
    }
}

impl Call<'_> {
    pub(crate) fn is_table(&self) -> bool {
        self.accepts.form == Form::Table
    }
}
