//! `create`, `update`, `patch`, `delete`, `deletecollection`.
//!
//! This file reads the request and picks the answer; what the write does is `world::write`. Source:
//! `k8s.io/apiserver/pkg/endpoints/handlers/{create,update,patch,delete}.go`.

use super::list::{self, object as show};
use super::show::list_meta;
use super::{Asked, Call, access, sentinel, wire};
use crate::behave::View as _;
use crate::world::catalogue::Kind;
use crate::world::remove::Deleted;
use crate::world::{By, Deletion, Part, Propagation, Status, meta, patch, status, validate};
use axum::body::Body;
use axum::response::Response;
use http::HeaderValue;
use http::header::{USER_AGENT, WARNING};
use serde_json::{Value, json};
use std::sync::Arc;

/// Warnings about unknown fields that an answer carries at most.
const MAX_WARNINGS: usize = 8;

/// Who writes, from the user and the query.
fn by(call: &Call<'_>) -> Result<By, Status> {
    let options = options(call);
    let manager = match call.query.text("fieldManager") {
        "" => {
            let agent = call.parts.headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or("unknown");
            agent.split('/').next().unwrap_or("unknown")
        }
        given => given,
    };
    let mut by = By::user(&call.user.name, manager);
    for value in call.query.all("dryRun") {
        if value != "All" {
            let fault = format!("Unsupported value: [\"{value}\"]: supported values: \"All\"");
            return Err(Status::invalid_options(options, "dryRun", &fault));
        }
        by.is_dry_run = true;
    }
    Ok(by)
}

/// What the request's options are called.
fn options(call: &Call<'_>) -> &'static str {
    match call.parts.method {
        http::Method::POST => "CreateOptions",
        http::Method::PUT => "UpdateOptions",
        http::Method::PATCH => "PatchOptions",
        _ => "DeleteOptions",
    }
}

/// Names of the fields that no one knows, refused or told of as `fieldValidation` asks. `sent` is the patch, if it is one.
fn check_fields(call: &Call<'_>, kind: &Kind, object: &Value, sent: Option<&[u8]>) -> Result<Vec<String>, Status> {
    let unknown = || validate::unknown_fields(kind, object);
    match call.query.text("fieldValidation") {
        "Ignore" => Ok(Vec::new()),
        "Strict" => {
            let unknown = unknown();
            if unknown.is_empty() {
                return Ok(unknown);
            }
            let faults: Vec<_> = unknown.iter().map(|field| format!("unknown field \"{field}\"")).collect();
            let message = format!("strict decoding error: {}", faults.join(", "));
            if let Some(sent) = sent {
                let fault = format!("Invalid value: {:?}: {message}", String::from_utf8_lossy(sent));
                let mut status = Status::new(422, "Invalid", format!(" \"\" is invalid: patch: {fault}"));
                status.details = json!({ "causes": [status::cause("FieldValueInvalid", &fault, "patch")] });
                return Err(status);
            }
            Err(Status::bad_request(format!(
                "{} in version \"{}\" cannot be handled as a {}: {message}",
                kind.kind, kind.resource.version, kind.kind
            )))
        }
        "" | "Warn" => Ok(unknown()),
        other => {
            let fault =
                format!("Unsupported value: \"{other}\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"");
            Err(Status::invalid_options(options(call), "fieldValidation", &fault))
        }
    }
}

fn with_warnings(mut response: Response, unknown: &[String], webhook: Option<&str>) -> Response {
    for field in unknown.iter().take(MAX_WARNINGS) {
        if let Ok(value) = HeaderValue::from_str(&format!("299 - \"unknown field \\\"{field}\\\"\"")) {
            response.headers_mut().append(WARNING, value);
        }
    }
    if let Some(Ok(value)) = webhook.map(|text| HeaderValue::from_str(&format!("299 - \"{text}\""))) {
        response.headers_mut().append(WARNING, value);
    }
    response
}

/// The body must be of the kind and version that the path names; of a built-in kind it need not say so.
fn check_type(asked: &Asked<'_>, object: &mut Value) -> Result<(), Status> {
    if !asked.kind.is_custom && object.is_object() {
        for (field, default) in
            [("apiVersion", asked.kind.api_version_in(&asked.target.version)), ("kind", asked.kind.kind.into())]
        {
            if object[field].as_str().unwrap_or_default().is_empty() {
                object[field] = default.into();
            }
        }
    }
    let (api_version, kind) =
        (object["apiVersion"].as_str().unwrap_or_default(), object["kind"].as_str().unwrap_or_default());
    if kind.is_empty() {
        let text: String = object.to_string().chars().take(200).collect();
        return Err(Status::bad_request(format!("Object 'Kind' is missing in '{text}'")));
    }
    let expected = asked.kind.api_version_in(&asked.target.version);
    if api_version != expected {
        return Err(Status::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({expected})"
        )));
    }
    if kind != asked.kind.kind && asked.kind.resource.group.is_empty() {
        return Err(Status::bad_request(format!(
            "{kind} in version \"{version}\" cannot be handled as a {own}: converting ({version}.{kind}) to (core.{own}): unknown conversion",
            version = asked.target.version,
            own = asked.kind.kind
        )));
    }
    if kind != asked.kind.kind {
        return Err(Status::bad_request(format!(
            "{kind} in version \"{}\" cannot be handled as a {}: no kind match",
            asked.target.version, asked.kind.kind
        )));
    }
    Ok(())
}

