//! `metav1.Status`: how the API says no.
//!
//! One constructor a reason, with upstream's code, wording and details, so that a client can tell them apart exactly
//! as on a real cluster. Source: `k8s.io/apimachinery/pkg/api/errors/errors.go`.

use super::catalogue::Kind;
use serde_json::{Value, json};

/// A refusal, ready to be sent as a `Status` body.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Status {
    /// HTTP code.
    pub code: u16,
    /// `reason`; empty when upstream leaves it out.
    pub reason: &'static str,
    /// Sentence for a person.
    pub message: String,
    /// `details`, or null.
    pub details: Value,
    /// Value of the header `Retry-After`, seconds.
    pub retry_after_secs: Option<u32>,
    /// `metadata.continue` of a list that can go on otherwise.
    pub next: Option<String>,
}

/// One entry of `details.causes`.
pub fn cause(reason: &str, message: &str, field: &str) -> Value {
    json!({ "reason": reason, "message": message, "field": field })
}

impl Status {
    /// Any refusal without details.
    pub fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), details: Value::Null, retry_after_secs: None, next: None }
    }

    fn about(mut self, kind: &Kind, name: &str) -> Self {
        self.details = json!({ "name": name, "group": kind.resource.group, "kind": kind.resource.plural });
        if kind.resource.group.is_empty() {
            self.details.as_object_mut().map(|details| details.remove("group"));
        }
        self
    }

    fn with_causes(mut self, causes: Vec<Value>) -> Self {
        if let Some(details) = self.details.as_object_mut() {
            details.insert("causes".into(), Value::Array(causes));
        }
        self
    }

    /// 400.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// 401.
    pub fn unauthorized() -> Self {
        Self::new(401, "Unauthorized", "Unauthorized")
    }

    /// 403 with the sentence that RBAC gives.
    pub fn forbidden(group: &str, plural: &str, name: &str, why: &str) -> Self {
        let mut status =
            Self::new(403, "Forbidden", format!("{} \"{name}\" is forbidden: {why}", qualified(group, plural)));
        if name.is_empty() {
            status.message = format!("{} is forbidden: {why}", qualified(group, plural));
        }
        let mut details = json!({ "kind": plural });
        if !name.is_empty() {
            details["name"] = name.into();
        }
        if !group.is_empty() {
            details["group"] = group.into();
        }
        status.details = details;
        status
    }

    /// 404 of an object.
    pub fn not_found(kind: &Kind, name: &str) -> Self {
        Self::new(404, "NotFound", format!("{} \"{name}\" not found", kind.qualified())).about(kind, name)
    }

    /// 404 of a path that the API does not serve.
    pub fn no_such_path() -> Self {
        let mut status = Self::new(404, "NotFound", "the server could not find the requested resource");
        status.details = json!({});
        status
    }

    /// 405.
    pub fn method_not_allowed() -> Self {
        let mut status =
            Self::new(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
        status.details = json!({});
        status
    }

    /// 406.
    pub fn not_acceptable(accepted: &str) -> Self {
        Self::new(406, "NotAcceptable", format!("only the following media types are accepted: {accepted}"))
    }

    /// 409, the name is taken.
    pub fn already_exists(kind: &Kind, name: &str) -> Self {
        Self::new(409, "AlreadyExists", format!("{} \"{name}\" already exists", kind.qualified())).about(kind, name)
    }

    /// 409, `why` says what does not fit.
    pub fn conflict(kind: &Kind, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {} \"{name}\": {why}", kind.qualified());
        Self::new(409, "Conflict", message).about(kind, name)
    }

    /// 409 of a stale resourceVersion.
    pub fn modified(kind: &Kind, name: &str) -> Self {
        let why = "the object has been modified; please apply your changes to the latest version and try again";
        Self::conflict(kind, name, why)
    }

    /// 409 of a server-side apply that meets other managers; a cause each.
    pub fn apply_conflict(message: String, causes: Vec<Value>) -> Self {
        let mut status = Self::new(409, "Conflict", message);
        status.details = json!({});
        status.with_causes(causes)
    }

    /// 410 of a version that is no longer kept.
    pub fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// 410 of a list that goes on from a version no longer kept.
    ///
    /// Source: `k8s.io/apiserver/pkg/storage/etcd3/errors.go`; the token for the rest is the caller's to add.
    pub fn continue_expired() -> Self {
        Self::expired(
            "The provided continue parameter is too old to display a consistent list result. You can start a new list \
             without the continue parameter, or use the continue token in this response to retrieve the remainder of the \
             results. Continuing with the provided token results in an inconsistent list - objects that were created, \
             modified, or deleted between the time the first chunk was returned and now may show up in the list.",
        )
    }

    /// 413.
    pub fn too_large() -> Self {
        Self::new(413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728")
    }

    /// 415.
    pub fn unsupported_media_type(accepted: &str) -> Self {
        let message =
            format!("the body of the request was in an unknown format - accepted media types include: {accepted}");
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// 422 with one `(field, message)` a cause; the message already names the kind of fault.
    pub fn invalid(kind: &Kind, name: &str, faults: &[(String, String)]) -> Self {
        let sentences: Vec<_> = faults.iter().map(|(field, fault)| format!("{field}: {fault}")).collect();
        let gist = match sentences.as_slice() {
            [one] => one.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        let causes = faults.iter().map(|(field, fault)| cause(fault_reason(fault), fault, field)).collect();
        let message = format!("{} \"{name}\" is invalid: {gist}", kind.qualified_kind());
        let mut status = Self::new(422, "Invalid", message).about(kind, name);
        status.details["kind"] = kind.kind.into();
        status.with_causes(causes)
    }

    /// 422 of a request's options (`ListOptions`, `PatchOptions` …).
    pub fn invalid_options(options: &str, field: &str, fault: &str) -> Self {
        let mut status = Self::new(422, "Invalid", format!("{options}.meta.k8s.io \"\" is invalid: {field}: {fault}"));
        status.details = json!({ "group": "meta.k8s.io", "kind": options });
        status.with_causes(vec![cause(fault_reason(fault), fault, field)])
    }

    /// 422 of a patch that cannot be done on what is there. Source: `handlers/patch.go` (`applyJSPatch`).
    pub fn unfit_patch() -> Self {
        let mut status = Self::new(422, "Invalid", "the server rejected our request due to an error in our request");
        status.details = json!({});
        status
    }

    /// 429.
    pub fn too_many_requests(retry_after_secs: u32) -> Self {
        let mut status = Self::new(429, "TooManyRequests", "Too many requests, please try again later.");
        status.details = json!({ "retryAfterSeconds": retry_after_secs });
        status.retry_after_secs = Some(retry_after_secs);
        status
    }

    /// 500.
    pub fn internal(message: impl Into<String>) -> Self {
        let message = message.into();
        let mut status = Self::new(500, "InternalError", format!("Internal error occurred: {message}"));
        status.details = json!({ "causes": [{ "message": message }] });
        status
    }

    /// The body.
    pub fn body(&self) -> Value {
        let mut body = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": self.message, "code": self.code,
        });
        if let Some(next) = &self.next {
            body["metadata"]["continue"] = next.as_str().into();
        }
        if !self.reason.is_empty() {
            body["reason"] = self.reason.into();
        }
        if !self.details.is_null() {
            body["details"] = self.details.clone();
        }
        body
    }
}

/// `pods`, or `virtualmachines.kubevirt.io`.
pub(crate) fn qualified(group: &str, plural: &str) -> String {
    if group.is_empty() { plural.to_owned() } else { format!("{plural}.{group}") }
}

/// The cause type that goes with a field error's wording. Source: `apimachinery/pkg/util/validation/field/errors.go`.
fn fault_reason(fault: &str) -> &'static str {
    if fault.contains(" in body must be of type ") {
        return "FieldValueTypeInvalid";
    }
    const KNOWN: [(&str, &str); 6] = [
        ("Required", "FieldValueRequired"),
        ("Forbidden", "FieldValueForbidden"),
        ("Unsupported", "FieldValueNotSupported"),
        ("Duplicate", "FieldValueDuplicate"),
        ("Not found", "FieldValueNotFound"),
        ("Invalid value: \"", "FieldValueInvalid"),
    ];
    KNOWN.iter().find(|(start, _)| fault.starts_with(start)).map_or("FieldValueInvalid", |(_, reason)| reason)
}
