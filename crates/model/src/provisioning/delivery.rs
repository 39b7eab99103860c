//! A delivery: the steps from order to usable VM, with their times and what is being waited for.

use crate::Say;
use crate::change::State;
use crate::id::OperationId;
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// A step of a delivery, in order. Words are stored: never rename one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Address and MAC are taken from the ledger.
    Reserve,
    /// cloud-init is rendered into a Secret.
    CloudInit,
    /// The cluster says what it would make of the VM (dry run).
    Rehearse,
    /// The VM object is made.
    Create,
    /// The root disk is cloned and bound.
    Disk,
    /// A node is found.
    Schedule,
    /// The guest boots.
    Boot,
    /// The guest agent answers.
    Agent,
    /// The address is seen, and is the ledger's.
    Address,
    /// Ledger and audit are brought to their final state.
    Record,
}

impl Step {
    /// The plan.
    pub const ALL: [Self; 10] = [
        Self::Reserve,
        Self::CloudInit,
        Self::Rehearse,
        Self::Create,
        Self::Disk,
        Self::Schedule,
        Self::Boot,
        Self::Agent,
        Self::Address,
        Self::Record,
    ];

    /// The word in the journal.
    pub fn word(self) -> &'static str {
        match self {
            Self::Reserve => "reserve",
            Self::CloudInit => "cloud-init",
            Self::Rehearse => "rehearse",
            Self::Create => "create",
            Self::Disk => "disk",
            Self::Schedule => "schedule",
            Self::Boot => "boot",
            Self::Agent => "agent",
            Self::Address => "address",
            Self::Record => "record",
        }
    }

    /// From the journal.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.word() == word)
    }

    /// The line on the parcel page.
    pub fn say(self) -> Say {
        match self {
            Self::Reserve => Say::fixed("留下地址与 MAC", "Address and MAC taken"),
            Self::CloudInit => Say::fixed("写入 cloud-init", "cloud-init written"),
            Self::Rehearse => Say::fixed("向集群预演", "Rehearsed with the cluster"),
            Self::Create => Say::fixed("创建虚拟机对象", "VM object made"),
            Self::Disk => Say::fixed("系统盘克隆并绑定", "Root disk cloned and bound"),
            Self::Schedule => Say::fixed("调度到主机", "Placed on a host"),
            Self::Boot => Say::fixed("启动", "Booted"),
            Self::Agent => Say::fixed("来宾代理应答", "Guest agent answers"),
            Self::Address => Say::fixed("看见地址，与台账一致", "Address seen, equal to the ledger"),
            Self::Record => Say::fixed("登记并验收", "Recorded and accepted"),
        }
    }
}

/// How a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepState {
    /// Not yet.
    Waiting,
    /// Now.
    Running,
    /// Done.
    Done,
    /// Not needed here, for example no agent in the image.
    Skipped,
    /// Failed.
    Failed,
    /// Taken back.
    Undone,
}

/// A step on the parcel page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepView {
    /// Which.
    pub step: Step,
    /// How it stands.
    pub state: StepState,
    /// When it began.
    pub began: Option<UnixMs>,
    /// When it ended.
    pub ended: Option<UnixMs>,
    /// What came of it, or what it waits for: names, addresses, the cluster's words.
    pub note: Option<Say>,
}

/// A delivery as its page shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryView {
    /// Id.
    pub id: OperationId,
    /// How it stands.
    pub state: State,
    /// Cluster, namespace, name.
    pub vm: (String, String, String),
    /// Template and version, for example `标准应用服务器 v3`.
    pub template: Say,
    /// Size.
    pub flavour: String,
    /// Network and subnet.
    pub network: String,
    /// Address that the ledger gave.
    pub address: Option<IpAddr>,
    /// MAC that the ledger gave.
    pub mac: Option<String>,
    /// Owner, as shown.
    pub owner: String,
    /// Service.
    pub service: String,
    /// Environment word.
    pub environment: String,
    /// What for.
    pub reason: String,
    /// Who asked.
    pub actor: String,
    /// When.
    pub began: UnixMs,
    /// When it ended.
    pub ended: Option<UnixMs>,
    /// When the cluster had the VM object.
    pub handed_over: Option<UnixMs>,
    /// Steps in order.
    pub steps: Vec<StepView>,
    /// What it waits for right now.
    pub waits_for: Option<Say>,
    /// Why it failed.
    pub problem: Option<Say>,
    /// When this was put together, by the server's clock.
    pub as_of: UnixMs,
}