/// Go decodes objects of built-in kinds into structs: what does not fit there is no object at all.
fn decodes(asked: &Asked<'_>, object: &Value) -> Result<(), Status> {
    if asked.kind.is_custom {
        return Ok(());
    }
    let kind = asked.kind.kind;
    match validate::undecodable(asked.kind, object) {
        Some(why) => {
            let version = &asked.target.version;
            Err(Status::bad_request(format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {why}")))
        }
        None => Ok(()),
    }
}

fn check_name(asked: &Asked<'_>, object: &Value) -> Result<(), Status> {
    let (name, wanted) = (meta::name(object), asked.target.name.as_deref().unwrap_or_default());
    if !name.is_empty() && name != wanted {
        return Err(Status::bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({wanted})"
        )));
    }
    let (namespace, wanted) = (meta::namespace(object), asked.target.namespace.as_deref().unwrap_or_default());
    if !namespace.is_empty() && namespace != wanted {
        return Err(Status::bad_request(format!(
            "the namespace of the object ({namespace}) does not match the namespace on the URL ({wanted})"
        )));
    }
    Ok(())
}

/// POST on a collection.
pub(super) async fn create(call: &Call<'_>, asked: &Asked<'_>, body: Body) -> Result<Response, Status> {
    let mut object = wire::object(&call.parts.headers, &wire::read(body).await?)?;
    check_type(asked, &mut object)?;
    let unknown = check_fields(call, asked.kind, &object, None)?;
    decodes(asked, &object)?;
    let namespace = asked.target.namespace.as_deref().unwrap_or_default();
    let by = by(call)?;
    sentinel::before_creation(call.world, asked, &object, &by)?;
    let stored = call.world.create(asked.kind.resource, namespace, object, &by)?;
    sentinel::after_creation(&call.query, &stored, &by).await?;
    Ok(with_warnings(
        show(call, asked, 201, &stored),
        &unknown,
        crate::admission::warning(asked.kind.resource, &stored),
    ))
}

fn part(asked: &Asked<'_>) -> Part {
    if asked.target.sub == "status" { Part::Status } else { Part::Main }
}

fn place<'a>(asked: &'a Asked<'_>) -> (&'a str, &'a str) {
    (asked.target.namespace.as_deref().unwrap_or_default(), asked.target.name.as_deref().unwrap_or_default())
}

