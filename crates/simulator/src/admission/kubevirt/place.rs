//! Names, probes, credentials, and how an instance is started and evicted.
//!
//! Source: K `pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go`.

use super::super::cause::{Causes, label_faults, subdomain_faults};
use crate::behave::object;
use serde_json::Value;

const EVICTIONS: &[&str] = &["", "None", "LiveMigrate", "LiveMigrateIfPossible", "External"];
const NAMESERVERS: usize = 3;

pub(super) fn names(spec: &Value, at: &str, causes: &mut Causes) {
    let hostname = object::text(spec, "/hostname");
    let faults = label_faults(hostname);
    if !hostname.is_empty() && !faults.is_empty() {
        let field = format!("{at}.hostname");
        let message = format!("{field} does not conform to the kubernetes DNS_LABEL rules : {}", faults.join(", "));
        causes.invalid(field, message);
    }
    let subdomain = object::text(spec, "/subdomain");
    let faults = subdomain_faults(subdomain);
    if !subdomain.is_empty() && !faults.is_empty() {
        let field = format!("{at}.subdomain");
        let message = format!("{field} does not conform to the kubernetes DNS_SUBDOMAIN rules : {}", faults.join(", "));
        causes.invalid(field, message);
    }
}

pub(super) fn start_strategy(spec: &Value, at: &str, causes: &mut Causes) {
    let strategy = object::text(spec, "/startStrategy");
    let field = format!("{at}.startStrategy");
    if !matches!(strategy, "" | "Paused") {
        causes.invalid(&field, format!("{field} is set with an unrecognized option: {strategy}"));
    } else if strategy == "Paused" && spec.get("livenessProbe").is_some() {
        let message = format!(
            "either {field} or {at}.livenessProbe should be provided.Pausing VMI with LivenessProbe is not supported"
        );
        causes.invalid(field, message);
    }
}

pub(super) fn architecture(spec: &Value, at: &str, causes: &mut Causes) {
    if !matches!(object::text(spec, "/architecture"), "" | "amd64") {
        let field = format!("{at}.architecture");
        let message =
            format!("MultiArchitecture feature gate is not enabled in kubevirt-config, invalid entry {field}");
        causes.required(field, message);
    }
}

pub(super) fn probes(spec: &Value, at: &str, causes: &mut Causes) {
    let each = ["readinessProbe", "livenessProbe"];
    let probe = |kind: &str| spec.get(kind).filter(|probe| probe.is_object());
    let has = |probe: &Value, way: &str| probe.get(way).is_some_and(|held| !held.is_null());
    for kind in each {
        let Some(probe) = probe(kind) else { continue };
        let field = format!("{at}.{kind}");
        let ways = ["httpGet", "tcpSocket", "exec", "guestAgentPing"].into_iter().filter(|way| has(probe, way)).count();
        if ways > 1 {
            causes.invalid(&field, format!("{field} must have exactly one probe type set"));
        }
        if ways < 1 {
            let message = format!(
                "either {field}.tcpSocket, {field}.exec or {field}.httpGet must be set if a {field} is specified"
            );
            causes.required(field, message);
        }
    }
    if object::items(spec, "/networks").iter().any(|network| network.get("pod").is_some()) {
        return;
    }
    for kind in each {
        let Some(probe) = probe(kind) else { continue };
        for way in ["httpGet", "tcpSocket"].into_iter().filter(|way| has(probe, way)) {
            let field = format!("{at}.{kind}.{way}");
            causes.invalid(&field, format!("{field} is only allowed if the Pod Network is attached"));
        }
    }
}

pub(super) fn credentials(spec: &Value, at: &str, causes: &mut Causes) {
    let has_volume = |kind: &str| {
        object::items(spec, "/volumes").iter().any(|volume| volume.get(kind).is_some_and(Value::is_object))
    };
    for (index, credential) in object::items(spec, "/accessCredentials").iter().enumerate() {
        let field = format!("{at}[{index}]");
        let has = |pointer: &str| object::at(credential, pointer).is_some_and(|held| !held.is_null());
        let mut kinds = 0;
        for kind in ["sshPublicKey", "userPassword"] {
            if !has(&format!("/{kind}")) {
                continue;
            }
            kinds += 1;
            let mut methods = 0;
            for (method, volume, word) in
                [("noCloud", "cloudInitNoCloud", "noCloud"), ("configDrive", "cloudInitConfigDrive", "configDrive")]
            {
                if kind == "sshPublicKey" && has(&format!("/{kind}/propagationMethod/{method}")) {
                    methods += 1;
                    if !has_volume(volume) {
                        let message = format!(
                            "{field} requires a {word} volume to exist when the {word} propagationMethod is in use."
                        );
                        causes.invalid(format!("{field}.sshPublicKey.propagationMethod"), message);
                    }
                }
            }
            if has(&format!("/{kind}/propagationMethod/qemuGuestAgent")) {
                methods += 1;
                let users = format!("/{kind}/propagationMethod/qemuGuestAgent/users");
                if kind == "sshPublicKey" && object::items(credential, &users).is_empty() {
                    let message = format!("{field} requires at least one user to be present in the users list");
                    causes.invalid(format!("{field}.sshPublicKey.propagationMethod.qemuGuestAgent.users"), message);
                }
            }
            if !has(&format!("/{kind}/source/secret")) {
                causes.invalid(format!("{field}.{kind}.source"), format!("{field} must have exactly one source set"));
            }
            if methods != 1 {
                let message = format!("{field} must have exactly one propagationMethod set");
                causes.invalid(format!("{field}.{kind}.propagationMethod"), message);
            }
        }
        if kinds != 1 {
            causes.invalid(&field, format!("{field} must have exactly one access credential type set"));
        }
    }
}

pub(super) fn dns(spec: &Value, at: &str, causes: &mut Causes) {
    let policy = object::text(spec, "/dnsPolicy");
    if !matches!(policy, "" | "ClusterFirstWithHostNet" | "ClusterFirst" | "Default" | "None") {
        let message = format!(
            "DNSPolicy: {policy} is not supported, valid values: [ClusterFirstWithHostNet ClusterFirst Default None ]"
        );
        causes.unsupported(format!("{at}.dnsPolicy"), message);
    }
    let config = spec.get("dnsConfig").filter(|config| config.is_object());
    let servers = config.map(|config| object::items(config, "/nameservers")).unwrap_or_default();
    if policy == "None" && config.is_none() {
        return causes.required(format!("{at}.dnsConfig"), "must provide `dnsConfig` when `dnsPolicy` is None");
    }
    if policy == "None" && servers.is_empty() {
        let message = "must provide at least one DNS nameserver when `dnsPolicy` is None";
        return causes.required("nameservers", message);
    }
    if servers.len() > NAMESERVERS {
        let told: Vec<&str> = servers.iter().filter_map(Value::as_str).collect();
        let message = format!("must not have more than {NAMESERVERS} nameservers: [{}]", told.join(" "));
        causes.invalid("nameservers", message);
    }
    for server in servers.iter().filter_map(Value::as_str) {
        if server.parse::<std::net::IpAddr>().is_err() {
            causes.invalid("nameservers", format!("must be valid IP address: {server}"));
        }
    }
}

pub(super) fn eviction(spec: &Value, at: &str, causes: &mut Causes) {
    let strategy = object::text(spec, "/evictionStrategy");
    if !EVICTIONS.contains(&strategy) {
        let field = format!("{at}.evictionStrategy");
        let message = format!("{field} is set with an unrecognized option: {strategy}");
        causes.invalid(field, message);
    }
}
