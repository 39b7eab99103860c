//! Upstream's own clients at the node agent beside upstream's own control plane, and at the simulator: one story, both must
//! tell it alike.
//!
//! It runs where `HARVESTER_WITNESS` names the `witness.json` of a running witness (`end2end/witness/README.md`), which has the
//! clients too; elsewhere it says so and proves nothing.

use serde_json::{Value, json};
use simulator::agent::{Agent, Door, Options};
use simulator::behave::role::roles;
use simulator::{Clock, Simulator};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Real time within which what should come has come; node failure is not asked here, it takes minutes.
const LIMIT: Duration = Duration::from_secs(90);
const NAMESPACE: &str = "node-agent";
const ADDRESS: &str = "10.20.7.31";

struct Witness {
    programs: PathBuf,
    admin: PathBuf,
}

impl Witness {
    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = match program {
            "kubectl" => {
                let mut command = Command::new(self.programs.join("kube"));
                command.arg("kubectl");
                command
            }
            program => Command::new(self.programs.join(program)),
        };
        command.arg("--kubeconfig").arg(&self.admin).args(["--namespace", NAMESPACE]).args(arguments);
        command
    }

    /// Runs a program of upstream's; its output.
    fn run(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.command(program, arguments).output().unwrap_or_else(|error| panic!("{program}: {error}"));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(output.status.success(), "{program} {arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    fn get(&self, what: &[&str]) -> Value {
        let arguments: Vec<&str> = ["get", "--ignore-not-found", "-o", "json"].iter().chain(what).copied().collect();
        serde_json::from_str(&self.run("kubectl", &arguments)).unwrap_or_default()
    }

    fn apply(&self, object: &Value) {
        let mut command = self.command("kubectl", &["apply", "-f", "-"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("kubectl");
        child.stdin.take().expect("a pipe").write_all(object.to_string().as_bytes()).expect("written");
        assert!(child.wait().expect("an end").success(), "applied");
    }

    fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let end = Instant::now() + LIMIT;
        while !holds(self) {
            assert!(Instant::now() < end, "{what} did not come: {:#}", self.get(&["vm,vmi,vmim,pod"]));
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    fn until_true(&self, kind: &str, wanted: bool) {
        self.until(&format!("{kind} {wanted}"), |witness| is_true(&witness.get(&["vmi", "web"]), kind) == wanted);
    }

    fn node(&self) -> String {
        self.get(&["vmi", "web"])["status"]["nodeName"].as_str().unwrap_or_default().to_owned()
    }
}

fn is_true(object: &Value, kind: &str) -> bool {
    let conditions = object["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    conditions.iter().any(|held| held["type"] == kind && held["status"] == "True")
}

/// A program that is ended with the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn objects() -> Value {
    let mac = "52:54:00:ab:70:01";
    let network = format!(
        "version: 2\nethernets:\n  nic-1:\n    match: {{macaddress: \"{mac}\"}}\n    set-name: nic-1\n    addresses: [{ADDRESS}/16]\n"
    );
    let claims = json!([{
        "metadata": {"name": "web-root"},
        "spec": {"accessModes": ["ReadWriteMany"], "volumeMode": "Block", "storageClassName": "harvester-longhorn", "resources": {"requests": {"storage": "10Gi"}}},
    }]);
    let vm = json!({
        "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
        "metadata": {"name": "web", "annotations": {"harvesterhci.io/volumeClaimTemplates": claims.to_string()}},
        "spec": {"runStrategy": "RerunOnFailure", "template": {"spec": {
            "evictionStrategy": "LiveMigrate", "terminationGracePeriodSeconds": 120,
            "domain": {
                "cpu": {"cores": 2}, "memory": {"guest": "1900Mi"}, "resources": {"limits": {"cpu": "2", "memory": "2Gi"}},
                "features": {"acpi": {"enabled": true}},
                "devices": {
                    "disks": [{"name": "root", "disk": {"bus": "virtio"}}, {"name": "ci", "disk": {"bus": "virtio"}}],
                    "interfaces": [{"name": "nic-1", "bridge": {}, "macAddress": mac}],
                },
            },
            "networks": [{"name": "nic-1", "multus": {"networkName": "harvester-public/vlan-120"}}],
            "volumes": [
                {"name": "root", "persistentVolumeClaim": {"claimName": "web-root"}},
                {"name": "ci", "cloudInitNoCloud": {"secretRef": {"name": "web-ci"}, "networkDataSecretRef": {"name": "web-ci"}}},
            ],
        }}},
    });
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "web-ci"},
        "stringData": {"userdata": "#cloud-config\npackages: [qemu-guest-agent]\n", "networkdata": network},
    });
    json!({"apiVersion": "v1", "kind": "List", "items": [secret, vm]})
}

