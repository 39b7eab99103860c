//! Reading and writing objects as against a kube-apiserver.

mod support;

use serde_json::{Value, json};
use support::{patch, plain, router, send, world};

const MAPS: &str = "/api/v1/namespaces/team-a/configmaps";

fn config_map(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "labels": { "n": name } }, "data": { "a": "1" } })
}

#[tokio::test]
async fn refusals_have_the_code_the_reason_and_the_words_of_upstream() {
    let world = world();
    let router = router(&world);
    assert_eq!(plain(&router, &format!("POST {MAPS}"), config_map("one")).await.code, 201);
    let cases = [
        ("GET /api/v1/namespaces/team-a/configmaps/none", json!(null), "404 NotFound: configmaps \"none\" not found"),
        ("GET /api/v1/nothing", json!(null), "404 NotFound: the server could not find the requested resource"),
        (
            "POST /api/v1/namespaces/team-a/configmaps",
            config_map("one"),
            "409 AlreadyExists: configmaps \"one\" already exists",
        ),
        ("POST /api/v1/namespaces/gone/configmaps", config_map("one"), "404 NotFound: namespaces \"gone\" not found"),
        (
            "POST /api/v1/nodes/x",
            json!({}),
            "405 MethodNotAllowed: the server does not allow this method on the requested resource",
        ),
        (
            "PUT /api/v1/namespaces/team-a/configmaps/one",
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "one", "resourceVersion": "1" } }),
            "409 Conflict: Operation cannot be fulfilled on configmaps \"one\": the object has been modified; please apply your changes to the latest version and try again",
        ),
        (
            "POST /api/v1/namespaces/team-a/configmaps?fieldValidation=Strict",
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "two" }, "dada": {} }),
            "400 BadRequest: ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: unknown field \"dada\"",
        ),
        (
            "GET /api/v1/namespaces/team-a/configmaps?fieldSelector=x%3D1",
            json!(null),
            "400 BadRequest: \"x\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
        ),
    ];
    for (line, body, expected) in cases {
        assert_eq!(plain(&router, line, body).await.gist(), expected, "{line}");
    }
    let answer = send(&router, &format!("POST {MAPS}"), &[("content-type", "text/csv")], json!("a,b")).await;
    assert_eq!(answer.code, 415);
    let answer = send(&router, &format!("GET {MAPS}"), &[("accept", "text/csv")], json!(null)).await;
    assert_eq!(answer.code, 406);
    let answer = patch(&router, &format!("{MAPS}/one"), "merge", json!({ "data": { "a": null, "b": "2" } })).await;
    assert_eq!(answer.json()["data"], json!({ "b": "2" }));
}

#[tokio::test]
async fn a_list_that_goes_on_shows_the_moment_when_it_began() {
    let world = world();
    let router = router(&world);
    for n in 0..5 {
        plain(&router, &format!("POST {MAPS}"), config_map(&format!("m{n}"))).await;
    }
    let first = plain(&router, &format!("GET {MAPS}?limit=2"), json!(null)).await.json();
    assert_eq!(first["metadata"]["remainingItemCount"], 3);
    plain(&router, &format!("DELETE {MAPS}/m3"), json!(null)).await;
    patch(&router, &format!("{MAPS}/m4"), "merge", json!({ "data": { "a": "changed" } })).await;
    plain(&router, &format!("POST {MAPS}"), config_map("m33")).await;
    let token = first["metadata"]["continue"].as_str().expect("there is more").to_owned();
    let rest = plain(&router, &format!("GET {MAPS}?limit=10&continue={token}"), json!(null)).await.json();
    let seen: Vec<_> = rest["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|item| (&item["metadata"]["name"], &item["data"]["a"]))
        .collect();
    assert_eq!(json!(seen), json!([["m2", "1"], ["m3", "1"], ["m4", "1"]]));
    assert_eq!(rest["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
    world.compact(world.version());
    let late = plain(&router, &format!("GET {MAPS}?limit=10&continue={token}"), json!(null)).await;
    assert_eq!((late.code, late.json()["reason"].clone()), (410, json!("Expired")));
}

#[tokio::test]
async fn a_watch_tells_what_its_selector_sees() {
    let world = world();
    let router = router(&world);
    plain(&router, &format!("POST {MAPS}"), config_map("one")).await;
    let from = world.version();
    patch(&router, &format!("{MAPS}/one"), "merge", json!({ "metadata": { "labels": { "n": "two" } } })).await;
    patch(&router, &format!("{MAPS}/one"), "merge", json!({ "data": { "a": "2" } })).await;
    plain(&router, &format!("DELETE {MAPS}/one"), json!(null)).await;
    let watch =
        |selector: &str| format!("GET {MAPS}?watch=1&resourceVersion={from}&timeoutSeconds=1&labelSelector={selector}");
    let types = |answer: support::Answer| {
        answer.events().iter().map(|event| event["type"].as_str().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(types(plain(&router, &watch(""), json!(null)).await), ["MODIFIED", "MODIFIED", "DELETED"]);
    assert_eq!(types(plain(&router, &watch("n%3Done"), json!(null)).await), ["DELETED"]);
    assert_eq!(types(plain(&router, &watch("n%3Dtwo"), json!(null)).await), ["ADDED", "MODIFIED", "DELETED"]);
    world.compact(world.version());
    let late = plain(&router, &watch(""), json!(null)).await.events();
    assert_eq!((&late[0]["type"], &late[0]["object"]["code"]), (&json!("ERROR"), &json!(410)));
}

#[tokio::test]
async fn a_streaming_list_ends_with_its_bookmark() {
    let world = world();
    let router = router(&world);
    plain(&router, &format!("POST {MAPS}"), config_map("one")).await;
    let line = format!(
        "GET {MAPS}?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=0&timeoutSeconds=1"
    );
    let events = plain(&router, &line, json!(null)).await.events();
    assert_eq!(events[0]["type"], "ADDED");
    assert_eq!(events[1]["type"], "BOOKMARK");
    assert_eq!(events[1]["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
}
