//! Server-side apply: who owns what, and what happens when two want the same field.

mod support;

use serde_json::{Value, json};
use support::{patch, plain, router, send, world};

const MAPS: &str = "/api/v1/namespaces/team-a/configmaps";

fn config(data: Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "one" }, "data": data })
}

fn owners(object: &Value) -> Value {
    let entries = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    entries.iter().map(|entry| json!([entry["manager"], entry["operation"], entry["fieldsV1"]])).collect()
}

#[tokio::test]
async fn two_managers_share_an_object_and_fight_over_a_field() {
    let world = world();
    let router = router(&world);
    let apply = |manager: &str, more: &str| format!("{MAPS}/one?fieldManager={manager}{more}");
    let first = patch(&router, &apply("a", ""), "apply", config(json!({ "x": "1", "y": "1" }))).await;
    assert_eq!(first.code, 201);
    assert_eq!(owners(&first.json()), json!([["a", "Apply", { "f:data": { "f:x": {}, "f:y": {} } }]]));
    // The same value is shared, another is a conflict with a cause.
    assert_eq!(patch(&router, &apply("b", ""), "apply", config(json!({ "x": "1" }))).await.code, 200);
    let fight = patch(&router, &apply("b", ""), "apply", config(json!({ "x": "2" }))).await;
    assert_eq!(fight.gist(), "409 Conflict: Apply failed with 1 conflict: conflict with \"a\": .data.x");
    assert_eq!(
        fight.json()["details"]["causes"],
        json!([{ "reason": "FieldManagerConflict", "message": "conflict with \"a\"", "field": ".data.x" }])
    );
    let forced = patch(&router, &apply("b", "&force=true"), "apply", config(json!({ "x": "2" }))).await.json();
    assert_eq!(
        owners(&forced),
        json!([["a", "Apply", { "f:data": { "f:y": {} } }], ["b", "Apply", { "f:data": { "f:x": {} } }]])
    );
    // What a manager no longer applies goes, unless another owns it.
    let less = patch(&router, &apply("a", ""), "apply", config(json!({}))).await.json();
    assert_eq!(less["data"], json!({ "x": "2" }));
    // Nothing new, no new version.
    let again = patch(&router, &apply("b", ""), "apply", config(json!({ "x": "2" }))).await.json();
    assert_eq!(again["metadata"]["resourceVersion"], less["metadata"]["resourceVersion"]);
}

#[tokio::test]
async fn an_update_owns_what_it_changes() {
    let world = world();
    let router = router(&world);
    let agent = [("user-agent", "kubectl-edit/v1"), ("content-type", "application/json")];
    let made = send(&router, &format!("POST {MAPS}"), &agent, config(json!({ "x": "1" }))).await.json();
    assert_eq!(owners(&made), json!([["kubectl-edit", "Update", { "f:data": { ".": {}, "f:x": {} } }]]));
    let fight = patch(&router, &format!("{MAPS}/one?fieldManager=a"), "apply", config(json!({ "x": "2" }))).await;
    assert_eq!(
        fight.gist(),
        "409 Conflict: Apply failed with 1 conflict: conflict with \"kubectl-edit\" using v1: .data.x"
    );
}

#[tokio::test]
async fn lists_are_merged_by_their_keys() {
    let world = world();
    let router = router(&world);
    let vm = |volumes: Value| {
        json!({ "apiVersion": "harvesterhci.io/v1beta1", "kind": "Addon", "metadata": { "name": "x", "finalizers": volumes },
                "spec": { "chart": "c", "repo": "r", "version": "v", "enabled": false, "valuesContent": "" } })
    };
    let path = "/apis/harvesterhci.io/v1beta1/namespaces/team-a/addons/x";
    patch(&router, &format!("{path}?fieldManager=a"), "apply", vm(json!(["one/a"]))).await;
    let both = patch(&router, &format!("{path}?fieldManager=b&force=true"), "apply", vm(json!(["two/b"]))).await;
    assert_eq!(both.json()["metadata"]["finalizers"], json!(["one/a", "two/b"]), "{}", both.text);
    let less = patch(&router, &format!("{path}?fieldManager=a"), "apply", vm(json!([]))).await.json();
    assert_eq!(less["metadata"]["finalizers"], json!(["two/b"]));
}

#[tokio::test]
async fn an_apply_says_who_it_is_and_can_be_tried_first() {
    let world = world();
    let router = router(&world);
    let nameless = patch(&router, &format!("{MAPS}/one"), "apply", config(json!({}))).await;
    assert_eq!((nameless.code, nameless.json()["reason"].clone()), (422, json!("Invalid")));
    let tried =
        patch(&router, &format!("{MAPS}/one?fieldManager=a&dryRun=All"), "apply", config(json!({ "x": "1" }))).await;
    assert_eq!(tried.code, 201);
    assert_eq!(plain(&router, &format!("GET {MAPS}/one"), json!(null)).await.code, 404);
}
