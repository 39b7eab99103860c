//! The power of a VM: one word out of the many that a cluster has for it.

use crate::Say;
use serde::{Deserialize, Serialize};

/// What a VM is doing, as people say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Power {
    /// The guest runs.
    Running,
    /// No instance.
    Stopped,
    /// On its way up: disks, placement, boot.
    Starting,
    /// On its way down.
    Stopping,
    /// Being moved to another node while it runs.
    Migrating,
    /// Frozen in memory.
    Paused,
    /// It does not come up, and will not by itself.
    Failed,
    /// Being removed.
    Deleting,
    /// The cluster does not say.
    Unknown,
}

/// How a state is drawn; state is never colour alone, an icon and a word go with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// ●
    Running,
    /// ○
    Stopped,
    /// ◐ turning
    Moving,
    /// ‖
    Paused,
    /// ▲
    Error,
    /// △
    Warning,
    /// ◌
    Unknown,
}

impl Tone {
    /// The value of `data-state` and of the icon's name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Moving => "moving",
            Self::Paused => "paused",
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Unknown => "unknown",
        }
    }
}

impl Power {
    /// All of them, in the order of a legend.
    pub const ALL: [Self; 9] = [
        Self::Running,
        Self::Stopped,
        Self::Starting,
        Self::Stopping,
        Self::Migrating,
        Self::Paused,
        Self::Failed,
        Self::Deleting,
        Self::Unknown,
    ];

    /// From `VirtualMachine.status.printableStatus`.
    ///
    /// Source: KubeVirt `pkg/virt-controller/watch/vm/vm.go` (`harvester-api.md` §1.7).
    pub fn from_printable(status: &str) -> Self {
        match status {
            "Running" => Self::Running,
            "Stopped" => Self::Stopped,
            "Starting" | "Provisioning" | "WaitingForVolumeBinding" | "WaitingForReceiver" => Self::Starting,
            "Stopping" => Self::Stopping,
            "Migrating" => Self::Migrating,
            "Paused" => Self::Paused,
            "Terminating" => Self::Deleting,
            "ErrorUnschedulable" | "ErrorPvcNotFound" | "DataVolumeError" | "ErrImagePull" | "ImagePullBackOff"
            | "CrashLoopBackOff" => Self::Failed,
            _ => Self::Unknown,
        }
    }

    /// How it is drawn.
    pub fn tone(self) -> Tone {
        match self {
            Self::Running => Tone::Running,
            Self::Stopped => Tone::Stopped,
            Self::Starting | Self::Stopping | Self::Migrating | Self::Deleting => Tone::Moving,
            Self::Paused => Tone::Paused,
            Self::Failed => Tone::Error,
            Self::Unknown => Tone::Unknown,
        }
    }

    /// The word for it.
    pub fn say(self) -> Say {
        match self {
            Self::Running => Say::fixed("运行", "Running"),
            Self::Stopped => Say::fixed("停止", "Stopped"),
            Self::Starting => Say::fixed("启动中", "Starting"),
            Self::Stopping => Say::fixed("停止中", "Stopping"),
            Self::Migrating => Say::fixed("迁移中", "Migrating"),
            Self::Paused => Say::fixed("暂停", "Paused"),
            Self::Failed => Say::fixed("故障", "Failed"),
            Self::Deleting => Say::fixed("删除中", "Deleting"),
            Self::Unknown => Say::fixed("未知", "Unknown"),
        }
    }

    /// Why a VM in that power has no screen to look at; `None` when it has.
    pub fn screen_refusal(self) -> Option<Say> {
        let has_screen =
            matches!(self, Self::Running | Self::Paused | Self::Migrating | Self::Starting | Self::Stopping);
        (!has_screen).then(|| Say::fixed("虚拟机没有运行，没有屏幕可看", "the VM does not run, there is no screen"))
    }

    /// The word in queries: `status:running`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Starting => "starting",
            Self::Stopping => "stopping",
            Self::Migrating => "migrating",
            Self::Paused => "paused",
            Self::Failed => "failed",
            Self::Deleting => "deleting",
            Self::Unknown => "unknown",
        }
    }
}