/// PUT on an object.
pub(super) async fn update(call: &Call<'_>, asked: &Asked<'_>, body: Body) -> Result<Response, Status> {
    let mut object = wire::object(&call.parts.headers, &wire::read(body).await?)?;
    check_type(asked, &mut object)?;
    check_name(asked, &object)?;
    let unknown = check_fields(call, asked.kind, &object, None)?;
    decodes(asked, &object)?;
    let (_, name) = place(asked);
    if asked.kind.is_custom && meta::resource_version(&object) == 0 {
        let fault = "Invalid value: 0: must be specified for an update".to_owned();
        let mut status = Status::invalid(asked.kind, name, &[("metadata.resourceVersion".into(), fault.clone())]);
        // Source: `registry/generic/registry/store.go` (`Update`), which knows the resource only.
        let qualified = asked.kind.qualified();
        status.message = format!("{qualified} \"{name}\" is invalid: metadata.resourceVersion: {fault}");
        status.details["kind"] = asked.kind.resource.plural.into();
        return Err(status);
    }
    let by = by(call)?;
    sentinel::before_update(call.world, asked, &by)?;
    let stored = call.world.modify(asked.kind.resource, place(asked), part(asked), &by, |_| Ok(object))?;
    Ok(with_warnings(
        show(call, asked, 200, &stored),
        &unknown,
        crate::admission::warning(asked.kind.resource, &stored),
    ))
}

/// PATCH on an object, in any of the four formats.
pub(super) async fn patch(call: &Call<'_>, asked: &Asked<'_>, body: Body) -> Result<Response, Status> {
    let format = wire::content_type(&call.parts.headers).to_owned();
    let bytes = wire::read(body).await?;
    if format == "application/apply-patch+yaml" {
        return apply(call, asked, &mut wire::yaml(&bytes)?).await;
    }
    let accepted = if asked.kind.is_custom {
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
    } else {
        "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml"
    };
    type Apply = fn(&mut Value, &Value) -> Result<(), String>;
    let change: Apply = match format.as_str() {
        "application/json-patch+json" => patch::json,
        "application/merge-patch+json" => |target, change| {
            patch::merge(target, change);
            Ok(())
        },
        "application/strategic-merge-patch+json" if !asked.kind.is_custom => |target, change| {
            patch::strategic(target, change);
            Ok(())
        },
        _ if asked.kind.is_custom => return Err(Status::unsupported_media_type(accepted)),
        // Of built-in kinds the web service knows what it takes before anybody looks at the body.
        _ => {
            let mut status = Status::new(415, "UnsupportedMediaType", "415: Unsupported Media Type");
            status.details = json!({});
            return Err(status);
        }
    };
    let by = by(call)?;
    let document = wire::json(&bytes)?;
    if format == "application/json-patch+json" && !document.is_array() {
        return Err(Status::bad_request(
            "error decoding patch: json: cannot unmarshal object into Go value of type []interface {}",
        ));
    }
    sentinel::before_update(call.world, asked, &by)?;
    let mut unknown = Vec::new();
    let stored = call.world.modify(asked.kind.resource, place(asked), part(asked), &by, |old| {
        let mut new = old.clone();
        // A resourceVersion in the patch is a precondition; without one the patch fits whatever is there.
        change(&mut new, &document).map_err(|_| Status::unfit_patch())?;
        check_name(asked, &new)?;
        unknown = check_fields(call, asked.kind, &new, Some(&bytes))?;
        Ok(new)
    })?;
    Ok(with_warnings(
        show(call, asked, 200, &stored),
        &unknown,
        crate::admission::warning(asked.kind.resource, &stored),
    ))
}

async fn apply(call: &Call<'_>, asked: &Asked<'_>, config: &mut Value) -> Result<Response, Status> {
    let manager = call.query.text("fieldManager");
    if manager.is_empty() {
        let fault = "Required value: is required for apply patch";
        return Err(Status::invalid_options("PatchOptions", "fieldManager", fault));
    }
    if config["kind"].as_str().unwrap_or_default().is_empty() {
        return Err(Status::bad_request(format!("Object 'Kind' is missing in '{config}'")));
    }
    check_type(asked, config)?;
    check_name(asked, config)?;
    let unknown = check_fields(call, asked.kind, config, None)?;
    let (namespace, name) = place(asked);
    let is_forced = call.query.flag("force");
    let by = by(call)?;
    let is_there = call.world.get(asked.kind.resource, namespace, name).is_some();
    if is_there {
        sentinel::before_update(call.world, asked, &by)?;
    } else {
        access::authorize_creation(call, asked)?;
        sentinel::before_creation(call.world, asked, config, &by)?;
    }
    let (stored, is_new) = call.world.apply(asked.kind, (namespace, name), part(asked), config, is_forced, &by)?;
    if is_new {
        sentinel::after_creation(&call.query, &stored, &by).await?;
    }
    Ok(with_warnings(
        show(call, asked, if is_new { 201 } else { 200 }, &stored),
        &unknown,
        crate::admission::warning(asked.kind.resource, &stored),
    ))
}

