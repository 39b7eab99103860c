//! One QEMU process: a small PC with a VNC socket and a monitor, gone when its [`Machine`] is.
//!
//! It gets no network, no disk but a floppy of our own, and 16 MiB; everything lives in a directory that goes with it.
//!
//! Source: QEMU `qemu-system-x86_64(1)`, `docs/interop/qmp-spec`.

use super::boot;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};

const PROGRAM: &str = "qemu-system-x86_64";
/// QEMU makes its sockets within this time or not at all.
const START: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(50);

/// Whether QEMU is there to be run.
pub(super) fn is_installed() -> bool {
    in_path(PROGRAM).is_some()
}

fn in_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// A running QEMU.
#[derive(Debug)]
pub(super) struct Machine {
    folder: PathBuf,
    /// Killed when it is dropped.
    _process: Child,
}

impl Drop for Machine {
    fn drop(&mut self) {
        // What cannot be removed lies in the temporary folder; nothing depends on it.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Machine {
    /// Starts a machine that shows `name` and waits for its sockets.
    pub(super) async fn start(name: &str) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("harvester-sim-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let floppy = folder.join("boot.img");
        tokio::fs::write(&floppy, boot::floppy(name)).await?;
        let process = command(&folder, &floppy).spawn()?;
        let machine = Self { folder, _process: process };
        tokio::time::timeout(START, machine.is_up()).await.map_err(|_| io::Error::other("no sockets in time"))?;
        Ok(machine)
    }

    async fn is_up(&self) {
        while UnixStream::connect(self.folder.join("vnc")).await.is_err() || !self.folder.join("qmp").exists() {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// A connection to its VNC server.
    pub(super) async fn connect(&self) -> io::Result<UnixStream> {
        UnixStream::connect(self.folder.join("vnc")).await
    }

    /// Writes what is on its screen to a file (PPM).
    pub(super) async fn screendump(&self, to: &Path) -> io::Result<()> {
        let stream = UnixStream::connect(self.folder.join("qmp")).await?;
        let (reader, mut writer) = stream.into_split();
        let mut lines = BufReader::new(reader).lines();
        let file = serde_json::json!(to.to_string_lossy());
        for command in [
            "{\"execute\":\"qmp_capabilities\"}\n".to_owned(),
            format!("{{\"execute\":\"screendump\",\"arguments\":{{\"filename\":{file}}}}}\n"),
        ] {
            writer.write_all(command.as_bytes()).await?;
            while let Some(line) = lines.next_line().await? {
                if line.contains("\"return\"") {
                    break;
                }
                if line.contains("\"error\"") {
                    return Err(io::Error::other(line));
                }
            }
        }
        Ok(())
    }
}

/// The command line; through `setpriv` where there is one, so that the kernel ends QEMU with us even after a crash.
fn command(folder: &Path, floppy: &Path) -> Command {
    let mut command = match in_path("setpriv") {
        Some(setpriv) => {
            let mut command = Command::new(setpriv);
            command.args(["--pdeathsig", "KILL", PROGRAM]);
            command
        }
        None => Command::new(PROGRAM),
    };
    command
        .args(["-display", "none", "-nodefaults", "-no-user-config", "-machine", "pc,accel=tcg", "-m", "16"])
        .args(["-vga", "std", "-boot", "a", "-nic", "none"])
        .arg("-drive")
        .arg(format!("file={},format=raw,if=floppy,readonly=on", floppy.display()))
        .arg("-vnc")
        .arg(format!("unix:{}", folder.join("vnc").display()))
        .arg("-qmp")
        .arg(format!("unix:{},server=on,wait=off", folder.join("qmp").display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    command
}
