//! `harvester-sim`: a simulated Harvester cluster on a port, for kubectl, virtctl and a look around; and the node agent
//! that plays the missing programs of a real control plane.

use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use simulator::Simulator;
use simulator::agent::{Agent, Door, Options};
use simulator::behave::Role;
use simulator::behave::role::roles;
use simulator::clock::Clock;
use simulator::world::catalogue::Release;
use std::path::PathBuf;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

#[derive(Debug, Parser)]
#[command(name = "harvester-sim", about = "A Harvester cluster that speaks the Kubernetes REST API")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serves a cluster until Ctrl-C.
    Serve(Serve),
    /// Plays the programs that a real Kubernetes + KubeVirt control plane lacks, until Ctrl-C.
    Behave(Behave),
}

#[derive(Debug, Args)]
struct Serve {
    /// Address; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: String,
    /// Harvester release: 1.2, 1.3, 1.4, 1.6, 1.8 or 1.9.
    #[arg(long, default_value = "1.8", value_parser = Release::ALL.map(Release::line))]
    harvester: String,
    /// Hosts.
    #[arg(long, default_value_t = 6)]
    nodes: usize,
    /// VMs that are there from the start.
    #[arg(long, default_value_t = 240)]
    vms: usize,
    /// How much faster than real time.
    #[arg(long, default_value_t = 1.0)]
    speed: f64,
    /// Seed of names, uids and chances.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Programs that act: `all`, `upstream` (then `behave` plays the others), or a list.
    #[arg(long, default_value = "all")]
    roles: String,
    /// Where to write a kubeconfig for the administrator.
    #[arg(long)]
    kubeconfig: Option<PathBuf>,
    /// Where to write a kubeconfig for `behave`: a context a role.
    #[arg(long)]
    agent_kubeconfig: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct Behave {
    /// Where the server is. A context named like a role is that role's identity, the current context all others'.
    #[arg(long)]
    kubeconfig: PathBuf,
    /// Programs to play: `node` (all that upstream's control plane lacks) or a list.
    #[arg(long, default_value = "node")]
    roles: String,
    /// `ROLE=KUBECONFIG`: another file for a role's identity. KubeVirt takes a VMI's status from virt-handler only.
    #[arg(long = "as", value_parser = identity)]
    identities: Vec<(Role, PathBuf)>,
    /// Hosts that there are to be (`hv-01` and on).
    #[arg(long, default_value_t = 3)]
    nodes: usize,
    /// Make what Harvester brings, too, where it is missing: settings, classes, networks, images.
    #[arg(long)]
    platform: bool,
    /// virt-handler's port (virt-api's `--console-server-port`); host n listens on 127.0.1.n.
    #[arg(long, requires = "console_tls")]
    console_port: Option<u16>,
    /// Folder with virt-handler's `server.crt` and `server.key`, and the `ca.crt` of its clients.
    #[arg(long)]
    console_tls: Option<PathBuf>,
}

fn identity(text: &str) -> Result<(Role, PathBuf), String> {
    let (role, path) = text.split_once('=').ok_or("not ROLE=KUBECONFIG")?;
    let role = Role::parse(role).ok_or_else(|| format!("`{role}` is no role"))?;
    Ok((role, path.into()))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    match Arguments::parse().command {
        Command::Serve(arguments) => serve(arguments).await,
        Command::Behave(arguments) => behave(arguments).await,
    }
}

async fn serve(arguments: Serve) -> anyhow::Result<()> {
    let played = roles(&arguments.roles).map_err(anyhow::Error::msg)?;
    let simulator = Simulator::builder()
        .harvester(&arguments.harvester)
        .nodes(arguments.nodes)
        .vms(arguments.vms)
        .seed(arguments.seed)
        .roles(&played)
        .clock(Clock::auto(arguments.speed))
        .build();
    let served = simulator.serve(&arguments.listen).await?;
    for (path, content) in
        [(arguments.kubeconfig, served.admin_kubeconfig()), (arguments.agent_kubeconfig, served.agent_kubeconfig())]
    {
        if let Some(path) = path {
            std::fs::write(&path, content).with_context(|| format!("writing {}", path.display()))?;
        }
    }
    simulator.start();
    println!("{}", served.url);
    tokio::signal::ctrl_c().await.context("waiting for Ctrl-C")?;
    simulator.stop();
    Ok(())
}

async fn behave(arguments: Behave) -> anyhow::Result<()> {
    let stop = CancellationToken::new();
    let door = arguments.console_port.zip(arguments.console_tls).map(|(port, tls)| Door { port, tls });
    let options = Options {
        kubeconfig: arguments.kubeconfig,
        identities: arguments.identities,
        roles: roles(&arguments.roles).map_err(anyhow::Error::msg)?,
        nodes: arguments.nodes,
        door,
        brings_platform: arguments.platform,
        clock: Clock::auto(1.0),
    };
    let agent = Agent::start(options, &stop).await?;
    let ready = agent.ready();
    let told = async {
        ready.cancelled().await;
        println!("ready");
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = agent.run(stop.clone()) => {}
        () = told => {}
        signal = tokio::signal::ctrl_c() => signal.context("waiting for Ctrl-C")?,
    }
    stop.cancel();
    Ok(())
}
