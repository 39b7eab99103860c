//! What can be asked of a VM's power, and when it makes sense: one rule, read by the button and by the service.

use super::Power;
use crate::id::{IdempotencyKey, VmRef};
use crate::{Say, say};
use serde::{Deserialize, Serialize};

/// A change of power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Make an instance.
    Start,
    /// Ask the guest to shut down, then remove the instance.
    Stop,
    /// Remove the instance at once: what the guest has not written is lost.
    ForceStop,
    /// Stop, then start.
    Restart,
    /// Ask the guest to reboot; the instance stays.
    SoftReboot,
    /// Freeze in memory.
    Pause,
    /// Go on.
    Unpause,
}

impl Action {
    /// All, in the order of a menu.
    pub const ALL: [Self; 7] =
        [Self::Start, Self::Stop, Self::Restart, Self::SoftReboot, Self::Pause, Self::Unpause, Self::ForceStop];

    /// The word in audit lines and URLs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Stop => "stop",
            Self::ForceStop => "force-stop",
            Self::Restart => "restart",
            Self::SoftReboot => "soft-reboot",
            Self::Pause => "pause",
            Self::Unpause => "unpause",
        }
    }

    /// From the word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.word() == word)
    }

    /// The label of its button.
    pub fn say(self) -> Say {
        match self {
            Self::Start => Say::fixed("启动", "Start"),
            Self::Stop => Say::fixed("关机", "Shut down"),
            Self::ForceStop => Say::fixed("强制关机", "Force off"),
            Self::Restart => Say::fixed("重启", "Restart"),
            Self::SoftReboot => Say::fixed("软重启", "Soft reboot"),
            Self::Pause => Say::fixed("暂停", "Pause"),
            Self::Unpause => Say::fixed("恢复", "Resume"),
        }
    }

    /// Why this action makes no sense in that power state; `None` when it does.
    ///
    /// Source: KubeVirt `pkg/virt-api/rest/lifecycle.go` (`harvester-api.md` §2.1).
    pub fn refusal(self, power: Power) -> Option<Say> {
        use Power::{Deleting, Failed, Migrating, Paused, Running, Starting, Stopped, Stopping, Unknown};
        let fine = match self {
            Self::Start => matches!(power, Stopped),
            Self::Stop => matches!(power, Running | Starting | Failed | Paused),
            Self::ForceStop => matches!(power, Running | Starting | Stopping | Paused | Failed),
            Self::Restart => matches!(power, Running | Paused | Failed),
            Self::SoftReboot | Self::Pause => matches!(power, Running),
            Self::Unpause => matches!(power, Paused),
        };
        if fine {
            return None;
        }
        Some(match (self, power) {
            (_, Deleting) => Say::fixed("虚拟机正在删除", "the VM is being deleted"),
            (_, Unknown) => {
                Say::fixed("集群没有说明它的状态，先刷新", "the cluster does not say its state, refresh first")
            }
            (Self::Start, Running) => Say::fixed("已经在运行", "it is running already"),
            (Self::Start, Paused) => Say::fixed("它暂停着，用“恢复”", "it is paused, use Resume"),
            (Self::Start, _) => Say::fixed("只有停止的虚拟机可以启动", "only a stopped VM can be started"),
            (Self::Stop | Self::ForceStop, Stopped) => Say::fixed("已经停止", "it is stopped already"),
            (Self::Stop, Stopping) => {
                Say::fixed("正在停止；等不及可用“强制关机”", "it is stopping; Force off does not wait")
            }
            (_, Migrating) => Say::fixed("正在迁移，等它结束", "it is being migrated, wait until that ends"),
            (Self::Unpause, _) => Say::fixed("只有暂停的虚拟机可以恢复", "only a paused VM can be resumed"),
            (action, power) => {
                let (zh, en) = (action.say(), power.say());
                let (a, b, c, d) = (zh.zh, en.zh, zh.en.to_lowercase(), en.en.to_lowercase());
                say!("{b}的虚拟机不能{a}", "a VM that is {d} does not take “{c}”")
            }
        })
    }

    /// What the row shows until the cluster has said otherwise.
    pub fn expects(self) -> Power {
        match self {
            Self::Start | Self::Restart | Self::SoftReboot => Power::Starting,
            Self::Stop | Self::ForceStop => Power::Stopping,
            Self::Pause => Power::Paused,
            Self::Unpause => Power::Running,
        }
    }
}

/// "Do this to that VM."
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PowerCommand {
    /// Which VM.
    pub vm: VmRef,
    /// What.
    pub action: Action,
    /// Why, for the audit line; may be empty.
    #[serde(default)]
    pub reason: String,
    /// Sent twice, done once.
    pub key: IdempotencyKey,
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn every_action_in_every_state() {
        let mut table = String::new();
        for action in Action::ALL {
            let fine: Vec<_> =
                Power::ALL.into_iter().filter(|&p| action.refusal(p).is_none()).map(Power::word).collect();
            table += &format!("{}: {}\n", action.word(), fine.join(" "));
        }
        expect![[r#"
            start: stopped
            stop: running starting paused failed
            restart: running paused failed
            soft-reboot: running
            pause: running
            unpause: paused
            force-stop: running starting stopping paused failed
        "#]]
        .assert_eq(&table);
    }
}
