//! `get` and `list`.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/handlers/get.go`, `pkg/storage/{continue,selection_predicate}.go`,
//! `apimachinery/pkg/apis/meta/internalversion/validation`.

use super::path::Query;
use super::show::{self, Shown, list_meta};
use super::wire::Form;
use super::{Asked, Call, table, wire};
use crate::behave::View;
use crate::world::catalogue::Kind;
use crate::world::read::{Page, Start};
use crate::world::select::Selector;
use crate::world::{Key, Status};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

/// The selectors of a request, or the 400 that upstream answers.
pub(super) fn selector(kind: &Kind, query: &Query) -> Result<Selector, Status> {
    let (labels, fields) = (query.text("labelSelector"), query.text("fieldSelector"));
    Selector::parse(kind, labels, fields).map_err(Status::bad_request)
}

/// Answers a list.
pub(super) fn serve(call: &Call<'_>, asked: &Asked<'_>) -> Result<Response, Status> {
    let kind = asked.kind;
    let selector = selector(kind, &call.query)?;
    let namespace = asked.target.namespace.as_deref();
    let limit: usize = match call.query.text("limit") {
        "" => 0,
        text => text
            .parse()
            .map_err(|_| Status::bad_request(format!("strconv.ParseInt: parsing \"{text}\": invalid syntax")))?,
    };
    let (start, limit) = start(call, limit)?;
    let page = call.world.page(kind, namespace, &selector, limit, start.as_ref()).map_err(|status| {
        // The rest can still be had as things are now.
        let next = start.as_ref().filter(|_| status.code == 410).and_then(write_rest_token);
        Status { next, ..status }
    })?;
    Ok(render(call, asked, &page))
}

fn invalid_options(field: &str, fault: &str) -> Status {
    Status::invalid_options("ListOptions", field, fault)
}

/// Where the list begins, and the limit that holds.
fn start(call: &Call<'_>, limit: usize) -> Result<(Option<Start>, usize), Status> {
    let (version, rule) = (call.query.text("resourceVersion"), call.query.text("resourceVersionMatch"));
    let token = call.query.text("continue");
    if !token.is_empty() {
        if !version.is_empty() && version != "0" {
            return Err(Status::bad_request("specifying resource version is not allowed when using continue"));
        }
        return Ok((Some(read_token(token, call.world.version())?), limit));
    }
    if !matches!(rule, "" | "Exact" | "NotOlderThan") && !version.is_empty() {
        let fault = format!("Unsupported value: \"{rule}\": supported values: \"Exact\", \"NotOlderThan\", \"\"");
        return Err(invalid_options("resourceVersionMatch", &fault));
    }
    if !rule.is_empty() && version.is_empty() {
        return Err(invalid_options(
            "resourceVersionMatch",
            "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
        ));
    }
    if version.is_empty() || version == "0" {
        if rule == "Exact" {
            return Err(invalid_options(
                "resourceVersionMatch",
                "Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
            ));
        }
        // Served from upstream's watch cache, which does not cut lists.
        return Ok((None, if version == "0" { 0 } else { limit }));
    }
    let number =
        parse_version(version).map_err(|why| Status::bad_request(format!("invalid resource version: {why}")))?;
    let current = call.world.version();
    if number > current {
        return Err(too_large(number, current));
    }
    let is_exact = rule == "Exact" || (rule.is_empty() && limit > 0);
    Ok((is_exact.then_some(Start { version: number, after: None }), limit))
}

/// A resourceVersion of a request, or why it is none.
pub(super) fn parse_version(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        format!("resourceVersion: Invalid value: \"{text}\": strconv.ParseUint: parsing \"{text}\": invalid syntax")
    })
}

/// Source: `k8s.io/apiserver/pkg/storage/errors.go` (`NewTooLargeResourceVersionError`).
fn too_large(asked: u64, current: u64) -> Status {
    let mut status =
        Status::new(504, "Timeout", format!("Timeout: Too large resource version: {asked}, current: {current}"));
    status.details = json!({
        "retryAfterSeconds": 1,
        "causes": [{ "reason": "ResourceVersionTooLarge", "message": "Too large resource version" }],
    });
    status.retry_after_secs = Some(1);
    status
}

/// Tokens look like etcd's: version and the last key.
fn write_token(start: &Start) -> Option<String> {
    let after = start.after.as_ref()?;
    let place = format!("{}/{}\0", after.namespace, after.name);
    let token = json!({ "v": "meta.k8s.io/v1", "rv": start.version, "start": place });
    Some(URL_SAFE_NO_PAD.encode(token.to_string()))
}

