//! Calls of KubeVirt's subresource API about a VM. Source: kubevirt `pkg/virt-api/rest/lifecycle.go` (`harvester-api.md`
//! §2.1).

use crate::api::ObjectRef;
use crate::call::segment;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A call; the words are stored with changes: never rename one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Call {
    /// `virtualmachines/start`
    Start,
    /// `virtualmachines/stop`, gracefully
    Stop,
    /// `virtualmachines/stop` with no grace
    ForceStop,
    /// `virtualmachines/restart`
    Restart,
    /// `virtualmachineinstances/softreboot`
    SoftReboot,
    /// `virtualmachineinstances/pause`
    Pause,
    /// `virtualmachineinstances/unpause`
    Unpause,
}

impl Call {
    /// The word of the subresource.
    pub fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Stop | Self::ForceStop => "stop",
            Self::Restart => "restart",
            Self::SoftReboot => "softreboot",
            Self::Pause => "pause",
            Self::Unpause => "unpause",
        }
    }

    pub(super) fn path(self, vm: &ObjectRef) -> String {
        let plural = match self {
            Self::Start | Self::Stop | Self::ForceStop | Self::Restart => "virtualmachines",
            Self::SoftReboot | Self::Pause | Self::Unpause => "virtualmachineinstances",
        };
        let (namespace, name, word) = (segment(&vm.namespace), segment(&vm.name), self.word());
        format!("/apis/subresources.kubevirt.io/v1/namespaces/{namespace}/{plural}/{name}/{word}")
    }

    pub(super) fn body(self) -> Value {
        match self {
            Self::ForceStop => json!({ "gracePeriod": 0 }),
            _ => json!({}),
        }
    }

    /// The body of a rehearsal; `None` where KubeVirt offers none.
    pub(super) fn rehearsal(self) -> Option<Value> {
        let mut body = self.body();
        body["dryRun"] = json!(["All"]);
        (self != Self::SoftReboot).then_some(body)
    }
}
