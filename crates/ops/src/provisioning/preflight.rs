//! Pre-checks of an order, pure: from what the cluster and the ledger look like to verdicts with reasons and remedies.

use model::fleet::{Health, ObserveOnly};
use model::image::ImageView;
use model::network::NetworkView;
use model::node::NodeView;
use model::ownership::Owner;
use model::provisioning::{Check, CheckVerdict, Flavour, Template};
use model::quantity::Bytes;
use model::{Say, say};

/// What the checks look at.
#[derive(Debug)]
pub(super) struct Scene<'a> {
    /// The template.
    pub(super) template: &'a Template,
    /// The size.
    pub(super) flavour: &'a Flavour,
    /// How the cluster answers.
    pub(super) health: Health,
    /// Why nothing may be written to it, if so.
    pub(super) observe_only: Option<ObserveOnly>,
    /// Its name.
    pub(super) cluster: &'a str,
    /// The image of the template's name there, if there is one.
    pub(super) image: Option<&'a ImageView>,
    /// The network, if it is there.
    pub(super) network: Option<&'a NetworkView>,
    /// Hosts.
    pub(super) nodes: &'a [NodeView],
    /// Whether the name is in use in that namespace.
    pub(super) is_name_taken: bool,
    /// The name.
    pub(super) name: &'a str,
    /// Addresses left in the subnet.
    pub(super) free_addresses: u64,
    /// Who answers for it.
    pub(super) owner: &'a Owner,
}

/// Runs all checks that need no call.
pub(super) fn check(scene: &Scene<'_>) -> Vec<Check> {
    vec![
        cluster(scene),
        name(scene),
        owner(scene),
        image(scene),
        disk(scene),
        network(scene),
        address(scene),
        threads(scene),
        room(scene),
    ]
}

fn made(key: &str, verdict: CheckVerdict, say: Say, remedy: Option<Say>) -> Check {
    Check { key: key.to_owned(), verdict, say, remedy }
}

fn fine(key: &str, say: Say) -> Check {
    made(key, CheckVerdict::Fine, say, None)
}

fn refused(key: &str, say: Say, remedy: Say) -> Check {
    made(key, CheckVerdict::Refused, say, Some(remedy))
}

fn cluster(scene: &Scene<'_>) -> Check {
    let name = scene.cluster;
    if let Some(why) = scene.observe_only {
        return refused("cluster", why.say(name), Say::fixed("换一个集群", "choose another cluster"));
    }
    match scene.health {
        Health::Reachable | Health::Degraded => fine("cluster", say!("{name} 可写", "{name} can be written to")),
        health => {
            let (zh, en) = (health.say().zh, health.say().en.to_lowercase());
            refused(
                "cluster",
                say!("{name} {zh}", "{name} is {en}"),
                Say::fixed("等它恢复，或换一个集群", "wait until it is back, or choose another cluster"),
            )
        }
    }
}

fn name(scene: &Scene<'_>) -> Check {
    let name = scene.name;
    if scene.is_name_taken {
        return refused(
            "name",
            say!("{name} 已被占用", "{name} is taken"),
            Say::fixed("留空由规则取下一个号", "leave it empty and the rule takes the next number"),
        );
    }
    fine("name", say!("名称 {name} 可用", "the name {name} is free"))
}

fn owner(scene: &Scene<'_>) -> Check {
    let Owner { number, name } = scene.owner;
    if number.is_empty() {
        return refused(
            "owner",
            Say::fixed("没有负责人工号", "there is no owner"),
            Say::fixed("填负责人的工号", "give the owner's employee number"),
        );
    }
    fine("owner", say!("负责人 {name} {number}", "owner {name} {number}"))
}

fn image(scene: &Scene<'_>) -> Check {
    let (wanted, cluster) = (&scene.template.image, scene.cluster);
    match scene.image {
        None => refused(
            "image",
            say!("{cluster} 没有镜像 {wanted}", "{cluster} has no image {wanted}"),
            Say::fixed("先在该集群导入镜像，或换一个集群", "import the image there first, or choose another cluster"),
        ),
        Some(image) if !image.is_ready => {
            let progress = image.progress;
            refused(
                "image",
                say!("镜像 {wanted} 还在导入，{progress}%", "the image {wanted} is being imported, {progress} %"),
                Say::fixed("等导入完成", "wait until it is imported"),
            )
        }
        Some(image) if image.storage_class.is_none() => refused(
            "image",
            say!("镜像 {wanted} 没有可用的存储类", "the image {wanted} has no storage class"),
            Say::fixed("看集群页的镜像一栏", "see the images on the cluster's page"),
        ),
        Some(_) => fine("image", say!("镜像 {wanted} 就绪", "the image {wanted} is ready")),
    }
}

