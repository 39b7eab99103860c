//! The program itself as a child process with a folder of its own, for what only a process shows: being killed, its log.

use super::{PASSWORD, config};
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A configured program that may be started again and again.
pub(crate) struct Program {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    folder: PathBuf,
}

/// A running one; killed when it is dropped.
pub(crate) struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Program {
    /// Writes its configuration, with `more` at the end.
    pub(crate) fn prepare(folder: &TempDir, more: &str) -> Self {
        let site = config(folder).site.unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let text = format!(
            "listen = \"{address}\"\ndata = \"data\"\nsite = {site:?}\n[session]\nsecure_cookie = false\n\
             [network]\nallow = [\"127.0.0.0/8\"]\n{more}"
        );
        let folder = folder.path().to_path_buf();
        std::fs::write(folder.join("harvester-admin.toml"), text).unwrap();
        Self { address, folder }
    }

    /// Where it lives.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds the account `admin` by the command line.
    pub(crate) fn add_admin(&self) {
        let mut add = self.command(&["user", "add", "--role", "admin", "--number", "E1"]);
        let mut add = add.arg("admin").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        std::io::Write::write_all(add.stdin.as_mut().unwrap(), PASSWORD.as_bytes()).unwrap();
        assert!(add.wait().unwrap().success());
    }

    /// Serves; what it says goes to `log.txt`.
    pub(crate) fn start(&self, environment: &[(&str, &str)]) -> Killed {
        let log = File::options().create(true).append(true).open(self.folder.join("log.txt")).unwrap();
        let mut command = self.command(&["serve"]);
        command.envs(environment.iter().copied()).stdin(Stdio::null());
        Killed(command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap())
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harvester-admin"));
        command.args(words).arg("--config").arg(self.folder.join("harvester-admin.toml"));
        command
    }
}

/// Waits until the program listens.
pub(crate) async fn answers(address: SocketAddr) {
    for _ in 0..200 {
        if tokio::net::TcpStream::connect(address).await.is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the program does not listen");
}
