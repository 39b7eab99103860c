//! The real kubectl against the simulator over TLS. Says so and passes where kubectl is not installed.

use simulator::{Clock, Simulator};
use std::io::Write;
use std::process::{Command, Output, Stdio};

const VM: &str = r#"
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web-01, namespace: team-a}
spec:
  runStrategy: Halted
  template:
    metadata: {labels: {harvesterhci.io/vmName: web-01}}
    spec:
      domain:
        cpu: {cores: 2}
        resources: {limits: {cpu: "2", memory: 4Gi}}
        devices: {disks: [{name: root, disk: {bus: virtio}}], interfaces: [{name: default, masquerade: {}, macAddress: "52:54:00:00:00:01"}]}
      networks: [{name: default, pod: {}}]
      volumes: [{name: root, containerDisk: {image: fedora}}]
"#;

/// An object that is of no kind's own: kubectl looks into it by the second version of OpenAPI.
const LIST: &str = r#"{"apiVersion": "v1", "kind": "List", "items": [
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "two", "namespace": "team-a"}, "data": {"a": "b"}}]}"#;

struct Kubectl {
    kubeconfig: std::path::PathBuf,
}

impl Kubectl {
    fn run(&self, arguments: &str, input: &str) -> Output {
        let mut child = Command::new("kubectl")
            .arg("--cache-dir")
            .arg(self.kubeconfig.with_extension("cache"))
            .args(arguments.split(' '))
            .env("KUBECONFIG", &self.kubeconfig)
            .env("EDITOR", "sed -i s/Halted/Manual/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("kubectl starts");
        // Dropping the pipe tells kubectl that this is all.
        child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("written");
        child.wait_with_output().expect("kubectl ends")
    }

    fn says(&self, arguments: &str, input: &str) -> String {
        let output = self.run(arguments, input);
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_cannot_tell_the_difference() {
    if Command::new("kubectl").args(["version", "--client"]).output().is_err() {
        eprintln!("kubectl is not installed: nothing was tried");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let simulator = Simulator::builder().clock(Clock::auto(10.0)).build();
    let served = simulator.serve("127.0.0.1:0").await.expect("listens");
    let kubeconfig = folder.path().join("config");
    std::fs::write(&kubeconfig, served.admin_kubeconfig()).expect("written");
    let kubectl = Kubectl { kubeconfig };
    let cases = [
        ("create namespace team-a", "", "namespace/team-a created"),
        ("apply -f -", VM, "virtualmachine.kubevirt.io/web-01 created"),
        ("apply -f -", VM, "virtualmachine.kubevirt.io/web-01 unchanged"),
        ("apply --server-side --force-conflicts -f -", VM, "virtualmachine.kubevirt.io/web-01 serverside-applied"),
        ("get vm -A -o wide", "", "NAMESPACE   NAME     AGE"),
        ("get nodes -o wide", "", "CONTAINER-RUNTIME"),
        ("describe vm web-01 -n team-a", "", "Run Strategy:"),
        ("edit vm web-01 -n team-a", "", "virtualmachine.kubevirt.io/web-01 edited"),
        // Harvester's mutator makes its own strategy of Halted→Manual: harvester-api.md §1.2.
        ("get vm web-01 -n team-a -o jsonpath={.spec.runStrategy}", "", "RerunOnFailure"),
        ("api-resources", "", "virtualmachineinstancemigrations"),
        ("explain vm.spec", "", "runStrategy"),
        ("auth can-i --list", "", "*.*"),
        ("auth can-i delete vm", "", "yes"),
        ("get events -A", "", ""),
        ("get vm web-01 -n team-a -w --request-timeout=1s", "", "web-01"),
        ("cordon hv-01", "", "cordoned"),
        ("create configmap one -n team-a --from-literal=a=b", "", "configmap/one created"),
        ("patch configmap one -n team-a -p {\"data\":{\"a\":\"c\"}}", "", "configmap/one patched"),
        ("apply -f -", LIST, "configmap/two created"),
        ("delete vm web-01 -n team-a --wait=false", "", "\"web-01\" deleted"),
    ];
    for (arguments, input, expected) in cases {
        let said = kubectl.says(arguments, input);
        assert!(said.contains(expected), "kubectl {arguments} said:\n{said}");
    }
    let wrong = kubectl.says("apply -f -", &VM.replace("runStrategy", "runStratege"));
    assert!(wrong.contains("unknown field \"spec.runStratege\""), "{wrong}");
}
