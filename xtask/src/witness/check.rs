//! The step `witness` of `cargo xtask test`: that the witness is what it says, what it costs, and that the simulator and
//! its node agent agree with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::cache::Cache;
use super::definitions::{Definitions, Wish};
use super::kept::Kept;
use super::programs::Programs;
use super::state::{FILE, State};
use super::up::Witness;
use crate::browser::{playwright, prepare};
use crate::build::build;
use crate::cargo::cargo;
use crate::clients::Clients;
use crate::process::{Running, answer, bound_to_us, run, run_reading, said, shown};
use crate::steps::{Outcome, Tally};
use crate::workspace::{Profile, Workspace};

/// Said where there is nothing to run.
const WITHOUT_GO: &str = "no Go here, so nothing was held against upstream's own programs";
/// A start from the kept folder should not take longer, in seconds; more is reported, not refused: the machine may be busy.
const GOAL_S: f64 = 10.0;
/// How long upstream's controllers may take for one thing.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts two witnesses, asks them, and sees that nothing is left of them.
pub(crate) fn check(workspace: &Workspace) -> Result<Outcome> {
    let cache = Cache::find()?;
    if !Programs::can_be_had(workspace, &cache)? {
        return Ok(Outcome::Left(WITHOUT_GO));
    }
    let wish = Wish::default();
    let programs = Programs::ensure(workspace, &cache)?;
    println!("{programs}");
    println!("{}", Kept::ensure(&cache, &programs, &Definitions::find(workspace, &wish)?)?);
    let one = Witness::start(workspace, &cache, "check-1", 3, &wish)?;
    let took = one.took.as_secs_f64();
    let verdict = if took <= GOAL_S { "within" } else { "OVER" };
    println!("up after {took:.1} s, {verdict} the goal of {GOAL_S} s; {}", one.memory());
    for (what, holds) in CHECKS {
        holds(&one, &programs).with_context(|| format!("it does not hold that {what}"))?;
        println!("  {what}");
    }
    println!("  asked all that, it needs {}", one.memory());
    let mut tally = Tally { passed: CHECKS.len() as u64 + 2, ..Tally::default() };
    for words in SUITES {
        let mut suite = cargo(workspace, words);
        run_reading(suite.env("HARVESTER_WITNESS", one.file()), |line| tally.read(line))?;
    }
    tally.passed += meet_clients(workspace, &one)?;
    tally.merge(in_the_browser(workspace, &one)?);
    println!("  held against the simulator's suites, it needs {}", one.memory());
    let next = Wish::next_where_there_is_one(workspace);
    let two = Witness::start(workspace, &cache, "check-2", 3, &next).context("a second one beside the first")?;
    println!("  a second one comes up beside it after {:.1} s", two.took.as_secs_f64());
    if next.is_next() {
        println!("  it has the definitions of the next release: what the product writes is strictly valid there too");
        let mut suite = cargo(workspace, PRODUCT);
        run_reading(suite.env("HARVESTER_WITNESS", two.file()), |line| tally.read(line))?;
    } else {
        println!("  no definitions of the next release here: nothing was held against these");
    }
    let pids: Vec<u32> = [&one, &two].iter().flat_map(|witness| witness.plane.pids().map(|(_, pid)| pid)).collect();
    one.end()?;
    two.end()?;
    if let Some(pid) = pids.iter().find(|pid| Path::new(&format!("/proc/{pid}")).exists()) {
        bail!("process {pid} of a witness that has ended is still there");
    }
    println!("  both end, and leave no process behind");
    tally.merge(survive_faults(workspace, &cache)?);
    Ok(Outcome::Done(tally))
}

/// The node agent's story, the conformance suite, the product's story; each brings a node agent, so one after the other.
const SUITES: [&str; 3] = [
    "test -p simulator --test witness -- --nocapture",
    "test -p simulator --test conformance -- --nocapture the_witness_holds_every_case",
    PRODUCT,
];
/// What the product writes, and what it does.
const PRODUCT: &str =
    "test -p app -p server --features app/ssr --test witness -- --nocapture --skip faults_of_upstreams_own_programs";
/// What it does when upstream's programs die, hang and forget.
const FAULTS: &str =
    "test -p app -p server --features app/ssr --test witness -- --nocapture faults_of_upstreams_own_programs";

