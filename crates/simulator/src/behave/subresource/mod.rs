//! KubeVirt's subresources: what a call answers and what it changes.
//!
//! Pure: from (subresource, VM, VMI, body, view, now) to an answer with effects, or to a refusal. Streams (vnc, console,
//! port forwarding) are opened elsewhere; [`call`] only says whether they may be.
//!
//! Source: K `pkg/virt-api/rest/{lifecycle,subresource,volumes}.go`; `harvester-api.md` §2.1.

mod dump;
mod guest_info;
mod lifecycle;
mod machine;
#[cfg(test)]
mod tests;
mod volumes;

use super::resources::VM;
use super::{Effect, Now, View, object};
use crate::admission::{Caller, Operation};
use serde_json::{Value, json};

/// A successful answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// HTTP code.
    pub code: u16,
    /// JSON body; null is an empty body.
    pub body: Value,
    /// What to do; empty for a dry run. A refusal of an effect is the answer to the call.
    pub effects: Vec<Effect>,
}

/// Why a call is refused; becomes a `Status`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// HTTP code.
    pub code: u16,
    /// `Status.reason`; empty where upstream leaves it out.
    pub reason: &'static str,
    /// Text.
    pub message: String,
    /// `Status.details`, or null.
    pub details: Value,
    /// Sent as plain text, as virt-api does when it reads something from a node.
    pub is_text: bool,
}

type Outcome = Result<Answer, Refusal>;

impl Answer {
    fn accepted(effects: impl IntoIterator<Item = Effect>) -> Outcome {
        Ok(Self { code: 202, body: Value::Null, effects: effects.into_iter().collect() })
    }

    fn done(effects: impl IntoIterator<Item = Effect>) -> Outcome {
        Ok(Self { code: 200, body: Value::Null, effects: effects.into_iter().collect() })
    }

    fn shows(body: Value) -> Outcome {
        Ok(Self { code: 200, body, effects: Vec::new() })
    }
}

impl Refusal {
    fn new(code: u16, reason: &'static str, message: String, details: Value) -> Self {
        Self { code, reason, message, details, is_text: false }
    }

    fn about(kind: &str, name: &str) -> Value {
        json!({"name": name, "group": "kubevirt.io", "kind": kind})
    }

    fn conflict(kind: &str, name: &str, gist: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {kind}.kubevirt.io \"{name}\": {gist}");
        Self::new(409, "Conflict", message, Self::about(kind, name))
    }

    fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message.into(), Value::Null)
    }

    fn forbidden(kind: &str, name: &str, gist: &str) -> Self {
        let message = format!("{kind}.kubevirt.io \"{name}\" is forbidden: {gist}");
        Self::new(403, "Forbidden", message, Self::about(kind, name))
    }

    fn not_found(kind: &str, name: &str) -> Self {
        Self::new(404, "NotFound", format!("{kind}.kubevirt.io \"{name}\" not found"), Self::about(kind, name))
    }

    fn internal(gist: &str) -> Self {
        let message = format!("Internal error occurred: {gist}");
        Self::new(500, "InternalError", message, json!({"causes": [{"message": gist}]}))
    }

    /// What virt-api makes of a refusal by the API server when it carries a call out.
    ///
    /// Source: K `pkg/virt-api/rest/{lifecycle,volumes}.go`: a webhook's `Invalid` goes through where volumes change.
    pub fn of_write(sub: &str, (code, reason, message): (u16, &str, &str)) -> Option<Self> {
        match sub {
            "addvolume" | "removevolume" if reason == "Invalid" && code == 422 => None,
            "addvolume" | "removevolume" => Some(Self::internal(&format!("unable to patch vm: {message}"))),
            _ => Some(Self::internal(message)),
        }
    }

    fn in_text(self) -> Self {
        Self { code: 500, is_text: true, ..self }
    }
}

/// Everything that a call can look at.
struct Ask<'a> {
    vm: Option<&'a Value>,
    vmi: Option<&'a Value>,
    body: &'a Value,
    view: &'a dyn View,
    now: Now,
    name: &'a str,
}

/// Whether a subresource stands on `virtualmachines` rather than on `virtualmachineinstances`; `None` for one that
/// neither has. Those that both have are told apart by the path, with [`call`]'s `on_vm`.
pub fn is_known(on_vm: bool, sub: &str) -> bool {
    const OF_VM: &[&str] = &[
        "start",
        "stop",
        "restart",
        "migrate",
        "addvolume",
        "removevolume",
        "memorydump",
        "removememorydump",
        "evacuate/cancel",
        "expand-spec",
        "objectgraph",
    ];
    const OF_VMI: &[&str] = &[
        "pause",
        "unpause",
        "softreboot",
        "reset",
        "freeze",
        "unfreeze",
        "addvolume",
        "removevolume",
        "guestosinfo",
        "userlist",
        "filesystemlist",
        "objectgraph",
        "evacuate/cancel",
        "console",
        "vnc",
        "vnc/screenshot",
    ];
    if on_vm { OF_VM.contains(&sub) } else { OF_VMI.contains(&sub) }
}

