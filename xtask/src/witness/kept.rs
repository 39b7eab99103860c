//! The etcd folder that a witness starts from: everything is installed in it that names no address, so that a start need
//! not do it again.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::cache::{self, Cache};
use super::definitions::Definitions;
use super::plane::Plane;
use super::ports::Ports;
use super::programs::Programs;
use crate::process::{answer, run};

/// How long the API server and the controller manager may take to digest it.
const PATIENCE: Duration = Duration::from_secs(60);

/// One that is there.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    folder: PathBuf,
    /// What is in it, for people.
    name: String,
    /// How long it took to make; `None` when it was there.
    pub(super) took: Option<Duration>,
}

impl Kept {
    /// Makes it where it is not there.
    pub(super) fn ensure(cache: &Cache, programs: &Programs, definitions: &Definitions) -> Result<Self> {
        let folder = programs.folder().join(format!("kept-{}", definitions.checksum()?));
        let there = |took| Self { folder: folder.clone(), name: definitions.name.clone(), took };
        if folder.is_dir() {
            cache::touch(&folder)?;
            return Ok(there(None));
        }
        let _lock = cache.lock("keep")?;
        let start = Instant::now();
        if !folder.is_dir() {
            println!("installing {} and KubeVirt's objects once", definitions.name);
            cache::whole(&folder, "kept-", |partial| make(cache, programs, definitions, partial))?;
        }
        Ok(there(Some(start.elapsed())))
    }

    /// Puts a copy where a witness's etcd looks for it.
    pub(super) fn copy_to(&self, etcd: &Path) -> Result<()> {
        cache::copy(&self.folder, etcd)
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.took {
            Some(took) => {
                write!(f, "{} installed in {:.1} s: {}", self.name, took.as_secs_f64(), self.folder.display())
            }
            None => write!(f, "{} as installed before: {}", self.name, self.folder.display()),
        }
    }
}

fn make(cache: &Cache, programs: &Programs, definitions: &Definitions, into: &Path) -> Result<()> {
    let work = tempfile::Builder::new().prefix("keep-").tempdir_in(cache.path(""))?;
    let mut plane = Plane::start(programs, work.path(), Ports::take(cache)?)?;
    plane.wait_for_server()?;
    plane.controller_manager()?;
    plane.apply(&definitions.first)?;
    let mut printer = plane.printer(&["fixed"]);
    // KubeVirt's RBAC is in a namespace that the objects bring, and some objects need KubeVirt's kinds.
    run(plane.kubectl("create namespace harvester-system").stdout(std::process::Stdio::null()))?;
    plane.apply_output(&mut printer, "kubevirt.json")?;
    if !definitions.then.is_empty() {
        plane.apply(&definitions.then)?;
    }
    until(&mut plane, "every CRD is established", are_established)?;
    plane.apply(&definitions.objects)?;
    let mut status =
        plane.kubectl("apply --server-side --field-manager witness --subresource=status -o name --filename");
    run(status.arg(&definitions.status).stdout(std::process::Stdio::null()))?;
    until(&mut plane, "every namespace has its account", have_accounts)?;
    let etcd = plane.path("etcd");
    // etcd ends last, in order.
    drop(plane);
    cache::copy(&etcd, into).context("keeping etcd's folder")?;
    // The next piece of its log, empty so far, is 64 MB that each start would copy.
    let spare = cache::files(into, |path| path.extension().is_some_and(|ending| ending == "tmp"))?;
    spare.iter().try_for_each(|file| fs::remove_file(file).with_context(|| format!("removing {}", file.display())))
}

/// Waits until it holds.
fn until(plane: &mut Plane, what: &str, holds: fn(&Plane) -> bool) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        plane.check()?;
        if holds(plane) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    bail!("after {} s it does not hold that {what}", PATIENCE.as_secs())
}

/// All at once: `kubectl wait` takes one after the other, five a second.
fn are_established(plane: &Plane) -> bool {
    let of_each = "-o=jsonpath={range .items[*]}{.status.conditions[?(@.type=='Established')].status}{'\\n'}{end}";
    let states = answer(plane.kubectl("get crd").arg(of_each)).unwrap_or_default();
    !states.is_empty() && states.lines().all(|state| state == "True")
}

/// Every namespace gets an account and the authority's certificate from the controller manager; a start would wait for it.
fn have_accounts(plane: &Plane) -> bool {
    let count = |words: &str| answer(&mut plane.kubectl(words)).map(|text| text.lines().count());
    let namespaces = count("get namespaces -o name");
    let accounts = count("get serviceaccounts -A --field-selector metadata.name=default -o name");
    let authorities = count("get configmaps -A --field-selector metadata.name=kube-root-ca.crt -o name");
    namespaces.is_some() && namespaces == accounts && namespaces == authorities
}
