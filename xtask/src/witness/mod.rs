//! `cargo xtask witness`: upstream's own Kubernetes and KubeVirt control planes on the loopback (`end2end/witness/README.md`).
//!
//! `programs` builds them by Go, `kept` keeps an etcd folder with everything installed, `plane` runs them, `up` holds one
//! witness until it is told to end, `state` is what others find of it. Nothing outlives its starter, nothing is written
//! into the work tree, and without Go everything else of `xtask` works.
//!
//! Only `check` knows that there is a product: it runs the suites that hold simulator and product against a witness.

mod cache;
mod check;
mod definitions;
mod identities;
mod kept;
mod memory;
mod plane;
mod ports;
mod programs;
mod state;
mod up;

use anyhow::Result;
use clap::Subcommand;

use crate::workspace::Workspace;
use cache::Cache;
use definitions::{Definitions, Wish};
use kept::Kept;
use programs::Programs;
use up::Witness;

pub(crate) use check::check;

/// What can be done with a witness.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Builds the programs and the etcd folder that a start copies: minutes the first time, nothing afterwards.
    Build(Wish),
    /// Runs one until Ctrl-C, or until whoever started it ends.
    Up(up::Wishes),
    /// Ends one that was detached.
    Down {
        /// Which.
        #[arg(long, default_value = up::DEFAULT_NAME)]
        name: String,
        /// All that there are.
        #[arg(long, conflicts_with = "name")]
        all: bool,
    },
    /// Which there are, where they answer and what they need.
    Status,
}

/// One for the demo, which gives its cluster a name of its own so that it is in nobody's way.
pub(crate) fn for_demo(workspace: &Workspace) -> Result<Witness> {
    Witness::start(workspace, &Cache::find()?, "demo", DEMO_NODES, &Wish::default())
}

/// Nodes of the demo's witness.
const DEMO_NODES: u32 = 3;

/// Does it.
pub(crate) fn witness(workspace: &Workspace, command: &Command) -> Result<()> {
    let cache = Cache::find()?;
    match command {
        Command::Build(wish) => {
            let programs = Programs::ensure(workspace, &cache)?;
            println!("{programs}");
            println!("{}", Kept::ensure(&cache, &programs, &Definitions::find(workspace, wish)?)?);
            Ok(())
        }
        Command::Up(wishes) => up::up(workspace, &cache, wishes),
        Command::Down { all: true, .. } => cache.names()?.iter().try_for_each(|name| state::down(&cache, name)),
        Command::Down { name, all: false } => state::down(&cache, name),
        Command::Status => state::status(&cache),
    }
}
