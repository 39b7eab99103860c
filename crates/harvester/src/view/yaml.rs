//! An object as YAML for people: without bookkeeping, and without what looks like a secret.

use super::clean;
use serde_json::Value;

/// Longest text: larger than any VM, smaller than what hurts a browser.
const MAX_YAML: usize = 512 << 10;

/// Words in a key or before a colon in inline user data behind which a secret is.
const SECRETS: [&str; 6] = ["passw", "secret", "token", "private", "credential", "hashed_passwd"];

/// What is shown in place of a secret.
const MASK: &str = "•••";

/// The object as YAML. `None` when it cannot be written.
pub(crate) fn of(mut object: Value) -> Option<String> {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
        }
    }
    mask(&mut object);
    let text = serde_saphyr::to_string(&object).ok()?;
    let lines = text.lines().take(20_000).map(|line| clean::text(line, 4_000));
    let mut yaml = String::new();
    for line in lines {
        if yaml.len() + line.len() > MAX_YAML {
            yaml.push_str("# …\n");
            break;
        }
        yaml.push_str(&line);
        yaml.push('\n');
    }
    Some(yaml)
}

fn mask(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match (key.as_str(), &mut *value) {
                    // Cannot be looked into line by line.
                    ("userDataBase64" | "networkDataBase64", Value::String(text)) => *text = MASK.into(),
                    ("userData" | "networkData", Value::String(text)) => *text = masked_lines(text),
                    ("accessCredentials", _) => {}
                    (_, value) => mask(value),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(mask),
        _ => {}
    }
}

/// Inline cloud-config with the values of telling keys masked, and what hangs below such a key left out.
fn masked_lines(text: &str) -> String {
    let mut out = String::new();
    let mut below: Option<usize> = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        if let Some(depth) = below {
            let is_inside =
                line.trim().is_empty() || indent > depth || (indent == depth && line.trim_start().starts_with("- "));
            if is_inside {
                continue;
            }
            below = None;
        }
        let key = line.split_once(':').map(|(key, _)| key.to_ascii_lowercase());
        match key {
            Some(key) if SECRETS.iter().any(|word| key.contains(word)) => {
                below = Some(indent);
                let (key, _) = line.split_once(':').unwrap_or((line, ""));
                out.push_str(&format!("{key}: {MASK}\n"));
            }
            _ if line.contains("-----BEGIN") => {
                below = Some(indent.saturating_sub(1));
                out.push_str(MASK);
                out.push('\n');
            }
            _ => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_in_inline_data_are_masked_and_bookkeeping_is_left_out() {
        let user_data = "#cloud-config\nhostname: a\npassword: hunter2\nchpasswd:\n  expire: false\n  list: |\n    root:hunter3\nusers:\n- name: x\n  hashed_passwd: $6$hunter4\nwrite_files:\n- content: |\n    -----BEGIN RSA PRIVATE KEY-----\n    hunter5\n    -----END RSA PRIVATE KEY-----\nruncmd: [ls]\n";
        let vm = json!({"metadata": {"name": "a", "managedFields": [{"manager": "x"}]},
            "spec": {"cloudInitNoCloud": {"userData": user_data, "networkDataBase64": "aHVudGVyNg=="}}});
        let yaml = of(vm).unwrap();
        assert!(!yaml.contains("hunter") && !yaml.contains("aHVud") && !yaml.contains("managedFields"), "{yaml}");
        assert!(yaml.contains("hostname: a") && yaml.contains("runcmd: [ls]"), "{yaml}");
    }
}
