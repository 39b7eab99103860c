//! `pods/eviction`, with KubeVirt's interceptor in front of launcher pods.
//!
//! Disruption budgets are not looked at. Source: K
//! `pkg/virt-api/webhooks/validating-webhook/admitters/pod-eviction-admitter.go`; `harvester-api.md` §3.8.

use super::path::Target;
use super::{Call, wire};
use crate::behave::View;
use crate::behave::evacuation::{self, Verdict, judge};
use crate::behave::resources::{POD, VMI};
use crate::world::{By, Deletion, Status, meta};
use axum::body::Body;
use axum::response::Response;
use http::Method;
use serde_json::{Value, json};

const WEBHOOK: &str = "virt-launcher-eviction-interceptor.kubevirt.io";

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
        Err(Status::new(429, "", message))
    };
    match judge(pod, &vmi) {
        Verdict::Allow => Ok(()),
        Verdict::Deny(gist) => deny(gist),
        Verdict::Evacuate => {
            let mark = evacuation::mark(&vmi);
            let stage = if mark.is_some() { "" } else { "Evacuation in progress: " };
            if let Some(mark) = mark.filter(|_| !is_dry_run) {
                call.world.perform(&mark, &By::program("virt-api"))?;
            }
            deny(format!("{stage}Eviction triggered evacuation of VMI \"{namespace}/{}\"", meta::name(&vmi)))
        }
    }
}
