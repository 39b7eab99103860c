//! Who may do what: roles, verbs, and the sentence for "no".
//!
//! The rule is read twice: the page greys out what would be refused, the service refuses it (`ops::access::Permit`).

use crate::id::AccountId;
use crate::time::UnixMs;
use crate::{Say, say};
use serde::{Deserialize, Serialize};

/// What a person is on this platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Looks, changes nothing.
    Viewer,
    /// Runs VMs and addresses.
    Operator,
    /// Everything, clusters and accounts too.
    Admin,
}

impl Role {
    /// All, the least first.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Operator, Self::Admin];

    /// The word in the database and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }

    /// From the database or the command line.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.word() == word)
    }

    /// The word for it.
    pub fn say(self) -> Say {
        match self {
            Self::Viewer => Say::fixed("只读", "Viewer"),
            Self::Operator => Say::fixed("运维员", "Operator"),
            Self::Admin => Say::fixed("平台管理员", "Administrator"),
        }
    }
}

/// What can be permitted. Every service method names the one that it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// See clusters, their nodes, capabilities.
    FleetRead,
    /// Register a cluster.
    FleetRegister,
    /// Remove a cluster.
    FleetRemove,
    /// See VMs, their events and YAML.
    VmRead,
    /// Start, stop, restart, pause.
    VmPower,
    /// Have a VM made.
    VmCreate,
    /// Look at a screen and type.
    ConsoleOpen,
    /// See subnets and addresses.
    IpamRead,
    /// Change subnets, release addresses.
    IpamWrite,
    /// See operations.
    OperationRead,
    /// Search the audit trail and verify it.
    AuditRead,
    /// See, make and lock accounts.
    AccountManage,
}

impl Verb {
    /// All, in the order of the policy matrix.
    pub const ALL: [Self; 12] = [
        Self::FleetRead,
        Self::FleetRegister,
        Self::FleetRemove,
        Self::VmRead,
        Self::VmPower,
        Self::VmCreate,
        Self::ConsoleOpen,
        Self::IpamRead,
        Self::IpamWrite,
        Self::OperationRead,
        Self::AuditRead,
        Self::AccountManage,
    ];

    /// The word in audit lines.
    pub fn word(self) -> &'static str {
        match self {
            Self::FleetRead => "fleet.read",
            Self::FleetRegister => "fleet.register",
            Self::FleetRemove => "fleet.remove",
            Self::VmRead => "vm.read",
            Self::VmPower => "vm.power",
            Self::VmCreate => "vm.create",
            Self::ConsoleOpen => "console.open",
            Self::IpamRead => "ipam.read",
            Self::IpamWrite => "ipam.write",
            Self::OperationRead => "operation.read",
            Self::AuditRead => "audit.read",
            Self::AccountManage => "account.manage",
        }
    }

    /// From an audit line.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|v| v.word() == word)
    }

    /// What it is called in a sentence.
    pub fn say(self) -> Say {
        match self {
            Self::FleetRead => Say::fixed("查看集群", "see clusters"),
            Self::FleetRegister => Say::fixed("登记集群", "register clusters"),
            Self::FleetRemove => Say::fixed("移除集群", "remove clusters"),
            Self::VmRead => Say::fixed("查看虚拟机", "see VMs"),
            Self::VmPower => Say::fixed("开关虚拟机", "change the power of VMs"),
            Self::VmCreate => Say::fixed("创建虚拟机", "create VMs"),
            Self::ConsoleOpen => Say::fixed("打开控制台", "open consoles"),
            Self::IpamRead => Say::fixed("查看地址", "see addresses"),
            Self::IpamWrite => Say::fixed("修改地址台账", "change the address ledger"),
            Self::OperationRead => Say::fixed("查看操作", "see operations"),
            Self::AuditRead => Say::fixed("查看审计", "see the audit trail"),
            Self::AccountManage => Say::fixed("管理账号", "manage accounts"),
        }
    }

    /// The least role that has it.
    pub fn least(self) -> Role {
        match self {
            Self::FleetRead | Self::VmRead | Self::IpamRead | Self::OperationRead => Role::Viewer,
            Self::VmPower | Self::VmCreate | Self::ConsoleOpen | Self::IpamWrite | Self::AuditRead => Role::Operator,
            Self::FleetRegister | Self::FleetRemove | Self::AccountManage => Role::Admin,
        }
    }

    /// Why `role` may not do this; `None` when it may.
    pub fn refusal(self, role: Role) -> Option<Say> {
        if role >= self.least() {
            return None;
        }
        let (verb, have, need) = (self.say(), role.say(), self.least().say());
        let (verb_zh, verb_en, have_zh, have_en) = (verb.zh, verb.en, have.zh, have.en.to_lowercase());
        let (need_zh, need_en) = (need.zh, need.en.to_lowercase());
        Some(say!(
            "{have_zh}角色不能{verb_zh}，需要{need_zh}",
            "the role {have_en} may not {verb_en}; that takes {need_en}"
        ))
    }
}

/// Who is signed in, as the frame shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Me {
    /// Account.
    pub id: AccountId,
    /// Sign-in name.
    pub login: String,
    /// Name of the person.
    pub name: String,
    /// Employee number, if the account has one.
    pub number: Option<String>,
    /// Role.
    pub role: Role,
}

/// "Let me in."
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignIn {
    /// Sign-in name.
    pub login: String,
    /// Password: a secret, so `Debug` does not print it.
    pub password: String,
}

impl std::fmt::Debug for SignIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SignIn {{ login: {:?} }}", self.login)
    }
}

/// A live session, as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionView {
    /// A short id that is not the secret.
    pub id: String,
    /// When it began.
    pub began: UnixMs,
    /// When it was last used.
    pub used: UnixMs,
    /// Address that it began from.
    pub from: String,
    /// The one that asks.
    pub is_this: bool,
}

/// Wrong passwords in a row before an account is locked.
pub const MAX_WRONG: u32 = 5;
/// How long a locked account stays so, in milliseconds.
pub const LOCK_MS: i64 = 15 * 60 * 1000;
/// Shortest password.
pub const MIN_PASSWORD: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn the_policy_matrix() {
        let mark = |verb: Verb, role| if verb.refusal(role).is_none() { '+' } else { '-' };
        let table: String = Verb::ALL
            .into_iter()
            .map(|v| format!("{:16} {}\n", v.word(), Role::ALL.map(|r| mark(v, r)).iter().collect::<String>()))
            .collect();
        expect![[r#"
            fleet.read       +++
            fleet.register   --+
            fleet.remove     --+
            vm.read          +++
            vm.power         -++
            vm.create        -++
            console.open     -++
            ipam.read        +++
            ipam.write       -++
            operation.read   +++
            audit.read       -++
            account.manage   --+
        "#]]
        .assert_eq(&table);
    }

    #[test]
    fn secrets_do_not_reach_debug() {
        let text = format!("{:?}", SignIn { login: "lin".into(), password: "hunter2hunter2".into() });
        assert!(!text.contains("hunter2"), "{text}");
    }
}
