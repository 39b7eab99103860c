//! The product to look at: simulated clusters in this process, the embedded database, people who can sign in.
//!
//! Listens on loopback only, since its passwords are printed. A restart keeps the data: accounts, ledger, audit trail, and
//! the simulated clusters as they were left. These answer on new ports, so their credentials are replaced at each start.

mod witness;

use crate::command::log;
use crate::config::{Config, Log, Network, Session};
use crate::wire::{self, Program, told_to_stop};
use anyhow::Context as _;
use model::access::Role;
use model::fleet::Register;
use model::id::ClusterId;
use model::ipam::{Serves, SubnetDraft};
use ops::{Clock, Context, Error};
use simulator::Simulator;
use simulator::scenario::life;
use simulator::serve::Served;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use witness::Witness;

/// How the demo is to be.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Port on 127.0.0.1; 0 takes a free one.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// VMs of both clusters together, up to 100,000; counts for a new data folder, others go on as they were left.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    vms: u32,
    /// How much faster than real time the simulated clusters work.
    #[arg(long, default_value_t = 10.0)]
    speed: f64,
    /// Nothing happens by itself; otherwise now and then a VM reboots or moves.
    #[arg(long)]
    still: bool,
    /// `sqlite` in the data folder, or `postgres://…`.
    #[arg(long, default_value = "sqlite")]
    database: String,
    /// The `witness.json` of a running witness, upstream's own Kubernetes and KubeVirt: it takes the place of the second
    /// simulated cluster, and this program plays its nodes.
    #[arg(long)]
    witness: Option<PathBuf>,
    /// Folder of the data.
    #[arg(long, default_value = "data")]
    data: PathBuf,
    /// Folder of the built interface.
    #[arg(long)]
    site: Option<PathBuf>,
    /// A tracing filter.
    #[arg(long, default_value = "warn")]
    log: String,
}

/// Between two small events in a simulated cluster, in its own time.
const BEAT: Duration = Duration::from_secs(300);
/// How often the simulated clusters are written down.
const KEEP: Duration = Duration::from_secs(60);

struct Person {
    login: &'static str,
    name: &'static str,
    number: &'static str,
    role: Role,
    password: &'static str,
}

const PEOPLE: [Person; 3] = [
    Person { login: "admin", name: "陈思远", number: "E10432", role: Role::Admin, password: "harvester-admin" },
    Person {
        login: "operator",
        name: "林若涵",
        number: "E10877",
        role: Role::Operator,
        password: "harvester-operator",
    },
    Person { login: "viewer", name: "周子墨", number: "E11206", role: Role::Viewer, password: "harvester-viewer" },
];

struct Place {
    id: &'static str,
    name: &'static str,
    release: &'static str,
    nodes: usize,
    /// Of five VMs, how many are here.
    share: u32,
    seed: u64,
}

const PLACES: [Place; 2] = [
    Place { id: "bj-yizhuang", name: "北京亦庄一", release: "1.8", nodes: 6, share: 4, seed: 18 },
    Place { id: "sh-waigaoqiao", name: "上海外高桥", release: "1.4", nodes: 3, share: 1, seed: 14 },
];

/// Subnets of the ledger: name, CIDR, gateway, VLAN, network of the simulated clusters that it serves, cluster.
const SUBNETS: [(&str, &str, &str, u16, &str, &str); 4] = [
    ("亦庄生产业务", "10.20.240.0/24", "10.20.240.1", 120, "harvester-public/vlan-120", "bj-yizhuang"),
    ("亦庄测试", "10.40.240.0/22", "10.40.240.1", 140, "harvester-public/vlan-140", "bj-yizhuang"),
    ("外高桥测试", "10.122.248.0/24", "10.122.248.1", 780, "harvester-public/vlan-780", "sh-waigaoqiao"),
    (
        "亦庄生产业务 IPv6",
        "2001:db8:20:240::/64",
        "2001:db8:20:240::1",
        120,
        "harvester-public/vlan-120",
        "bj-yizhuang",
    ),
];

struct Running {
    place: &'static Place,
    served: Served,
    kubeconfig: PathBuf,
    simulator: Simulator,
    /// Where it is kept over a restart.
    kept: PathBuf,
}