/// Another witness, held by a process of its own that starts again what has died: ours waits for the suite. It has our own set
/// of CRDs, so that this one is held to be enough for the product wherever upstream's are not there.
fn survive_faults(workspace: &Workspace, cache: &Cache) -> Result<Tally> {
    println!("  upstream's programs are killed and stopped, at a witness with our own set of CRDs");
    let (name, wish) = ("check-3", Wish::own(workspace));
    let mut up = bound_to_us(&std::env::current_exe().context("looking for ourselves")?, "TERM");
    up.args(["witness", "up", "--name", name]).args(wish.arguments()?);
    let mut holder = Running::start(&mut up)?;
    while !State::read(cache, name)?.is_some_and(|state| state.pid == holder.pid() && state.is_kept) {
        if !holder.is_alive() {
            bail!("the witness {name} did not come up");
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let mut tally = Tally::default();
    let mut suite = cargo(workspace, FAULTS);
    run_reading(suite.env("HARVESTER_WITNESS", cache.run(name).join(FILE)), |line| tally.read(line))?;
    Ok(tally)
}

/// Other people's clients, with a node agent beside them as a process.
fn meet_clients(workspace: &Workspace, witness: &Witness) -> Result<u64> {
    let clients = Clients::ensure(workspace)?;
    run(&mut cargo(workspace, "build -p simulator --bin harvester-sim"))?;
    let mut agent = bound_to_us(&workspace.program(Profile::Dev).with_file_name("harvester-sim"), "TERM");
    agent.args(["behave", "--nodes", "3", "--platform", "--kubeconfig"]).arg(witness.plane.path("agent.kubeconfig"));
    agent.arg("--console-port").arg(witness.plane.handler_port().to_string());
    let _agent = Running::start(agent.arg("--console-tls").arg(witness.plane.path("handler")))?;
    let ready = "get nodes -o jsonpath={.items[*].status.conditions[?(@.type==\"Ready\")].status}";
    eventually(witness, ready, |said| said == "True True True")?;
    clients.meet(&witness.plane.path("admin.kubeconfig"))
}

/// The product's story as a person does it, in Chromium.
fn in_the_browser(workspace: &Workspace, witness: &Witness) -> Result<Tally> {
    prepare(workspace)?;
    build(workspace, Profile::Dev)?;
    let mut tally = Tally::default();
    let mut spec = playwright(workspace, &["test", "tests/witness.spec.ts"]);
    run_reading(spec.env("HARVESTER_WITNESS", witness.file()), |line| tally.read(line))?;
    Ok(tally)
}

/// What must hold, and how it is seen.
type Check = (&'static str, fn(&Witness, &Programs) -> Result<()>);

const CHECKS: [Check; 6] = [
    ("the API server is ready, in all its parts", is_ready),
    ("KubeVirt's subresources are there, through the aggregator", has_subresources),
    ("KubeVirt's own webhook refuses a VM with an unknown bus", refuses_an_unknown_bus),
    ("a VM that is started gets a VMI and a launcher pod", starts_a_vm),
    ("the product's account may do what its roles say, and no more", product_is_bound),
    ("a VMI's status is virt-handler's to write, and nobody else's", guards_the_status),
];

fn is_ready(witness: &Witness, _: &Programs) -> Result<()> {
    let text = said(&mut witness.plane.kubectl("get --raw /readyz?verbose"))?;
    if text.contains("[-]") { bail!(text) } else { Ok(()) }
}

fn has_subresources(witness: &Witness, _: &Programs) -> Result<()> {
    for version in ["v1", "v1alpha3"] {
        let name =
            format!("wait --for=condition=Available --timeout=30s apiservice/{version}.subresources.kubevirt.io");
        said(&mut witness.plane.kubectl(&name))?;
    }
    let groups: Value = serde_json::from_str(&said(&mut witness.plane.kubectl("get --raw /apis"))?)?;
    let versions = groups["groups"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|group| group["preferredVersion"]["groupVersion"].as_str());
    if versions.into_iter().any(|version| version == "subresources.kubevirt.io/v1") {
        Ok(())
    } else {
        bail!("/apis lists it not")
    }
}

fn refuses_an_unknown_bus(witness: &Witness, _: &Programs) -> Result<()> {
    let words = refused(&mut create(witness, &vm("bus", "floppy"))?)?;
    if words.contains("is set with an unrecognized bus") { Ok(()) } else { bail!(words) }
}

fn starts_a_vm(witness: &Witness, programs: &Programs) -> Result<()> {
    said(&mut create(witness, &vm("good", "virtio"))?)?;
    let mut virtctl = programs.command("virtctl");
    virtctl.arg("--kubeconfig").arg(witness.plane.path("product.kubeconfig")).args(["start", "good"]);
    said(&mut virtctl)?;
    let start = Instant::now();
    eventually(witness, "get vmi good -o jsonpath={.status.phase}", |phase| {
        phase == "Scheduling" || phase == "Pending"
    })?;
    eventually(witness, "get pods -l kubevirt.io=virt-launcher,vm.kubevirt.io/name=good -o name", |pods| {
        !pods.is_empty()
    })?;
    println!("    (launcher pod {:.1} s after the start)", start.elapsed().as_secs_f64());
    Ok(())
}

fn product_is_bound(witness: &Witness, _: &Programs) -> Result<()> {
    let product = |words: &str| witness.plane.kubectl_as("product", words);
    said(&mut product("get virtualmachines,virtualmachineimages.harvesterhci.io,nodes -A"))?;
    for other in ["get secrets -n harvester-system", "delete vmi good", "get clusterroles"] {
        let words = refused(&mut product(other))?;
        if !words.contains("forbidden") {
            bail!("`{other}`: {words}");
        }
    }
    Ok(())
}

fn guards_the_status(witness: &Witness, _: &Programs) -> Result<()> {
    // virt-handler may update a VMI and neither get nor patch it.
    let write = |who: &str, context: &str, reason: &str| -> Result<String> {
        let mut vmi: Value = serde_json::from_str(&said(&mut witness.plane.kubectl("get vmi good -o json"))?)?;
        vmi["status"]["reason"] = reason.into();
        let words = format!("replace -o jsonpath={{.status.reason}} --context {context} --filename");
        said(witness.plane.kubectl_as(who, &words).arg(file(witness, &vmi)?))
    };
    let (undone, written) = (write("admin", "admin", "Forged")?, write("agent", "virt-handler", "Told")?);
    if undone.is_empty() && written == "Told" {
        Ok(())
    } else {
        bail!("admin wrote `{undone}`, virt-handler `{written}`")
    }
}

/// A VM that is off; `bus` is its disk's.
fn vm(name: &str, bus: &str) -> Value {
    json!({
        "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": { "name": name, "namespace": "default" },
        "spec": { "runStrategy": "Halted", "template": { "spec": {
            "domain": {
                "resources": { "requests": { "memory": "1Gi" } },
                "devices": {
                    "disks": [{ "name": "root", "disk": { "bus": bus } }],
                    "interfaces": [{ "name": "default", "masquerade": {} }],
                },
            },
            "networks": [{ "name": "default", "pod": {} }],
            "volumes": [{ "name": "root", "containerDisk": { "image": "witness/disk" } }],
        } } },
    })
}

fn create(witness: &Witness, object: &Value) -> Result<Command> {
    let mut kubectl = witness.plane.kubectl("create --filename");
    kubectl.arg(file(witness, object)?);
    Ok(kubectl)
}

/// A file for kubectl with that object.
fn file(witness: &Witness, object: &Value) -> Result<PathBuf> {
    let path = witness.plane.path("object.json");
    fs::write(&path, object.to_string()).with_context(|| format!("writing {}", path.display()))?;
    Ok(path)
}

/// Waits until the answer is what is wanted.
fn eventually(witness: &Witness, words: &str, is_wanted: fn(&str) -> bool) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    let mut last = None;
    while Instant::now() < deadline {
        last = answer(&mut witness.plane.kubectl(words));
        if last.as_deref().is_some_and(is_wanted) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    bail!("`kubectl {words}` says {last:?} after {} s", PATIENCE.as_secs())
}

/// What a command says that must fail.
fn refused(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("running {}", shown(command)))?;
    if output.status.success() {
        bail!("`{}` was not refused", shown(command));
    }
    Ok(String::from_utf8_lossy(&output.stderr).trim().to_owned())
}
