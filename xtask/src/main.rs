//! `cargo xtask`: the build, its checks and the demo.
//!
//! The one tool to know in this repository; it needs Rust and a C compiler and nothing else to build and run the product.
//! Each command is a module; what they share is `workspace` (where things are), `cargo` (how cargo is called), `process`
//! (children that never outlive us) and `steps` (what is reported).
//!
//! ```text
//! cargo xtask demo                  builds what changed and runs the product against simulated clusters
//! cargo xtask build [--release]     target/debug + target/site, or target/dist/harvester-admin to copy somewhere
//! cargo xtask test [--quick]        everything that CI checks, in order of speed
//! cargo xtask tidy                  the rules of the architecture that a machine can keep
//! cargo xtask witness build | up | down | status
//!                                   upstream's own control planes on the loopback
//! cargo xtask bench | fmt | shots
//! ```
//! It must never know what the product does: no noun of the platform appears here.

mod apt;
mod bench;
mod browser;
mod build;
mod cargo;
mod checks;
mod clients;
mod compress;
mod demo;
mod postgres;
mod process;
mod site;
mod steps;
mod tidy;
mod toolchain;
mod witness;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::workspace::{Profile, Workspace};

/// The build of harvester-admin, its checks and the demo.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Builds the program and the interface it serves.
    Build {
        /// Optimised, and as one folder to copy: target/dist/harvester-admin.
        #[arg(long)]
        release: bool,
    },
    /// Builds what changed and runs the product against simulated clusters.
    Demo(demo::Wishes),
    /// Everything that CI checks, in order of speed.
    Test(checks::Selection),
    /// The rules of the architecture and of style that a machine can keep.
    Tidy,
    /// The benchmarks of every package that has some.
    Bench {
        /// Only this package.
        #[arg(long, short)]
        package: Option<String>,
    },
    /// Upstream's own Kubernetes and KubeVirt control planes on the loopback: end2end/witness/README.md.
    #[command(subcommand)]
    Witness(witness::Command),
    /// Formats all sources.
    Fmt,
    /// Pictures of every page into end2end/screenshots.
    Shots,
}

fn main() -> ExitCode {
    let result = run(Arguments::parse().command);
    if let Some(signal) = process::ended_by() {
        // As shells report it; what failed is that we were told to end.
        return ExitCode::from(128 + u8::try_from(signal).unwrap_or(0));
    }
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    process::end_children_on_signals()?;
    let workspace = Workspace::find()?;
    match command {
        Command::Build { release } => build::build(&workspace, if release { Profile::Release } else { Profile::Dev })
            .map(|built| println!("{built}")),
        Command::Demo(wishes) => demo::demo(&workspace, &wishes),
        Command::Test(selection) => checks::test(&workspace, &selection),
        Command::Tidy => tidy::tidy(&workspace).map(|_| ()),
        Command::Bench { package } => bench::bench(&workspace, package.as_deref()),
        Command::Witness(command) => witness::witness(&workspace, &command),
        Command::Fmt => process::run(&mut cargo::cargo(&workspace, "fmt --all")),
        Command::Shots => shots(&workspace),
    }
}

/// Takes the pictures that `end2end/shots.ts` lists.
fn shots(workspace: &Workspace) -> Result<()> {
    browser::prepare(workspace)?;
    build::build(workspace, Profile::Dev)?;
    process::run(&mut browser::playwright(workspace, &["test", "--config", "shots.config.ts"]))
}
