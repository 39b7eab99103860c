//! Reading and patching Kubernetes objects that are plain JSON.
//!
//! Every reader takes what is there and answers "empty" for what is not, so a behaviour never panics on a half-written
//! object. Nothing here knows a kind.

use super::{Effect, Now, Resource};
use serde_json::{Map, Value, json};
use std::time::Duration;

const NONE: &[Value] = &[];

/// What stands at a JSON pointer; as `Value::pointer`, which copies every step.
pub(crate) fn at<'a>(object: &'a Value, pointer: &str) -> Option<&'a Value> {
    pointer.split('/').skip(1).try_fold(object, |at, step| match at {
        Value::Object(fields) if step.contains('~') => fields.get(&step.replace("~1", "/").replace("~0", "~")),
        Value::Object(fields) => fields.get(step),
        Value::Array(items) => step.parse().ok().and_then(|at: usize| items.get(at)),
        _ => None,
    })
}

/// A string at a JSON pointer, empty when absent.
pub(crate) fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    at(object, pointer).and_then(Value::as_str).unwrap_or_default()
}

/// A list at a JSON pointer, empty when absent.
pub(crate) fn items<'a>(object: &'a Value, pointer: &str) -> &'a [Value] {
    at(object, pointer).and_then(Value::as_array).map_or(NONE, Vec::as_slice)
}

/// A list as Go writes it with `omitempty`: null when empty. virt-controller compares a status as a whole with what it
/// would write itself, so an empty list would make that fail.
pub(crate) fn listed(items: Vec<Value>) -> Value {
    if items.is_empty() { Value::Null } else { Value::Array(items) }
}

/// A bool at a JSON pointer, false when absent.
pub(crate) fn flag(object: &Value, pointer: &str) -> bool {
    at(object, pointer).and_then(Value::as_bool).unwrap_or_default()
}

/// A whole number at a JSON pointer.
pub(crate) fn number(object: &Value, pointer: &str) -> Option<i64> {
    at(object, pointer).and_then(Value::as_i64)
}

/// What stands at a JSON pointer, or null.
pub(crate) fn part(object: &Value, pointer: &str) -> Value {
    at(object, pointer).cloned().unwrap_or(Value::Null)
}

/// `metadata.name`.
pub(crate) fn name(object: &Value) -> &str {
    text(object, "/metadata/name")
}

/// `metadata.namespace`, empty for cluster-scoped kinds.
pub(crate) fn namespace(object: &Value) -> &str {
    text(object, "/metadata/namespace")
}

/// `metadata.uid`.
pub(crate) fn uid(object: &Value) -> &str {
    text(object, "/metadata/uid")
}

/// Namespace and name, the key of an object within its kind.
pub(crate) fn key(object: &Value) -> (String, String) {
    (namespace(object).to_owned(), name(object).to_owned())
}

/// An annotation's value.
pub(crate) fn annotation<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get("metadata")?.get("annotations")?.get(key)?.as_str()
}

/// A label's value.
pub(crate) fn label<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get("metadata")?.get("labels")?.get(key)?.as_str()
}

/// Whether a deletion was asked for and finalizers hold the object.
pub(crate) fn is_deleting(object: &Value) -> bool {
    !text(object, "/metadata/deletionTimestamp").is_empty()
}

/// Whether `metadata.finalizers` has this one.
pub(crate) fn has_finalizer(object: &Value, finalizer: &str) -> bool {
    items(object, "/metadata/finalizers").iter().any(|held| held == finalizer)
}

/// The patch that takes a finalizer away; guarded by resourceVersion, because the list is replaced as a whole.
pub(crate) fn without_finalizer(object: &Value, finalizer: &str) -> Value {
    let kept: Vec<&Value> = items(object, "/metadata/finalizers").iter().filter(|held| *held != finalizer).collect();
    finalizer_patch(object, if kept.is_empty() { Value::Null } else { json!(kept) })
}