/// A disk smaller than the image's virtual size corrupts the guest, and Harvester's webhook checks it only from 1.10
/// (`harvester-api.md` §14 row 45).
fn disk(scene: &Scene<'_>) -> Check {
    let have = scene.flavour.disk;
    let need = scene.image.map_or(Bytes(0), |image| image.virtual_size.max(image.size));
    if have < need {
        let (have, need) = (have.human(), need.human());
        return refused(
            "disk",
            say!("系统盘 {have} 小于镜像的 {need}", "the root disk of {have} is smaller than the image's {need}"),
            Say::fixed("换一个更大的规格", "choose a larger size"),
        );
    }
    fine("disk", Say::fixed("系统盘装得下镜像", "the root disk holds the image"))
}

fn network(scene: &Scene<'_>) -> Check {
    match scene.network {
        None => refused(
            "network",
            Say::fixed("集群里没有这个网络", "the cluster has no such network"),
            Say::fixed("在地址页改子网服务的网络", "change what the subnet serves on the addresses page"),
        ),
        Some(network) if !network.is_ready => {
            let name = &network.name;
            made(
                "network",
                CheckVerdict::Warning,
                say!("网络 {name} 尚未就绪", "the network {name} is not ready"),
                Some(Say::fixed("没有主机接入它时会一直排队", "the VM waits while no host carries it")),
            )
        }
        Some(network) => {
            let name = &network.name;
            fine("network", say!("网络 {name} 就绪", "the network {name} is ready"))
        }
    }
}

fn address(scene: &Scene<'_>) -> Check {
    match scene.free_addresses {
        0 => refused(
            "address",
            Say::fixed("子网没有空闲地址", "the subnet has no free address"),
            Say::fixed(
                "释放地址、等隔离期过去，或换一个子网",
                "release addresses, wait for the quarantine to end, or choose another subnet",
            ),
        ),
        left => fine("address", say!("子网还有 {left} 个空闲地址", "the subnet has {left} free addresses")),
    }
}

/// Nodes that could take something new.
fn open_nodes<'a>(scene: &'a Scene<'_>) -> impl Iterator<Item = &'a NodeView> {
    scene
        .nodes
        .iter()
        .filter(|n| n.is_ready && !n.is_cordoned && n.maintenance.is_none() && !n.roles.iter().any(|r| r == "witness"))
}

fn threads(scene: &Scene<'_>) -> Check {
    let want = scene.flavour.cpu;
    let most = open_nodes(scene).map(|n| n.allocatable_cpu.0 / 1000).max().unwrap_or(0);
    if most == 0 {
        return refused(
            "threads",
            Say::fixed("没有可用的主机", "there is no host to place it on"),
            Say::fixed("看集群页的主机一栏", "see the hosts on the cluster's page"),
        );
    }
    if u64::from(want) > most {
        return refused(
            "threads",
            say!("{want} vCPU 多于任何主机的 {most} 线程", "{want} vCPUs are more than the {most} threads of any host"),
            Say::fixed("换一个更小的规格", "choose a smaller size"),
        );
    }
    fine("threads", say!("{want} vCPU，主机最多 {most} 线程", "{want} vCPUs, the largest host has {most} threads"))
}

