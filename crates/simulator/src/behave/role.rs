//! Which upstream program a behaviour stands for, and where that program runs: the one table of it.
//!
//! On a real control plane ("the witness") the control-plane side is upstream's own; the node side, and what only
//! Harvester brings, is played by `harvester-sim behave`. A behaviour says its role in its own constant, so that there is
//! no second list to forget.

/// Which upstream program a behaviour stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Node status, leases, pods through their phases, and the CNI plug-ins that it calls.
    Kubelet,
    /// Chooses nodes for pods.
    Scheduler,
    /// Binds claims and protects them, follows leases, taints dead nodes and takes their pods away.
    ControllerManager,
    /// VM → VMI → launcher pod, migrations, evacuations, printable status.
    VirtController,
    /// The domain on the node: VMI status from Scheduled on, the two sides of a migration.
    VirtHandler,
    /// The operating system inside: boot, agent, addresses.
    Guest,
    /// Volumes, replicas, the CSI driver's provisioner and resizer.
    Longhorn,
    /// DataVolumes.
    Cdi,
    /// Harvester's own controllers: claims from the annotation, images, backups, settings, maintenance.
    Harvester,
}

/// On whose side a role is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Part of a Kubernetes + KubeVirt control plane: the witness has the real one.
    Upstream,
    /// Missing there: `harvester-sim behave` plays it.
    Node,
}

use Side::{Node, Upstream};

/// Role, its name on the command line, the service account that its program writes as, its side.
const TABLE: &[(Role, &str, &str, Side)] = &[
    (Role::Scheduler, "scheduler", "kube-scheduler", Upstream),
    (Role::ControllerManager, "controller-manager", "kube-controller-manager", Upstream),
    (Role::VirtController, "virt-controller", "virt-controller", Upstream),
    (Role::Kubelet, "kubelet", "kubelet", Node),
    (Role::VirtHandler, "virt-handler", "virt-handler", Node),
    // virt-launcher tells virt-handler, and virt-handler writes it down.
    (Role::Guest, "guest", "virt-handler", Node),
    (Role::Longhorn, "longhorn", "longhorn-manager", Node),
    (Role::Cdi, "cdi", "cdi-controller", Node),
    (Role::Harvester, "harvester", "harvester", Node),
];

impl Role {
    fn row(self) -> (&'static str, &'static str, Side) {
        let row = TABLE.iter().find(|row| row.0 == self).expect("the test below finds every role in the table");
        (row.1, row.2, row.3)
    }

    /// All roles.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.0)
    }

    /// Its name on the command line, for example `virt-handler`.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The role of a name.
    pub fn parse(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// The program, as field manager and service account call it.
    pub fn program(self) -> &'static str {
        self.row().1
    }

    /// On whose side it is.
    pub fn side(self) -> Side {
        self.row().2
    }
}

/// The roles of a list such as `kubelet,guest`, of `all`, of `upstream` or of `node`.
///
/// # Errors
/// With the word that is no role.
pub fn roles(list: &str) -> Result<Vec<Role>, String> {
    let side = |wanted: Side| Role::all().filter(move |role| role.side() == wanted).collect();
    match list.trim() {
        "all" => Ok(Role::all().collect()),
        "upstream" => Ok(side(Upstream)),
        "node" => Ok(side(Node)),
        list => list
            .split(',')
            .map(str::trim)
            .map(|word| Role::parse(word).ok_or_else(|| format!("`{word}` is no role")))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behave::ALL;

    #[test]
    fn every_behaviour_has_a_role_of_the_table_and_every_role_behaviours() {
        for behaviour in ALL {
            assert!(TABLE.iter().any(|row| row.0 == behaviour.role), "{}", behaviour.name);
        }
        for role in Role::all() {
            assert!(ALL.iter().any(|behaviour| behaviour.role == role), "{}", role.name());
            assert_eq!(Role::parse(role.name()), Some(role));
        }
    }

    #[test]
    fn a_list_is_read_and_a_wrong_word_named() {
        assert_eq!(roles("kubelet, guest"), Ok(vec![Role::Kubelet, Role::Guest]));
        assert_eq!(roles("upstream").map(|roles| roles.len()), Ok(3));
        assert_eq!(roles("kubelet,godzilla"), Err("`godzilla` is no role".to_owned()));
    }
}
