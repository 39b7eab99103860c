//! `up`: holds one witness until it is told to end, or until whoever started it has ended.

use std::fmt;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{getppid, setsid};

use super::cache::{self, Cache};
use super::definitions::{Definitions, Wish};
use super::identities::write_kubeconfig;
use super::kept::Kept;
use super::memory::Memory;
use super::plane::Plane;
use super::ports::Ports;
use super::programs::Programs;
use super::state::{Claim, FILE, State};
use crate::process::{ended_by, said};
use crate::workspace::Workspace;

/// The witness that is meant when none is named.
pub(super) const DEFAULT_NAME: &str = "default";
/// How often we look whether something has ended.
const LOOK: Duration = Duration::from_millis(200);
/// How long the product's token holds.
const TOKEN: &str = "24h";

/// What the user may ask for.
#[derive(Debug, clap::Args)]
pub(crate) struct Wishes {
    /// Its name, for when there are several.
    #[arg(long, default_value = DEFAULT_NAME)]
    name: String,
    /// How many nodes the node agent is to make; without an agent there are none.
    #[arg(long, default_value_t = 3)]
    nodes: u32,
    /// Come back when it is up; it then runs until `down`.
    #[arg(long)]
    detach: bool,
    #[command(flatten)]
    definitions: Wish,
    /// We are the one that was detached.
    #[arg(long, hide = true)]
    detached: bool,
}

/// Runs one.
pub(super) fn up(workspace: &Workspace, cache: &Cache, wishes: &Wishes) -> Result<()> {
    cache::check_name(&wishes.name)?;
    if wishes.detach { detach(workspace, cache, wishes) } else { hold(workspace, cache, wishes) }
}

/// Starts another of us in a session of its own, and waits until its witness is up.
fn detach(workspace: &Workspace, cache: &Cache, wishes: &Wishes) -> Result<()> {
    // Here, so that the user sees how a build goes.
    let programs = Programs::ensure(workspace, cache)?;
    Kept::ensure(cache, &programs, &Definitions::find(workspace, &wishes.definitions)?)?;
    let log = cache.path(&format!("run/{}.out", wishes.name));
    let output = File::create(&log).with_context(|| format!("making {}", log.display()))?;
    let mut command = Command::new(std::env::current_exe().context("looking for ourselves")?);
    command.args(["witness", "up", "--detached", "--name", &wishes.name, "--nodes", &wishes.nodes.to_string()]);
    command.args(wishes.definitions.arguments()?).stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    let mut holder = command.spawn().context("starting the holder")?;
    loop {
        let is_up = State::read(cache, &wishes.name)?.is_some_and(|state| state.pid == holder.id() && state.is_kept);
        let ended = holder.try_wait().context("waiting for the holder")?;
        if is_up || ended.is_some() {
            print!("{}", fs::read_to_string(&log).unwrap_or_default());
        }
        match ended {
            _ if is_up => return Ok(()),
            Some(status) => bail!("the witness did not come up ({status})"),
            None if ended_by().is_some() => {
                holder.kill()?;
                bail!("interrupted");
            }
            None => std::thread::sleep(LOOK),
        }
    }
}

fn hold(workspace: &Workspace, cache: &Cache, wishes: &Wishes) -> Result<()> {
    if wishes.detached {
        setsid().context("leaving the terminal")?;
    }
    let starter = getppid();
    let mut witness = Witness::start(workspace, cache, &wishes.name, wishes.nodes, &wishes.definitions)?;
    print!("{witness}");
    // Whoever has detached us shows what was printed before this.
    witness.state.is_kept = true;
    witness.state.write(cache)?;
    // A starter's threads may end before it does, so it is asked for by its id and not by a signal of the kernel's.
    while ended_by().is_none() && (wishes.detached || getppid() == starter) {
        witness.keep(cache)?;
        std::thread::sleep(LOOK);
    }
    witness.end()
}

/// One that is up.
#[derive(Debug)]
pub(crate) struct Witness {
    // Dropped in this order: the programs end, then the name is free.
    pub(super) plane: Plane,
    _claim: Claim,
    state: State,
    folder: PathBuf,
    /// How long the start took, without building.
    pub(super) took: Duration,
}

