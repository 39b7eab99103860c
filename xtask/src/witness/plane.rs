//! The control plane: the programs of one witness, when they are ready and when they have died; their flags are in `flags`.
//!
//! All programs are started by the thread that holds the plane, because the kernel ends them with that thread.

mod flags;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::identities;
use super::memory::Memory;
use super::ports::Ports;
use super::programs::Programs;
use crate::process::{Running, run, shown};

/// Where Harvester installs KubeVirt.
const NAMESPACE: &str = "harvester-system";
/// How long a program may take to be ready on a busy machine, in seconds.
const PATIENCE_S: u32 = 180;
/// How often we look whether a program has died.
const LOOK: Duration = Duration::from_millis(20);
/// It is started before the API server is ready.
const VIRT_API: &str = "virt-api";
/// How often virt-api may be too early.
const RESTARTS: u32 = 5;
/// How much of a log is shown when its program has died, in lines.
const LAST_WORDS: usize = 15;

/// A program is not started again sooner after its last start.
const PAUSE: Duration = Duration::from_secs(1);

/// A program that was started.
#[derive(Debug)]
struct Program {
    name: &'static str,
    running: Running,
    started: Instant,
}

/// The programs of one witness that run.
#[derive(Debug)]
pub(super) struct Plane {
    running: Vec<Program>,
    programs: Programs,
    folder: PathBuf,
    ports: Ports,
    /// virt-api gives up when the API server does not answer it.
    is_server_ready: bool,
    /// How often virt-api may still be started again.
    restarts_left: u32,
}

impl Plane {
    /// Makes keys and names in `folder`, and starts etcd on `folder/etcd` and the API server on it; neither is waited for.
    pub(super) fn start(programs: &Programs, folder: &Path, ports: Ports) -> Result<Self> {
        run(programs.command("kube").arg("keys").arg(folder))?;
        fs::create_dir_all(folder.join("logs"))?;
        let mut plane = Self {
            running: Vec::new(),
            programs: programs.clone(),
            folder: folder.to_owned(),
            ports,
            is_server_ready: false,
            restarts_left: RESTARTS,
        };
        identities::write(folder, &plane.server())?;
        plane.etcd()?;
        plane.api_server()?;
        Ok(plane)
    }

    /// Waits until the API server is ready.
    pub(super) fn wait_for_server(&mut self) -> Result<()> {
        self.wait_for(&["/readyz".to_owned()])?;
        self.is_server_ready = true;
        Ok(())
    }

    /// From now on nothing is started again.
    pub(super) fn settle(&mut self) {
        self.restarts_left = 0;
    }

    /// The API server's address.
    pub(super) fn server(&self) -> String {
        local(self.ports.api())
    }

