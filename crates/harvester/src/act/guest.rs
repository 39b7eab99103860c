//! What the guest agent says. Source: kubevirt `staging/src/kubevirt.io/api/core/v1/types.go`
//! (`VirtualMachineInstanceGuestAgentInfo`).

use crate::call::segment;
use crate::view::clean::{self, MAX_LINE, MAX_NAME};
use crate::{Cluster, ClusterError};
use model::id::VmRef;
use serde::Deserialize;

/// A guest's own words, cleaned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guest {
    /// Host name.
    pub hostname: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// Operating system with its version.
    pub os: Option<String>,
    /// Version of the agent.
    pub agent: Option<String>,
    /// Time zone.
    pub timezone: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Info {
    guest_agent_version: Option<String>,
    hostname: Option<String>,
    timezone: Option<String>,
    os: Option<Os>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Os {
    kernel_release: Option<String>,
    pretty_name: Option<String>,
    name: Option<String>,
}

/// Asks the guest agent; `None` when none answers, or there is no instance.
pub async fn guest(cluster: &Cluster, vm: &VmRef) -> Result<Option<Guest>, ClusterError> {
    let (namespace, name) = (segment(vm.namespace.as_str()), segment(vm.name.as_str()));
    let path =
        format!("/apis/subresources.kubevirt.io/v1/namespaces/{namespace}/virtualmachineinstances/{name}/guestosinfo");
    let info: Info = match cluster.read_opt(&path).await {
        Ok(Some(info)) => info,
        Ok(None) => return Ok(None),
        // virt-handler answers 500 with that phrase (`harvester-api.md` §2.1).
        Err(ClusterError::Broken { message, .. } | ClusterError::Refused { message, .. })
            if message.contains("does not have guest agent connected") =>
        {
            return Ok(None);
        }
        // Asked of an instance that is not running.
        Err(ClusterError::Refused { .. } | ClusterError::Conflict { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let os = info.os.unwrap_or_default();
    let text = |text: Option<String>, max| text.filter(|t| !t.is_empty()).map(|t| clean::text(&t, max));
    Ok(Some(Guest {
        hostname: text(info.hostname, MAX_NAME),
        kernel: text(os.kernel_release, MAX_NAME),
        os: text(os.pretty_name.or(os.name), MAX_LINE),
        agent: text(info.guest_agent_version, 64),
        timezone: text(info.timezone, 64),
    }))
}
