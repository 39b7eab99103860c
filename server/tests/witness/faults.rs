//! Faults of upstream's own programs: killed, stopped, forgetful, with another certificate, without an account. Each is seen and
//! said, nothing is done late, and afterwards what is shown is what the cluster says.
//!
//! Rows 1, 2, 9, 12, 15 and 17 of the reliability list; the simulator has them too (`tests/faults.rs`, `harvester::watch`).

use super::common::orders::{draft, ended, operator, order, power, wait_for};
use super::common::{Browser, CLUSTER, Running, serve, settle_as, until};
use super::{NAMESPACE, Witness};
use model::change::State;
use model::fleet::Health;
use model::id::{ClusterId, VmRef};
use model::provisioning::{CheckVerdict, DeliveryView, Draft};
use model::vm::Power;
use ops::fleet::Member;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const API_SERVER: &str = "kube-apiserver";
const VIRT_API: &str = "virt-api";
/// The label that a delivery writes too.
const OWNER: &str = "ops.example.com/owner";

struct Scene<'a> {
    witness: &'a Witness,
    running: Running,
    browser: Browser,
    vm: DeliveryView,
    /// Counts what somebody else changed.
    changes: u32,
}

pub(super) async fn story(witness: &Witness) {
    let running = serve().await;
    settle_as(&running.ops, std::fs::read_to_string(witness.file("product")).unwrap()).await;
    let ctx = operator(&running).await;
    let draft = Draft { namespace: NAMESPACE.into(), ..draft(&running, &ctx).await };
    let delivery = running.ops.provisioning.order(&ctx, order(&draft, "faults")).await.unwrap();
    let vm = ended(&running, &ctx, &delivery).await;
    assert_eq!(vm.state, State::Succeeded, "{vm:#?}");
    let browser = Browser::signed_in(running.address, "operator").await;
    let mut scene = Scene { witness, running, browser, vm, changes: 0 };
    scene.change_is_seen().await;
    scene.a_server_that_is_killed().await;
    scene.a_history_that_is_compacted().await;
    scene.a_server_that_hangs().await;
    scene.webhooks_that_are_down(&draft).await;
    scene.a_certificate_that_is_renewed().await;
    scene.a_certificate_of_somebody_else().await;
    scene.an_account_that_is_gone().await;
    let (_, namespace, name) = &scene.vm.vm;
    witness.kubectl(&format!("delete vm {name} -n {namespace} --wait=true --timeout=60s"));
}