/// Answers a call on `virtualmachines/{name}/{sub}` (`on_vm`) or `virtualmachineinstances/{name}/{sub}`.
///
/// `body` is null when the request has none.
pub fn call(
    (on_vm, sub): (bool, &str),
    (vm, vmi): (Option<&Value>, Option<&Value>),
    name: &str,
    body: &Value,
    view: &dyn View,
    now: Now,
) -> Result<Answer, Refusal> {
    let ask = Ask { vm, vmi, body, view, now, name };
    well_formed(body)?;
    let mut answer = match (on_vm, sub) {
        (true, "start") => lifecycle::start(&ask),
        (true, "stop") => lifecycle::stop(&ask),
        (true, "restart") => lifecycle::restart(&ask),
        (true, "migrate") => lifecycle::migrate(&ask),
        (_, "evacuate/cancel") => lifecycle::cancel_evacuation(&ask, on_vm),
        (_, "addvolume") => volumes::add(&ask, on_vm),
        (_, "removevolume") => volumes::remove(&ask, on_vm),
        (true, "memorydump") => dump::begin(&ask),
        (true, "removememorydump") => dump::remove(&ask),
        (_, "objectgraph") => {
            Err(Refusal::bad_request("ObjectGraph feature gate not enabled: Unable to return object graph."))
        }
        (true, "expand-spec") => Answer::shows(ask.vm()?.clone()),
        (false, "pause") => machine::pause(&ask),
        (false, "unpause") => machine::unpause(&ask),
        (false, "softreboot") => machine::soft_reboot(&ask),
        (false, "reset") => machine::reset(&ask),
        (false, "freeze") => machine::freeze(&ask, true),
        (false, "unfreeze") => machine::freeze(&ask, false),
        (false, "guestosinfo") => guest_info::os(&ask).map_err(Refusal::in_text),
        (false, "userlist") => guest_info::users(&ask).map_err(Refusal::in_text),
        (false, "filesystemlist") => guest_info::filesystems(&ask).map_err(Refusal::in_text),
        (false, "console") => machine::console(&ask),
        (false, "vnc") => machine::display(&ask),
        (false, "vnc/screenshot") => machine::display(&ask).map_err(Refusal::in_text),
        _ => {
            let message = "the server could not find the requested resource".to_owned();
            Err(Refusal::new(404, "NotFound", message, json!({})))
        }
    }?;
    if object::items(body, "/dryRun").iter().any(|mode| mode == "All") {
        answer.effects.clear();
    }
    Ok(answer)
}

/// Options that are there are of their type. Source: K `pkg/virt-api/rest/subresource.go` (`decodeBody`); the gist is Go's.
fn well_formed(body: &Value) -> Result<(), Refusal> {
    let wrong = |what: &str, kind: &str| {
        let gist = format!("json: cannot unmarshal {what} into Go value of type {kind}");
        Err(Refusal::bad_request(format!("Can not unmarshal Request body to struct, error: {gist}")))
    };
    let Some(fields) = body.as_object() else {
        return if body.is_null() { Ok(()) } else { wrong("something else", "struct") };
    };
    for (field, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        let kind = match field.as_str() {
            "paused" if !value.is_boolean() => "bool",
            "gracePeriod" | "gracePeriodSeconds" if !value.is_i64() => "int64",
            "name" | "claimName" | "evacuationNodeName" if !value.is_string() => "string",
            "dryRun" if !value.is_array() => "[]string",
            _ => continue,
        };
        return wrong(field, kind);
    }
    Ok(())
}

impl<'a> Ask<'a> {
    fn vm(&self) -> Result<&'a Value, Refusal> {
        self.vm.ok_or_else(|| Refusal::not_found("virtualmachine", self.name))
    }

    fn vmi(&self) -> Result<&'a Value, Refusal> {
        self.vmi.ok_or_else(|| Refusal::not_found("virtualmachineinstance", self.name))
    }

    /// The instance if it has not ended.
    fn live(&self) -> Option<&'a Value> {
        self.vmi.filter(|vmi| !super::vmi::is_final(vmi))
    }

    fn phase(&self) -> &str {
        self.vmi.map(|vmi| object::text(vmi, "/status/phase")).unwrap_or_default()
    }

    /// The webhooks that watch this subresource.
    fn admitted(&self, action: &'static str) -> Result<(), Refusal> {
        let vm = self.vm()?;
        let caller = Caller { user: "system:admin".to_owned(), is_kubevirt: false };
        let judged = crate::admission::admit(VM, Operation::Connect(action), Some(vm), vm.clone(), self.view, &caller);
        judged.map(drop).map_err(|refusal| {
            let gist = format!("admission webhook \"{}\" denied the request: {}", refusal.webhook, refusal.message);
            Refusal::new(refusal.code, refusal.reason, gist, Value::Null)
        })
    }
}
