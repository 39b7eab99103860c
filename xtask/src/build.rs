//! `cargo xtask build`: the program and the interface it serves.
//!
//! Server and browser half are two cargo calls: in one, `app` would get both `ssr` and `hydrate`.

use std::fmt;
use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::cargo::cargo;
use crate::process::run;
use crate::site::{self, Site};
use crate::toolchain::{self, Wasm};
use crate::workspace::{Profile, Workspace};

/// What an operator needs beside program and site, and its name there. The configuration is an example by its name, so that
/// a copy over an older folder leaves the one in use alone.
const DELIVERED: [(&str, &str); 5] = [
    ("deploy/harvester-admin.toml", "harvester-admin.toml.example"),
    ("deploy/harvester-admin.service", "harvester-admin.service"),
    ("deploy/clusterrole.yaml", "clusterrole.yaml"),
    ("deploy/alerts.yaml", "alerts.yaml"),
    ("LICENSE", "LICENSE"),
];

/// How long each part took, and what the interface weighs.
#[derive(Debug)]
pub(crate) struct Built {
    server: Duration,
    browser: Duration,
    site: Duration,
    made: Site,
    pub(crate) folder: std::path::PathBuf,
}

impl Built {
    /// All of it.
    pub(crate) fn total(&self) -> Duration {
        self.server + self.browser + self.site
    }
}

/// Builds what is out of date.
pub(crate) fn build(workspace: &Workspace, profile: Profile) -> Result<Built> {
    toolchain::ensure_c_compiler()?;
    let (server, _) =
        timed(|| run(&mut cargo(workspace, &format!("build -p server --profile {}", profile.native().0))))?;
    let (browser, _) = timed(|| build_browser(workspace, profile))?;
    let (site, made) = timed(|| site::assemble(workspace, profile))?;
    if profile == Profile::Release {
        deliver(workspace)?;
    }
    let folder = if profile == Profile::Release { workspace.dist() } else { workspace.site(profile) };
    Ok(Built { server, browser, site, made, folder })
}

/// Compiles the browser half.
pub(crate) fn build_browser(workspace: &Workspace, profile: Profile) -> Result<()> {
    let wasm = Wasm::ensure()?;
    run(&mut wasm.cargo(workspace, &format!("build -p frontend --lib --profile {}", profile.browser())))
}

/// Puts the program and [`DELIVERED`] beside the site.
fn deliver(workspace: &Workspace) -> Result<()> {
    let dist = workspace.dist();
    let program = workspace.program(Profile::Release);
    fs::create_dir_all(&dist)?;
    // A running program cannot be written over, but its name can be given to another file.
    let fresh = dist.join("harvester-admin.new");
    fs::copy(&program, &fresh).with_context(|| format!("copying {}", program.display()))?;
    fs::rename(&fresh, dist.join("harvester-admin"))?;
    for (from, name) in DELIVERED {
        fs::copy(workspace.path(from), dist.join(name)).with_context(|| format!("copying {from}"))?;
    }
    Ok(())
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(Duration, T)> {
    let start = Instant::now();
    work().map(|done| (start.elapsed(), done))
}

impl fmt::Display for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("server", self.server), ("browser", self.browser), ("site", self.site)];
        let parts = parts.map(|(name, time)| format!("{name} {:.1} s", time.as_secs_f64())).join(", ");
        writeln!(f, "built in {:.1} s ({parts}): {}", self.total().as_secs_f64(), self.folder.display())?;
        match &self.made {
            Site::Current => write!(f, "the interface is unchanged"),
            Site::New { build, weights } => {
                write!(f, "the interface is build {build}")?;
                weights.iter().try_for_each(|weight| write!(f, "\n{weight}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_delivered_is_there() {
        let workspace = Workspace::find().unwrap();
        for (from, _) in DELIVERED {
            assert!(workspace.path(from).is_file(), "{from}");
        }
    }
}