impl Witness {
    /// Starts one and waits until it is ready; what is not built is built before.
    pub(super) fn start(workspace: &Workspace, cache: &Cache, name: &str, nodes: u32, wish: &Wish) -> Result<Self> {
        let programs = Programs::ensure(workspace, cache)?;
        let kept = Kept::ensure(cache, &programs, &Definitions::find(workspace, wish)?)?;
        let start = Instant::now();
        let claim = Claim::take(cache, name)?;
        let folder = cache.run(name);
        kept.copy_to(&folder.join("etcd"))?;
        let mut plane = Plane::start(&programs, &folder, Ports::take(cache)?)?;
        plane.virt_api()?;
        plane.wait_for_server()?;
        plane.virt_controller()?;
        plane.scheduler()?;
        give_out(&plane)?;
        plane.wait_for(&[plane.virt_api_address()])?;
        let mut callers = plane.callers();
        plane.create_output(&mut callers, "callers.json")?;
        // Last, because it has the API server prepare every kind there is.
        plane.controller_manager()?;
        let through_the_server = "/apis/subresources.kubevirt.io/v1".to_owned();
        plane.wait_for(&[&[through_the_server], plane.background().as_slice()].concat())?;
        plane.settle();
        let state = state(&plane, &programs, name, nodes)?;
        state.write(cache)?;
        Ok(Self { plane, _claim: claim, state, folder, took: start.elapsed() })
    }

    /// What all its programs need.
    pub(super) fn memory(&self) -> Memory {
        self.plane.memory()
    }

    /// Starts again what has died, and tells others its new process.
    fn keep(&mut self, cache: &Cache) -> Result<()> {
        if self.plane.keep()? {
            self.state.pids = pids(&self.plane);
            self.state.write(cache)?;
        }
        Ok(())
    }

    /// Its `witness.json`.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// Ends it in order; nothing of it is left.
    pub(crate) fn end(self) -> Result<()> {
        let Self { plane, _claim, folder, .. } = self;
        fs::remove_file(folder.join(FILE)).context("taking back what others find")?;
        drop(plane);
        cache::remove(&folder)
    }
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { state, took, .. } = self;
        writeln!(
            f,
            "witness `{}` is up after {:.1} s: {}, {}",
            state.name,
            took.as_secs_f64(),
            state.server,
            self.memory()
        )?;
        for (who, path) in [("admin", &state.admin), ("product", &state.product), ("node agent", &state.agent)] {
            writeln!(f, "  {who:<12} KUBECONFIG={}", path.display())?;
        }
        let (port, tls) = (state.handler_port, state.handler_tls.display());
        writeln!(f, "  virt-handler port {port} of 127.0.0.0/8, keys in {tls}")?;
        writeln!(f, "  all of it    {}", self.file().display())
    }
}

/// Gives the product a token of the API server's own, and the node agent the keys of virt-handler.
fn give_out(plane: &Plane) -> Result<()> {
    let words = format!("create token harvester-admin --namespace harvester-admin --duration {TOKEN}");
    let token = said(&mut plane.kubectl(&words)).context("asking for a token for the product")?;
    write_kubeconfig(&plane.path(""), "product", &plane.server(), &[("product", &token)])?;
    let tls = plane.path("handler");
    fs::create_dir_all(&tls)?;
    for (from, to) in [("handler-server.crt", "server.crt"), ("handler-server.key", "server.key"), ("ca.crt", "ca.crt")]
    {
        fs::copy(plane.path(from), tls.join(to)).with_context(|| format!("copying {from}"))?;
    }
    Ok(())
}

fn state(plane: &Plane, programs: &Programs, name: &str, nodes: u32) -> Result<State> {
    let file = |relative: &str| plane.path(relative).canonicalize().with_context(|| format!("looking for {relative}"));
    Ok(State {
        name: name.to_owned(),
        pid: std::process::id(),
        server: plane.server(),
        etcd: plane.etcd_address(),
        handler_port: plane.handler_port(),
        nodes,
        admin: file("admin.kubeconfig")?,
        product: file("product.kubeconfig")?,
        agent: file("agent.kubeconfig")?,
        handler_tls: file("handler")?,
        logs: file("logs")?,
        programs: programs.folder().to_owned(),
        is_kept: false,
        pids: pids(plane),
    })
}

fn pids(plane: &Plane) -> Vec<(String, u32)> {
    plane.pids().map(|(name, pid)| (name.to_owned(), pid)).collect()
}
