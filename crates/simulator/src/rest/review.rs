//! Questions about access: `SelfSubjectAccessReview`, `SelfSubjectRulesReview`, `SelfSubjectReview`,
//! `SubjectAccessReview`, `TokenReview`.
//!
//! Sources: `pkg/registry/authorization`, `pkg/registry/authentication`.

use super::discovery::Entry;
use super::path::Target;
use super::{Call, wire};
use crate::world::Status;
use crate::world::access::{Rule, User, Wish};
use axum::body::Body;
use axum::response::Response;
use http::Method;
use serde_json::{Value, json};

const REVIEWS: &[(&str, &str, &str)] = &[
    ("authorization.k8s.io", "selfsubjectaccessreviews", "SelfSubjectAccessReview"),
    ("authorization.k8s.io", "selfsubjectrulesreviews", "SelfSubjectRulesReview"),
    ("authorization.k8s.io", "subjectaccessreviews", "SubjectAccessReview"),
    ("authentication.k8s.io", "selfsubjectreviews", "SelfSubjectReview"),
    ("authentication.k8s.io", "tokenreviews", "TokenReview"),
];

/// What discovery lists in a group.
pub(super) fn entries(group: &str) -> Vec<Entry> {
    let own = REVIEWS.iter().filter(|(of, _, _)| *of == group);
    own.map(|(_, plural, kind)| {
        let mut entry = Entry::plain(plural, kind, false, &["create"]);
        entry.singular = kind.to_lowercase();
        entry
    })
    .collect()
}

/// Answers a review.
pub(super) async fn serve(call: &Call<'_>, target: &Target, body: Body) -> Result<Response, Status> {
    let known = REVIEWS.iter().find(|(group, plural, _)| *group == target.group && *plural == target.plural);
    let (_, _, kind) = known.filter(|_| target.version == "v1").ok_or_else(Status::no_such_path)?;
    if call.parts.method != Method::POST {
        return Err(Status::method_not_allowed());
    }
    let mut review = wire::object(&call.parts.headers, &wire::read(body).await?)?;
    let status = match *kind {
        "SelfSubjectAccessReview" => {
            check_question(kind, &review["spec"])?;
            access(&call.user, &review["spec"])
        }
        "SubjectAccessReview" => {
            check_question(kind, &review["spec"])?;
            match call.world.access().named(review["spec"]["user"].as_str().unwrap_or_default()) {
                Some(user) => access(&user, &review["spec"]),
                None => json!({ "allowed": false }),
            }
        }
        "SelfSubjectRulesReview" if review["spec"]["namespace"].as_str().unwrap_or_default().is_empty() => {
            return Err(Status::bad_request("no namespace on request"));
        }
        "SelfSubjectRulesReview" => rules(&call.user, review["spec"]["namespace"].as_str().unwrap_or_default()),
        "SelfSubjectReview" => json!({ "userInfo": user_info(&call.user) }),
        _ => match call.world.access().user(review["spec"]["token"].as_str().unwrap_or_default()) {
            Some(user) => {
                json!({ "authenticated": true, "user": user_info(&user), "audiences": review["spec"]["audiences"] })
            }
            None => json!({ "user": {}, "error": "[invalid bearer token, token lookup failed]" }),
        },
    };
    review["apiVersion"] = format!("{}/v1", target.group).into();
    review["kind"] = (*kind).into();
    review["metadata"] = json!({ "creationTimestamp": null });
    review["status"] = status;
    Ok(wire::answer(201, &review, call.accepts.is_yaml))
}

/// Source: `pkg/apis/authorization/validation`.
fn check_question(kind: &str, spec: &Value) -> Result<(), Status> {
    if spec["resourceAttributes"].is_object() != spec["nonResourceAttributes"].is_object() {
        return Ok(());
    }
    let fault = "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified";
    let message = format!("{kind}.authorization.k8s.io \"\" is invalid: spec.resourceAttributes: {fault}");
    let mut status = Status::new(422, "Invalid", message);
    let causes = [crate::world::status::cause("FieldValueInvalid", fault, "spec.resourceAttributes")];
    status.details = json!({ "group": "authorization.k8s.io", "kind": kind, "causes": causes });
    Err(status)
}

fn user_info(user: &User) -> Value {
    json!({ "username": user.name, "uid": user.uid, "groups": user.groups })
}

fn access(user: &User, spec: &Value) -> Value {
    let (asked, path) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
    let text = |of: &Value, field: &str| of[field].as_str().unwrap_or_default().to_owned();
    let (verb, path) =
        if asked.is_object() { (text(asked, "verb"), String::new()) } else { (text(path, "verb"), text(path, "path")) };
    let mut resource = text(asked, "resource");
    if !text(asked, "subresource").is_empty() {
        resource = format!("{resource}/{}", text(asked, "subresource"));
    }
    let (group, namespace, name) = (text(asked, "group"), text(asked, "namespace"), text(asked, "name"));
    let wish =
        Wish { verb: &verb, group: &group, resource: &resource, namespace: &namespace, name: &name, path: &path };
    if user.may(&wish) {
        json!({ "allowed": true, "reason": "RBAC: allowed by the simulator's rules" })
    } else {
        json!({ "allowed": false })
    }
}

fn rules(user: &User, namespace: &str) -> Value {
    let here = |rule: &&Rule| rule.namespaces.is_empty() || rule.namespaces.iter().any(|own| own == namespace);
    let rules: Vec<_> = user.rules.iter().filter(here).collect();
    let (paths, resources): (Vec<_>, Vec<_>) = rules.into_iter().partition(|rule| !rule.non_resource_urls.is_empty());
    json!({ "resourceRules": resources, "nonResourceRules": paths, "incomplete": false })
}
