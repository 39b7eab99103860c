//! The step `clients` of `cargo xtask test`: programs that nobody here wrote have a session with the simulator, and the same
//! with upstream's own control plane where one runs beside it.
//!
//! What a session asks is in `end2end/clients/`; here is only what it needs: the packages, kept outside the work tree, and a
//! simulated cluster.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::cargo::cargo;
use crate::process::{Running, bound_to_us, run, run_reading, which};
use crate::steps::{Outcome, Tally};
use crate::workspace::{Profile, Workspace};

/// PyPI's client, as `session.py` was written for.
const PYTHON: &str = "kubernetes==37.0.2";
/// How long the simulator may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Where sessions make what they make.
const NAMESPACE: &str = "default";

/// Clients of other people, ready to run.
#[derive(Debug)]
pub(crate) struct Clients {
    sessions: Vec<(&'static str, PathBuf, PathBuf)>,
}

impl Clients {
    /// Gets the packages where they are not there yet; a client whose language is missing is left out, and named.
    pub(crate) fn ensure(workspace: &Workspace) -> Result<Self> {
        let sources = workspace.path("end2end/clients");
        let home = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
        let cache = home.context("neither XDG_CACHE_HOME nor HOME is set")?.join("harvester-admin/clients");
        let mut sessions = Vec::new();
        match which("npm").zip(which("node")) {
            Some((npm, node)) => {
                sessions.push(("@kubernetes/client-node", node, node_session(&sources, &cache.join("node"), &npm)?))
            }
            None => println!("no Node.js here: @kubernetes/client-node is left out"),
        }
        match python(&cache.join("python")) {
            Ok(python) => sessions.push(("kubernetes of PyPI", python, sources.join("session.py"))),
            Err(error) => println!("no Python with venv here ({error:#}): PyPI's kubernetes is left out"),
        }
        Ok(Self { sessions })
    }

    /// Has a session of each with a cluster; counts what was held.
    pub(crate) fn meet(&self, kubeconfig: &Path) -> Result<u64> {
        let mut held = 0;
        for (name, interpreter, session) in &self.sessions {
            println!("  {name}");
            let mut command = Command::new(interpreter);
            command.arg(session).arg(kubeconfig).arg(NAMESPACE);
            run_reading(&mut command, |line| held += u64::from(line.starts_with("  ")))?;
        }
        Ok(held)
    }
}

/// The step: a simulated cluster of our own.
pub(crate) fn check(workspace: &Workspace) -> Result<Outcome> {
    let clients = Clients::ensure(workspace)?;
    if clients.sessions.is_empty() {
        return Ok(Outcome::Left("neither Node.js nor Python here"));
    }
    run(&mut cargo(workspace, "build -p simulator --bin harvester-sim"))?;
    let folder = tempfile::tempdir().context("making a folder")?;
    let kubeconfig = folder.path().join("kubeconfig");
    let mut command = bound_to_us(&workspace.program(Profile::Dev).with_file_name("harvester-sim"), "TERM");
    command.args(["serve", "--nodes", "3", "--speed", "10", "--kubeconfig"]).arg(&kubeconfig);
    let _simulator = Running::start(command.stdout(Stdio::null()))?;
    let start = Instant::now();
    while !kubeconfig.exists() {
        if start.elapsed() > PATIENCE {
            bail!("the simulator wrote no kubeconfig within {} s", PATIENCE.as_secs());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(Outcome::Done(Tally { passed: clients.meet(&kubeconfig)?, ..Tally::default() }))
}

/// The session beside its packages: Node looks for them from where a module lies.
fn node_session(sources: &Path, folder: &Path, npm: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    let lock = fs::read(sources.join("package-lock.json")).context("reading end2end/clients/package-lock.json")?;
    let stamp = folder.join("installed-from");
    for name in ["package.json", "package-lock.json", "session.mjs", "vm.json"] {
        fs::copy(sources.join(name), folder.join(name)).with_context(|| format!("copying {name}"))?;
    }
    if !fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        let mut install = Command::new(npm);
        run(install.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder))?;
        fs::write(&stamp, lock).context("remembering what was installed")?;
    }
    Ok(folder.join("session.mjs"))
}

/// A Python that has the package.
fn python(folder: &Path) -> Result<PathBuf> {
    let python = folder.join("bin/python");
    let stamp = folder.join("installed-from");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == PYTHON) {
        return Ok(python);
    }
    let system = which("python3").context("no python3 in PATH")?;
    run(Command::new(system).args(["-m", "venv", "--clear"]).arg(folder))?;
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PYTHON]))?;
    fs::write(&stamp, PYTHON).context("remembering what was installed")?;
    Ok(python)
}
