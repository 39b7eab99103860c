//! Passed-through devices of a VM: the pcidevices webhook.
//!
//! Source: P `pkg/webhook/`; `harvester-api.md` §9.1.

use super::{Refusal, Verdict, Write, deny_if};
use crate::behave::{Resource, object};
use std::collections::BTreeSet;

const WEBHOOK: &str = "pcidevices.harvesterhci.io";
const PCI_DEVICE: Resource = Resource { group: "devices.harvesterhci.io", version: "v1beta1", plural: "pcidevices" };

pub(super) fn validate(write: &Write<'_>) -> Verdict {
    let pointer = "/spec/template/spec/domain/devices/hostDevices";
    if !write.changes(pointer) {
        return Ok(());
    }
    let mut nodes = BTreeSet::new();
    for device in object::items(write.new, pointer) {
        let name = object::text(device, "/name");
        let found = write.view.get(PCI_DEVICE, "", name);
        let held =
            found.ok_or_else(|| Refusal::invalid(format!("hostdevice {name}: pcidevice not found")).by(WEBHOOK))?;
        let (stated, real) = (object::text(device, "/deviceName"), object::text(&held, "/status/resourceName"));
        deny_if(!real.is_empty() && stated != real, || {
            Refusal::invalid(format!("hostdevice {name}: resource name {stated} not found in pcidevice cache"))
                .by(WEBHOOK)
        })?;
        nodes.insert(object::text(&held, "/status/nodeName").to_owned());
        deny_if(nodes.len() > 1, || Refusal::invalid(format!("device {name} is not on the same node")).by(WEBHOOK))?;
    }
    Ok(())
}
