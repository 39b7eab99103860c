//! `kubevirt.io/v1`. Source: kubevirt `staging/src/kubevirt.io/api/core/v1/types.go` (`harvester-api.md` §1, §3).

use super::Text;
use super::meta::{Condition, Meta};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// VirtualMachine.
#[derive(Debug, Deserialize)]
pub(crate) struct Vm<'a> {
    #[serde(borrow)]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow)]
    pub(crate) spec: Option<VmSpec<'a>>,
    #[serde(borrow)]
    pub(crate) status: Option<VmStatus<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VmSpec<'a> {
    #[serde(borrow)]
    pub(crate) run_strategy: Option<Text<'a>>,
    pub(crate) running: Option<bool>,
    #[serde(borrow)]
    pub(crate) template: Option<Template<'a>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Template<'a> {
    #[serde(borrow)]
    pub(crate) spec: Option<InstanceSpec<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VmStatus<'a> {
    #[serde(borrow)]
    pub(crate) printable_status: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) run_strategy: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) conditions: Option<Vec<Condition<'a>>>,
}

/// VirtualMachineInstance.
#[derive(Debug, Deserialize)]
pub(crate) struct Vmi<'a> {
    #[serde(borrow)]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow)]
    pub(crate) spec: Option<InstanceSpec<'a>>,
    #[serde(borrow)]
    pub(crate) status: Option<VmiStatus<'a>>,
}

/// `spec` of an instance, and of the template that it is made of.
#[derive(Debug, Deserialize)]
pub(crate) struct InstanceSpec<'a> {
    #[serde(borrow)]
    pub(crate) domain: Option<Domain<'a>>,
    #[serde(borrow)]
    pub(crate) networks: Option<Vec<Network<'a>>>,
    #[serde(borrow)]
    pub(crate) volumes: Option<Vec<Volume<'a>>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Domain<'a> {
    pub(crate) cpu: Option<Cpu>,
    #[serde(borrow)]
    pub(crate) memory: Option<Memory<'a>>,
    #[serde(borrow)]
    pub(crate) resources: Option<Resources<'a>>,
    #[serde(borrow)]
    pub(crate) machine: Option<Machine<'a>>,
    #[serde(borrow)]
    pub(crate) devices: Option<Devices<'a>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Cpu {
    pub(crate) cores: Option<u32>,
    pub(crate) sockets: Option<u32>,
    pub(crate) threads: Option<u32>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Memory<'a> {
    #[serde(borrow)]
    pub(crate) guest: Option<Text<'a>>,
}

/// `resources` of a domain or a pod, with quantities as text.
#[derive(Debug, Deserialize)]
pub(crate) struct Resources<'a> {
    #[serde(borrow)]
    pub(crate) limits: Option<Amounts<'a>>,
    #[serde(borrow)]
    pub(crate) requests: Option<Amounts<'a>>,
}

/// Quantities.
#[derive(Debug, Deserialize)]
pub(crate) struct Amounts<'a> {
    #[serde(borrow)]
    pub(crate) cpu: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) memory: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) storage: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Machine<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Devices<'a> {
    #[serde(borrow)]
    pub(crate) disks: Option<Vec<Disk<'a>>>,
    #[serde(borrow)]
    pub(crate) interfaces: Option<Vec<Interface<'a>>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Disk<'a> {
    #[serde(borrow)]
    pub(crate) name: Option<Text<'a>>,
    pub(crate) boot_order: Option<u32>,
    #[serde(borrow)]
    pub(crate) disk: Option<Target<'a>>,
    #[serde(borrow)]
    pub(crate) cdrom: Option<Target<'a>>,
    #[serde(borrow)]
    pub(crate) lun: Option<Target<'a>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Target<'a> {
    #[serde(borrow)]
    pub(crate) bus: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Interface<'a> {
    #[serde(borrow)]
    pub(crate) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) model: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) mac_address: Option<Text<'a>>,
    pub(crate) bridge: Option<IgnoredAny>,
    pub(crate) masquerade: Option<IgnoredAny>,
    pub(crate) sriov: Option<IgnoredAny>,
    #[serde(borrow)]
    pub(crate) binding: Option<Named<'a>>,
}

