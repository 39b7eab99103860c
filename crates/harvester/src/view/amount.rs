//! CPU, memory and disks of a VM out of the many places where they may stand. (`harvester-api.md` §1.3 to §1.5)

use crate::api::harvesterhci::ClaimTemplate;
use crate::api::kubevirt::{Amounts, Cpu, Domain};
use crate::api::meta::Annotations;
use model::quantity::{Bytes, Millicores};

/// An amount of room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Room {
    pub(crate) cpu: Millicores,
    pub(crate) memory: Bytes,
}

impl Room {
    fn of(amounts: &Amounts<'_>) -> Self {
        Self {
            cpu: amounts.cpu.as_deref().and_then(Millicores::parse).unwrap_or_default(),
            memory: amounts.memory.as_deref().and_then(Bytes::parse).unwrap_or_default(),
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.cpu.0 = self.cpu.0.saturating_add(other.cpu.0);
        self.memory.0 = self.memory.0.saturating_add(other.memory.0);
    }
}

/// Sockets, cores, threads; KubeVirt takes 1 for what is absent.
pub(crate) fn topology(cpu: Option<&Cpu>) -> (u32, u32, u32) {
    let n = |n: Option<u32>| n.filter(|&n| n > 0).unwrap_or(1);
    cpu.map_or((1, 1, 1), |cpu| (n(cpu.sockets), n(cpu.cores), n(cpu.threads)))
}

/// vCPUs of the guest: the topology, or the limit where none is given.
pub(crate) fn vcpus(domain: &Domain<'_>) -> u32 {
    if domain.cpu.is_some() {
        let (sockets, cores, threads) = topology(domain.cpu.as_ref());
        return sockets.saturating_mul(cores).saturating_mul(threads);
    }
    let limit = limits(domain).cpu.0.div_ceil(1000);
    u32::try_from(limit).unwrap_or(u32::MAX).max(1)
}

/// Memory that the guest sees: its own field, or the limit where none is given.
pub(crate) fn memory(domain: &Domain<'_>) -> Bytes {
    let guest = domain.memory.as_ref().and_then(|m| m.guest.as_deref()).and_then(Bytes::parse);
    guest.unwrap_or_else(|| limits(domain).memory)
}

/// What the launcher may use at most.
pub(crate) fn limits(domain: &Domain<'_>) -> Room {
    domain.resources.as_ref().and_then(|r| r.limits.as_ref()).map(Room::of).unwrap_or_default()
}

/// What the launcher asks the scheduler for; Kubernetes takes the limit for a request that is absent. KubeVirt's own
/// overhead (some 200 MiB) is not in the object and not counted.
pub(crate) fn requests(domain: &Domain<'_>) -> Room {
    let limits = limits(domain);
    let requests = domain.resources.as_ref().and_then(|r| r.requests.as_ref());
    let (cpu, memory) = requests.map(|r| (r.cpu.as_deref(), r.memory.as_deref())).unwrap_or_default();
    Room {
        cpu: cpu.and_then(Millicores::parse).unwrap_or(limits.cpu),
        memory: memory.and_then(Bytes::parse).unwrap_or(limits.memory),
    }
}

/// Claims that Harvester makes for the VM, from its annotation: name, size, class, image. A text that is no such JSON gives
/// none: the webhook refuses it, and a row must not fail over it.
pub(crate) fn templates(annotations: Option<&Annotations<'_>>) -> Vec<Template> {
    let Some(text) = annotations.and_then(|a| a.claim_templates.as_deref()) else { return Vec::new() };
    let templates: Vec<ClaimTemplate<'_>> = serde_json::from_str(text).unwrap_or_default();
    let template = |t: ClaimTemplate<'_>| {
        let metadata = t.metadata?;
        let storage = t.spec.as_ref().and_then(|s| s.resources.as_ref()?.requests.as_ref()?.storage.as_deref());
        Some(Template {
            name: metadata.name?.to_string(),
            size: storage.and_then(Bytes::parse).unwrap_or_default(),
            class: t.spec.as_ref().and_then(|s| s.storage_class_name.as_deref()).map(str::to_owned),
            image: metadata.annotations.and_then(|a| a.image_id).map(|i| i.to_string()),
        })
    };
    templates.into_iter().filter_map(template).collect()
}

/// See [`templates`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Template {
    pub(crate) name: String,
    pub(crate) size: Bytes,
    pub(crate) class: Option<String>,
    pub(crate) image: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(json: &str) -> Domain<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn numbers_stand_in_many_places() {
        let d = domain(
            r#"{"cpu":{"cores":4,"sockets":2},"memory":{"guest":"8064Mi"},"resources":{"limits":{"cpu":8,"memory":"8Gi"},"requests":{"cpu":"800m"}}}"#,
        );
        assert_eq!((vcpus(&d), memory(&d)), (8, Bytes(8064 << 20)));
        assert_eq!(limits(&d), Room { cpu: Millicores(8000), memory: Bytes::gib(8) });
        assert_eq!(requests(&d), Room { cpu: Millicores(800), memory: Bytes::gib(8) });
        let d = domain(r#"{"resources":{"limits":{"cpu":"1500m","memory":"2Gi"}}}"#);
        assert_eq!((vcpus(&d), memory(&d)), (2, Bytes::gib(2)));
        let d = domain("{}");
        assert_eq!((vcpus(&d), memory(&d)), (1, Bytes(0)));
        let d = domain(r#"{"cpu":{"cores":4294967295,"sockets":4294967295}}"#);
        assert_eq!(vcpus(&d), u32::MAX);
    }

    #[test]
    fn a_broken_annotation_gives_no_templates() {
        let annotations =
            Annotations { claim_templates: serde_json::from_str("\"{nonsense\"").ok(), ..Default::default() };
        assert_eq!(templates(Some(&annotations)), []);
    }
}
