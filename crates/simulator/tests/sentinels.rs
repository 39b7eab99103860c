//! Names that misbehave towards clients: what a create or an update meets that a rehearsal did not.

mod support;

use serde_json::{Value, json};
use std::time::Instant;
use support::{patch, plain, router, send, world};

const MAPS: &str = "/api/v1/namespaces/team-a/configmaps";

fn config_map(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "a": "1" } })
}

#[tokio::test]
async fn an_object_is_created_though_its_answer_never_comes() {
    let world = world();
    let router = router(&world);
    let begun = Instant::now();
    let name = "x-fault-create-timeout";
    let dry = plain(&router, &format!("POST {MAPS}?dryRun=All"), config_map(name)).await;
    assert_eq!((dry.code, begun.elapsed().as_secs()), (201, 0), "a rehearsal is answered");
    let made = plain(&router, &format!("POST {MAPS}?timeout=1s"), config_map(name)).await;
    let words = "504 Timeout: Timeout: request did not complete within requested timeout - context deadline exceeded";
    assert_eq!(made.gist(), words);
    assert!(begun.elapsed().as_secs() >= 1, "only when the time is over");
    let again = plain(&router, &format!("POST {MAPS}"), config_map(name)).await;
    assert_eq!(again.gist(), format!("409 AlreadyExists: configmaps \"{name}\" already exists"));
}

#[tokio::test]
async fn an_applied_creation_runs_into_its_limit_too_and_an_update_does_not() {
    let world = world();
    let router = router(&world);
    let path = format!("{MAPS}/y-fault-create-timeout?fieldManager=me&timeout=0s");
    let config = config_map("y-fault-create-timeout");
    assert_eq!(patch(&router, &path, "apply", config.clone()).await.code, 504);
    assert_eq!(patch(&router, &path, "apply", config).await.code, 200);
}

#[tokio::test]
async fn what_a_dry_run_passes_a_quota_refuses() {
    let world = world();
    let router = router(&world);
    let name = "x-fault-quota";
    assert_eq!(plain(&router, &format!("POST {MAPS}?dryRun=All"), config_map(name)).await.code, 201);
    let words = format!(
        "403 Forbidden: configmaps \"{name}\" is forbidden: exceeded quota: default-quota, requested: limits.memory=8Gi, \
         used: limits.memory=60Gi, limited: limits.memory=64Gi"
    );
    assert_eq!(plain(&router, &format!("POST {MAPS}"), config_map(name)).await.gist(), words);
    let applied = patch(&router, &format!("{MAPS}/{name}?fieldManager=me"), "apply", config_map(name)).await;
    assert_eq!(applied.gist(), words);
    assert_eq!(plain(&router, &format!("GET {MAPS}/{name}"), json!(null)).await.code, 404, "nothing is stored");
    let wrong = config_map("Bad_x-fault-quota");
    let refused = plain(&router, &format!("POST {MAPS}"), wrong).await;
    assert_eq!(refused.code, 422, "what is wrong in itself is refused for that");
}

#[tokio::test]
async fn the_first_update_meets_somebody_who_was_quicker() {
    let world = world();
    let router = router(&world);
    for (name, format) in [("a-fault-conflict", "merge"), ("b-fault-conflict", "json"), ("c-fault-conflict", "apply")] {
        let made = plain(&router, &format!("POST {MAPS}"), config_map(name)).await.json();
        let path = format!("{MAPS}/{name}?fieldManager=me&force={}", format == "apply");
        let change = match format {
            "json" => json!([{ "op": "replace", "path": "/data/a", "value": "2" }]),
            _ => json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "a": "2" } }),
        };
        let dry = patch(&router, &format!("{path}&dryRun=All"), format, change.clone()).await;
        assert_eq!(dry.code, 200, "{format}: a rehearsal does not count");
        let first = patch(&router, &path, format, change.clone()).await;
        assert_eq!((first.code, &first.json()["reason"]), (409, &json!("Conflict")), "{format}");
        let found = plain(&router, &format!("GET {MAPS}/{name}"), json!(null)).await.json();
        assert_ne!(found["metadata"]["resourceVersion"], made["metadata"]["resourceVersion"], "{format}");
        assert_eq!(found["data"]["a"], "1", "{format}: the update was not done");
        assert_eq!(patch(&router, &path, format, change).await.json()["data"]["a"], "2", "{format}: the second is");
    }
}

#[tokio::test]
async fn who_repeats_a_stale_put_stays_stale() {
    let world = world();
    let router = router(&world);
    let name = "d-fault-conflict";
    let mut stale = plain(&router, &format!("POST {MAPS}"), config_map(name)).await.json();
    stale["data"]["a"] = json!("2");
    for _ in 0..2 {
        let answer = send(&router, &format!("PUT {MAPS}/{name}"), &[], stale.clone()).await;
        assert_eq!(answer.code, 409, "{}", answer.text);
    }
    let mut fresh = plain(&router, &format!("GET {MAPS}/{name}"), json!(null)).await.json();
    fresh["data"]["a"] = json!("2");
    assert_eq!(send(&router, &format!("PUT {MAPS}/{name}"), &[], fresh).await.code, 200);
}