/// `DeleteOptions` from the body or the query.
fn deletion(call: &Call<'_>, by: &mut By, bytes: &[u8]) -> Result<Deletion, Status> {
    let query = &call.query;
    let body = if bytes.trim_ascii().is_empty() { json!({}) } else { wire::object(&call.parts.headers, bytes)? };
    let text = |field: &str| match body[field].as_str() {
        Some(text) => text.to_owned(),
        None => query.text(field).to_owned(),
    };
    if body["dryRun"].as_array().is_some_and(|values| values.iter().any(|value| value == "All")) {
        by.is_dry_run = true;
    }
    if body["orphanDependents"].is_boolean() && !text("propagationPolicy").is_empty() {
        let fault = format!(
            "Invalid value: \"{}\": orphanDependents and deletionPropagation cannot be both set",
            text("propagationPolicy")
        );
        return Err(Status::invalid_options("DeleteOptions", "propagationPolicy", &fault));
    }
    let propagation = match text("propagationPolicy").as_str() {
        "Foreground" => Propagation::Foreground,
        "Orphan" => Propagation::Orphan,
        "" if body["orphanDependents"] == true => Propagation::Orphan,
        "" | "Background" => Propagation::Background,
        other => {
            let fault = format!(
                "Unsupported value: \"{other}\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\""
            );
            return Err(Status::invalid_options("DeleteOptions", "propagationPolicy", &fault));
        }
    };
    let grace_secs = body["gracePeriodSeconds"].as_i64().or_else(|| query.text("gracePeriodSeconds").parse().ok());
    let wanted = |field: &str| body["preconditions"][field].as_str().map(str::to_owned);
    Ok(Deletion { grace_secs, propagation, uid: wanted("uid"), version: wanted("resourceVersion") })
}

/// DELETE on an object.
pub(super) async fn delete(call: &Call<'_>, asked: &Asked<'_>, body: Body) -> Result<Response, Status> {
    if !asked.target.sub.is_empty() {
        return Err(Status::method_not_allowed());
    }
    let mut by = by(call)?;
    let options = deletion(call, &mut by, &wire::read(body).await?)?;
    match call.world.delete(asked.kind.resource, place(asked), &options, &by)? {
        Deleted::Held(object) => Ok(show(call, asked, 200, &object)),
        // Pods come back whole even when they are gone. Source: `registry/core/pod/storage` (ReturnDeletedObject).
        Deleted::Gone(object) if asked.kind.resource.plural == "pods" => Ok(show(call, asked, 200, &object)),
        Deleted::Gone(object) => {
            let mut details = json!({ "name": meta::name(&object), "kind": asked.kind.resource.plural, "uid": meta::text(&object, "uid") });
            if !asked.kind.resource.group.is_empty() {
                details["group"] = asked.kind.resource.group.into();
            }
            let body = json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details });
            Ok(wire::answer(200, &body, call.accepts.is_yaml))
        }
    }
}

/// DELETE on a collection: what the selectors pick, one after another.
pub(super) async fn delete_collection(call: &Call<'_>, asked: &Asked<'_>, body: Body) -> Result<Response, Status> {
    let kind = asked.kind;
    let mut by = by(call)?;
    let options = deletion(call, &mut by, &wire::read(body).await?)?;
    let selector = list::selector(kind, &call.query)?;
    let page = call.world.page(kind, asked.target.namespace.as_deref(), &selector, 0, None)?;
    let mut items: Vec<Arc<Value>> = Vec::new();
    for object in &page.items {
        let place = (meta::namespace(object), meta::name(object));
        match call.world.delete(kind.resource, place, &options, &by) {
            Ok(Deleted::Gone(object) | Deleted::Held(object)) => items.push(object),
            Err(status) if status.code == 404 => {}
            Err(status) => return Err(status),
        }
    }
    let body = json!({
        "apiVersion": kind.api_version_in(&asked.target.version), "kind": format!("{}List", kind.kind),
        "metadata": list_meta(page.version, None, None, kind.is_custom), "items": items,
    });
    Ok(wire::answer(200, &body, call.accepts.is_yaml))
}