impl Running {
    /// Writes the cluster down. One that could not be written begins anew next time, which is said.
    async fn keep(&self) {
        let (world, file) = (self.simulator.world().clone(), self.kept.clone());
        match tokio::task::spawn_blocking(move || world.save(file)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, cluster = self.place.id, "keeping a simulated cluster"),
            Err(error) => tracing::error!(%error, cluster = self.place.id, "keeping a simulated cluster"),
        }
    }
}

pub(crate) async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let began = std::time::Instant::now();
    log(&Log { filter: options.log.clone(), json: false })?;
    std::fs::create_dir_all(&options.data).with_context(|| format!("making {}", options.data.display()))?;
    let listener = tokio::net::TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, options.port)))
        .await
        .with_context(|| format!("listening on port {}: choose another by --port", options.port))?;
    let address = listener.local_addr()?;
    let mut clusters = Vec::new();
    for place in &PLACES[..if options.witness.is_some() { 1 } else { PLACES.len() }] {
        clusters.push(simulate(place, &options).await?);
    }
    let stop = CancellationToken::new();
    let witness = match &options.witness {
        Some(file) => Some(Witness::attend(file, &stop).await?),
        None => None,
    };
    let config = Config {
        listen: address,
        data: options.data.clone(),
        site: options.site.clone(),
        database: options.database.clone(),
        session: Session { secure_cookie: false, ..Session::default() },
        network: Network { allow: vec![model::ipam::Cidr::parse("127.0.0.0/8")?] },
        ..Config::default()
    };
    let program = wire::wire(config).await?;
    seed(&program, &clusters, witness.as_ref())
        .await
        .map_err(|error| anyhow::anyhow!("{}", error.say()).context(format!("{error:?}")))?;
    write_summary(&options.data, address, &clusters, witness.as_ref())?;
    announce(address, &clusters, witness.as_ref(), began.elapsed());
    let lives = async {
        let live = |cluster: &Running| life::live(cluster.simulator.world().clone(), BEAT, stop.clone());
        if !options.still {
            futures::future::join_all(clusters.iter().map(live)).await;
        }
    };
    let keeping = async {
        while stop.run_until_cancelled(tokio::time::sleep(KEEP)).await.is_some() {
            futures::future::join_all(clusters.iter().map(Running::keep)).await;
        }
    };
    let serving = async {
        let served = program.serve(listener, told_to_stop()).await;
        stop.cancel();
        served
    };
    let (served, (), ()) = tokio::join!(serving, lives, keeping);
    for cluster in &clusters {
        cluster.served.stop();
        cluster.keep().await;
    }
    if let Some(witness) = witness {
        witness.left().await;
    }
    served.map(|()| ExitCode::SUCCESS)
}

async fn simulate(place: &'static Place, options: &Options) -> anyhow::Result<Running> {
    let vms = (options.vms * place.share / 5) as usize;
    let clock = simulator::clock::Clock::auto(options.speed);
    let kept = options.data.join(format!("{}.cluster", place.id));
    let builder = if kept.exists() {
        let restored = Simulator::builder().restore(&kept);
        restored
            .with_context(|| format!("{} cannot be read: remove it, and {} begins anew", kept.display(), place.id))?
    } else {
        Simulator::builder().harvester(place.release).nodes(place.nodes).vms(vms).seed(place.seed)
    };
    let simulator = builder.clock(clock).build();
    simulator.start();
    let served = simulator.serve("127.0.0.1:0").await.with_context(|| format!("simulating {}", place.id))?;
    let kubeconfig = options.data.join(format!("{}.kubeconfig", place.id));
    write_private(&kubeconfig, &served.admin_kubeconfig())?;
    Ok(Running { place, served, kubeconfig, simulator, kept })
}

