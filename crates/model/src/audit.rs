//! The audit trail: every change, written before the act, closed after it, chained by hashes.

use crate::Say;
use crate::time::UnixMs;
use crate::vm::Action;
use serde::{Deserialize, Serialize};

/// How an audited act ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Begun, not known to have ended.
    Open,
    /// Done.
    Done,
    /// Refused by a rule, a role or the cluster.
    Refused,
    /// Tried, and failed.
    Failed,
    /// Done, then undone.
    Undone,
}

impl Outcome {
    /// All, for a filter.
    pub const ALL: [Self; 5] = [Self::Open, Self::Done, Self::Refused, Self::Failed, Self::Undone];

    /// The word in the database.
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Undone => "undone",
        }
    }

    /// From the database.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|o| o.word() == word)
    }

    /// The word for it.
    pub fn say(self) -> Say {
        match self {
            Self::Open => Say::fixed("未结", "Open"),
            Self::Done => Say::fixed("完成", "Done"),
            Self::Refused => Say::fixed("被拒", "Refused"),
            Self::Failed => Say::fixed("失败", "Failed"),
            Self::Undone => Say::fixed("已撤销", "Undone"),
        }
    }
}

/// One act: its opening record joined with its closing one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditLine {
    /// Sequence number of the opening record.
    pub seq: i64,
    /// When it was opened.
    pub at: UnixMs,
    /// When it was closed.
    pub closed: Option<UnixMs>,
    /// Sequence number of the closing record.
    pub closed_seq: Option<i64>,
    /// Sign-in name of who did it.
    pub actor: String,
    /// Address it came from.
    pub from: String,
    /// Verb, for example `vm.power`, or `session.begin`.
    pub verb: String,
    /// What exactly, for example `restart`.
    pub act: String,
    /// Object, for example `bj-1/erp-prod/prod-order-app-03`.
    pub object: String,
    /// Why, as typed.
    pub reason: String,
    /// Request that it came with, to find log lines.
    pub request: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Before, as JSON of what the act is about.
    pub before: Option<String>,
    /// After, likewise.
    pub after: Option<String>,
    /// What the cluster or the rule said.
    pub detail: Option<String>,
    /// First 12 hex digits of the opening record's hash.
    pub hash: String,
}

impl AuditLine {
    /// What was done, in words; an act that this release does not know is told by the word that is kept.
    pub fn say_act(&self) -> Say {
        if let Some(action) = Action::parse(&self.act).filter(|_| self.verb == "vm.power") {
            return action.say();
        }
        match (self.verb.as_str(), self.act.as_str()) {
            ("session.begin", _) => Say::fixed("登录", "Sign in"),
            ("session.end", _) => Say::fixed("退出登录", "Sign out"),
            ("fleet.register", "register") => Say::fixed("登记集群", "Register cluster"),
            ("account.manage", "add") => Say::fixed("添加账号", "Add account"),
            ("fleet.register", "replace-credential") => Say::fixed("更换凭据", "Replace credential"),
            ("fleet.remove", _) => Say::fixed("移除集群", "Remove cluster"),
            ("ipam.write", "create-subnet") => Say::fixed("新建子网", "Create subnet"),
            ("ipam.write", "update-subnet") => Say::fixed("修改子网", "Change subnet"),
            ("ipam.write", "remove-subnet") => Say::fixed("删除子网", "Remove subnet"),
            ("ipam.write", "reserve") => Say::fixed("预留地址", "Reserve address"),
            ("ipam.write", "release") => Say::fixed("释放地址", "Release address"),
            ("vm.create", "order") => Say::fixed("申请虚拟机", "Order VM"),
            ("vm.create", "undo-order") => Say::fixed("撤销申请", "Undo order"),
            ("console.open", "session") => Say::fixed("控制台会话结束", "Console session ended"),
            ("console.open", _) => Say::fixed("打开控制台", "Open console"),
            _ => Say::new(self.act.clone(), self.act.clone()),
        }
    }
}

/// What to look for in the trail.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AuditQuery {
    /// In actor, verb, act, object, reason; empty matches all.
    #[serde(default)]
    pub text: String,
    /// Only those that ended so.
    #[serde(default)]
    pub outcome: Option<Outcome>,
    /// Only before this sequence number: the cursor.
    #[serde(default)]
    pub before: Option<i64>,
}

/// What a verification of the chain found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainReport {
    /// Records looked at.
    pub records: i64,
    /// Hash of the last good one.
    pub head: String,
    /// The first broken record and what is wrong with it.
    pub broken: Option<(i64, Say)>,
    /// When it was verified.
    pub at: UnixMs,
}
