//! Which operating system an instance runs, by the image that its first disk was made from.
//!
//! A table of the images that the scenarios use; an unknown image is a plain Linux without an agent. Two annotations on
//! the image overrule the table, for tests: [`AGENT`] and [`PRETTY_NAME`].

use crate::behave::View;
use crate::behave::object;
use crate::behave::resources::{IMAGE, PVC};
use serde_json::{Value, json};
use std::time::Duration;

/// Image annotation of the simulator's own: `"true"` or `"false"`, whether the image brings a guest agent.
pub(crate) const AGENT: &str = "simulator.harvester-admin/guest-agent";
/// Image annotation of the simulator's own: the name that the guest gives itself (hostile text in tests).
pub(crate) const PRETTY_NAME: &str = "simulator.harvester-admin/pretty-name";

/// A guest operating system.
#[derive(Debug, Clone)]
pub(crate) struct System {
    /// `guestOSInfo`.
    pub(crate) info: Value,
    /// From power-on to a connected agent.
    pub(crate) boot: Duration,
    /// The image brings an agent.
    pub(crate) has_agent: bool,
    /// Devices are `eth0`, not `enp1s0`.
    old_names: bool,
    /// It is a Windows.
    pub(crate) is_windows: bool,
}

struct Known {
    word: &'static str,
    id: &'static str,
    name: &'static str,
    pretty: &'static str,
    version_id: &'static str,
    version: &'static str,
    kernel: &'static str,
    build: &'static str,
    boot: u64,
    agent: bool,
    old_names: bool,
}

const KNOWN: &[Known] = &[
    Known {
        word: "openeuler",
        id: "openEuler",
        name: "openEuler",
        pretty: "openEuler 24.03 (LTS)",
        version_id: "24.03",
        version: "24.03 (LTS)",
        kernel: "6.6.0-28.0.0.34.oe2403.x86_64",
        build: "#1 SMP Tue Jun 4 17:32:10 CST 2024",
        boot: 10,
        agent: true,
        old_names: false,
    },
    Known {
        word: "ubuntu",
        id: "ubuntu",
        name: "Ubuntu",
        pretty: "Ubuntu 24.04.2 LTS",
        version_id: "24.04",
        version: "24.04.2 LTS (Noble Numbat)",
        kernel: "6.8.0-57-generic",
        build: "#59-Ubuntu SMP PREEMPT_DYNAMIC Sat Mar 15 17:40:59 UTC 2025",
        boot: 12,
        agent: false,
        old_names: false,
    },
    Known {
        word: "debian",
        id: "debian",
        name: "Debian GNU/Linux",
        pretty: "Debian GNU/Linux 12 (bookworm)",
        version_id: "12",
        version: "12 (bookworm)",
        kernel: "6.1.0-32-cloud-amd64",
        build: "#1 SMP PREEMPT_DYNAMIC Debian 6.1.129-1 (2025-03-06)",
        boot: 8,
        agent: false,
        old_names: false,
    },
    Known {
        word: "windows",
        id: "mswindows",
        name: "Microsoft Windows",
        pretty: "Windows Server 2025 Standard",
        version_id: "2025",
        version: "Microsoft Windows Server 2025",
        kernel: "26100",
        build: "10.0",
        boot: 40,
        agent: true,
        old_names: false,
    },
    Known {
        word: "centos",
        id: "centos",
        name: "CentOS Linux",
        pretty: "CentOS Linux 7 (Core)",
        version_id: "7",
        version: "7 (Core)",
        kernel: "3.10.0-1160.119.1.el7.x86_64",
        build: "#1 SMP Tue Jun 4 14:43:51 UTC 2024",
        boot: 14,
        agent: true,
        old_names: true,
    },
];

impl System {
    /// The system of an instance.
    pub(crate) fn of(vmi: &Value, view: &dyn View) -> Self {
        let image = image_of(vmi, view);
        let named = image.as_deref().map(|image| object::text(image, "/spec/displayName")).unwrap_or_default();
        let mut system = Self::named(&named.to_ascii_lowercase());
        let noted = |key: &str| image.as_deref().and_then(|image| object::annotation(image, key));
        if let Some(agent) = noted(AGENT) {
            system.has_agent = agent == "true";
        }
        // Hostile text on the instance wins over the image, so that one VM of an image can be told apart.
        if let Some(pretty) = object::annotation(vmi, PRETTY_NAME).or_else(|| noted(PRETTY_NAME)) {
            system.info["prettyName"] = json!(pretty);
            system.info["name"] = json!(pretty);
        }
        system
    }

    /// The system of an image's name in lower case.
    pub(crate) fn named(image: &str) -> Self {
        let Some(known) = KNOWN.iter().find(|known| image.contains(known.word)) else {
            return Self {
                info: json!({"id": "linux", "name": "Linux", "prettyName": "Linux", "machine": "x86_64"}),
                boot: Duration::from_secs(10),
                has_agent: false,
                old_names: false,
                is_windows: false,
            };
        };
        Self {
            info: json!({
                "id": known.id, "name": known.name, "prettyName": known.pretty, "versionId": known.version_id,
                "version": known.version, "kernelRelease": known.kernel, "kernelVersion": known.build,
                "machine": "x86_64",
            }),
            boot: Duration::from_secs(known.boot),
            has_agent: known.agent,
            old_names: known.old_names,
            is_windows: known.word == "windows",
        }
    }

    /// The name of the guest's n-th network device.
    pub(crate) fn device_name(&self, at: usize) -> String {
        if self.is_windows {
            return if at == 0 { "Ethernet".to_owned() } else { format!("Ethernet {}", at + 1) };
        }
        if self.old_names { format!("eth{at}") } else { format!("enp{}s0", at + 1) }
    }
}

/// The image of the first disk that was made from one.
fn image_of(vmi: &Value, view: &dyn View) -> Option<std::sync::Arc<Value>> {
    crate::behave::launcher::claims(vmi).find_map(|claim| {
        let claim = view.get(PVC, object::namespace(vmi), claim)?;
        let (namespace, name) = object::annotation(&claim, "harvesterhci.io/imageId")?.split_once('/')?;
        view.get(IMAGE, namespace, name)
    })
}
