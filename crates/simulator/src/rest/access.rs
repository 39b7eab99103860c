//! Who asks, and whether they may.
//!
//! Sources: `k8s.io/apiserver/pkg/endpoints/filters/{authentication,authorization}.go`, `pkg/endpoints/request`.

use super::path::{Query, Route};
use super::{Asked, Call};
use crate::world::access::{User, Wish};
use crate::world::{Status, World};
use http::header::AUTHORIZATION;
use http::{HeaderMap, Method};

/// The user of the bearer token.
pub(super) fn authenticate(world: &World, headers: &HeaderMap, default_token: Option<&str>) -> Result<User, Status> {
    let header = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = match header {
        Some(header) => header.strip_prefix("Bearer ").map(str::trim),
        None => default_token.or_else(|| protocol_token(headers)),
    };
    token.and_then(|token| world.access().user(token)).ok_or_else(Status::unauthorized)
}

/// Browsers cannot set headers on a WebSocket. Source: `apiserver/pkg/authentication/request/websocket/protocol.go`.
fn protocol_token(headers: &HeaderMap) -> Option<&str> {
    let protocols = headers.get("sec-websocket-protocol")?.to_str().ok()?;
    protocols.split(',').find_map(|protocol| protocol.trim().strip_prefix("base64url.bearer.authorization.k8s.io."))
}

/// What a request wants, with the verb that RBAC and the fault script know.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) verb: String,
    pub(super) resource: String,
    group: String,
    namespace: String,
    name: String,
    path: String,
}

impl Wanted {
    pub(super) fn of(method: &Method, path: &str, route: &Route, query: &Query) -> Self {
        let mut wanted = Self {
            verb: method.as_str().to_lowercase(),
            resource: String::new(),
            group: String::new(),
            namespace: String::new(),
            name: String::new(),
            path: path.to_owned(),
        };
        let Route::Object(target) = route else { return wanted };
        let has_name = target.name.is_some();
        let verb = match *method {
            Method::GET | Method::HEAD if has_name => "get",
            Method::GET | Method::HEAD if query.flag("watch") => "watch",
            Method::GET | Method::HEAD => "list",
            Method::POST => "create",
            Method::PUT => "update",
            Method::PATCH => "patch",
            Method::DELETE if has_name => "delete",
            Method::DELETE => "deletecollection",
            _ => "",
        };
        wanted.verb = verb.into();
        wanted.resource = target.resource();
        // Port and protocol of a port forward are no part of the subresource.
        if let Some(at) = wanted.resource.find("/portforward/") {
            wanted.resource.truncate(at + "/portforward".len());
        }
        wanted.group.clone_from(&target.group);
        wanted.namespace = target.namespace.clone().unwrap_or_default();
        wanted.name = target.name.clone().unwrap_or_default();
        // A collection that is narrowed to one name is that object. Source: `request/requestinfo.go`.
        if !has_name && matches!(verb, "list" | "watch" | "deletecollection") {
            let selector = query.text("fieldSelector");
            let equal = |part: &str| {
                let (field, value) = part.split_once("==").or_else(|| part.split_once('='))?;
                (field == "metadata.name").then(|| value.to_owned())
            };
            wanted.name = selector.split(',').find_map(equal).unwrap_or_default();
        }
        wanted.path.clear();
        wanted
    }

    pub(super) fn wish(&self) -> Wish<'_> {
        Wish {
            verb: &self.verb,
            group: &self.group,
            resource: &self.resource,
            namespace: &self.namespace,
            name: &self.name,
            path: &self.path,
        }
    }
}

/// An apply of what is not there yet creates it. Source: `handlers/patch.go`, `handlers/create.go` (`withAuthorization`).
pub(super) fn authorize_creation(call: &Call<'_>, asked: &Asked<'_>) -> Result<(), Status> {
    let resource = &asked.kind.resource;
    let wish = Wish {
        verb: "create",
        group: resource.group,
        resource: resource.plural,
        namespace: asked.target.namespace.as_deref().unwrap_or_default(),
        name: asked.target.name.as_deref().unwrap_or_default(),
        path: "",
    };
    authorize(&call.user, &wish)
}

/// The 403 of RBAC unless a rule allows it.
pub(super) fn authorize(user: &User, wish: &Wish<'_>) -> Result<(), Status> {
    if user.may(wish) {
        return Ok(());
    }
    if !wish.path.is_empty() {
        let mut status = Status::new(
            403,
            "Forbidden",
            format!("forbidden: User \"{}\" cannot {} path \"{}\"", user.name, wish.verb, wish.path),
        );
        status.details = serde_json::json!({});
        return Err(status);
    }
    let place = if wish.namespace.is_empty() {
        "at the cluster scope".to_owned()
    } else {
        format!("in the namespace \"{}\"", wish.namespace)
    };
    let why = format!(
        "User \"{}\" cannot {} resource \"{}\" in API group \"{}\" {place}",
        user.name, wish.verb, wish.resource, wish.group
    );
    let plural = wish.resource.split('/').next().unwrap_or_default();
    Err(Status::forbidden(wish.group, plural, wish.name, &why))
}
