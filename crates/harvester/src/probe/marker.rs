//! What tells that a capability is there. Pure: facts in, verdict and evidence out.

use super::Version;
use super::facts::{Facts, Lookup};
use model::fleet::Verdict;
use model::{Say, say};
use serde_json::Value;

/// A marker.
#[derive(Debug, Clone, Copy)]
pub(super) enum Marker {
    /// Group and version serve that plural (or `plural/sub`).
    Resource(&'static str, &'static str),
    /// The CRD's schema has `spec.<field>`.
    Field(&'static str, &'static str),
    /// There is a Setting.
    Setting(&'static str),
    /// A Setting says `true`.
    SettingTrue(&'static str),
    /// A Setting's value has that word.
    SettingHas(&'static str, &'static str),
    /// KubeVirt's feature gate.
    Gate(&'static str),
    /// Something stands there in the KubeVirt object.
    KubeVirt(&'static str),
    /// KubeVirt's version, at least.
    KubeVirtVersion(Version),
    /// The add-on is on and deployed.
    Addon(&'static str),
    /// A node has CPU pinning on.
    Pinning,
    /// Harvester's version, at least.
    Since(Version),
    /// Harvester's version, from and below.
    Between(Version, Version),
    /// All of them.
    All(&'static [Marker]),
}

impl Marker {
    /// Verdict and evidence.
    pub(super) fn look(self, facts: &Facts) -> (Verdict, Say) {
        match self {
            Self::Resource(group, plural) => {
                let found = facts.resources.get(group).cloned().unwrap_or(Ok(None));
                judge(found.map(|l| l.filter(|l| l.iter().any(|r| r == plural))), &format!("{group} {plural}"))
            }
            Self::Field(crd, field) => {
                let found = facts.schemas.get(crd).cloned().unwrap_or(Ok(None));
                let path = format!("/properties/spec/properties/{field}");
                judge(found.map(|s| s.filter(|s| s.pointer(&path).is_some())), &format!("{crd} spec.{field}"))
            }
            Self::Setting(name) => judge(setting(facts, name), &format!("Setting {name}")),
            Self::SettingTrue(name) => {
                judge(setting(facts, name).map(|v| v.filter(|v| v == "true")), &format!("Setting {name} = true"))
            }
            Self::SettingHas(name, word) => {
                judge(setting(facts, name).map(|v| v.filter(|v| v.contains(word))), &format!("Setting {name}: {word}"))
            }
            Self::Gate(gate) => {
                let has = |k: &Value| gates(k).is_some_and(|g| g.iter().any(|g| g.as_str() == Some(gate)));
                judge(kubevirt(facts).map(|k| k.filter(has)), &format!("KubeVirt featureGates: {gate}"))
            }
            Self::KubeVirt(path) => {
                let has = |k: &Value| k.pointer(path).is_some_and(|v| !v.is_null() && v.as_str() != Some(""));
                judge(
                    kubevirt(facts).map(|k| k.filter(has)),
                    &format!("KubeVirt {}", path.trim_start_matches('/').replace('/', ".")),
                )
            }
            Self::KubeVirtVersion(least) => {
                version("KubeVirt", facts.kubevirt_version.as_deref(), |v| v >= least, &format!("≥ {least}"))
            }
            Self::Addon(name) => {
                let addons = facts.addons.clone().unwrap_or(Ok(None));
                let is_on = |a: &&super::facts::AddonFact| {
                    a.name == name && a.is_enabled && a.status == "AddonDeploySuccessful"
                };
                judge(
                    addons.map(|l| l.filter(|l| l.iter().find(is_on).is_some())),
                    &format!("Addon {name}: AddonDeploySuccessful"),
                )
            }
            Self::Pinning => {
                let found = facts.pinning.clone().unwrap_or(Ok(None));
                judge(found.map(|f| f.filter(|&f| f)), "Node cpumanager=true")
            }
            Self::Since(least) => {
                version("server-version", facts.server_version.as_deref(), |v| v >= least, &format!("≥ {least}"))
            }
            Self::Between(from, below) => {
                let range = format!("≥ {from}, < {below}");
                version("server-version", facts.server_version.as_deref(), |v| v >= from && v < below, &range)
            }
            Self::All(markers) => {
                let all: Vec<_> = markers.iter().map(|m| m.look(facts)).collect();
                // What is missing is what there is to say; else what could not be looked for; else all of it.
                for verdict in [Verdict::Absent, Verdict::Unknown] {
                    if let Some((verdict, evidence)) = all.iter().find(|(v, _)| *v == verdict) {
                        return (*verdict, evidence.clone());
                    }
                }
                let join = |f: fn(&Say) -> &str| all.iter().map(|(_, say)| f(say)).collect::<Vec<_>>().join("; ");
                (Verdict::Present, Say::new(join(|s| &s.zh), join(|s| &s.en)))
            }
        }
    }
}

fn setting(facts: &Facts, name: &str) -> Lookup<String> {
    facts.settings.get(name).cloned().unwrap_or(Ok(None))
}

fn kubevirt(facts: &Facts) -> Lookup<Value> {
    facts.kubevirt.clone().unwrap_or(Ok(None))
}

fn gates(kubevirt: &Value) -> Option<&Vec<Value>> {
    kubevirt.pointer("/spec/configuration/developerConfiguration/featureGates")?.as_array()
}

fn judge<T>(found: Lookup<T>, what: &str) -> (Verdict, Say) {
    match found {
        Ok(Some(_)) => (Verdict::Present, say!("看到了 {what}", "seen: {what}")),
        Ok(None) => (Verdict::Absent, say!("没有 {what}", "not there: {what}")),
        Err(why) => (Verdict::Unknown, say!("查不了 {what}：{why}", "could not look for {what}: {why}")),
    }
}

/// A version that cannot be read (`dev`, `master-…`) says nothing.
fn version(of: &str, text: Option<&str>, fits: impl Fn(Version) -> bool, wanted: &str) -> (Verdict, Say) {
    let said = text.unwrap_or("?");
    let evidence = say!("{of} 是 {said}（要 {wanted}）", "{of} is {said} (wanted: {wanted})");
    match text.and_then(Version::parse) {
        Some(version) if fits(version) => (Verdict::Present, evidence),
        Some(_) => (Verdict::Absent, evidence),
        None => (Verdict::Unknown, evidence),
    }
}
