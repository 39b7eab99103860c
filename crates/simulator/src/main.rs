//! `harvester-sim`: a simulated Harvester cluster on a port, for kubectl, virtctl and a look around.

use anyhow::Context;
use clap::{Parser, Subcommand};
use simulator::Simulator;
use simulator::clock::Clock;
use std::path::PathBuf;
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
    Serve {
        /// Address; port 0 takes a free one.
        #[arg(long, default_value = "127.0.0.1:0")]
        listen: String,
        /// Harvester release: 1.4 or 1.8.
        #[arg(long, default_value = "1.8", value_parser = ["1.4", "1.8"])]
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
        /// Where to write a kubeconfig for the administrator.
        #[arg(long)]
        kubeconfig: Option<PathBuf>,
    },
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let Command::Serve { listen, harvester, nodes, vms, speed, seed, kubeconfig } = Arguments::parse().command;
    let simulator =
        Simulator::builder().harvester(&harvester).nodes(nodes).vms(vms).seed(seed).clock(Clock::auto(speed)).build();
    let served = simulator.serve(&listen).await?;
    if let Some(path) = kubeconfig {
        std::fs::write(&path, served.admin_kubeconfig()).with_context(|| format!("writing {}", path.display()))?;
    }
    simulator.start();
    println!("{}", served.url);
    tokio::signal::ctrl_c().await.context("waiting for Ctrl-C")?;
    simulator.stop();
    Ok(())
}