/// `virtctl console` wants a terminal, which `script` of util-linux gives it.
fn serial_line(witness: &Witness) {
    let virtctl = witness.command("virtctl", &["console", "web"]);
    let words: Vec<_> =
        [virtctl.get_program()].into_iter().chain(virtctl.get_args()).map(|word| word.to_string_lossy()).collect();
    let mut command = Command::new("script");
    command.args(["--quiet", "--flush", "--command", &words.join(" "), "/dev/null"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("script of util-linux");
    let (mut keys, mut screen) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let _ended = Ended(child);
    let (told, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut piece = [0; 1024];
        while let Ok(length @ 1..) = screen.read(&mut piece) {
            if told.send(piece[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    let (mut text, end) = (String::new(), Instant::now() + LIMIT);
    while !text.contains("web login:") {
        assert!(Instant::now() < end, "the serial line says only {text:?}");
        keys.write_all(b"\r").expect("a key");
        let piece = heard.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
        text.push_str(&String::from_utf8_lossy(&piece));
    }
    // Ctrl-] ends virtctl.
    keys.write_all(b"\x1d").expect("a key");
}

fn story(witness: &Witness) {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
    witness.apply(&namespace);
    witness.apply(&objects());
    witness.until("a running VM at its address", |witness| {
        let (vm, vmi) = (witness.get(&["vm", "web"]), witness.get(&["vmi", "web"]));
        vm["status"]["printableStatus"] == "Running"
            && is_true(&vmi, "Ready")
            && vmi["status"]["interfaces"][0]["ipAddress"] == ADDRESS
    });
    assert_eq!(witness.get(&["pvc", "web-root"])["status"]["phase"], "Bound");

    witness.run("virtctl", &["pause", "vm", "web"]);
    witness.until_true("Paused", true);
    witness.until_true("Ready", false);
    witness.run("virtctl", &["unpause", "vm", "web"]);
    witness.until_true("Ready", true);
    let info: Value = serde_json::from_str(&witness.run("virtctl", &["guestosinfo", "web"])).expect("JSON");
    assert_eq!(info["hostname"], "web");
    witness.run("virtctl", &["soft-reboot", "web"]);
    witness.until_true("AgentConnected", false);
    witness.until_true("AgentConnected", true);
    let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|held| held.local_addr()).expect("a port").port();
    let arguments = ["vnc", "web", "--proxy-only", "--port", &port.to_string()];
    let _vnc = Ended(
        witness.command("virtctl", &arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("virtctl"),
    );
    witness.until("the screen's banner", |_| {
        let mut banner = [0; 12];
        let read = TcpStream::connect(("127.0.0.1", port)).and_then(|mut stream| stream.read_exact(&mut banner));
        read.is_ok() && banner == *b"RFB 003.008\n"
    });

    serial_line(witness);

    let source = witness.node();
    witness.run("virtctl", &["migrate", "web"]);
    witness.until("a migrated VM", |witness| witness.node() != source);
    witness.until_true("Ready", true);
    let drained = witness.node();
    witness.run("kubectl", &["drain", &drained, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=90s"]);
    assert_ne!(witness.node(), drained);
    witness.run("kubectl", &["uncordon", &drained]);

    witness.run("virtctl", &["stop", "web"]);
    witness.until("a stopped VM", |witness| {
        witness.get(&["vm", "web"])["status"]["printableStatus"] == "Stopped" && witness.get(&["vmi", "web"]).is_null()
    });
    witness.run("virtctl", &["start", "web"]);
    witness.until("a VM that runs again", |witness| is_true(&witness.get(&["vmi", "web"]), "Ready"));
    witness.run("virtctl", &["stop", "web"]);
    witness.until("a VM that is stopped again", |witness| witness.get(&["vmi", "web"]).is_null());
    let removed = "harvesterhci.io/removedPersistentVolumeClaims=web-root";
    witness.run("kubectl", &["annotate", "vm", "web", removed]);
    let volume = witness.get(&["pvc", "web-root"])["spec"]["volumeName"].as_str().unwrap_or_default().to_owned();
    witness.run("kubectl", &["delete", "vm", "web", "--timeout=60s"]);
    witness.until("nothing left", |witness| {
        witness.get(&["pvc", "web-root"]).is_null()
            && witness.get(&["pv", &volume]).is_null()
            && witness.get(&["volumes.longhorn.io", &volume, "--namespace", "longhorn-system"]).is_null()
    });
}

/// What the witness says of itself, where there is one.
fn about() -> Option<Value> {
    let Some(path) = std::env::var_os("HARVESTER_WITNESS") else {
        println!("HARVESTER_WITNESS names no witness.json: nothing was held against upstream's own programs");
        return None;
    };
    let text = std::fs::read_to_string(&path).expect("a witness");
    Some(serde_json::from_str(&text).expect("JSON"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn upstreams_own_clients_take_the_simulator_for_a_cluster() {
    let Some(about) = about() else { return };
    let simulator = Simulator::builder().nodes(3).clock(Clock::auto(10.0)).build();
    simulator.start();
    let served = simulator.serve("127.0.0.1:0").await.expect("listens");
    let folder = tempfile::tempdir().expect("a folder");
    let admin = folder.path().join("admin.kubeconfig");
    std::fs::write(&admin, served.admin_kubeconfig()).expect("written");
    let witness = Witness { programs: PathBuf::from(about["programs"].as_str().unwrap_or_default()), admin };
    tokio::task::spawn_blocking(move || story(&witness)).await.expect("the story holds");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn upstreams_own_programs_take_the_agent_for_nodes() {
    let Some(about) = about() else { return };
    let file = |field: &str| PathBuf::from(about[field].as_str().unwrap_or_default());
    let port = about["handlerPort"].as_u64().and_then(|port| u16::try_from(port).ok()).expect("a port");
    let options = Options {
        kubeconfig: file("agent"),
        identities: Vec::new(),
        roles: roles("node").expect("a list"),
        nodes: about["nodes"].as_u64().and_then(|nodes| usize::try_from(nodes).ok()).expect("a number"),
        door: Some(Door { port, tls: file("handlerTls") }),
        brings_platform: true,
        clock: Clock::auto(1.0),
    };
    let stop = CancellationToken::new();
    let agent = Agent::start(options, &stop).await.expect("an agent");
    #[expect(clippy::disallowed_methods, reason = "ends with the test's token")]
    let running = tokio::spawn(agent.run(stop.clone()));
    let witness = Witness { programs: file("programs"), admin: file("admin") };
    // The story waits for programs.
    let told = tokio::task::spawn_blocking(move || story(&witness)).await;
    stop.cancel();
    running.await.expect("the agent ends in order");
    told.expect("the story holds");
}
