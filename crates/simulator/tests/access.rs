//! Who may do what, and how a client finds out.

mod support;

use serde_json::json;
use simulator::rest::Api;
use simulator::world::access::Rule;
use simulator::world::fault::{Fault, Harm};
use support::{plain, router, send, world};

#[tokio::test]
async fn a_token_decides_what_a_request_may_do() {
    let world = world();
    let router = Api::new(world.clone()).router();
    let bearer = |token: &str| format!("Bearer {token}");
    let (admin, reader) = (bearer(world.access().admin_token()), bearer(world.access().reader_token()));
    let rule: Rule = serde_json::from_value(
        json!({ "verbs": ["get"], "apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["one"] }),
    )
    .expect("a rule");
    world.access().grant("few", "few", &[], vec![rule]);
    let maps = "/api/v1/namespaces/team-a/configmaps";
    let cases = [
        (None, format!("GET {maps}"), 401),
        (Some("Bearer wrong"), format!("GET {maps}"), 401),
        (Some(admin.as_str()), format!("GET {maps}"), 200),
        (Some(&reader), format!("GET {maps}"), 200),
        (Some(&reader), format!("DELETE {maps}"), 403),
        (Some("Bearer few"), format!("GET {maps}"), 403),
        (Some("Bearer few"), format!("GET {maps}/one"), 404),
        (Some("Bearer few"), "GET /apis".to_owned(), 200),
        (Some("Bearer few"), "GET /simulator/faults".to_owned(), 403),
    ];
    for (token, line, code) in cases {
        let headers: Vec<_> = token.map(|token| ("authorization", token)).into_iter().collect();
        assert_eq!(send(&router, &line, &headers, json!(null)).await.code, code, "{token:?} {line}");
    }
    let refused = send(&router, &format!("DELETE {maps}/one"), &[("authorization", &reader)], json!(null)).await;
    assert_eq!(
        refused.gist(),
        "403 Forbidden: configmaps \"one\" is forbidden: User \"system:serviceaccount:default:reader\" cannot delete resource \"configmaps\" in API group \"\" in the namespace \"team-a\""
    );
}

#[tokio::test]
async fn a_client_can_ask_what_it_may_do() {
    let world = world();
    let router = Api::trusting(world.clone(), world.access().reader_token()).router();
    let review = |kind: &str, group: &str, spec: serde_json::Value| json!({ "apiVersion": format!("{group}/v1"), "kind": kind, "spec": spec });
    let ask = |verb: &str| {
        review(
            "SelfSubjectAccessReview",
            "authorization.k8s.io",
            json!({ "resourceAttributes": { "verb": verb, "group": "kubevirt.io", "resource": "virtualmachines", "namespace": "team-a" } }),
        )
    };
    let path = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    assert_eq!(plain(&router, path, ask("list")).await.json()["status"]["allowed"], true);
    assert_eq!(plain(&router, path, ask("delete")).await.json()["status"]["allowed"], false);
    let rules = plain(
        &router,
        "POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
        review("SelfSubjectRulesReview", "authorization.k8s.io", json!({ "namespace": "team-a" })),
    )
    .await
    .json();
    assert_eq!(
        rules["status"]["resourceRules"][0],
        json!({ "verbs": ["get", "list", "watch"], "apiGroups": ["*"], "resources": ["*"] })
    );
    let who = plain(
        &router,
        "POST /apis/authentication.k8s.io/v1/selfsubjectreviews",
        review("SelfSubjectReview", "authentication.k8s.io", json!({})),
    )
    .await
    .json();
    assert_eq!(who["status"]["userInfo"]["username"], "system:serviceaccount:default:reader");
}

#[tokio::test]
async fn faults_happen_where_and_as_often_as_ordered() {
    let world = world();
    let router = router(&world);
    let get = "GET /api/v1/namespaces/team-a/configmaps";
    world.faults().add(Fault::times(1, "list", "configmaps", Harm::TooMany { retry_after_secs: 3 }));
    let busy = plain(&router, get, json!(null)).await;
    assert_eq!((busy.code, busy.headers["retry-after"].to_str().ok()), (429, Some("3")));
    assert_eq!(plain(&router, get, json!(null)).await.code, 200);
    world.faults().add(Fault::times(1, "*", "*", Harm::Truncate { bytes: 1 }));
    assert!(serde_json::from_str::<serde_json::Value>(&plain(&router, get, json!(null)).await.text).is_err());
    // The same over HTTP.
    let order =
        json!({ "verb": "list", "resource": "configmaps", "harm": { "kind": "refuse", "code": 503 }, "skip": 1 });
    assert_eq!(plain(&router, "POST /simulator/faults", order).await.code, 200);
    assert_eq!(plain(&router, get, json!(null)).await.code, 200);
    assert_eq!(plain(&router, get, json!(null)).await.code, 503);
    plain(&router, "DELETE /simulator/faults", json!(null)).await;
    assert_eq!(plain(&router, get, json!(null)).await.code, 200);
}