    /// etcd's address.
    pub(super) fn etcd_address(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports.etcd())
    }

    /// Where virt-api expects virt-handlers.
    pub(super) fn handler_port(&self) -> u16 {
        self.ports.handler()
    }

    /// A path in the witness's folder.
    pub(super) fn path(&self, relative: &str) -> PathBuf {
        self.folder.join(relative)
    }

    /// Each program and its process.
    pub(super) fn pids(&self) -> impl Iterator<Item = (&'static str, u32)> {
        self.running.iter().map(|program| (program.name, program.running.pid()))
    }

    /// What all of them need.
    pub(super) fn memory(&self) -> Memory {
        self.pids().map(|(_, pid)| Memory::of(pid)).sum()
    }

    /// Fails with its last words when a program has died.
    ///
    /// virt-api is started while the API server is, because it computes for seconds before it asks for anything; when it asks
    /// too early it dies, and is started again as a kubelet would.
    pub(super) fn check(&mut self) -> Result<()> {
        let is_awaited = !self.is_server_ready;
        let may_be_dead = |name: &str| is_awaited && name == VIRT_API;
        let died = |program: &mut Program| !may_be_dead(program.name) && !program.running.is_alive();
        let Some(at) = self.running.iter_mut().position(died) else { return Ok(()) };
        let name = self.running[at].name;
        if name == VIRT_API && self.restarts_left > 0 {
            self.restarts_left -= 1;
            self.running.remove(at);
            return self.virt_api();
        }
        let log = self.log(name);
        let text = fs::read_to_string(&log).unwrap_or_default();
        let lines: Vec<_> = text.lines().collect();
        let last = lines[lines.len().saturating_sub(LAST_WORDS)..].join("\n");
        bail!("{name} has died; its log is {} and ends with\n{last}", log.display())
    }

    /// Starts again what has died since it was up, as a kubelet does with the pods of a control plane; `true` when something
    /// was. So faults can be tried: whoever kills a program finds it back.
    pub(super) fn keep(&mut self) -> Result<bool> {
        let mut is_changed = false;
        for at in 0..self.running.len() {
            let program = &mut self.running[at];
            if program.running.is_alive() || program.started.elapsed() < PAUSE {
                continue;
            }
            let name = program.name;
            println!("{name} has died and is started again");
            self.start_again(name)?;
            // In its old place: programs end in the opposite order of their start.
            self.running.swap_remove(at);
            is_changed = true;
        }
        Ok(is_changed)
    }

    /// kubectl as somebody who may do anything.
    pub(super) fn kubectl(&self, words: &str) -> Command {
        self.kubectl_as("admin", words)
    }

    /// kubectl with one of the kubeconfigs.
    pub(super) fn kubectl_as(&self, who: &str, words: &str) -> Command {
        let mut command = self.programs.command("kube");
        command.arg("kubectl").arg("--kubeconfig").arg(self.path(&format!("{who}.kubeconfig")));
        command.arg("--cache-dir").arg(self.path("kubectl-cache")).args(words.split_whitespace());
        command
    }

    /// Installs what the standard output of `printer` holds.
    pub(super) fn apply_output(&mut self, printer: &mut Command, name: &str) -> Result<()> {
        let path = self.print(printer, name)?;
        self.apply(&[path])
    }

    /// As [`Self::apply_output`], of what is not there yet, and without fetching schemas first.
    pub(super) fn create_output(&mut self, printer: &mut Command, name: &str) -> Result<()> {
        let path = self.print(printer, name)?;
        let mut kubectl = self.kubectl("create --validate=false -o name --filename");
        run(kubectl.arg(path).stdout(File::create(self.path("logs/create.log"))?))
    }

    fn print(&self, printer: &mut Command, name: &str) -> Result<PathBuf> {
        let path = self.path(name);
        let output = printer.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            bail!("`{}` failed ({})", shown(printer), output.status);
        }
        fs::write(&path, output.stdout).with_context(|| format!("writing {}", path.display()))?;
        Ok(path)
    }

    /// Installs what files hold, in their order.
    pub(super) fn apply(&mut self, files: &[PathBuf]) -> Result<()> {
        let mut kubectl = self.kubectl("apply --server-side --force-conflicts --field-manager witness -o name");
        for file in files {
            kubectl.arg("--filename").arg(file);
        }
        run(kubectl.stdout(File::create(self.path("logs/apply.log"))?))
    }

    /// KubeVirt's printer of its objects.
    pub(super) fn printer(&self, words: &[&str]) -> Command {
        let mut command = self.programs.command("kubevirt-objects");
        command.args(words);
        command
    }

    /// What calls virt-api, for its printer.
    pub(super) fn callers(&self) -> Command {
        let mut command = self.printer(&["callers", &self.ports.virt_api().to_string()]);
        command.arg(self.path("ca.crt"));
        command
    }

    /// Waits until each path of the API server, or other address, answers with 200.
    pub(super) fn wait_for(&mut self, addresses: &[String]) -> Result<()> {
        let mut command = self.programs.command("kube");
        command.args(["ready", &PATIENCE_S.to_string()]).arg(self.path("admin.kubeconfig")).args(addresses);
        let mut ready = Running::start(&mut command)?.expendable();
        while ready.is_alive() {
            self.check()?;
            std::thread::sleep(LOOK);
        }
        let status = ready.wait()?;
        if !status.success() {
            bail!(
                "not ready after {PATIENCE_S} s: {}; logs are in {}",
                addresses.join(", "),
                self.path("logs").display()
            );
        }
        Ok(())
    }

    /// Addresses that answer when the programs which are not asked by name are ready.
    pub(super) fn background(&self) -> [String; 3] {
        let ports = [self.ports.controller_manager(), self.ports.scheduler(), self.ports.virt_controller()];
        ports.map(|port| format!("{}/healthz", local(port)))
    }

    /// virt-api itself, not through the API server.
    pub(super) fn virt_api_address(&self) -> String {
        format!("{}/apis/subresources.kubevirt.io/v1", local(self.ports.virt_api()))
    }

    fn expendable(&mut self, name: &'static str, command: &mut Command) -> Result<()> {
        let running = self.spawn(name, command)?.expendable();
        self.add(name, running);
        Ok(())
    }

    fn add(&mut self, name: &'static str, running: Running) {
        self.running.push(Program { name, running, started: Instant::now() });
    }

    fn spawn(&self, name: &str, command: &mut Command) -> Result<Running> {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.log(name))
            .with_context(|| format!("making the log of {name}"))?;
        command.current_dir(&self.folder);
        Running::start(command.stdout(log.try_clone()?).stderr(log))
    }

    fn log(&self, name: &str) -> PathBuf {
        self.path(&format!("logs/{name}.log"))
    }
}

impl Drop for Plane {
    /// Who asks ends before who answers.
    fn drop(&mut self) {
        while self.running.pop().is_some() {}
    }
}

/// An address on this machine.
fn local(port: u16) -> String {
    format!("https://127.0.0.1:{port}")
}
