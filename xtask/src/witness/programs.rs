//! Upstream's programs, built by Go from `end2end/witness/{kubernetes,kubevirt}`.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::cache::{self, Cache};
use crate::process::{answer, bound_to_us, run, which};
use crate::workspace::Workspace;

/// The two Go modules, from the checkout's root.
const SOURCES: &str = "end2end/witness";
/// What the API server says it is; clients refuse one that does not say it.
const KUBERNETES: (&str, &str, &str) = ("1", "34", "v1.34.2");
/// What virt-api says it is.
pub(super) const KUBEVIRT: &str = "v1.7.0";
/// Said where Go is missing.
const HOW_TO_GET_GO: &str = "Go is missing, so the witness (upstream's own Kubernetes and KubeVirt on the loopback) \
    cannot be built; everything else works without it. Install Go 1.21 or newer from https://go.dev/dl or by \
    `apt-get install golang-go`";

/// The programs of one checksum.
#[derive(Clone, Debug)]
pub(super) struct Programs {
    folder: PathBuf,
    /// How long they took to build; `None` when they were there.
    pub(super) took: Option<Duration>,
}

impl Programs {
    /// Whether they are there or can be built here.
    pub(super) fn can_be_had(workspace: &Workspace, cache: &Cache) -> Result<bool> {
        Ok(which("go").is_some() || cache.path(&checksum(&workspace.path(SOURCES))?).is_dir())
    }

    /// Builds what is not there.
    pub(super) fn ensure(workspace: &Workspace, cache: &Cache) -> Result<Self> {
        let sources = workspace.path(SOURCES);
        let folder = cache.path(&checksum(&sources)?);
        if folder.is_dir() {
            cache::touch(&folder)?;
            return Ok(Self { folder, took: None });
        }
        let Some(go) = which("go") else { bail!(HOW_TO_GET_GO) };
        let _lock = cache.lock("build")?;
        let start = Instant::now();
        if !folder.is_dir() {
            cache::whole(&folder, "", |partial| build(&go, &sources, partial))?;
        }
        Ok(Self { folder, took: Some(start.elapsed()) })
    }

    /// Where they lie, and what depends on them.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A program that ends when we are killed.
    pub(super) fn bound(&self, name: &str) -> Command {
        bound_to_us(&self.folder.join(name), "KILL")
    }

    /// A program to be run and waited for.
    pub(super) fn command(&self, name: &str) -> Command {
        Command::new(self.folder.join(name))
    }
}

impl fmt::Display for Programs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.took {
            Some(took) => write!(f, "programs built in {:.0} s: {}", took.as_secs_f64(), self.folder.display()),
            None => write!(f, "programs as built before: {}", self.folder.display()),
        }
    }
}

/// What the programs depend on: the modules, and how they are built.
fn checksum(sources: &Path) -> Result<String> {
    let mut parts = vec![("flags".to_owned(), ldflags().into_bytes())];
    for module in ["kubernetes", "kubevirt"] {
        for file in cache::files(&sources.join(module), |_| true)? {
            let name = file.strip_prefix(sources).unwrap_or(&file).display().to_string();
            parts.push((name, fs::read(&file).with_context(|| format!("reading {}", file.display()))?));
        }
    }
    Ok(cache::checksum(parts.iter().map(|(name, content)| (name.as_str(), content.as_slice()))))
}

fn build(go: &Path, sources: &Path, into: &Path) -> Result<()> {
    println!("building upstream's Kubernetes and KubeVirt by Go; minutes the first time");
    let (kubernetes, kubevirt) = (sources.join("kubernetes"), sources.join("kubevirt"));
    // With a folder as its output Go names each program as its package.
    run(go_in(go, &kubernetes).args(build_flags()).arg("-o").arg(into).arg("."))?;
    let work = into.join("source");
    let modfile = lay_over(go, &kubevirt, &work)?;
    let upstream = ["virt-api", "virt-controller", "virtctl"].map(|name| format!("kubevirt.io/kubevirt/cmd/{name}"));
    let mut build = go_in(go, &kubevirt);
    run(build.args(build_flags()).arg("-modfile").arg(&modfile).arg("-o").arg(into).args(upstream).arg("."))?;
    cache::remove(&work)
}

/// Has Go compile `overlay/util.go` instead of upstream's file, which says why: in a copy of upstream's module, because Go
/// lets nothing be laid over its own. Gives the `go.mod` that names the copy.
fn lay_over(go: &Path, kubevirt: &Path, work: &Path) -> Result<PathBuf> {
    run(go_in(go, kubevirt).args(["mod", "download"]))?;
    let mut list = go_in(go, kubevirt);
    let module = answer(list.args(["list", "-mod=readonly", "-m", "-f", "{{.Dir}}", "kubevirt.io/client-go"]));
    let (copy, changed) = (work.join("client-go"), work.join("client-go/util/util.go"));
    cache::copy(Path::new(&module.context("Go does not say where KubeVirt's client is")?), &copy)?;
    fs::remove_file(&changed).context("KubeVirt's client has its util.go in another place now")?;
    fs::copy(kubevirt.join("overlay/util.go"), &changed).context("laying our util.go over upstream's")?;
    let modfile = work.join("go.mod");
    let text = fs::read_to_string(kubevirt.join("go.mod")).context("reading KubeVirt's go.mod")?;
    fs::write(&modfile, format!("{text}\nreplace kubevirt.io/client-go => {}\n", copy.display()))?;
    fs::copy(kubevirt.join("go.sum"), work.join("go.sum")).context("copying KubeVirt's go.sum")?;
    Ok(modfile)
}

fn go_in(go: &Path, module: &Path) -> Command {
    let mut command = Command::new(go);
    command.current_dir(module).envs([("CGO_ENABLED", "0"), ("GOWORK", "off")]);
    command
}

fn build_flags() -> [String; 6] {
    ["build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags", &ldflags()].map(str::to_owned)
}

/// Smaller programs, and the versions that clients look at.
fn ldflags() -> String {
    let (major, minor, version) = KUBERNETES;
    let mut flags = "-s -w".to_owned();
    for (name, value) in [
        ("k8s.io/component-base/version.gitVersion", version),
        ("k8s.io/component-base/version.gitMajor", major),
        ("k8s.io/component-base/version.gitMinor", minor),
        ("kubevirt.io/client-go/version.gitVersion", KUBEVIRT),
    ] {
        flags.push_str(&format!(" -X {name}={value}"));
    }
    flags
}
