//! Children that never outlive us.
//!
//! Each child leads a process group of its own, so that what it starts ends with it. The group is ended when its
//! [`Running`] is dropped and when we get SIGINT, SIGTERM or SIGHUP; where `setpriv` is installed, long-lived children also
//! ask the kernel to be ended when we are killed outright.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// How long a group may take to end by itself before it is killed: databases flush, servers drain.
const GRACE: Duration = Duration::from_secs(5);

/// The groups that run now.
static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());
/// The signal that told us to end; 0 while none has.
static ENDED_BY: AtomicI32 = AtomicI32::new(0);

/// Makes SIGINT, SIGTERM and SIGHUP end all children. Whoever waits for one then sees it fail, so that we end in the
/// ordinary way and temporary folders go; should that take longer than twice [`GRACE`], we end without.
pub(crate) fn end_children_on_signals() -> Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("listening for signals")?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            ENDED_BY.store(signal, Ordering::SeqCst);
            let running = groups().clone();
            send(&running, Signal::TERM);
            std::thread::sleep(GRACE * 2);
            send(&groups(), Signal::KILL);
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

/// The signal that told us to end, if one has.
pub(crate) fn ended_by() -> Option<i32> {
    Some(ENDED_BY.load(Ordering::SeqCst)).filter(|signal| *signal != 0)
}

/// A child that runs beside us; its group ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    group: Pid,
    grace: Duration,
}

impl Running {
    /// Starts `command` without an input.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        // The lock is held over both, so that a signal finds the child in the list or keeps it from starting.
        let mut groups = groups();
        if ended_by().is_some() {
            bail!("interrupted");
        }
        let child = command
            .stdin(Stdio::null())
            .process_group(0)
            .spawn()
            .with_context(|| format!("starting {}", command.get_program().display()))?;
        let group = Pid::from_child(&child);
        groups.push(group);
        Ok(Self { child, group, grace: GRACE })
    }

    /// It has nothing to put in order: when this is dropped it is killed, not asked.
    pub(crate) fn expendable(mut self) -> Self {
        self.grace = Duration::ZERO;
        self
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until it ends by itself.
    pub(crate) fn wait(&mut self) -> Result<ExitStatus> {
        self.child.wait().context("waiting for a child")
    }

    /// Whether it has not ended yet.
    pub(crate) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Running {
    /// Asks the group to end, and kills what has not when its grace is over.
    fn drop(&mut self) {
        let group = [self.group];
        if !self.grace.is_zero() {
            send(&group, Signal::TERM);
        }
        let deadline = Instant::now() + self.grace;
        // The leader is reaped while we wait: a group exists as long as its leader is a zombie.
        while (self.is_alive() || test_kill_process_group(self.group).is_ok()) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        send(&group, Signal::KILL);
        let _ = self.child.wait();
        groups().retain(|running| *running != self.group);
    }
}

/// Runs `command` with its output shown; fails when it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = Running::start(command)?.wait()?;
    succeeded(command, status)
}

/// As [`run`], and hands each line of the standard output to `line` after showing it.
pub(crate) fn run_reading(command: &mut Command, mut line: impl FnMut(&str)) -> Result<()> {
    let mut running = Running::start(command.stdout(Stdio::piped()))?;
    let output = running.child.stdout.take().context("a child without an output")?;
    for text in BufReader::new(output).lines() {
        let text = text.context("reading what a child says")?;
        println!("{text}");
        line(&text);
    }
    let status = running.wait()?;
    succeeded(command, status)
}

/// The standard output of a short command, trimmed; `None` when it cannot be run or fails.
pub(crate) fn answer(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// The standard output of a command that must succeed, trimmed; when it fails, the error tells what it wrote beside.
pub(crate) fn said(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("running {}", shown(command)))?;
    if !output.status.success() {
        bail!("`{}` failed: {}", shown(command), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The program's path, when it is in one of the folders of `PATH`.
pub(crate) fn which(program: &str) -> Option<std::path::PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// A command for `program` that the kernel ends with `signal` when we are killed; where `setpriv` is missing, a plain one.
pub(crate) fn bound_to_us(program: &Path, signal: &str) -> Command {
    let Some(setpriv) = which("setpriv") else { return Command::new(program) };
    let mut command = Command::new(setpriv);
    command.args(["--pdeathsig", signal, "--"]).arg(program);
    command
}

fn succeeded(command: &Command, status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!("`{}` failed ({status})", shown(command));
    }
    Ok(())
}

/// The command as one would type it, without its environment.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args()).map(|word| word.to_string_lossy());
    words.collect::<Vec<_>>().join(" ")
}

/// Sends `signal` to what is left of the groups; one that is gone has nothing to be told.
fn send(groups: &[Pid], signal: Signal) {
    groups.iter().for_each(|group| _ = kill_process_group(*group, signal));
}

fn groups() -> MutexGuard<'static, Vec<Pid>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_a_child_has_started_ends_with_it() {
        let mut running = Running::start(shell("sleep 600 & sleep 600").stdout(Stdio::null())).unwrap();
        assert!(running.is_alive());
        let group = running.group;
        drop(running);
        assert!(test_kill_process_group(group).is_err(), "the group is gone");
    }

    #[test]
    fn what_is_expendable_is_not_asked() {
        let running = Running::start(&mut shell("trap '' TERM; while :; do sleep 1; done")).unwrap().expendable();
        let (group, start) = (running.group, Instant::now());
        drop(running);
        assert!(test_kill_process_group(group).is_err() && start.elapsed() < GRACE);
    }

    #[test]
    fn a_failure_names_the_command() {
        let error = run(&mut shell("exit 3")).unwrap_err().to_string();
        assert!(error.contains("`sh -c exit 3` failed") && error.contains('3'), "{error}");
    }

    #[test]
    fn what_a_failed_command_says_is_told() {
        assert_eq!(said(&mut shell("echo ' one '")).unwrap(), "one");
        let error = said(&mut shell("echo lost; echo why >&2; exit 1")).unwrap_err().to_string();
        assert!(error.ends_with("failed: why"), "{error}");
    }

    #[test]
    fn lines_are_read_until_the_child_ends() {
        let mut lines = Vec::new();
        run_reading(&mut shell("echo one; echo two"), |line| lines.push(line.to_owned())).unwrap();
        assert_eq!(lines, ["one", "two"]);
    }
}
