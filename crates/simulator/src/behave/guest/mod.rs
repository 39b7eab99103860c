//! The operating system inside an instance: boots, runs its agent (or has none), and says what it has.
//!
//! Invariant: what the agent reports follows from the image and the cloud-init data alone, as on a real guest, so a
//! wrong network configuration shows as a wrong or missing address.
//!
//! Source: K `pkg/virt-launcher/virtwrap/agent-poller`, `pkg/network/setup/netstat.go`; `harvester-api.md` §1.8, §13.

pub(crate) mod address;
pub(crate) mod netplan;
pub(crate) mod system;

use super::node::{self, Health};
use super::object;
use super::resources::{SECRET, VMI};
use super::vmi::entered;
use super::{Behaviour, Now, Outcome, Role, View};
use crate::scenario::fault::Fault;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
pub(crate) use system::System;

/// The guest.
pub(crate) const GUEST: Behaviour = Behaviour { name: "guest", role: Role::Guest, on: VMI, wakes: &[], step };

/// Annotation of the simulator's own on an instance: when its guest was last booted again.
pub(crate) const BOOTED: &str = "simulator.harvester-admin/booted";

fn step(vmi: &Value, view: &dyn View, now: Now) -> Outcome {
    let runs = object::text(vmi, "/status/phase") == "Running" && !object::is_deleting(vmi);
    if !runs || object::is_true(vmi, "AgentConnected") || object::is_true(vmi, "Paused") {
        return Outcome::rest();
    }
    let system = System::of(vmi, view);
    if !has_agent(vmi, &system, view) {
        return Outcome::rest();
    }
    let health = node::health(object::text(vmi, "/status/nodeName"), view);
    if health == Health::Down {
        return Outcome::rest().again(node::LOOK);
    }
    let booted = object::annotation(vmi, BOOTED).or_else(|| entered(vmi, "Running")).unwrap_or_default();
    match now.until(booted, system.boot * health.slowness()) {
        Some(left) => Outcome::rest().again(left),
        None => Outcome::of(object::merge(VMI, vmi, json!({"status": report(vmi, &system, view, now)}))),
    }
}

/// The status fields that a connected agent fills.
pub(crate) fn report(vmi: &Value, system: &System, view: &dyn View, now: Now) -> Value {
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    object::set_condition(&mut conditions, "AgentConnected", true, "", "", now);
    json!({
        "conditions": conditions,
        "guestOSInfo": system.info,
        "interfaces": object::listed(address::interfaces(vmi, system, view)),
    })
}

/// Whether an agent answers: the image brings one or user-data installs it.
pub(crate) fn has_agent(vmi: &Value, system: &System, view: &dyn View) -> bool {
    if Fault::NoAgent.is_in(object::name(vmi)) {
        return false;
    }
    system.has_agent || user_data(vmi, view).is_some_and(|text| installs_agent(&text))
}

fn installs_agent(user_data: &str) -> bool {
    user_data.lines().map(str::trim).any(|line| !line.starts_with('#') && line.contains("qemu-guest-agent"))
}

/// The hostname that the guest gives itself.
pub(crate) fn hostname(vmi: &Value, view: &dyn View) -> String {
    let configured = user_data(vmi, view).and_then(|text| {
        let parsed: Value = serde_saphyr::from_str(&text).ok()?;
        let named = parsed.get("fqdn").or_else(|| parsed.get("hostname"))?;
        named.as_str().map(str::to_owned)
    });
    let spec = object::text(vmi, "/spec/hostname");
    configured.unwrap_or_else(|| if spec.is_empty() { object::name(vmi).to_owned() } else { spec.to_owned() })
}

/// The user-data of an instance, from its Secret or inline.
pub(crate) fn user_data(vmi: &Value, view: &dyn View) -> Option<String> {
    let source = cloud_init(vmi)?;
    inline(source, "userData", "userDataBase64")
        .or_else(|| from_secret(vmi, object::text(source, "/secretRef/name"), &["userdata", "userData"], view))
}

/// The network configuration of an instance, from its Secret or inline.
pub(crate) fn network_data(vmi: &Value, view: &dyn View) -> Option<String> {
    let source = cloud_init(vmi)?;
    let keys = ["networkdata", "networkData"];
    inline(source, "networkData", "networkDataBase64")
        .or_else(|| from_secret(vmi, object::text(source, "/networkDataSecretRef/name"), &keys, view))
}

fn cloud_init(vmi: &Value) -> Option<&Value> {
    object::items(vmi, "/spec/volumes")
        .iter()
        .find_map(|volume| volume.get("cloudInitNoCloud").or_else(|| volume.get("cloudInitConfigDrive")))
}

fn inline(source: &Value, plain: &str, encoded: &str) -> Option<String> {
    let text = source.get(plain).and_then(Value::as_str).filter(|text| !text.is_empty());
    text.map(str::to_owned).or_else(|| decode(source.get(encoded)?.as_str()?))
}

fn from_secret(vmi: &Value, name: &str, keys: &[&str], view: &dyn View) -> Option<String> {
    let secret = view.get(SECRET, object::namespace(vmi), name)?;
    keys.iter().find_map(|key| {
        let encoded = secret.get("data").and_then(|data| data.get(*key)).and_then(Value::as_str);
        let plain = || secret.get("stringData")?.get(*key)?.as_str().map(str::to_owned);
        encoded.and_then(decode).or_else(plain)
    })
}

fn decode(encoded: &str) -> Option<String> {
    String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()
}