/// `demo.json` for whoever drives the demo: where it is, who can sign in, the kubeconfigs. Its passwords are printed anyway.
fn write_summary(
    data: &Path,
    address: SocketAddr,
    clusters: &[Running],
    witness: Option<&Witness>,
) -> anyhow::Result<()> {
    let users: Vec<_> = PEOPLE
        .iter()
        .map(|p| serde_json::json!({ "name": p.login, "password": p.password, "role": p.role.word() }))
        .collect();
    let files = clusters.iter().map(|c| c.kubeconfig.as_path()).chain(witness.map(Witness::admin));
    let kubeconfigs: Vec<_> = files.map(|file| file.display().to_string()).collect();
    let summary = serde_json::json!({ "url": format!("http://{address}"), "users": users, "kubeconfigs": kubeconfigs });
    // Written whole, then renamed: who waits for the file never reads half of it.
    let (file, made) = (data.join("demo.json"), data.join("demo.json.new"));
    write_private(&made, &summary.to_string())?;
    std::fs::rename(&made, &file).with_context(|| format!("writing {}", file.display()))
}

/// A file for its owner only: it holds a token.
fn write_private(path: &Path, text: &str) -> anyhow::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
        .with_context(|| format!("writing {}", path.display()))?;
    file.write_all(text.as_bytes()).with_context(|| format!("writing {}", path.display()))
}

/// People, clusters and subnets, where they are not there from an earlier start.
async fn seed(program: &Program, clusters: &[Running], witness: Option<&Witness>) -> ops::Result<()> {
    let ops = &program.shared.ops;
    let ctx = Context::system("demo", Clock::machine().now());
    if ops.access.count().await? == 0 {
        for p in &PEOPLE {
            ops.access.add_account(&ctx, p.login, p.name, Some(p.number), p.role, p.password).await?;
        }
    }
    let mut members: Vec<_> =
        clusters.iter().map(|c| (c.place.id, c.place.name, c.served.admin_kubeconfig())).collect();
    members.extend(witness.map(|witness| (witness::ID, witness::NAME, witness.product().to_owned())));
    for (id, name, kubeconfig) in members {
        let id = ClusterId::parse(id)?;
        if ops.fleet.member(&id).is_ok() {
            ops.fleet.replace_kubeconfig(&ctx, &id, &kubeconfig).await?;
        } else {
            let command = Register { id: id.to_string(), name: name.to_owned(), kubeconfig, is_observe_only: false };
            ops.fleet.register(&ctx, command).await?;
        }
    }
    if ops.ipam.subnets(&ctx).await?.is_empty() {
        let there = |cluster: &str| ops.fleet.member(&ClusterId::parse(cluster)?).map(|_| ());
        let subnets = SUBNETS.into_iter().filter(|subnet| there(subnet.5).is_ok());
        for (name, cidr, gateway, vlan, network, cluster) in subnets.chain(witness.map(|_| witness::SUBNET)) {
            let draft = SubnetDraft {
                name: name.to_owned(),
                cidr: cidr.to_owned(),
                gateway: gateway.to_owned(),
                vlan,
                dns: vec!["10.20.0.53".to_owned(), "10.20.1.53".to_owned()],
                search: vec!["corp.example".to_owned()],
                ranges: vec![],
                serves: vec![Serves { cluster: ClusterId::parse(cluster)?, network: network.to_owned() }],
            };
            match ops.ipam.create(&ctx, draft).await {
                Ok(_) => {}
                Err(Error::Invalid(fault)) => {
                    tracing::warn!(name, why = %fault.say, "a subnet of the demo was not made")
                }
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

fn announce(address: SocketAddr, clusters: &[Running], witness: Option<&Witness>, took: std::time::Duration) {
    println!("\n  harvester-admin demo   http://{address}   (up in {:.1} s)\n", took.as_secs_f64());
    println!("  Sign in as");
    for p in &PEOPLE {
        println!("    {:<9} {:<20} {} {}", p.login, p.password, p.role.say().zh, p.role.say().en);
    }
    println!("\n  Simulated clusters, for kubectl");
    for cluster in clusters {
        println!(
            "    {:<14} Harvester {}   --kubeconfig {}",
            cluster.place.id,
            cluster.place.release,
            cluster.kubeconfig.display()
        );
    }
    if let Some(witness) = witness {
        println!("\n  Upstream's own Kubernetes and KubeVirt, with nodes that are played");
        println!("    {:<14} {}   --kubeconfig {}", witness::ID, witness::NAME, witness.admin().display());
    }
    println!("\n  Ctrl-C ends everything; the data stays.\n");
}
