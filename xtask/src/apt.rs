//! Installing what the checks need from Debian's or Ubuntu's packages, where we may.
//!
//! Only `cargo xtask test` and `shots` install anything, and only as root; everybody else is told what to type.

use std::process::Command;

use anyhow::{Result, bail};

use crate::process::{answer, run, which};

/// Makes `is_there` true by installing `packages`; says what to type where we may not.
pub(crate) fn ensure(packages: &[&str], is_there: impl Fn() -> bool) -> Result<()> {
    if is_there() {
        return Ok(());
    }
    let list = packages.join(" ");
    if !is_possible() {
        bail!("missing: {list}. Install by `sudo apt-get install {list}` or your system's way");
    }
    println!("installing {list}");
    run(&mut apt_get(&["update", "-qq"]))?;
    run(apt_get(&["install", "-y", "-qq", "--no-install-recommends"]).args(packages))?;
    if !is_there() {
        bail!("{list} were installed, but what they should bring is still not there");
    }
    Ok(())
}

/// Whether we may install packages here.
pub(crate) fn is_possible() -> bool {
    rustix::process::geteuid().is_root() && which("apt-get").is_some()
}

/// Whether Debian's package of that name is installed; `false` on other systems.
pub(crate) fn has(package: &str) -> bool {
    answer(Command::new("dpkg-query").args(["-W", "-f", "${db:Status-Status}", package])).as_deref()
        == Some("installed")
}

fn apt_get(words: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    command.args(words).env("DEBIAN_FRONTEND", "noninteractive");
    command
}
