//! KubeVirt's subresources: what a call answers and what it changes.
//!
//! Pure: from (subresource, VM, VMI, body, view, now) to an answer with effects, or to a refusal. Streams (vnc, console,
//! port forwarding) are opened elsewhere; [`call`] only says whether they may be.
//!
//! Source: K `pkg/virt-api/rest/{lifecycle,subresource,volumes}.go`; `harvester-api.md` §2.1.

mod guest_info;
mod lifecycle;
mod machine;
#[cfg(test)]
mod tests;
mod volumes;

use super::resources::VM;
use super::{Effect, Now, View, object};
use crate::admission::{Caller, Operation};
use serde_json::Value;

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
    fn conflict(kind: &str, name: &str, gist: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {kind}.kubevirt.io \"{name}\": {gist}");
        Self { code: 409, reason: "Conflict", message }
    }

    fn bad_request(message: impl Into<String>) -> Self {
        Self { code: 400, reason: "BadRequest", message: message.into() }
    }

    fn forbidden(kind: &str, name: &str, gist: &str) -> Self {
        Self { code: 403, reason: "Forbidden", message: format!("{kind}.kubevirt.io \"{name}\" is forbidden: {gist}") }
    }

    fn not_found(kind: &str, name: &str) -> Self {
        Self { code: 404, reason: "NotFound", message: format!("{kind}.kubevirt.io \"{name}\" not found") }
    }

    fn internal(gist: &str) -> Self {
        let message = format!("Internal error occurred: {gist}");
        Self { code: 500, reason: "InternalError", message }
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
    let mut answer = match (on_vm, sub) {
        (true, "start") => lifecycle::start(&ask),
        (true, "stop") => lifecycle::stop(&ask),
        (true, "restart") => lifecycle::restart(&ask),
        (true, "migrate") => lifecycle::migrate(&ask),
        (_, "evacuate/cancel") => lifecycle::cancel_evacuation(&ask, on_vm),
        (true, "addvolume") => volumes::add(&ask),
        (true, "removevolume") => volumes::remove(&ask),
        (true, "expand-spec") => Answer::shows(ask.vm()?.clone()),
        (false, "addvolume" | "removevolume") => volumes::on_instance(&ask),
        (false, "pause") => machine::pause(&ask),
        (false, "unpause") => machine::unpause(&ask),
        (false, "softreboot") => machine::soft_reboot(&ask),
        (false, "reset") => machine::reset(&ask),
        (false, "freeze") => machine::freeze(&ask, true),
        (false, "unfreeze") => machine::freeze(&ask, false),
        (false, "guestosinfo") => guest_info::os(&ask),
        (false, "userlist") => guest_info::users(&ask),
        (false, "filesystemlist") => guest_info::filesystems(&ask),
        (false, "console") => machine::may_open(&ask, "autoattachSerialConsole", "No serial consoles are present."),
        (false, "vnc" | "vnc/screenshot") => {
            machine::may_open(&ask, "autoattachGraphicsDevice", "No graphics devices are present.")
        }
        _ => Err(Refusal {
            code: 404,
            reason: "NotFound",
            message: "the server could not find the requested resource".to_owned(),
        }),
    }?;
    if object::items(body, "/dryRun").iter().any(|mode| mode == "All") {
        answer.effects.clear();
    }
    Ok(answer)
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
        judged.map(drop).map_err(|refusal| Refusal {
            code: refusal.code,
            reason: refusal.reason,
            message: format!("admission webhook \"{}\" denied the request: {}", refusal.webhook, refusal.message),
        })
    }
}
