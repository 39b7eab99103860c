//! How objects end: finalizers, owners, namespaces, preconditions.

mod support;

use serde_json::{Value, json};
use support::{patch, plain, router, world};

const MAPS: &str = "/api/v1/namespaces/team-a/configmaps";

fn map(name: &str, meta: Value) -> Value {
    let mut object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name } });
    for (key, value) in meta.as_object().expect("metadata") {
        object["metadata"][key] = value.clone();
    }
    object
}

async fn names(router: &axum::Router) -> Vec<String> {
    let list = plain(router, &format!("GET {MAPS}"), json!(null)).await.json();
    list["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|item| item["metadata"]["name"].as_str().unwrap_or("").to_owned())
        .collect()
}

#[tokio::test]
async fn a_finalizer_holds_an_object_until_it_is_removed() {
    let world = world();
    let router = router(&world);
    plain(&router, &format!("POST {MAPS}"), map("one", json!({ "finalizers": ["sim/hold"] }))).await;
    let held = plain(&router, &format!("DELETE {MAPS}/one"), json!(null)).await.json();
    assert!(held["metadata"]["deletionTimestamp"].is_string());
    let added = patch(
        &router,
        &format!("{MAPS}/one"),
        "merge",
        json!({ "metadata": { "finalizers": ["sim/hold", "sim/new"] } }),
    )
    .await;
    assert_eq!(added.code, 422);
    patch(&router, &format!("{MAPS}/one"), "json", json!([{ "op": "remove", "path": "/metadata/finalizers" }])).await;
    assert_eq!(plain(&router, &format!("GET {MAPS}/one"), json!(null)).await.code, 404);
}

#[tokio::test]
async fn dependents_follow_their_owner_as_the_policy_says() {
    for (policy, held, left) in
        [("Background", 0, vec![]), ("Foreground", 1, vec!["child", "owner"]), ("Orphan", 0, vec!["child"])]
    {
        let world = world();
        let router = router(&world);
        let owner = plain(&router, &format!("POST {MAPS}"), map("owner", json!({}))).await.json();
        let reference = json!([{ "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"], "blockOwnerDeletion": true }]);
        let finalizers = if held == 1 { json!(["sim/hold"]) } else { json!([]) };
        plain(
            &router,
            &format!("POST {MAPS}"),
            map("child", json!({ "ownerReferences": reference, "finalizers": finalizers })),
        )
        .await;
        plain(&router, &format!("DELETE {MAPS}/owner?propagationPolicy={policy}"), json!(null)).await;
        assert_eq!(names(&router).await, left, "{policy}");
        if held == 1 {
            patch(&router, &format!("{MAPS}/child"), "merge", json!({ "metadata": { "finalizers": null } })).await;
            assert!(names(&router).await.is_empty());
        }
    }
}

#[tokio::test]
async fn a_namespace_ends_with_the_last_object_in_it() {
    let world = world();
    let router = router(&world);
    plain(&router, &format!("POST {MAPS}"), map("one", json!({ "finalizers": ["sim/hold"] }))).await;
    plain(&router, &format!("POST {MAPS}"), map("two", json!({}))).await;
    plain(&router, "DELETE /api/v1/namespaces/team-a", json!(null)).await;
    assert_eq!(names(&router).await, ["one"]);
    let late = plain(&router, &format!("POST {MAPS}"), map("three", json!({}))).await;
    assert_eq!(
        late.gist(),
        "403 Forbidden: configmaps \"three\" is forbidden: unable to create new content in namespace team-a because it is being terminated"
    );
    patch(&router, &format!("{MAPS}/one"), "merge", json!({ "metadata": { "finalizers": null } })).await;
    assert_eq!(plain(&router, "GET /api/v1/namespaces/team-a", json!(null)).await.code, 404);
}

#[tokio::test]
async fn a_deletion_keeps_to_its_preconditions_and_to_dry_run() {
    let world = world();
    let router = router(&world);
    plain(&router, &format!("POST {MAPS}"), map("one", json!({}))).await;
    let wrong = plain(&router, &format!("DELETE {MAPS}/one"), json!({ "preconditions": { "uid": "other" } })).await;
    assert_eq!(wrong.code, 409);
    assert_eq!(plain(&router, &format!("DELETE {MAPS}/one?dryRun=All"), json!(null)).await.code, 200);
    assert_eq!(names(&router).await, ["one"]);
    plain(&router, &format!("POST {MAPS}"), map("two", json!({ "labels": { "a": "b" } }))).await;
    plain(&router, &format!("DELETE {MAPS}?labelSelector=a%3Db"), json!(null)).await;
    assert_eq!(names(&router).await, ["one"]);
}
