//! A PostgreSQL of our own for the store's tests: a temporary folder, a free port on the loopback, gone afterwards.
//!
//! PostgreSQL refuses to run as root, so as root it runs as the user that its package makes.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use crate::apt;
use crate::process::{Running, answer, bound_to_us, run, which};

/// The unix user that Debian's package makes.
const USER: &str = "postgres";
/// How long a fresh server may take to answer on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Tests may be killed at any moment and are repeated: durability would only cost time.
const FAST: [&str; 8] =
    ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off", "-c", "max_connections=200"];

/// A server that runs until this is dropped.
#[derive(Debug)]
pub(crate) struct Postgres {
    // Dropped in this order: first the server ends, then its folder goes.
    _server: Running,
    _folder: TempDir,
    url: String,
}

impl Postgres {
    /// Starts one, installing it first where that is needed and possible.
    pub(crate) fn start() -> Result<Self> {
        apt::ensure(&["postgresql"], || binaries().is_some())?;
        let bin = binaries().context("PostgreSQL's programs are not where they were")?;
        let folder = tempfile::Builder::new().prefix("harvester-admin-postgres-").tempdir()?;
        let owner = Owner::find()?;
        owner.give(folder.path())?;
        let data = folder.path().join("data");
        let make = ["--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C", "--username=postgres", "--pgdata"];
        run(owner.command(&bin.join("initdb"), None).args(make).arg(&data).stdout(std::process::Stdio::null()))?;
        let port = free_port()?;
        let mut server = owner.command(&bin.join("postgres"), Some("QUIT"));
        server
            .arg("-D")
            .arg(&data)
            .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-k"])
            .arg(folder.path())
            .args(FAST);
        server.stderr(fs::File::create(folder.path().join("log"))?);
        let mut server = Running::start(&mut server)?;
        wait_until_ready(&bin, port, &mut server, folder.path())?;
        Ok(Self { _server: server, _folder: folder, url: format!("postgres://postgres@127.0.0.1:{port}/postgres") })
    }

    /// Where it is; the user may create databases.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

/// Who runs the server: we ourselves, or as root another user.
enum Owner {
    Ourselves,
    Other { user: u32, group: u32 },
}

impl Owner {
    fn find() -> Result<Self> {
        if !rustix::process::geteuid().is_root() {
            return Ok(Self::Ourselves);
        }
        let id = |flag| answer(Command::new("id").args([flag, USER])).and_then(|text| text.parse().ok());
        match (id("-u"), id("-g")) {
            (Some(user), Some(group)) => Ok(Self::Other { user, group }),
            _ => bail!("PostgreSQL does not run as root, and there is no user {USER}: `useradd --system {USER}`"),
        }
    }

    fn give(&self, folder: &Path) -> Result<()> {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        if let Self::Other { user, group } = self {
            chown(folder, Some(*user), Some(*group)).with_context(|| format!("giving {} away", folder.display()))?;
        }
        Ok(())
    }

    /// `program` as that user; `signal` is what the kernel sends it when we are killed.
    fn command(&self, program: &Path, signal: Option<&str>) -> Command {
        let mut command = match (self, signal) {
            (Self::Ourselves, None) => Command::new(program),
            (Self::Ourselves, Some(signal)) => bound_to_us(program, signal),
            (Self::Other { user, group }, signal) => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid", &user.to_string(), "--regid", &group.to_string(), "--clear-groups"]);
                if let Some(signal) = signal {
                    command.args(["--pdeathsig", signal]);
                }
                command.arg("--").arg(program);
                command
            }
        };
        // Where we stand may be a folder that the other user cannot enter.
        command.current_dir("/");
        command
    }
}

/// The folder with `initdb` and `postgres`: that of the highest version installed, else the one in `PATH`.
fn binaries() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|entry| entry.path());
    let newest = newest(versions.filter(|path| path.join("bin/initdb").is_file()).collect());
    newest.map(|path| path.join("bin")).or_else(|| which("initdb")?.parent().map(Path::to_owned))
}

/// The folder whose name is the highest number.
fn newest(folders: Vec<PathBuf>) -> Option<PathBuf> {
    let version = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    folders.into_iter().filter(|path| version(path).is_some()).max_by_key(version)
}

/// A port that was free just now.
pub(crate) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

fn wait_until_ready(bin: &Path, port: u16, server: &mut Running, folder: &Path) -> Result<()> {
    let port = port.to_string();
    let deadline = Instant::now() + PATIENCE;
    while server.is_alive() && Instant::now() < deadline {
        if answer(Command::new(bin.join("pg_isready")).args(["-q", "-h", "127.0.0.1", "-p", &port])).is_some() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let log = fs::read_to_string(folder.join("log")).unwrap_or_default();
    bail!("PostgreSQL does not answer on port {port}:\n{log}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let folders = ["/p/9", "/p/15", "/p/common"].map(PathBuf::from).to_vec();
        assert_eq!(newest(folders), Some(PathBuf::from("/p/15")));
        assert_eq!(newest(Vec::new()), None);
    }

    #[test]
    fn it_answers_while_it_is_held_and_not_afterwards() {
        let Some(bin) = binaries() else { return };
        let postgres = Postgres::start().unwrap();
        let psql = |url: &str| answer(Command::new(bin.join("psql")).args([url, "-Atc", "SELECT 6 * 7"]));
        let url = postgres.url().to_owned();
        assert_eq!(psql(&url).as_deref(), Some("42"));
        drop(postgres);
        assert_eq!(psql(&url), None);
    }
}