fn room(scene: &Scene<'_>) -> Check {
    let want = scene.flavour.memory;
    let free = |n: &NodeView| n.allocatable_memory.0.saturating_sub(n.requested_memory.0);
    let fitting = open_nodes(scene).filter(|n| free(n) >= want.0).count();
    let most = Bytes(open_nodes(scene).map(free).max().unwrap_or(0)).human();
    let want = want.human();
    match fitting {
        0 => refused(
            "room",
            say!("没有主机放得下 {want} 内存，最多还剩 {most}", "no host has room for {want}, the most is {most}"),
            Say::fixed("换一个集群或更小的规格", "choose another cluster or a smaller size"),
        ),
        1 => made(
            "room",
            CheckVerdict::Warning,
            Say::fixed("只有 1 台主机放得下", "only one host has room for it"),
            Some(Say::fixed("这台主机故障时没有别处可去", "when that host fails there is nowhere else to go")),
        ),
        n => fine("room", say!("{n} 台主机放得下", "{n} hosts have room for it")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use model::id::TemplateId;
    use model::quantity::Millicores;

    fn node(name: &str, cpu: u64, memory: u64, requested: u64) -> NodeView {
        NodeView {
            name: name.into(),
            is_ready: true,
            problem: None,
            is_cordoned: false,
            maintenance: None,
            roles: vec![],
            allocatable_cpu: Millicores(cpu * 1000),
            allocatable_memory: Bytes::gib(memory),
            requested_cpu: Millicores(0),
            requested_memory: Bytes::gib(requested),
            vms: 0,
            address: None,
            version: String::new(),
        }
    }

    fn verdicts(change: impl FnOnce(&mut Scene<'_>)) -> String {
        let template = Template {
            id: TemplateId::parse("app").unwrap(),
            version: 1,
            name: Say::fixed("", ""),
            summary: Say::fixed("", ""),
            role: "app".into(),
            image: "openEuler".into(),
            os: "linux".into(),
            flavours: vec![],
            packages: vec![],
            run: vec![],
            user: "ops".into(),
        };
        let image = ImageView {
            namespace: "n".into(),
            name: "image-1".into(),
            display_name: "openEuler".into(),
            storage_class: Some("longhorn-image-1".into()),
            size: Bytes::gib(2),
            virtual_size: Bytes::gib(20),
            is_ready: true,
            progress: 100,
            is_cdi: false,
        };
        let network = NetworkView {
            namespace: "n".into(),
            name: "vlan-120".into(),
            cluster_network: "mgmt".into(),
            kind: "L2VlanNetwork".into(),
            vlan: Some(120),
            cidr: None,
            gateway: None,
            is_ready: true,
        };
        let nodes = [node("a", 32, 128, 100), node("b", 32, 128, 10), node("c", 32, 128, 10)];
        let flavour = Flavour { cpu: 4, memory: Bytes::gib(16), disk: Bytes::gib(40) };
        let owner = Owner { number: "E1".into(), name: "林".into() };
        let mut scene = Scene {
            template: &template,
            flavour: &flavour,
            health: Health::Reachable,
            observe_only: None,
            cluster: "bj-1",
            image: Some(&image),
            network: Some(&network),
            nodes: &nodes,
            is_name_taken: false,
            name: "dev-a-app-01",
            free_addresses: 7,
            owner: &owner,
        };
        change(&mut scene);
        let bad = check(&scene).into_iter().filter(|c| c.verdict != CheckVerdict::Fine);
        bad.map(|c| format!("{}: {:?}: {}\n", c.key, c.verdict, c.say.en)).collect()
    }

    #[test]
    fn a_good_order_has_nothing_against_it() {
        assert_eq!(verdicts(|_| {}), "");
    }

    #[test]
    fn what_speaks_against_it_is_said() {
        static NOBODY: Owner = Owner { number: String::new(), name: String::new() };
        let said = verdicts(|s| {
            (s.health, s.image, s.network, s.is_name_taken, s.free_addresses) =
                (Health::Unreachable, None, None, true, 0);
        }) + &verdicts(|s| (s.nodes, s.owner) = (&[], &NOBODY));
        let said = said + &verdicts(move |s| s.observe_only = Some(ObserveOnly::Registered));
        expect![[r#"
            cluster: Refused: bj-1 is unreachable
            name: Refused: dev-a-app-01 is taken
            image: Refused: bj-1 has no image openEuler
            network: Refused: the cluster has no such network
            address: Refused: the subnet has no free address
            owner: Refused: there is no owner
            threads: Refused: there is no host to place it on
            room: Refused: no host has room for 16 GiB, the most is 0 B
            cluster: Refused: bj-1 is registered as observe only, the platform writes nothing to it
        "#]]
        .assert_eq(&said);
    }
}
