//! Harvester's small controllers: key pairs, settings, add-ons, networks. Each writes one status and rests.
//!
//! Source: H `pkg/controller/master/{keypair,setting,addon}`; N `pkg/controller/manager/nad`; `harvester-api.md` §6, §7.

use super::object;
use super::resources::{ADDON, CLUSTERNETWORK, KEYPAIR, NAD, SETTING};
use super::{Behaviour, Now, Outcome, Role, View};
use serde_json::{Value, json};
use std::time::Duration;

/// Validates key pairs.
pub(crate) const KEYPAIRS: Behaviour =
    Behaviour { name: "keypair", role: Role::Harvester, on: KEYPAIR, wakes: &[], step: keypair };
/// Applies settings.
pub(crate) const SETTINGS: Behaviour =
    Behaviour { name: "setting", role: Role::Harvester, on: SETTING, wakes: &[], step: setting };
/// Deploys add-ons.
pub(crate) const ADDONS: Behaviour =
    Behaviour { name: "addon", role: Role::Harvester, on: ADDON, wakes: &[], step: addon };
/// Probes networks.
pub(crate) const NETWORKS: Behaviour =
    Behaviour { name: "network", role: Role::Harvester, on: NAD, wakes: &[], step: network };

const DEPLOY: Duration = Duration::from_secs(15);
const ROUTE: &str = "network.harvesterhci.io/route";

fn keypair(key: &Value, _view: &dyn View, now: Now) -> Outcome {
    if object::condition(key, "validated").is_some() {
        return Outcome::rest();
    }
    let public = object::text(key, "/spec/publicKey");
    let mut conditions = Vec::new();
    let status = match fingerprint(public) {
        Some(print) => {
            object::set_condition(&mut conditions, "validated", true, "", "", now);
            json!({"fingerPrint": print, "conditions": conditions})
        }
        None => {
            object::set_condition(&mut conditions, "validated", false, "", "failed to parse the public key", now);
            json!({"conditions": conditions})
        }
    };
    Outcome::of(object::merge(KEYPAIR, key, json!({"status": status})))
}

/// A colon-separated digest of the key's blob: the shape of an MD5 fingerprint, with a digest of our own.
pub(crate) fn fingerprint(public: &str) -> Option<String> {
    let mut words = public.split_whitespace();
    let kind = words.next()?;
    let blob = words.next()?;
    let known = kind.starts_with("ssh-") || kind.starts_with("ecdsa-") || kind.starts_with("sk-");
    let plausible = known && blob.starts_with("AAAA") && blob.len() >= 24;
    let (mut high, mut low) = (0xcbf2_9ce4_8422_2325_u64, 0x9e37_79b9_7f4a_7c15_u64);
    for byte in blob.bytes() {
        high = (high ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        low = (low ^ high.rotate_left(29)).wrapping_mul(0x0100_0000_01b3);
    }
    let bytes = (u128::from(high) << 64 | u128::from(low)).to_be_bytes();
    plausible.then(|| bytes.map(|byte| format!("{byte:02x}")).join(":"))
}

fn setting(setting: &Value, _view: &dyn View, now: Now) -> Outcome {
    let value = setting.get("value").and_then(Value::as_str).unwrap_or_default();
    if value.is_empty()
        || object::condition(setting, "configured").is_some_and(|held| held["message"] == value_mark(value))
    {
        return Outcome::rest();
    }
    let mut conditions = object::items(setting, "/status/conditions").to_vec();
    object::set_condition(&mut conditions, "configured", true, "", value_mark(value), now);
    Outcome::of(object::merge(SETTING, setting, json!({"status": {"conditions": conditions}})))
}

/// Upstream leaves the message empty once a value is applied.
fn value_mark(_value: &str) -> &'static str {
    ""
}

fn addon(addon: &Value, _view: &dyn View, now: Now) -> Outcome {
    let enabled = object::flag(addon, "/spec/enabled");
    let held = object::text(addon, "/status/status");
    let since = object::condition(addon, "InProgress").map(|held| object::text(held, "/lastTransitionTime"));
    let (next, busy) = match (enabled, held) {
        (true, "AddonDeploySuccessful") | (false, "" | "AddonDisabled") => return Outcome::rest(),
        (true, "AddonEnabling" | "AddonUpdating") => ("AddonDeploySuccessful", false),
        (true, _) => ("AddonEnabling", true),
        (false, "AddonDisabling") => ("AddonDisabled", false),
        (false, _) => ("AddonDisabling", true),
    };
    if let (false, Some(left)) = (busy, since.and_then(|since| now.until(since, DEPLOY))) {
        return Outcome::rest().again(left);
    }
    let mut conditions = object::items(addon, "/status/conditions").to_vec();
    object::set_condition(&mut conditions, "InProgress", busy, "", "", now);
    object::set_condition(&mut conditions, "Completed", !busy, "", "", now);
    let status = json!({"status": next, "conditions": conditions});
    Outcome::of(object::merge_status(ADDON, addon, status)).again(busy.then_some(DEPLOY))
}

fn network(nad: &Value, view: &dyn View, _now: Now) -> Outcome {
    let mut labels = serde_json::Map::new();
    if object::label(nad, "network.harvesterhci.io/ready").is_none() {
        let network = object::label(nad, "network.harvesterhci.io/clusternetwork").unwrap_or_default();
        let there = view.get(CLUSTERNETWORK, "", network).is_some();
        labels.insert("network.harvesterhci.io/ready".to_owned(), json!(there.to_string()));
    }
    let mut annotations = serde_json::Map::new();
    let route = object::annotation(nad, ROUTE).and_then(|text| serde_json::from_str::<Value>(text).ok());
    if let Some(mut route) = route.filter(|route| object::text(route, "/connectivity").is_empty()) {
        let known = !object::text(&route, "/gateway").is_empty();
        route["connectivity"] = json!(if known { "true" } else { "false" });
        annotations.insert(ROUTE.to_owned(), json!(route.to_string()));
    }
    if labels.is_empty() && annotations.is_empty() {
        return Outcome::rest();
    }
    Outcome::of(object::merge(NAD, nad, json!({"metadata": {"labels": labels, "annotations": annotations}})))
}
