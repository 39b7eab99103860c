//! What a webhook of KubeVirt's finds wrong: one cause a fault, as `details.causes` of the refusal lists them.
//!
//! Source: K `pkg/util/webhooks/webhooks.go` (`ToAdmissionResponse`).

use super::Refusal;

/// So many causes are told; of more only their number.
const TOLD: usize = 10;

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// Its kind, for example `FieldValueInvalid`.
    pub reason: &'static str,
    /// Sentence; it may name the field or not.
    pub message: String,
    /// Path of the field; may be empty.
    pub field: String,
}

/// The faults of one object, in upstream's order.
#[derive(Debug, Default)]
pub(super) struct Causes(Vec<Cause>);

impl Causes {
    /// A value that makes no sense.
    pub(super) fn invalid(&mut self, field: impl Into<String>, message: impl Into<String>) {
        self.add("FieldValueInvalid", field, message);
    }

    /// A value that is missing.
    pub(super) fn required(&mut self, field: impl Into<String>, message: impl Into<String>) {
        self.add("FieldValueRequired", field, message);
    }

    /// A value that is there twice.
    pub(super) fn duplicate(&mut self, field: impl Into<String>, message: impl Into<String>) {
        self.add("FieldValueDuplicate", field, message);
    }

    /// A value that is not one of those that are known, or a change that is not allowed.
    pub(super) fn unsupported(&mut self, field: impl Into<String>, message: impl Into<String>) {
        self.add("FieldValueNotSupported", field, message);
    }

    /// Any fault.
    pub(super) fn add(&mut self, reason: &'static str, field: impl Into<String>, message: impl Into<String>) {
        self.0.push(Cause { reason, message: message.into(), field: field.into() });
    }

    /// Whether nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The refusal that tells them; `Ok` when there are none.
    pub(super) fn verdict(self, webhook: &'static str) -> Result<(), Refusal> {
        let Self(mut causes) = self;
        if causes.is_empty() {
            return Ok(());
        }
        let more = causes.len().saturating_sub(TOLD);
        causes.truncate(TOLD);
        let told: Vec<&str> = causes.iter().map(|cause| cause.message.as_str()).collect();
        let mut message = told.join(", ");
        if more > 0 {
            message.push_str(&format!(", and {more} more validation errors"));
        }
        Err(Refusal { causes, ..Refusal::invalid(message).by(webhook) })
    }
}

/// A refusal of KubeVirt's that names no field: 400 without a reason.
///
/// Source: K `pkg/util/webhooks/webhooks.go` (`ToAdmissionResponseError`).
pub(super) fn plain(webhook: &'static str, message: impl Into<String>) -> Refusal {
    Refusal { code: 400, reason: "", ..Refusal::invalid(message) }.by(webhook)
}

/// What is wrong with a name that must be a DNS label. Source: `apimachinery/pkg/util/validation` (`IsDNS1123Label`).
pub(super) fn label_faults(text: &str) -> Vec<String> {
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let mut faults = Vec::new();
    if text.len() > 63 {
        faults.push("must be no more than 63 characters".to_owned());
    }
    if text.is_empty() || !text.chars().all(is_inner) || text.starts_with('-') || text.ends_with('-') {
        faults.push(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
                .to_owned(),
        );
    }
    faults
}

/// What is wrong with a name that must be DNS labels with dots. Source: as above (`IsDNS1123Subdomain`).
pub(super) fn subdomain_faults(text: &str) -> Vec<String> {
    let is_good = !text.is_empty()
        && text.split('.').all(|part| {
            let inner = part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
            !part.is_empty() && inner && !part.starts_with('-') && !part.ends_with('-')
        });
    let mut faults = Vec::new();
    if text.len() > 253 {
        faults.push("must be no more than 253 characters".to_owned());
    }
    if !is_good {
        faults.push(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
                .to_owned(),
        );
    }
    faults
}
