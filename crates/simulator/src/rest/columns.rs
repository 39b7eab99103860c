//! The cells of a table: a JSONPath, or a rule that upstream has in Go.
//!
//! Pure. Sources: `k8s.io/client-go/util/jsonpath`, `pkg/printers/internalversion/printers.go`,
//! `apimachinery/pkg/util/duration`.

use crate::clock::parse_rfc3339;
use crate::world::catalogue::{Column, Kind};
use crate::world::meta;
use serde_json::{Value, json};

/// One cell.
pub(super) fn cell(kind: &Kind, column: &Column, object: &Value, now_ms: i64) -> Value {
    if let Some(rule) = column.path.strip_prefix('@') {
        return ruled(rule, object, now_ms);
    }
    let found = find(object, column.path);
    let empty = || if kind.is_custom { Value::Null } else { Value::from("<none>") };
    match (column.kind, found) {
        (_, None | Some(Value::Null)) if column.kind == "date" && !kind.is_custom => "<unknown>".into(),
        (_, None | Some(Value::Null)) => empty(),
        ("date", Some(value)) => age(value.as_str().unwrap_or_default(), now_ms),
        ("integer" | "number", Some(Value::String(text))) => text.parse::<i64>().map_or(Value::Null, Value::from),
        ("integer" | "number" | "boolean", Some(value)) => value.clone(),
        (_, Some(Value::String(text))) if text.is_empty() && !kind.is_custom => empty(),
        (_, Some(Value::String(text))) => text.as_str().into(),
        (_, Some(other)) => other.to_string().into(),
    }
}

fn age(time: &str, now_ms: i64) -> Value {
    match parse_rfc3339(time) {
        Some(then) => human(now_ms - then).into(),
        None => "<invalid>".into(),
    }
}

/// `5m30s`, `3h`, `12d`. Source: `apimachinery/pkg/util/duration/duration.go` (`HumanDuration`).
pub(super) fn human(ms: i64) -> String {
    let secs = ms / 1000;
    let (minutes, hours, days) = (secs / 60, secs / 3600, secs / 86400);
    let pair = |big: i64, unit: &str, small: i64, small_unit: &str| {
        if small == 0 { format!("{big}{unit}") } else { format!("{big}{unit}{small}{small_unit}") }
    };
    match secs {
        ..=-2 => "<invalid>".into(),
        -1..=0 => "0s".into(),
        1..120 => format!("{secs}s"),
        _ if minutes < 10 => pair(minutes, "m", secs % 60, "s"),
        _ if minutes < 180 => format!("{minutes}m"),
        _ if hours < 8 => pair(hours, "h", minutes % 60, "m"),
        _ if hours < 48 => format!("{hours}h"),
        _ if hours < 192 => pair(days, "d", hours % 24, "h"),
        _ if days < 730 => format!("{days}d"),
        _ if days < 2920 => pair(days / 365, "y", days % 365, "d"),
        _ => format!("{}y", days / 365),
    }
}

/// The first value at a simple JSONPath: fields, `['x']`, `[n]`, `[*]`, `[?(@.a=='b')]`.
fn find<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    let mut at = object;
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(field) = rest.strip_prefix('.') {
            let end = end_of_field(field);
            at = at.get(field[..end].replace("\\.", "."))?;
            rest = &field[end..];
        } else {
            let end = rest.find(']')?;
            let inside = rest.get(1..end)?;
            rest = &rest[end + 1..];
            at = step(at, inside)?;
        }
    }
    Some(at)
}

fn end_of_field(text: &str) -> usize {
    let mut was_backslash = false;
    for (at, c) in text.char_indices() {
        if (c == '.' || c == '[') && !was_backslash {
            return at;
        }
        was_backslash = c == '\\';
    }
    text.len()
}

fn step<'a>(at: &'a Value, inside: &str) -> Option<&'a Value> {
    if let Some(test) = inside.strip_prefix("?(@.").and_then(|test| test.strip_suffix(')')) {
        let (field, wanted) = test.split_once("==")?;
        let wanted = wanted.trim().trim_matches(['\'', '"']);
        return at.as_array()?.iter().find(|item| item[field.trim()].as_str() == Some(wanted));
    }
    if let Some(field) = inside.strip_prefix('\'').and_then(|field| field.strip_suffix('\'')) {
        return at.get(field);
    }
    at.get(if inside == "*" { 0 } else { inside.parse::<usize>().ok()? })
}