/// The patch that adds a finalizer; guarded as in [`without_finalizer`].
pub(crate) fn with_finalizer(object: &Value, finalizer: &str) -> Value {
    let mut all = items(object, "/metadata/finalizers").to_vec();
    all.push(json!(finalizer));
    finalizer_patch(object, Value::Array(all))
}

fn finalizer_patch(object: &Value, finalizers: Value) -> Value {
    let mut metadata = json!({"finalizers": finalizers});
    let version = text(object, "/metadata/resourceVersion");
    if !version.is_empty() {
        metadata["resourceVersion"] = json!(version);
    }
    json!({"metadata": metadata})
}

/// A condition of `status.conditions`.
pub(crate) fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    items(object, "/status/conditions").iter().find(|held| held["type"] == kind)
}

/// Whether a condition stands at `True`.
pub(crate) fn is_true(object: &Value, kind: &str) -> bool {
    condition(object, kind).is_some_and(|held| held["status"] == "True")
}

/// Sets a condition in a list; the transition time moves only when the status does.
pub(crate) fn set_condition(
    conditions: &mut Vec<Value>,
    kind: &str,
    is_true: bool,
    reason: &str,
    message: &str,
    now: Now,
) {
    let status = if is_true { "True" } else { "False" };
    let old = conditions.iter().position(|held| held["type"] == kind);
    let since = match old {
        Some(at) if conditions[at]["status"] == status => conditions[at]["lastTransitionTime"].clone(),
        _ => json!(now.stamp()),
    };
    let mut made = json!({"type": kind, "status": status, "lastProbeTime": null, "lastTransitionTime": since});
    if !reason.is_empty() {
        made["reason"] = json!(reason);
    }
    if !message.is_empty() {
        made["message"] = json!(message);
    }
    match old {
        Some(at) => conditions[at] = made,
        None => conditions.push(made),
    }
}

/// Takes a condition out of a list.
pub(crate) fn drop_condition(conditions: &mut Vec<Value>, kind: &str) {
    conditions.retain(|held| held["type"] != kind);
}

/// A controller reference to `owner`.
pub(crate) fn controlled_by(owner: &Value) -> Value {
    json!({
        "apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": name(owner), "uid": uid(owner),
        "controller": true, "blockOwnerDeletion": true,
    })
}

/// Whether some ownerReference names this uid.
pub(crate) fn is_owned_by(object: &Value, uid: &str) -> bool {
    items(object, "/metadata/ownerReferences").iter().any(|owner| owner["uid"] == uid)
}

/// Whether a JSON merge patch (RFC 7386) would change anything.
pub(crate) fn would_change(object: &Value, patch: &Value) -> bool {
    match patch {
        Value::Object(fields) => match object {
            Value::Object(held) => fields.iter().any(|(key, wanted)| match held.get(key) {
                Some(value) => wanted.is_null() || would_change(value, wanted),
                None => !is_absence(wanted),
            }),
            _ => true,
        },
        other => !is_same(object, other),
    }
}

/// Whether two values say the same: in lists of objects, a field that is null is as good as none.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            let covers = |a: &Map<String, Value>, b: &Map<String, Value>| {
                a.iter().all(|(key, value)| is_same(value, b.get(key).unwrap_or(&Value::Null)))
            };
            covers(a, b) && covers(b, a)
        }
        (a, b) => a == b,
    }
}

fn is_absence(patch: &Value) -> bool {
    match patch {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => !fields.is_empty() && fields.values().all(is_absence),
        _ => false,
    }
}

/// A merge of the main resource, unless it would change nothing.
pub(crate) fn merge(resource: Resource, object: &Value, patch: Value) -> Option<Effect> {
    merge_at(resource, object, patch, false)
}

/// A merge through `/status`, unless it would change nothing.
pub(crate) fn merge_status(resource: Resource, object: &Value, status: Value) -> Option<Effect> {
    merge_at(resource, object, json!({"status": status}), true)
}

fn merge_at(resource: Resource, object: &Value, patch: Value, status: bool) -> Option<Effect> {
    let (namespace, name) = key(object);
    would_change(object, &patch).then_some(Effect::Merge { resource, namespace, name, patch, status })
}

