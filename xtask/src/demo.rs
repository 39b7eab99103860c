//! `cargo xtask demo`: the product against simulated clusters, from a clean clone in one command.
//!
//! The clusters, the users and the words on the first screen are the program's own (`harvester-admin demo`); this builds
//! what is out of date and passes on what the user asked for.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::build::build;
use crate::process::{Running, bound_to_us};
use crate::witness;
use crate::workspace::{Profile, Workspace};

/// What the user may ask for; all of it means what `harvester-admin demo --help` says.
#[derive(Debug, clap::Args)]
pub(crate) struct Wishes {
    /// The port on the loopback.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// How many VMs the simulated clusters hold.
    #[arg(long)]
    vms: Option<u32>,
    /// How many times faster than ours their clock runs.
    #[arg(long)]
    speed: Option<u32>,
    /// Nothing happens by itself; otherwise now and then a VM reboots or moves.
    #[arg(long)]
    still: bool,
    /// Where to keep data, as postgres://…; SQLite in the data folder when not given.
    #[arg(long)]
    database: Option<String>,
    /// The data folder; `data` in the current one when not given.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Upstream's own Kubernetes and KubeVirt in place of the second simulated cluster; needs Go, and the first time a quarter
    /// of an hour.
    #[arg(long)]
    witness: bool,
    /// Built with optimisations: slower to start the first time, faster afterwards.
    #[arg(long)]
    release: bool,
}

/// Builds, says how long that took, and runs until the program ends or Ctrl-C.
pub(crate) fn demo(workspace: &Workspace, wishes: &Wishes) -> Result<()> {
    let profile = if wishes.release { Profile::Release } else { Profile::Dev };
    println!("{}", build(workspace, profile)?);
    let program = if wishes.release { workspace.dist().join("harvester-admin") } else { workspace.program(profile) };
    let witness = if wishes.witness { Some(witness::for_demo(workspace)?) } else { None };
    let mut command = bound_to_us(&program, "TERM");
    if let Some(witness) = &witness {
        print!("{witness}");
        pass_on(&mut command, wishes).arg("--witness").arg(witness.file());
    } else {
        pass_on(&mut command, wishes);
    }
    let status = Running::start(&mut command)?.wait()?;
    if let Some(witness) = witness {
        witness.end()?;
    }
    if status.success() { Ok(()) } else { bail!("the demo ended ({status})") }
}

fn pass_on<'a>(command: &'a mut Command, wishes: &Wishes) -> &'a mut Command {
    command.args(["demo", "--port", &wishes.port.to_string()]);
    let numbers = [("--vms", wishes.vms), ("--speed", wishes.speed)];
    for (name, value) in numbers.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        command.args([name, &value.to_string()]);
    }
    if wishes.still {
        command.arg("--still");
    }
    if let Some(database) = &wishes.database {
        command.args(["--database", database]);
    }
    if let Some(data) = &wishes.data {
        command.arg("--data").arg(data);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_asked_for_is_left_to_the_program() {
        let mut wishes = Wishes {
            port: 9000,
            vms: None,
            speed: None,
            still: false,
            database: None,
            data: None,
            witness: false,
            release: false,
        };
        let words = |wishes: &Wishes| {
            let mut command = Command::new("harvester-admin");
            crate::process::shown(pass_on(&mut command, wishes))
        };
        assert_eq!(words(&wishes), "harvester-admin demo --port 9000");
        wishes.vms = Some(100_000);
        wishes.data = Some("/tmp/x".into());
        assert_eq!(words(&wishes), "harvester-admin demo --port 9000 --vms 100000 --data /tmp/x");
    }
}