fn ruled(rule: &str, object: &Value, now_ms: i64) -> Value {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let items = |pointer: &str| object.pointer(pointer).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let or_none = |text: String| if text.is_empty() { "<none>".to_owned() } else { text };
    let joined = match rule {
        "node-status" => node_status(object),
        "node-roles" => {
            let labels = object["metadata"]["labels"].as_object();
            let roles =
                labels.into_iter().flatten().filter_map(|(key, _)| key.strip_prefix("node-role.kubernetes.io/"));
            or_none(roles.collect::<Vec<_>>().join(","))
        }
        "node-internal-ip" => {
            let found = items("/status/addresses").iter().find(|address| address["type"] == "InternalIP");
            or_none(found.and_then(|address| address["address"].as_str()).unwrap_or_default().into())
        }
        "pod-ready" => {
            let ready = items("/status/containerStatuses").iter().filter(|status| status["ready"] == true).count();
            format!("{ready}/{}", items("/spec/containers").len())
        }
        "pod-status" => pod_status(object),
        "pod-restarts" => {
            let counts = items("/status/containerStatuses").iter().filter_map(|status| status["restartCount"].as_i64());
            counts.sum::<i64>().to_string()
        }
        "claim-status" if meta::is_terminating(object) => "Terminating".into(),
        "claim-status" => text("/status/phase").into(),
        "access-modes" => {
            let modes = items("/spec/accessModes").iter().filter_map(Value::as_str).map(|mode| match mode {
                "ReadWriteOnce" => "RWO",
                "ReadOnlyMany" => "ROX",
                "ReadWriteMany" => "RWX",
                other => other,
            });
            modes.collect::<Vec<_>>().join(",")
        }
        "pv-claim" if text("/spec/claimRef/name").is_empty() => String::new(),
        "pv-claim" => format!("{}/{}", text("/spec/claimRef/namespace"), text("/spec/claimRef/name")),
        "data-count" => {
            let count = |field: &str| object[field].as_object().map_or(0, serde_json::Map::len);
            return json!(count("data") + count("binaryData"));
        }
        "event-object" => {
            format!("{}/{}", text("/involvedObject/kind").to_lowercase(), text("/involvedObject/name"))
        }
        "event-last-seen" => return age(text("/lastTimestamp"), now_ms),
        "service-ports" => {
            let port = |port: &Value| format!("{}/{}", port["port"], port["protocol"].as_str().unwrap_or("TCP"));
            items("/spec/ports").iter().map(port).collect::<Vec<_>>().join(",")
        }
        "deployment-ready" => {
            let count = |pointer: &str| object.pointer(pointer).and_then(Value::as_i64).unwrap_or_default();
            format!("{}/{}", count("/status/readyReplicas"), count("/spec/replicas"))
        }
        "unset" => "<unset>".into(),
        _ => "<none>".into(),
    };
    joined.into()
}

fn node_status(node: &Value) -> String {
    let conditions = node["status"]["conditions"].as_array();
    let ready = conditions.into_iter().flatten().find(|condition| condition["type"] == "Ready");
    let mut status = match ready.and_then(|ready| ready["status"].as_str()) {
        Some("True") => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
    .to_owned();
    if node["spec"]["unschedulable"] == true {
        status.push_str(",SchedulingDisabled");
    }
    status
}

fn pod_status(pod: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if meta::is_terminating(pod) {
        return if pod["status"]["reason"] == "NodeLost" { "Unknown".into() } else { "Terminating".into() };
    }
    let statuses = pod["status"]["containerStatuses"].as_array();
    let waiting = statuses.into_iter().flatten().find_map(|status| {
        let reason =
            status["state"]["waiting"]["reason"].as_str().or(status["state"]["terminated"]["reason"].as_str())?;
        (!reason.is_empty()).then(|| reason.to_owned())
    });
    let reason = text(&pod["status"]["reason"]);
    waiting.unwrap_or(if reason.is_empty() { text(&pod["status"]["phase"]) } else { reason })
}

#[cfg(test)]
mod tests {
    use super::{find, human};
    use serde_json::json;

    #[test]
    fn paths_and_ages_read_as_kubectl_prints_them() {
        let object = json!({"status": {"conditions": [{"type": "A", "status": "x"}, {"type": "Ready", "status": "True"}],
                            "by.dot": {"c": 1}}, "list": ["first"]});
        let cases = [
            (".status.conditions[?(@.type=='Ready')].status", json!("True")),
            (".status.by\\.dot.c", json!(1)),
            (".status['by.dot'].c", json!(1)),
            (".list[0]", json!("first")),
        ];
        for (path, expected) in cases {
            assert_eq!(find(&object, path), Some(&expected), "{path}");
        }
        assert_eq!(find(&object, ".status.none"), None);
        let ages = [
            (59, "59s"),
            (119, "119s"),
            (150, "2m30s"),
            (3600, "60m"),
            (4 * 3600, "4h"),
            (90_000, "25h"),
            (864_000, "10d"),
        ];
        for (secs, expected) in ages {
            assert_eq!(human(secs * 1000), expected);
        }
    }
}