/// An object with a name in it.
#[derive(Debug, Deserialize)]
pub(crate) struct Named<'a> {
    #[serde(borrow)]
    pub(crate) name: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Network<'a> {
    #[serde(borrow)]
    pub(crate) name: Option<Text<'a>>,
    pub(crate) pod: Option<IgnoredAny>,
    #[serde(borrow)]
    pub(crate) multus: Option<Multus<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Multus<'a> {
    #[serde(borrow)]
    pub(crate) network_name: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Volume<'a> {
    #[serde(borrow)]
    pub(crate) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) persistent_volume_claim: Option<ClaimSource<'a>>,
    #[serde(borrow)]
    pub(crate) data_volume: Option<Named<'a>>,
    #[serde(borrow)]
    pub(crate) container_disk: Option<ContainerDisk<'a>>,
    #[serde(borrow)]
    pub(crate) cloud_init_no_cloud: Option<CloudInit<'a>>,
    #[serde(borrow)]
    pub(crate) cloud_init_config_drive: Option<CloudInit<'a>>,
    pub(crate) sysprep: Option<IgnoredAny>,
}

impl Volume<'_> {
    /// The claim behind it: a DataVolume's claim has the DataVolume's name.
    pub(crate) fn claim(&self) -> Option<&str> {
        let claim = self.persistent_volume_claim.as_ref().and_then(|c| c.claim_name.as_deref());
        claim.or_else(|| self.data_volume.as_ref().and_then(|d| d.name.as_deref()))
    }

    pub(crate) fn cloud_init(&self) -> Option<&CloudInit<'_>> {
        self.cloud_init_no_cloud.as_ref().or(self.cloud_init_config_drive.as_ref())
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClaimSource<'a> {
    #[serde(borrow)]
    pub(crate) claim_name: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ContainerDisk<'a> {
    #[serde(borrow)]
    pub(crate) image: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CloudInit<'a> {
    #[serde(borrow)]
    pub(crate) network_data_secret_ref: Option<Named<'a>>,
    #[serde(borrow)]
    pub(crate) network_data: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) network_data_base64: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VmiStatus<'a> {
    #[serde(borrow)]
    pub(crate) phase: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) node_name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) interfaces: Option<Vec<InterfaceStatus<'a>>>,
    #[serde(borrow, rename = "guestOSInfo")]
    pub(crate) guest_os_info: Option<GuestOs<'a>>,
    #[serde(borrow)]
    pub(crate) conditions: Option<Vec<Condition<'a>>>,
    #[serde(borrow)]
    pub(crate) phase_transition_timestamps: Option<Vec<PhaseTime<'a>>>,
    #[serde(borrow)]
    pub(crate) machine: Option<Machine<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InterfaceStatus<'a> {
    #[serde(borrow)]
    pub(crate) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) mac: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) ip_address: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) ip_addresses: Option<Vec<Text<'a>>>,
    #[serde(borrow)]
    pub(crate) link_state: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GuestOs<'a> {
    #[serde(borrow)]
    pub(crate) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) pretty_name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) kernel_release: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhaseTime<'a> {
    #[serde(borrow)]
    pub(crate) phase: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) phase_transition_timestamp: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MigrationState<'a> {
    #[serde(borrow)]
    pub(crate) target_node: Option<Text<'a>>,
}

/// VirtualMachineInstanceMigration.
#[derive(Debug, Deserialize)]
pub(crate) struct Vmim<'a> {
    #[serde(borrow)]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow)]
    pub(crate) spec: Option<VmimSpec<'a>>,
    #[serde(borrow)]
    pub(crate) status: Option<VmimStatus<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VmimSpec<'a> {
    #[serde(borrow)]
    pub(crate) vmi_name: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VmimStatus<'a> {
    #[serde(borrow)]
    pub(crate) phase: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) migration_state: Option<MigrationState<'a>>,
}
