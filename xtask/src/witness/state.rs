//! What others find of a witness: a file with all that they need, there as long as the witness is up.
//!
//! Whether one runs is asked of the file lock that it holds, never of a process id, which may be somebody else's by now.

use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use super::cache::{self, Cache};
use super::memory::Memory;

/// The file in a witness's folder.
pub(super) const FILE: &str = "witness.json";
/// How long one may take to end when it is told to; afterwards it is killed, and the kernel ends its programs.
const GRACE: Duration = Duration::from_secs(20);

/// Where a witness answers and what it takes to talk to it; all paths are absolute.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct State {
    pub(super) name: String,
    /// Who holds it.
    pub(super) pid: u32,
    /// The API server.
    pub(super) server: String,
    /// etcd, for who wants it compacted.
    pub(super) etcd: String,
    /// Where virt-api looks for virt-handlers.
    pub(super) handler_port: u16,
    /// How many nodes the node agent is to make.
    pub(super) nodes: u32,
    /// Kubeconfigs.
    pub(super) admin: PathBuf,
    pub(super) product: PathBuf,
    pub(super) agent: PathBuf,
    /// Certificate, key and authority for virt-handler's port.
    pub(super) handler_tls: PathBuf,
    pub(super) logs: PathBuf,
    /// virtctl and `kube kubectl` of the right versions.
    pub(super) programs: PathBuf,
    /// Who holds it starts again what has died, so that faults can be tried.
    pub(super) is_kept: bool,
    /// Process ids by name.
    pub(super) pids: Vec<(String, u32)>,
}

impl State {
    /// Writes it; it is there whole or not at all.
    pub(super) fn write(&self, cache: &Cache) -> Result<()> {
        let path = cache.run(&self.name).join(FILE);
        let partial = path.with_extension("partial");
        fs::write(&partial, format!("{}\n", serde_json::to_string_pretty(self)?))?;
        fs::rename(&partial, &path).with_context(|| format!("writing {}", path.display()))
    }

    /// Reads that of a witness; `None` when it is not up.
    pub(super) fn read(cache: &Cache, name: &str) -> Result<Option<Self>> {
        let path = cache.run(name).join(FILE);
        match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map(Some).with_context(|| format!("reading {}", path.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("reading {}", path.display())),
        }
    }
}

/// The right to be the witness of that name, until this is dropped.
#[derive(Debug)]
pub(super) struct Claim {
    _lock: File,
}

impl Claim {
    /// Takes it, and throws away what an earlier one has left.
    pub(super) fn take(cache: &Cache, name: &str) -> Result<Self> {
        cache::check_name(name)?;
        let mut lock = open_lock(cache, name)?;
        if lock.try_lock().is_err() {
            bail!("a witness `{name}` is there already; `cargo xtask witness down --name {name}` ends it");
        }
        lock.set_len(0)?;
        lock.rewind()?;
        write!(lock, "{}", std::process::id())?;
        cache::remove(&cache.run(name))?;
        fs::create_dir_all(cache.run(name))?;
        Ok(Self { _lock: lock })
    }
}

/// Whether somebody holds it.
fn is_held(cache: &Cache, name: &str) -> Result<bool> {
    Ok(open_lock(cache, name)?.try_lock().is_err())
}

fn open_lock(cache: &Cache, name: &str) -> Result<File> {
    let path = cache.path(&format!("run/{name}.lock"));
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    options.open(&path).with_context(|| format!("opening {}", path.display()))
}

/// Ends a witness and removes its folder; one that is not there is no fault.
pub(super) fn down(cache: &Cache, name: &str) -> Result<()> {
    cache::check_name(name)?;
    if is_held(cache, name)? {
        let mut text = String::new();
        open_lock(cache, name)?.read_to_string(&mut text)?;
        let pid = text.trim().parse().ok().and_then(Pid::from_raw).context("its lock names no process")?;
        for signal in [Signal::TERM, Signal::KILL] {
            // It may end between our look and this.
            let _ = kill_process(pid, signal);
            let deadline = Instant::now() + GRACE;
            while is_held(cache, name)? && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        if is_held(cache, name)? {
            bail!("process {pid:?} does not end");
        }
        println!("{name} has ended");
    } else if !cache.run(name).is_dir() {
        println!("there is no witness `{name}`");
    }
    cache::remove(&cache.run(name))
}

/// Prints each witness that there is.
pub(super) fn status(cache: &Cache) -> Result<()> {
    let names = cache.names()?;
    if names.is_empty() {
        println!("no witness is there; `cargo xtask witness up` starts one");
    }
    for name in names {
        match (is_held(cache, &name)?, State::read(cache, &name)?) {
            (true, Some(state)) => {
                let memory: Memory = state.pids.iter().map(|(_, pid)| Memory::of(*pid)).sum();
                println!("{name}: up at {}, {} programs, {memory}", state.server, state.pids.len());
                println!("  KUBECONFIG={}", state.admin.display());
            }
            (true, None) => println!("{name}: starting"),
            (false, _) => {
                println!("{name}: ended without order; its logs are in {}", cache.run(&name).join("logs").display())
            }
        }
    }
    Ok(())
}