/// A token for the rest of a list as it is now; minus one says so.
fn write_rest_token(start: &Start) -> Option<String> {
    let after = start.after.as_ref()?;
    let token = json!({ "v": "meta.k8s.io/v1", "rv": -1, "start": format!("{}/{}\0", after.namespace, after.name) });
    Some(URL_SAFE_NO_PAD.encode(token.to_string()))
}

fn read_token(token: &str, current: u64) -> Result<Start, Status> {
    let wrong = || Status::bad_request("invalid continue token: continue key is not valid: illegal base64 data");
    let bytes = URL_SAFE_NO_PAD.decode(token.trim_end_matches('=')).map_err(|_| wrong())?;
    let token: Value = serde_json::from_slice(&bytes).map_err(|_| wrong())?;
    let place = token["start"].as_str().ok_or_else(wrong)?.trim_end_matches('\0');
    let (namespace, name) = place.split_once('/').ok_or_else(wrong)?;
    // Minus one stands for an inconsistent rest: as things are now.
    let version = token["rv"].as_u64().unwrap_or(current);
    Ok(Start { version, after: Some(Key::new(namespace, name)) })
}

fn render(call: &Call<'_>, asked: &Asked<'_>, page: &Page) -> Response {
    let kind = asked.kind;
    let is_metadata = call.accepts.form == Form::Metadata;
    let next = page.next.as_ref().and_then(write_token);
    let meta = list_meta(page.version, next, page.remaining, kind.is_custom);
    if call.is_table() {
        let include = call.query.text("includeObject");
        let now_ms = call.world.clock().unix_ms();
        let table = table::table(kind, page.items.iter().map(|item| &**item), include, true, meta, now_ms);
        return wire::answer(200, &table, call.accepts.is_yaml);
    }
    let whole: Vec<_> = page.items.iter().map(|object| show::whole(call.world.catalogue(), kind, object)).collect();
    let items: Vec<_> = whole
        .iter()
        .map(|object| Shown { object, kind, version: &asked.target.version, is_item: true, is_metadata })
        .collect();
    let (api_version, list_kind) = if is_metadata {
        ("meta.k8s.io/v1".to_owned(), "PartialObjectMetadataList".to_owned())
    } else {
        (kind.api_version_in(&asked.target.version), format!("{}List", kind.kind))
    };
    if call.accepts.is_yaml {
        let body = json!({ "apiVersion": api_version, "kind": list_kind, "metadata": meta, "items": items });
        return wire::answer(200, &body, true);
    }
    // Written by hand so that a long list is copied once only.
    let mut body =
        format!("{{\"apiVersion\":\"{api_version}\",\"kind\":\"{list_kind}\",\"metadata\":{meta},\"items\":[")
            .into_bytes();
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            body.push(b',');
        }
        // Writing into a Vec cannot fail, and the objects are JSON already.
        let _ = serde_json::to_writer(&mut body, item);
    }
    body.extend_from_slice(b"]}");
    wire::raw(200, "application/json", body.into())
}

/// Answers a `get` of one object or of its `/status`.
pub(super) fn one(call: &Call<'_>, asked: &Asked<'_>) -> Result<Response, Status> {
    let kind = asked.kind;
    let name = asked.target.name.as_deref().unwrap_or_default();
    let namespace = asked.target.namespace.as_deref().unwrap_or_default();
    let found = call.world.get(kind.resource, namespace, name).ok_or_else(|| Status::not_found(kind, name))?;
    Ok(object(call, asked, 200, &found))
}

/// One object in the form that was asked for.
pub(super) fn object(call: &Call<'_>, asked: &Asked<'_>, code: u16, object: &Value) -> Response {
    let kind = asked.kind;
    if call.is_table() {
        let meta = json!({ "resourceVersion": object["metadata"]["resourceVersion"] });
        let include = call.query.text("includeObject");
        let table = table::table(kind, std::iter::once(object), include, true, meta, call.world.clock().unix_ms());
        return wire::answer(code, &table, call.accepts.is_yaml);
    }
    let is_metadata = call.accepts.form == Form::Metadata;
    let whole = show::whole(call.world.catalogue(), kind, object);
    let shown = Shown { object: &whole, kind, version: &asked.target.version, is_item: false, is_metadata };
    wire::answer(code, &show::value(&shown), call.accepts.is_yaml)
}
