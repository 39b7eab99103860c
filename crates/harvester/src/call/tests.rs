//! Requests to clusters that refuse, hurry us or never answer.

use super::*;
use expect_test::{Expect, expect};
use model::id::ClusterId;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A cluster that answers every request with this.
fn cluster(
    status: u16,
    head: &'static [(&'static str, &'static str)],
    body: &'static str,
) -> (Cluster, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let service = tower::service_fn(move |_: Request<Body>| {
        count.fetch_add(1, Ordering::Relaxed);
        let mut response = Response::builder().status(status);
        for (name, value) in head {
            response = response.header(*name, *value);
        }
        std::future::ready(response.body(Body::from(body.as_bytes().to_vec())))
    });
    (Cluster::over(ClusterId::parse("bj-1").unwrap(), kube::Client::new(service, "default")), asked)
}

async fn check(path: &str, status: u16, body: &'static str, expected: Expect) {
    let error = cluster(status, &[], body).0.get(path).await.unwrap_err();
    expected.assert_eq(&format!("{error} | {} | {}", error.say().en, error.detail().unwrap_or("-")));
}

#[tokio::test]
async fn refusals_say_who_and_why() {
    let vms = "/apis/kubevirt.io/v1/virtualmachines";
    let start = "/apis/subresources.kubevirt.io/v1/namespaces/a/virtualmachines/b/start";
    check(vms, 401, "", expect!["the credential is not accepted | the cluster does not accept the credential: it expired or was revoked, replace it | -"]).await;
    check(vms, 403, r#"{"reason":"Forbidden","message":"virtualmachines.kubevirt.io is forbidden: User \"ops\" cannot list resource \"virtualmachines\" in API group \"kubevirt.io\" at the cluster scope"}"#, expect![[r#"not permitted: list kubevirt.io/virtualmachines | the cluster role lacks the right to list kubevirt.io/virtualmachines | virtualmachines.kubevirt.io is forbidden: User "ops" cannot list resource "virtualmachines" in API group "kubevirt.io" at the cluster scope"#]]).await;
    check(vms, 403, r#"{"reason":"Forbidden","message":"pods \"x\" is forbidden: exceeded quota: default"}"#, expect![[r#"refused by quota: pods "x" is forbidden: exceeded quota: default | the cluster refused (quota) | pods "x" is forbidden: exceeded quota: default"#]]).await;
    check(vms, 400, r#"{"message":"admission webhook \"validator.harvesterhci.io\" denied the request: duplicate mac\u001b[2J address"}"#, expect![[r#"refused by validator.harvesterhci.io: admission webhook "validator.harvesterhci.io" denied the request: duplicate mac[2J address | the cluster refused (validator.harvesterhci.io) | admission webhook "validator.harvesterhci.io" denied the request: duplicate mac[2J address"#]]).await;
    check(vms, 409, r#"{"reason":"Conflict","message":"the object has been modified"}"#, expect!["conflict: the object has been modified | somebody else changed the object just now, read it again and retry | the object has been modified"]).await;
    check(vms, 409, r#"{"reason":"AlreadyExists","message":"virtualmachines \"b\" already exists"}"#, expect![[r#"exists already: virtualmachines "b" already exists | the cluster has an object of that name already | virtualmachines "b" already exists"#]]).await;
    check(start, 409, r#"{"message":"Halted does not support manual stop requests"}"#, expect!["refused by kubevirt: Halted does not support manual stop requests | the cluster refused (kubevirt) | Halted does not support manual stop requests"]).await;
    check(
        vms,
        404,
        r#"{"details":{"name":"b","kind":"virtualmachines"}}"#,
        expect!["not found: virtualmachines b | the cluster has no virtualmachines b | -"],
    )
    .await;
    check(vms, 410, "", expect!["the resource version is too old | the list expired and is being read again | -"])
        .await;
    check(vms, 500, r#"{"message":"failed calling webhook: context deadline exceeded"}"#, expect!["the API server answered 500: failed calling webhook: context deadline exceeded | the cluster's API failed (500) | failed calling webhook: context deadline exceeded"]).await;
    check(vms, 302, "", expect!["garbled answer: HTTP 302; redirects are not followed | the cluster's answer cannot be read: HTTP 302; redirects are not followed | -"]).await;
    check(vms, 502, "<html>bad gateway</html>", expect!["the API server answered 502: <html>bad gateway</html> | the cluster's API failed (502) | <html>bad gateway</html>"]).await;
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_obeyed_to_the_second() {
    let (cluster, asked) = cluster(429, &[("retry-after", "7")], "");
    let error = cluster.get("/version").await.unwrap_err();
    assert!(matches!(error, ClusterError::Throttled { retry_after } if retry_after == Duration::from_secs(7)));
    for (wait, count) in [(3_000, 1), (3_900, 1), (101, 2)] {
        tokio::time::sleep(Duration::from_millis(wait)).await;
        let error = cluster.get("/version").await.unwrap_err();
        assert!(matches!(error, ClusterError::Throttled { .. }), "{error:?}");
        assert_eq!(asked.load(Ordering::Relaxed), count);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_come_is_given_up() {
    let service =
        tower::service_fn(|_: Request<Body>| std::future::pending::<Result<Response<Body>, tower::BoxError>>());
    let cluster = Cluster::over(ClusterId::parse("bj-1").unwrap(), kube::Client::new(service, "default"));
    let error = cluster.get("/version").await.unwrap_err();
    assert!(matches!(error, ClusterError::Away { .. }) && error.is_unsure(), "{error:?}");
}

#[test]
fn names_cannot_leave_their_place_in_a_path() {
    assert_eq!(segment("web-01.a"), "web-01.a");
    assert_eq!(segment("../x?y#z/%"), "..%2Fx%3Fy%23z%2F%25");
    assert_eq!(segment(".."), "%2E%2E");
}