/// A deletion of this object.
pub(crate) fn delete(resource: Resource, object: &Value) -> Effect {
    let (namespace, name) = key(object);
    Effect::Delete { resource, namespace, name }
}

/// An event about this object.
pub(crate) fn event(
    about: &Value,
    level: &'static str,
    reason: &str,
    message: impl Into<String>,
    source: &'static str,
) -> Effect {
    // Only what the recorder needs: an event must not carry a whole VM through the queue.
    let about = json!({
        "apiVersion": about["apiVersion"], "kind": about["kind"],
        "metadata": {
            "name": name(about), "namespace": about["metadata"]["namespace"], "uid": about["metadata"]["uid"],
            "resourceVersion": about["metadata"]["resourceVersion"],
        },
    });
    Effect::Event { about, level, reason: reason.to_owned(), message: message.into(), source }
}

/// String map at a pointer, for labels and selectors.
pub(crate) fn map<'a>(object: &'a Value, pointer: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let fields: Option<&'a Map<String, Value>> = at(object, pointer).and_then(Value::as_object);
    fields.into_iter().flatten().filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
}

impl Now {
    /// This moment as RFC 3339 with whole seconds, as Kubernetes writes it.
    pub fn stamp(self) -> String {
        stamp_of(self.unix_ms)
    }

    /// How long until `delay` after `stamp`; `None` when that moment has come (or the stamp is unreadable).
    pub fn until(self, stamp: &str, delay: Duration) -> Option<Duration> {
        let start: jiff::Timestamp = stamp.parse().ok()?;
        let due = start.as_millisecond().saturating_add(i64::try_from(delay.as_millis()).unwrap_or(i64::MAX));
        let left = due.saturating_sub(self.unix_ms);
        u64::try_from(left).ok().filter(|ms| *ms > 0).map(Duration::from_millis)
    }

    /// A number below `bound` out of this step's random bits; `salt` tells several draws of one step apart.
    pub fn draw(self, salt: u64, bound: u64) -> u64 {
        let mut bits = self.random ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % bound.max(1)
    }
}

/// Unix milliseconds as RFC 3339 with whole seconds.
pub(crate) fn stamp_of(unix_ms: i64) -> String {
    let seconds = unix_ms.div_euclid(1000);
    jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_finds_what_json_pointers_find() {
        let object = json!({"a": {"b/c": [1, {"~d": 2}]}, "": 3});
        for pointer in ["", "/", "/a", "/a/b~1c", "/a/b~1c/1/~0d", "/a/b~1c/7", "/a/b~1c/x", "/a/none/x", "/a/b/c"] {
            assert_eq!(at(&object, pointer), object.pointer(pointer), "{pointer}");
        }
    }

    #[test]
    fn a_patch_that_repeats_what_stands_changes_nothing() {
        let object = json!({"a": {"b": 1, "c": [1, 2]}});
        for (patch, changes) in [
            (json!({"a": {"b": 1}}), false),
            (json!({"a": {"b": 2}}), true),
            (json!({"a": {"d": null}}), false),
            (json!({"a": {"b": null}}), true),
            (json!({"a": {"c": [1]}}), true),
            (json!({"a": {"c": [1, 2, null]}}), true),
            (json!({"x": {"y": null}}), false),
            (json!({"x": {}}), true),
            (json!({"x": []}), false),
        ] {
            assert_eq!(would_change(&object, &patch), changes, "{patch}");
        }
    }

    #[test]
    fn a_condition_keeps_its_transition_time_while_the_status_stays() {
        let mut held = Vec::new();
        set_condition(&mut held, "Ready", true, "", "", Now { unix_ms: 0, random: 0 });
        set_condition(&mut held, "Ready", true, "", "again", Now { unix_ms: 90_000, random: 0 });
        assert_eq!(held[0]["lastTransitionTime"], "1970-01-01T00:00:00Z");
        set_condition(&mut held, "Ready", false, "Gone", "", Now { unix_ms: 90_000, random: 0 });
        assert_eq!(held[0]["lastTransitionTime"], "1970-01-01T00:01:30Z");
    }
}