impl Scene<'_> {
    fn member(&self) -> Arc<Member> {
        self.running.ops.fleet.member(&ClusterId::parse(CLUSTER).unwrap()).unwrap()
    }

    fn health(&self) -> Health {
        self.member().view().health
    }

    async fn until(&self, health: Health) {
        let began = Instant::now();
        until(&format!("{health:?}"), || self.health() == health).await;
        println!("    {health:?} after {:.1} s", began.elapsed().as_secs_f64());
    }

    /// Somebody else changes the VM by kubectl, as soon as that can be done; it is shown.
    async fn change_is_seen(&mut self) {
        self.changes += 1;
        let (owner, (_, namespace, name)) = (format!("E{}", self.changes), &self.vm.vm);
        let words = format!("label vm {name} -n {namespace} --overwrite {OWNER}={owner}");
        let mut tries = 0;
        while let Err(why) = self.witness.try_kubectl(&words) {
            tries += 1;
            assert!(tries < 60, "{why}");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        let began = Instant::now();
        let vm = VmRef::parse(&self.vm.vm.0, namespace, name).unwrap();
        let shown = || self.running.ops.fleet.row(&vm).is_ok_and(|row| row.owner.as_deref() == Some(&owner));
        until("the change is seen", shown).await;
        let member = self.member();
        let counts = member.running().unwrap().cache.counts();
        let sum = |of: fn(&harvester::watch::Counts) -> u64| counts.iter().map(|watch| of(&watch.counts)).sum::<u64>();
        println!(
            "    seen {:.1} s after it was made; so far {} lists, {} of them because of an old place, {} watches, {} failures",
            began.elapsed().as_secs_f64(),
            sum(|c| c.lists),
            sum(|c| c.resyncs),
            sum(|c| c.watches),
            sum(|c| c.failures)
        );
        assert_eq!(sum(|c| c.repairs), 0, "no watch has lost anything");
    }

    fn run_strategy(&self) -> String {
        let (_, namespace, name) = &self.vm.vm;
        self.witness.kubectl(&format!("get vm {name} -n {namespace} -o jsonpath={{.spec.runStrategy}}"))
    }

    async fn refused(&self, action: &str, key: &str, because: &str) {
        let began = Instant::now();
        let refused = power(&self.browser, &self.vm, action, key).await;
        assert!(
            (400..600).contains(&refused.status) && refused.text.contains(because),
            "{action}: {} {}",
            refused.status,
            refused.text
        );
        println!("    {action} was refused with {} after {:.1} s", refused.status, began.elapsed().as_secs_f64());
    }

    async fn a_server_that_is_killed(&mut self) {
        println!("  the API server is killed");
        let before = self.run_strategy();
        self.witness.signal(API_SERVER, "KILL");
        self.until(Health::Unreachable).await;
        self.refused("stop", "killed", "nothing was done").await;
        self.change_is_seen().await;
        self.until(Health::Reachable).await;
        assert_eq!(self.run_strategy(), before, "what was refused is not done later");
    }

    async fn a_history_that_is_compacted(&mut self) {
        println!("  the API server is killed, and etcd forgets all that was before");
        let (_, namespace, name) = self.vm.vm.clone();
        let newest =
            self.witness.kubectl(&format!("get vm {name} -n {namespace} -o jsonpath={{.metadata.resourceVersion}}"));
        self.witness.signal(API_SERVER, "KILL");
        let answer = self.witness.etcd("/v3/kv/compaction", &json!({ "revision": newest, "physical": true })).await;
        assert!(answer.contains("\"header\""), "{answer}");
        self.change_is_seen().await;
        self.until(Health::Reachable).await;
    }

    async fn a_server_that_hangs(&mut self) {
        println!("  the API server hangs");
        self.witness.signal(API_SERVER, "STOP");
        self.until(Health::Unreachable).await;
        self.refused("stop", "hung", "nothing was done").await;
        let page = self.browser.get("/vms").await;
        assert!(page.status == 200 && page.text.contains(&self.vm.vm.2), "what was seen last is still shown");
        self.witness.signal(API_SERVER, "CONT");
        self.change_is_seen().await;
        self.until(Health::Reachable).await;
    }

    async fn webhooks_that_are_down(&mut self, draft: &Draft) {
        println!("  KubeVirt's webhooks and subresources do not answer");
        let before = self.run_strategy();
        self.witness.signal(VIRT_API, "STOP");
        // A stop is a patch of the VM, which the webhooks have to see.
        self.refused("stop", "deaf", "failed calling webhook").await;
        let ctx = operator(&self.running).await;
        let draft = Draft { name: "test-order-web-88".into(), ..draft.clone() };
        let preview = self.running.ops.provisioning.preview(&ctx, draft).await.unwrap();
        let rehearsal = preview.checks.iter().find(|check| check.key == "rehearsal").unwrap();
        let says_why = rehearsal.say.en.contains("does not answer") && rehearsal.say.en.contains("kubevirt.io");
        assert!(rehearsal.verdict != CheckVerdict::Fine && says_why, "{rehearsal:?}");
        self.witness.signal(VIRT_API, "KILL");
        // A pause is virt-api's own.
        self.refused("pause", "dead", "").await;
        assert_eq!(self.run_strategy(), before, "nothing was done");
        let mut tries = 0;
        while power(&self.browser, &self.vm, "pause", &format!("alive-{tries}")).await.status != 200 {
            tries += 1;
            assert!(tries < 60, "virt-api is started again");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        wait_for(&self.running, &self.vm, Power::Paused).await;
        assert_eq!(power(&self.browser, &self.vm, "unpause", "alive-again").await.status, 200);
        wait_for(&self.running, &self.vm, Power::Running).await;
    }

    async fn a_certificate_that_is_renewed(&mut self) {
        println!("  the API server has another certificate of the same authority");
        self.witness.kube("renew", &self.witness.folder());
        self.witness.signal(API_SERVER, "KILL");
        self.change_is_seen().await;
        self.until(Health::Reachable).await;
    }

    async fn a_certificate_of_somebody_else(&mut self) {
        println!("  the API server has a certificate of another authority");
        let (ours, theirs) = (self.witness.folder(), tempfile::tempdir().unwrap());
        let kept = tempfile::tempdir().unwrap();
        self.witness.kube("keys", theirs.path());
        let swap = |from: &Path, to: &Path| {
            for file in ["apiserver.crt", "apiserver.key"] {
                std::fs::copy(from.join(file), to.join(file)).unwrap();
            }
        };
        swap(&ours, kept.path());
        swap(theirs.path(), &ours);
        self.witness.signal(API_SERVER, "KILL");
        let problem = || self.member().view().problem.map(|say| say.en.into_owned()).unwrap_or_default();
        until("the certificate is told of", || problem().contains("certificate changed")).await;
        assert_eq!(self.health(), Health::Unreachable);
        self.refused("stop", "forged", "nothing was done").await;
        swap(kept.path(), &ours);
        self.witness.signal(API_SERVER, "KILL");
        self.change_is_seen().await;
        self.until(Health::Reachable).await;
    }

    async fn an_account_that_is_gone(&mut self) {
        println!("  the product's account is removed, and made again");
        self.witness.kubectl("delete serviceaccount harvester-admin -n harvester-admin");
        self.until(Health::Unauthorised).await;
        self.refused("stop", "nobody", "nothing was done").await;
        self.witness.kubectl("create serviceaccount harvester-admin -n harvester-admin");
        let token = self.witness.kubectl("create token harvester-admin -n harvester-admin --duration 24h");
        let mut kubeconfig: Value =
            serde_json::from_str(&std::fs::read_to_string(self.witness.file("product")).unwrap()).unwrap();
        kubeconfig["users"][0]["user"]["token"] = token.trim().into();
        let ctx = ops::Context::system("test", ops::Clock::machine().now());
        let id = ClusterId::parse(CLUSTER).unwrap();
        self.running.ops.fleet.replace_kubeconfig(&ctx, &id, &kubeconfig.to_string()).await.unwrap();
        self.until(Health::Reachable).await;
        self.change_is_seen().await;
        std::fs::write(self.witness.file("product"), kubeconfig.to_string()).unwrap();
    }
}

impl Witness {
    fn folder(&self) -> std::path::PathBuf {
        self.file("admin").parent().unwrap().to_owned()
    }

    fn try_kubectl(&self, words: &str) -> Result<String, String> {
        let mut command = Command::new(self.file("programs").join("kube"));
        command
            .args(["kubectl", "--request-timeout=10s", "--kubeconfig"])
            .arg(self.file("admin"))
            .args(words.split(' '));
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    /// One of the small commands beside upstream's programs.
    fn kube(&self, word: &str, folder: &Path) {
        let done = Command::new(self.file("programs").join("kube")).arg(word).arg(folder).status().unwrap();
        assert!(done.success(), "kube {word}");
    }

    /// To the process that has that name now.
    fn signal(&self, program: &str, signal: &str) {
        let file = self.folder().join("witness.json");
        let state: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let named = state["pids"].as_array().unwrap().iter().find(|entry| entry[0] == program);
        let pid = named.and_then(|entry| entry[1].as_u64()).unwrap_or_else(|| panic!("no {program} in {state}"));
        let done = Command::new("kill").arg(format!("-{signal}")).arg(pid.to_string()).status().unwrap();
        assert!(done.success(), "{signal} to {program}");
    }

    /// etcd's own API, as JSON.
    async fn etcd(&self, path: &str, body: &Value) -> String {
        let address = self.0["etcd"].as_str().unwrap().strip_prefix("http://").unwrap();
        let body = body.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: etcd\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }
}
