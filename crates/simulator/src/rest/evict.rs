//! `pods/eviction`, with KubeVirt's interceptor in front of launcher pods.
//!
//! Disruption budgets are not looked at. Source: K
//! `pkg/virt-api/webhooks/validating-webhook/admitters/pod-eviction-admitter.go`; `harvester-api.md` §3.8.

use super::path::Target;
use super::{Call, wire};
use crate::behave::resources::{POD, VMI};
use crate::behave::{Effect, View};
use crate::world::{By, Deletion, Status, meta};
use axum::body::Body;
use axum::response::Response;
use http::Method;
use serde_json::{Value, json};

const WEBHOOK: &str = "virt-launcher-eviction-interceptor.kubevirt.io";

/// What the interceptor says.
enum Verdict {
    Allow,
    Deny(String),
    /// Mark the instance for evacuation and deny meanwhile.
    Evacuate,
}

/// Answers an eviction.
pub(super) async fn serve(call: &Call<'_>, target: &Target, body: Body) -> Result<Response, Status> {
    if call.parts.method != Method::POST {
        return Err(Status::method_not_allowed());
    }
    let eviction = wire::object(&call.parts.headers, &wire::read(body).await?)?;
    let (namespace, name) =
        (target.namespace.as_deref().unwrap_or_default(), target.name.as_deref().unwrap_or_default());
    let kind = call.world.kind(POD)?;
    let pod = call.world.get(POD, namespace, name).ok_or_else(|| Status::not_found(kind, name))?;
    let is_dry_run = call.query.text("dryRun") == "All" || eviction["deleteOptions"]["dryRun"][0] == "All";
    if meta::label(&pod, "kubevirt.io") == Some("virt-launcher") {
        intercept(call, &pod, is_dry_run)?;
    }
    let by = By { is_dry_run, ..By::user(&call.user.name, "eviction") };
    let options =
        Deletion { grace_secs: eviction["deleteOptions"]["gracePeriodSeconds"].as_i64(), ..Deletion::default() };
    call.world.delete(POD, (namespace, name), &options, &by)?;
    let body = json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201 });
    Ok(wire::answer(201, &body, false))
}

fn intercept(call: &Call<'_>, pod: &Value, is_dry_run: bool) -> Result<(), Status> {
    let namespace = meta::namespace(pod);
    let name =
        pod["metadata"]["annotations"]["kubevirt.io/domain"].as_str().or(meta::label(pod, "vm.kubevirt.io/name"));
    let Some(vmi) = name.and_then(|name| call.world.get(VMI, namespace, name)) else { return Ok(()) };
    let deny = |gist: String| {
        let message = format!("admission webhook \"{WEBHOOK}\" denied the request: {gist}");
        Err(Status::new(429, "TooManyRequests", message))
    };
    match judge(pod, &vmi) {
        Verdict::Allow => Ok(()),
        Verdict::Deny(gist) => deny(gist),
        Verdict::Evacuate => {
            let node = vmi["status"]["nodeName"].clone();
            if vmi["status"]["evacuationNodeName"] != node && !is_dry_run {
                let mark = Effect::Merge {
                    resource: VMI,
                    namespace: namespace.to_owned(),
                    name: meta::name(&vmi).to_owned(),
                    patch: json!({ "status": { "evacuationNodeName": node } }),
                    status: false,
                };
                call.world.perform(&mark, &By::program("virt-api"))?;
            }
            deny(format!("Eviction triggered evacuation of VMI \"{namespace}/{}\"", meta::name(&vmi)))
        }
    }
}

fn judge(pod: &Value, vmi: &Value) -> Verdict {
    let phase = vmi["status"]["phase"].as_str().unwrap_or_default();
    if matches!(phase, "Succeeded" | "Failed") || pod["spec"]["nodeName"] != vmi["status"]["nodeName"] {
        return Verdict::Allow;
    }
    let conditions = vmi["status"]["conditions"].as_array();
    let is_migratable =
        conditions.into_iter().flatten().any(|c| c["type"] == "LiveMigratable" && c["status"] == "True");
    match vmi["spec"]["evictionStrategy"].as_str().unwrap_or_default() {
        "LiveMigrate" if !is_migratable => {
            let (namespace, name) = (meta::namespace(vmi), meta::name(vmi));
            Verdict::Deny(format!(
                "VMI {namespace}/{name} is configured with an eviction strategy but is not live-migratable"
            ))
        }
        "LiveMigrate" | "External" => Verdict::Evacuate,
        "LiveMigrateIfPossible" if is_migratable => Verdict::Evacuate,
        _ => Verdict::Allow,
    }
}
