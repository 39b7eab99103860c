//! Playwright in the Chromium of the system: no browser is downloaded.
//!
//! The specs and everything they share are in `end2end/`; here is only what must be there before they run.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::apt;
use crate::process::{run, which};
use crate::workspace::{Profile, Workspace};

/// Names under which distributions install it.
const CHROMIUMS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
/// Both languages look as designed only with these.
const FONTS: [&str; 3] = ["fonts-noto-cjk", "fonts-inter", "fonts-jetbrains-mono"];
/// The simulator shows real screens where QEMU is there, and drawn ones where it is not.
const QEMU: &str = "qemu-system-x86";

/// Installs what is missing, as far as we may.
pub(crate) fn prepare(workspace: &Workspace) -> Result<()> {
    apt::ensure(&["chromium"], || chromium().is_some())?;
    apt::ensure(&["nodejs", "npm"], || which("npm").is_some())?;
    if apt::is_possible() {
        apt::ensure(&FONTS, || FONTS.iter().all(|font| apt::has(font)))?;
        apt::ensure(&[QEMU], || which("qemu-system-x86_64").is_some())?;
    }
    install_packages(workspace)
}

/// `npx playwright …` in `end2end/`, with Chromium and the built programs named in its environment.
pub(crate) fn playwright(workspace: &Workspace, words: &[&str]) -> Command {
    let folder = workspace.path("end2end");
    let mut command = Command::new(folder.join("node_modules/.bin/playwright"));
    command.args(words).current_dir(&folder);
    let program = workspace.program(Profile::Dev);
    command.env("HARVESTER_SIM", program.with_file_name("harvester-sim")).env("HARVESTER_ADMIN", program);
    if let Some(chromium) = chromium() {
        command.env("CHROMIUM", chromium);
    }
    command
}

/// `npm …` in `end2end/`.
pub(crate) fn npm(workspace: &Workspace, words: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(words).current_dir(workspace.path("end2end")).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    command
}

/// `CHROMIUM` from the environment, else the first that is in `PATH`.
fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    named.or_else(|| CHROMIUMS.iter().find_map(|name| which(name)))
}

/// `npm ci`, unless what is there was installed from the same lock file.
fn install_packages(workspace: &Workspace) -> Result<()> {
    let folder = workspace.path("end2end");
    let lock = fs::read(folder.join("package-lock.json")).context("reading end2end/package-lock.json")?;
    let stamp = folder.join("node_modules/.installed-from");
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    run(&mut npm(workspace, &["ci", "--no-audit", "--no-fund", "--loglevel=error"]))?;
    fs::write(stamp, lock).context("remembering what was installed")
}
