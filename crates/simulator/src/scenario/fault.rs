//! Faults by sentinel: a name that contains the word misbehaves in that way, by hand as in a test.
//!
//! The words are in `scenario/README.md`. Behaviours ask, nothing else has to be set up.

/// One way to misbehave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// No node has room: the pod stays Pending with a `FailedScheduling` event.
    Unschedulable,
    /// Disks take twenty times as long to come up.
    SlowDisk,
    /// The guest agent never answers.
    NoAgent,
    /// The guest reports an address one above the one that it was given.
    WrongAddress,
    /// The guest dies before it runs.
    CrashLoop,
    /// The launcher image cannot be pulled.
    ImagePull,
    /// A live migration ends in `Failed` while it runs.
    MigrationFails,
    /// A live migration never converges and is aborted after the progress timeout.
    MigrationStuck,
    /// The guest ignores the power button: stopping takes the whole grace period.
    SlowStop,
    /// A backup ends with an error.
    BackupFails,
    /// An image download fails.
    ImageFails,
    /// Creation is stored, but the answer never reaches the client.
    CreateTimeout,
    /// A webhook denies the write.
    Denied,
    /// The dry run passes, the real write is refused by quota.
    Quota,
    /// The first update from outside meets a conflict.
    Conflict,
    /// The volume has lost a replica.
    DegradedVolume,
    /// The node has lost its power: no lease, no status, nothing on it answers.
    NodeDown,
    /// Everything on the node takes ten times as long.
    NodeSlow,
}

/// Every sentinel word with its fault.
pub const SENTINELS: &[(&str, Fault)] = &[
    ("fault-unschedulable", Fault::Unschedulable),
    ("fault-slow-disk", Fault::SlowDisk),
    ("fault-no-agent", Fault::NoAgent),
    ("fault-wrong-address", Fault::WrongAddress),
    ("fault-crash-loop", Fault::CrashLoop),
    ("fault-image-pull", Fault::ImagePull),
    ("fault-migration-fails", Fault::MigrationFails),
    ("fault-migration-stuck", Fault::MigrationStuck),
    ("fault-slow-stop", Fault::SlowStop),
    ("fault-backup-fails", Fault::BackupFails),
    ("fault-image-fails", Fault::ImageFails),
    ("fault-create-timeout", Fault::CreateTimeout),
    ("fault-denied", Fault::Denied),
    ("fault-quota", Fault::Quota),
    ("fault-conflict", Fault::Conflict),
    ("fault-degraded", Fault::DegradedVolume),
    ("fault-node-down", Fault::NodeDown),
    ("fault-node-slow", Fault::NodeSlow),
];

impl Fault {
    /// Whether an object of this name has this fault.
    #[must_use]
    pub fn is_in(self, name: &str) -> bool {
        name.contains("fault-") && SENTINELS.iter().any(|(word, fault)| *fault == self && name.contains(word))
    }
}

/// Whether the REST layer stores the creation of this object and then lets the request run into its time limit (504).
#[must_use]
pub fn swallows_answer(name: &str) -> bool {
    Fault::CreateTimeout.is_in(name)
}

/// The text with which a real creation of this object is refused (403 `Forbidden`) although its dry run passed.
///
/// Source: kubernetes `plugin/pkg/admission/resourcequota` (`exceeded quota`).
#[must_use]
pub fn refuses_for_real(name: &str) -> Option<String> {
    Fault::Quota.is_in(name).then(|| {
        "exceeded quota: default-quota, requested: limits.memory=8Gi, used: limits.memory=60Gi, limited: limits.memory=64Gi"
            .to_owned()
    })
}

/// Whether the first update of this object meets 409, because somebody else was quicker.
#[must_use]
pub fn meets_conflict(name: &str) -> bool {
    Fault::Conflict.is_in(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_the_word_has_no_fault() {
        assert!(Fault::NoAgent.is_in("web-fault-no-agent-01"));
        assert!(!Fault::NoAgent.is_in("web-no-agent-01"));
        assert!(swallows_answer("fault-create-timeout"));
    }
}
