//! Who is who on a witness: a token for each program and role, and the kubeconfigs that hold them.
//!
//! KubeVirt's webhooks look at names: only its own service accounts may write a VMI's status. They and everything that acts
//! for KubeVirt have upstream's RBAC and no more; so what upstream lacks a right for fails here as it fails there.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, Result};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

/// May do anything.
const ALL_RIGHTS: &[&str] = &["system:masters"];
/// What the API server adds to a service account's groups itself when a token is one of its own.
const SERVICE_ACCOUNT: &[&str] =
    &["system:serviceaccounts", "system:serviceaccounts:harvester-system", "system:authenticated"];

/// A name, and where it is used.
struct Identity {
    /// The kubeconfig that has it.
    file: &'static str,
    /// Its context there.
    context: &'static str,
    user: &'static str,
    groups: &'static [&'static str],
}

const IDENTITIES: [Identity; 10] = [
    Identity { file: "admin", context: "admin", user: "witness:admin", groups: ALL_RIGHTS },
    // The node agent: a context a role, the first one is the current.
    Identity { file: "agent", context: "kubelet", user: "witness:kubelet", groups: ALL_RIGHTS },
    Identity { file: "agent", context: "longhorn", user: "witness:longhorn", groups: ALL_RIGHTS },
    Identity { file: "agent", context: "cdi", user: "witness:cdi", groups: ALL_RIGHTS },
    Identity { file: "agent", context: "harvester", user: "witness:harvester", groups: ALL_RIGHTS },
    Identity {
        file: "agent",
        context: "virt-handler",
        user: "system:serviceaccount:harvester-system:kubevirt-handler",
        groups: SERVICE_ACCOUNT,
    },
    Identity {
        file: "virt-api",
        context: "virt-api",
        user: "system:serviceaccount:harvester-system:kubevirt-apiserver",
        groups: SERVICE_ACCOUNT,
    },
    Identity {
        file: "virt-controller",
        context: "virt-controller",
        user: "system:serviceaccount:harvester-system:kubevirt-controller",
        groups: SERVICE_ACCOUNT,
    },
    // Upstream gives each controller an account of its own; one with all rights starts faster.
    Identity {
        file: "controller-manager",
        context: "controller-manager",
        user: "system:kube-controller-manager",
        groups: ALL_RIGHTS,
    },
    Identity {
        file: "scheduler",
        context: "scheduler",
        user: "system:kube-scheduler",
        groups: &["system:authenticated"],
    },
];

/// Writes `tokens.csv` and a kubeconfig for each file of [`IDENTITIES`]; `ca.crt` is there.
pub(super) fn write(folder: &Path, server: &str) -> Result<()> {
    let mut random = File::open("/dev/urandom").context("opening the source of randomness")?;
    let mut tokens = Vec::new();
    for _ in &IDENTITIES {
        let mut bytes = [0; 16];
        random.read_exact(&mut bytes).context("reading randomness")?;
        tokens.push(hex::encode(bytes));
    }
    let line = |(at, identity): (usize, &Identity)| {
        format!("{},{},{at},\"{}\"\n", tokens[at], identity.user, identity.groups.join(","))
    };
    let list: String = IDENTITIES.iter().enumerate().map(line).collect();
    write_secret(&folder.join("tokens.csv"), &list)?;
    let mut written: Vec<&str> = Vec::new();
    for file in IDENTITIES.iter().map(|identity| identity.file) {
        if !written.contains(&file) {
            let of_it = IDENTITIES.iter().zip(&tokens).filter(|(identity, _)| identity.file == file);
            let contexts: Vec<_> = of_it.map(|(identity, token)| (identity.context, token.as_str())).collect();
            write_kubeconfig(folder, file, server, &contexts)?;
            written.push(file);
        }
    }
    Ok(())
}

/// Writes FILE.kubeconfig with a context for each token; the first one is the current. It holds no paths: some clients
/// refuse these.
pub(super) fn write_kubeconfig(folder: &Path, file: &str, server: &str, contexts: &[(&str, &str)]) -> Result<()> {
    let authority = fs::read(folder.join("ca.crt")).context("reading the authority's certificate")?;
    let cluster = json!({ "server": server, "certificate-authority-data": BASE64_STANDARD.encode(authority) });
    let list = |of: fn(&str, &str) -> Value| contexts.iter().map(|(name, token)| of(name, token)).collect::<Vec<_>>();
    let config = json!({
        "apiVersion": "v1", "kind": "Config",
        "current-context": contexts.first().map(|(name, _)| name),
        "clusters": [{ "name": "witness", "cluster": cluster }],
        "users": list(|name, token| json!({ "name": name, "user": { "token": token } })),
        "contexts": list(|name, _| json!({ "name": name, "context": { "cluster": "witness", "user": name } })),
    });
    // JSON is YAML.
    write_secret(&folder.join(format!("{file}.kubeconfig")), &format!("{config:#}\n"))
}

fn write_secret(path: &Path, text: &str) -> Result<()> {
    let mut options = File::options();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(path)?;
    std::io::Write::write_all(&mut file, text.as_bytes()).with_context(|| format!("writing {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kubeconfig_has_a_token_that_the_server_knows() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("ca.crt"), "certificate").unwrap();
        write(folder.path(), "https://127.0.0.1:1").unwrap();
        let tokens = fs::read_to_string(folder.path().join("tokens.csv")).unwrap();
        assert_eq!(tokens.lines().count(), IDENTITIES.len());
        let agent = fs::read(folder.path().join("agent.kubeconfig")).unwrap();
        let agent: Value = serde_json::from_slice(&agent).unwrap();
        assert_eq!(agent["current-context"], "kubelet");
        let handler = agent["users"].as_array().unwrap().iter().find(|user| user["name"] == "virt-handler").unwrap();
        let line = format!(
            "{},system:serviceaccount:harvester-system:kubevirt-handler,",
            handler["user"]["token"].as_str().unwrap()
        );
        assert!(tokens.contains(&line), "{tokens}");
    }
}
