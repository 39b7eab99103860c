//! Which keys a kubeconfig may have, and the sentence for each that it may not.

use crate::view::clean;
use model::{Say, say};
use serde_json::Value;

/// Why a kubeconfig is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("kubeconfig refused at {key:?}: {say}")]
pub struct KubeconfigRefusal {
    /// The key, for example `users[admin].user.exec`; empty when it is about the whole text.
    pub key: String,
    /// What is wrong and what to do instead.
    pub say: Say,
}

const TOP: &[&str] = &["apiVersion", "kind", "clusters", "contexts", "users", "current-context", "preferences"];
const CLUSTER: &[&str] = &["server", "certificate-authority-data", "tls-server-name", "disable-compression"];
const CONTEXT: &[&str] = &["cluster", "user", "namespace"];
const USER: &[&str] = &["token", "client-certificate-data", "client-key-data"];

/// Refuses the first key that is not on the lists, wherever in the text it stands.
pub(super) fn refuse_unknown(root: &Value) -> Result<(), KubeconfigRefusal> {
    let Some(top) = root.as_object() else { return Err(broken("", "not a kubeconfig")) };
    for (key, value) in top {
        if (key == "preferences" || !TOP.contains(&key.as_str())) && !is_absent(value) {
            return Err(refused(key.clone(), key));
        }
    }
    for (list, what, allowed) in
        [("clusters", "cluster", CLUSTER), ("contexts", "context", CONTEXT), ("users", "user", USER)]
    {
        let Some(entries) = top.get(list).filter(|v| !v.is_null()) else { continue };
        let entries = entries.as_array().ok_or_else(|| broken(list, "not a list"))?;
        for entry in entries {
            let entry = entry.as_object().ok_or_else(|| broken(list, "not a list of objects"))?;
            let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
            for (key, value) in entry {
                if key != "name" && key != what && !is_absent(value) {
                    return Err(refused(format!("{list}[{name}].{key}"), key));
                }
            }
            for (key, value) in entry.get(what).and_then(Value::as_object).into_iter().flatten() {
                if !allowed.contains(&key.as_str()) && !is_absent(value) {
                    return Err(refused(format!("{list}[{name}].{what}.{key}"), key));
                }
            }
        }
    }
    Ok(())
}

/// A key that is there but says nothing, as some generators write them.
fn is_absent(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

fn refused(path: String, key: &str) -> KubeconfigRefusal {
    let path = clean::text(&path, 120);
    let (zh, en) = match key {
        "exec" => ("它会在服务器上运行程序", "it runs a program on the server"),
        "auth-provider" => ("它会在服务器上运行登录插件", "it runs a sign-in plug-in on the server"),
        "tokenFile" => {
            ("它会读服务器上的文件；把令牌内联为 token", "it reads a file of the server; inline it as token")
        }
        "certificate-authority" => (
            "它会读服务器上的文件；内联为 certificate-authority-data",
            "it reads a file of the server; inline it as certificate-authority-data",
        ),
        "client-certificate" => (
            "它会读服务器上的文件；内联为 client-certificate-data",
            "it reads a file of the server; inline it as client-certificate-data",
        ),
        "client-key" => (
            "它会读服务器上的文件；内联为 client-key-data",
            "it reads a file of the server; inline it as client-key-data",
        ),
        "insecure-skip-tls-verify" => (
            "它会相信任何人的证书；换成 certificate-authority-data",
            "it trusts anybody's certificate; give certificate-authority-data instead",
        ),
        "proxy-url" => ("它会让流量绕道", "it sends the traffic elsewhere"),
        "username" | "password" => (
            "Kubernetes 已不支持口令登录；用令牌或客户端证书",
            "Kubernetes has no password sign-in any more; use a token or a client certificate",
        ),
        "as" | "as-uid" | "as-groups" | "as-user-extra" => {
            ("它会冒充别的用户；直接用那个用户的凭据", "it impersonates another user; use that user's credential")
        }
        _ => ("平台不认识它；删掉再贴", "the platform does not know it; remove it and paste again"),
    };
    let say = say!("kubeconfig 里不能有 {path}：{zh}", "the kubeconfig must not have {path}: {en}");
    KubeconfigRefusal { key: path, say }
}

pub(super) fn missing(what: &str, name: Option<&str>) -> KubeconfigRefusal {
    let name = clean::text(name.unwrap_or_default(), 60);
    let say = match name.as_str() {
        "" => say!(
            "kubeconfig 里缺少 {what}，或有几个而没有说明用哪个（current-context）",
            "the kubeconfig lacks {what}, or has several and no current-context says which"
        ),
        name => say!("kubeconfig 的 {what} 里没有 {name}", "the kubeconfig has no {name} in {what}"),
    };
    KubeconfigRefusal { key: what.to_owned(), say }
}

/// `why` is ours or the YAML reader's without snippets, so no secret is in it.
pub(super) fn broken(key: &str, why: &str) -> KubeconfigRefusal {
    let why = clean::text(why, 200);
    let say = match key {
        "" => say!("这不是 kubeconfig：{why}", "this is not a kubeconfig: {why}"),
        key => say!("kubeconfig 的 {key} 不对：{why}", "{key} of the kubeconfig is wrong: {why}"),
    };
    KubeconfigRefusal { key: key.to_owned(), say }
}

pub(super) fn too_long() -> KubeconfigRefusal {
    let kib = super::MAX_TEXT / 1024;
    let say = say!("kubeconfig 最多 {kib} KiB", "a kubeconfig has at most {kib} KiB");
    KubeconfigRefusal { key: String::new(), say }
}
