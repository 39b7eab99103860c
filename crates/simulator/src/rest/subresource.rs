//! KubeVirt's subresources: routing, bodies, and doing what the call decided.
//!
//! What a call means is decided in [`crate::behave::subresource`]; streams are pumped in [`super::socket`].
//! Source: K `pkg/virt-api/api.go`; `harvester-api.md` §2.1.

use super::discovery::Entry;
use super::path::Target;
use super::{Call, socket, wire};
use crate::behave::resources::{VM, VMI};
use crate::behave::subresource::{self, Answer, Refusal};
use crate::behave::{Now, View};
use crate::world::catalogue::Release;
use crate::world::{By, Status};
use axum::body::Body;
use axum::response::Response;
use http::header::ACCEPT;
use http::{HeaderMap, Method};
use serde_json::{Value, json};

/// Who virt-api is when it writes.
const VIRT_API: &str = "virt-api";

const ON_VM: &[(&str, &str)] = &[
    ("start", "update"),
    ("stop", "update"),
    ("restart", "update"),
    ("migrate", "update"),
    ("addvolume", "update"),
    ("removevolume", "update"),
    ("memorydump", "update"),
    ("removememorydump", "update"),
    ("evacuate/cancel", "update"),
    ("expand-spec", "get"),
    ("objectgraph", "get"),
    ("portforward", "get"),
];

const ON_VMI: &[(&str, &str)] = &[
    ("console", "get"),
    ("vnc", "get"),
    ("vnc/screenshot", "get"),
    ("portforward", "get"),
    ("usbredir", "get"),
    ("vsock", "get"),
    ("pause", "update"),
    ("unpause", "update"),
    ("freeze", "update"),
    ("unfreeze", "update"),
    ("softreboot", "update"),
    ("reset", "update"),
    ("addvolume", "update"),
    ("removevolume", "update"),
    ("guestosinfo", "get"),
    ("userlist", "get"),
    ("filesystemlist", "get"),
    ("objectgraph", "get"),
    ("evacuate/cancel", "update"),
];

/// Subresources that say of themselves that they answer JSON. Source: K `pkg/virt-api/api.go`.
const PRODUCES: &[&str] = &["expand-spec", "guestosinfo", "userlist", "filesystemlist", "objectgraph"];

/// Who accepts one kind of answer is refused by all others, as go-restful has it.
fn takes_anything(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accept.is_empty() || accept.split(',').any(|part| part.trim().starts_with("*/*"))
}

/// What discovery lists.
pub(super) fn entries(release: Release) -> Vec<Entry> {
    let on = |plural: &str, list: &[(&str, &'static str)]| -> Vec<Entry> {
        let named = list.iter().map(|(sub, verb)| (format!("{plural}/{sub}"), *verb));
        named
            .filter(|(name, _)| release.has_subresource(name))
            .map(|(name, verb)| Entry::plain(&name, "", true, &[verb]))
            .collect()
    };
    let mut all = on("virtualmachineinstances", ON_VMI);
    all.extend(on("virtualmachines", ON_VM));
    all
}

/// Answers a call.
pub(super) async fn serve(call: &mut Call<'_>, target: Target, body: Body) -> Result<Response, Status> {
    let on_vm = match target.plural.as_str() {
        "virtualmachines" => true,
        "virtualmachineinstances" => false,
        "version" if target.name.is_none() => return Ok(wire::answer(200, &kubevirt_version(call), false)),
        "healthz" if target.name.is_none() => {
            return Ok(wire::answer(200, &json!({ "apiserver": { "connectivity": "ok" } }), false));
        }
        _ => return Err(Status::no_such_path()),
    };
    let (Some(namespace), Some(name)) = (&target.namespace, &target.name) else { return Err(Status::no_such_path()) };
    let sub = target.sub.as_str();
    let list = if on_vm { ON_VM } else { ON_VMI };
    let root = if sub.starts_with("portforward/") { "portforward" } else { sub };
    let (_, verb) = list.iter().find(|(known, _)| *known == root).ok_or_else(Status::no_such_path)?;
    if !call.world.catalogue().release().has_subresource(&target.resource()) {
        return Err(Status::no_such_path());
    }
    let wanted = if *verb == "get" { Method::GET } else { Method::PUT };
    if call.parts.method != wanted {
        return Err(Status::method_not_allowed());
    }
    if !PRODUCES.contains(&sub) && !takes_anything(&call.parts.headers) {
        let text = "406: Not Acceptable\n\nAvailable representations: ";
        return Ok(wire::raw(406, "text/plain; charset=utf-8", text.into()));
    }
    let bytes = wire::read(body).await?;
    let options = if bytes.trim_ascii().is_empty() { Value::Null } else { wire::yaml(&bytes)? };
    let answer = match decide(call, (on_vm, sub), (namespace, name), &options) {
        Ok(answer) => answer,
        Err(refusal) if refusal.is_text => {
            return Ok(wire::raw(refusal.code, "text/plain; charset=utf-8", refusal.message.into()));
        }
        Err(refusal) => return Err(told(refusal)),
    };
    if !on_vm && matches!(sub, "vnc" | "console") {
        let preserves = sub == "vnc" && call.query.flag("preserveSession");
        return socket::open(call.parts, (&call.sessions, &call.screens), preserves, sub, (namespace, name)).await;
    }
    if sub == "vnc/screenshot" {
        let screens = call.screens.clone();
        let picture = screens.screenshot(namespace, name, call.query.flag("moveCursor")).await;
        let picture = picture.ok_or_else(|| Status::internal("the screen does not answer"))?;
        return Ok(wire::raw(200, "image/png", picture.into()));
    }
    let by = By::program(VIRT_API);
    for effect in &answer.effects {
        call.world.perform(effect, &by).map_err(|status| {
            let refused = Refusal::of_write(sub, (status.code, status.reason, &status.message));
            refused.map_or(status, told)
        })?;
    }
    if answer.body.is_null() {
        return Ok(wire::raw(answer.code, "application/json", "".into()));
    }
    Ok(wire::answer(answer.code, &answer.body, false))
}

fn decide(
    call: &Call<'_>,
    which: (bool, &str),
    (namespace, name): (&str, &str),
    body: &Value,
) -> Result<Answer, Refusal> {
    let now = Now { unix_ms: call.world.clock().unix_ms(), random: call.world.random() };
    call.world.view(|view: &dyn View| {
        let (vm, vmi) = (view.get(VM, namespace, name), view.get(VMI, namespace, name));
        subresource::call(which, (vm.as_deref(), vmi.as_deref()), name, body, view, now)
    })
}

fn told(refusal: Refusal) -> Status {
    Status { details: refusal.details, ..Status::new(refusal.code, refusal.reason, refusal.message) }
}

fn kubevirt_version(call: &Call<'_>) -> Value {
    let version = call.world.catalogue().release().kubevirt();
    json!({
        "gitVersion": version, "gitCommit": "0000000000000000000000000000000000000000", "gitTreeState": "clean",
        "buildDate": "2026-01-01T00:00:00Z", "goVersion": "go1.24", "compiler": "gc", "platform": "linux/amd64",
    })
}
