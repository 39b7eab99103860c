//! The product at upstream's own Kubernetes and KubeVirt, with the account and the roles that it offers for download.
//!
//! It runs where `HARVESTER_WITNESS` names the `witness.json` of a running witness (`end2end/witness/README.md`); elsewhere
//! it says so and proves nothing. No other node agent may run there meanwhile.
#![expect(clippy::unwrap_used, reason = "a helper that fails here fails its test")]

mod common;
#[path = "witness/faults.rs"]
mod faults;

use common::orders::{draft, drive, ended, open_consoles, operator, order, power, wait_for};
use common::{Browser, CLUSTER, Running, serve, settle_as, until};
use model::change::State;
use model::fleet::ObserveOnly;
use model::id::{ClusterId, VmRef};
use model::provisioning::{CheckVerdict, DeliveryView, Draft, StepState};
use model::vm::Power;
use ops::{Clock, Context};
use serde_json::{Value, json};
use simulator::agent::{Agent, Door, Options};
use simulator::behave::role::roles;
use std::path::PathBuf;
use tokio_util::sync::CancellationToken;

/// Where the witness binds the role for Secrets.
const NAMESPACE: &str = "default";

/// What a witness says of itself.
struct Witness(Value);

impl Witness {
    fn find() -> Option<Self> {
        let path = std::env::var_os("HARVESTER_WITNESS")?;
        Some(Self(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()))
    }

    fn file(&self, field: &str) -> PathBuf {
        PathBuf::from(self.0[field].as_str().unwrap_or_else(|| panic!("no {field}")))
    }

    fn agent(&self) -> Options {
        let number = |field: &str| self.0[field].as_u64().unwrap();
        Options {
            kubeconfig: self.file("agent"),
            identities: Vec::new(),
            roles: roles("node").unwrap(),
            nodes: usize::try_from(number("nodes")).unwrap(),
            door: Some(Door { port: u16::try_from(number("handlerPort")).unwrap(), tls: self.file("handlerTls") }),
            brings_platform: true,
            clock: simulator::clock::Clock::auto(1.0),
        }
    }

    /// Tells a story with a node agent beside it; there is one of them at a time.
    async fn with_agent(&self, story: impl AsyncFnOnce(&Self)) {
        static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
        let _alone = ALONE.lock().await;
        let stop = CancellationToken::new();
        let agent = Agent::start(self.agent(), &stop).await.unwrap();
        let ready = agent.ready();
        #[expect(clippy::disallowed_methods, reason = "ends with the test's token")]
        let playing = tokio::spawn(agent.run(stop.clone()));
        ready.cancelled().await;
        story(self).await;
        stop.cancel();
        playing.await.unwrap();
    }

    /// Runs upstream's kubectl as the administrator of the cluster.
    fn kubectl(&self, words: &str) -> String {
        let mut command = std::process::Command::new(self.file("programs").join("kube"));
        command.args(["kubectl", "--kubeconfig"]).arg(self.file("admin")).args(words.split(' '));
        let output = command.output().unwrap();
        assert!(output.status.success(), "kubectl {words}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_is_delivered_used_and_taken_back_at_upstreams_own_control_plane() {
    let Some(witness) = Witness::find() else {
        println!("HARVESTER_WITNESS names no witness.json: the product was not held against upstream's own programs");
        return;
    };
    witness.with_agent(story).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_of_upstreams_own_programs_are_survived_and_said() {
    let Some(witness) = Witness::find().filter(|witness| witness.0["isKept"] == true) else {
        println!("HARVESTER_WITNESS names no witness that is kept: nothing was done to upstream's own programs");
        return;
    };
    witness.with_agent(faults::story).await;
}

async fn story(witness: &Witness) {
    let running = serve().await;
    settle_as(&running.ops, std::fs::read_to_string(witness.file("product")).unwrap()).await;
    let id = ClusterId::parse(CLUSTER).unwrap();
    let ctx = operator(&running).await;
    let cluster = running.ops.fleet.detail(&Context::system("test", Clock::machine().now()), &id).await.unwrap();
    // Secrets are granted in one namespace only, as the file says that they should be.
    let missing: Vec<_> =
        cluster.grants.iter().filter(|g| !g.missing.is_empty()).map(|g| g.resource.as_str()).collect();
    assert_eq!(missing, ["secrets"]);

    rehearse_all(&running, &ctx).await;
    let draft = Draft { namespace: NAMESPACE.into(), ..draft(&running, &ctx).await };
    let preview = running.ops.provisioning.preview(&ctx, draft.clone()).await.unwrap();
    assert!(preview.is_fine(), "{preview:#?}");
    assert!(preview.checks.iter().any(|c| c.key == "rehearsal" && c.verdict == CheckVerdict::Fine), "{preview:#?}");
    let delivery = running.ops.provisioning.order(&ctx, order(&draft, "witness")).await.unwrap();
    let view = ended(&running, &ctx, &delivery).await;
    assert_eq!(view.state, State::Succeeded, "{view:#?}");
    assert!(view.steps.iter().all(|s| matches!(s.state, StepState::Done | StepState::Skipped)), "{:#?}", view.steps);
    let vm = VmRef::parse(&view.vm.0, &view.vm.1, &view.vm.2).unwrap();
    let row = running.ops.fleet.row(&vm).unwrap();
    assert!(row.addresses.contains(&view.address.unwrap()), "{row:?}");
    let name = vm.name.as_str();
    let seen = witness.kubectl(&format!(
        "get vmi {name} -n {NAMESPACE} -o jsonpath={{.status.phase}}/{{.status.interfaces[0].ipAddress}}"
    ));
    assert_eq!(seen, format!("Running/{}", view.address.unwrap()), "what the cluster itself says");

    let browser = Browser::signed_in(running.address, "operator").await;
    let acts = [
        ("pause", Power::Paused),
        ("unpause", Power::Running),
        ("soft-reboot", Power::Running),
        ("restart", Power::Running),
    ];
    drive(&running, &browser, &view, "witness", &acts).await;
    open_consoles(&browser, &view).await;
    for tab in ["", "?tab=events", "?tab=yaml"] {
        let page = browser.get(&format!("/vms/{CLUSTER}/{NAMESPACE}/{name}{tab}")).await;
        assert!(page.status == 200 && page.text.contains(name), "{tab}");
    }

    without_each_right(witness, &running, &browser, &view).await;

    // Somebody else moves it: seen as it goes.
    let source = running.ops.fleet.row(&vm).unwrap().node.clone();
    let migration = json!({
        "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstanceMigration",
        "metadata": { "name": "by-hand", "namespace": NAMESPACE }, "spec": { "vmiName": name },
    });
    let file = witness.file("admin").with_file_name("by-hand.json");
    std::fs::write(&file, migration.to_string()).unwrap();
    witness.kubectl(&format!("create -f {}", file.display()));
    until("the VM is on another host", || {
        running.ops.fleet.row(&vm).is_ok_and(|row| row.node != source && row.power == Power::Running)
    })
    .await;

    let done = power(&browser, &view, "stop", "witness-stop").await;
    assert_eq!(done.status, 200, "{}", done.text);
    wait_for(&running, &view, Power::Stopped).await;
    let trail = browser.get("/api/app/audit/api/search_audit").await.text;
    for act in ["order", "pause", "restart", "vnc", "console", "stop"] {
        assert!(trail.contains(&format!("\"act\":\"{act}\"")), "{act} is in the trail");
    }

    // An order that cannot come up is undone, and nothing is left.
    let lost = Draft { name: "test-fault-unschedulable-01".into(), ..draft };
    let delivery = running.ops.provisioning.order(&ctx, order(&lost, "witness-lost")).await.unwrap();
    running.ops.provisioning.undo(&ctx, &delivery, "").await.unwrap();
    let view = ended(&running, &ctx, &delivery).await;
    assert_eq!(view.state, State::Undone, "{view:#?}");
    for kind in ["vm", "vmi", "secret", "pvc"] {
        let left = witness.kubectl(&format!("get {kind} -n {NAMESPACE} -o name"));
        assert!(!left.contains("test-fault-unschedulable-01"), "{left}");
    }
    witness.kubectl(&format!("delete vm {name} -n {NAMESPACE} --wait=true --timeout=60s"));
    let secret = format!("get secret {name}-cloudinit -n {NAMESPACE} -o name --ignore-not-found");
    until("the VM's Secret goes with it", || witness.kubectl(&secret).is_empty()).await;
    observe(witness).await;
}

/// The real authorizer with one rule less at a time: the rights name it with what it costs, and no page breaks.
async fn without_each_right(witness: &Witness, running: &Running, browser: &Browser, vm: &DeliveryView) {
    let id = ClusterId::parse(CLUSTER).unwrap();
    let ctx = Context::system("test", Clock::machine().now());
    let file = witness.file("admin").with_file_name("role.json");
    let (cluster, namespace, name) = &vm.vm;
    let pages = [
        "/".to_owned(),
        "/vms".to_owned(),
        format!("/clusters/{CLUSTER}"),
        format!("/vms/{cluster}/{namespace}/{name}"),
    ];
    let mut tried = 0;
    for role in ["harvester-admin-reader", "harvester-admin-operator"] {
        let whole: Value = serde_json::from_str(&witness.kubectl(&format!("get clusterrole {role} -o json"))).unwrap();
        let put = |rules: Vec<Value>| {
            let mut role =
                json!({ "apiVersion": whole["apiVersion"], "kind": whole["kind"], "metadata": { "name": role } });
            role["rules"] = rules.into();
            std::fs::write(&file, role.to_string()).unwrap();
            witness.kubectl(&format!("replace -f {}", file.display()));
        };
        let rules = whole["rules"].as_array().unwrap();
        for at in 0..rules.len() {
            let mut fewer = rules.clone();
            let gone = fewer.remove(at);
            put(fewer);
            let plural = gone["resources"][0].as_str().unwrap();
            if plural == "kubevirts" {
                // KubeVirt's own role `kubevirt.io:default` gives it to everybody, so taking it away takes nothing.
                continue;
            }
            let mut told = Vec::new();
            for _ in 0..50 {
                told = running.ops.fleet.detail(&ctx, &id).await.unwrap().grants;
                // Secrets are granted in one namespace only.
                told.retain(|grant| !grant.missing.is_empty() && grant.resource != "secrets");
                if !told.is_empty() {
                    break;
                }
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
            let is_named = told.iter().all(|grant| grant.resource.ends_with(plural) && !grant.costs.en.is_empty());
            assert!(!told.is_empty() && is_named, "without {gone}: {told:?}");
            for path in &pages {
                let page = browser.get(path).await;
                // The VM's own page is about an object that may not be read: it says which right is missing.
                let says = page.text.contains(&format!("get kubevirt.io/{plural}"));
                let is_whole = page.status == 200 && !page.text.contains("class=\"blank\" data-tone=\"error\"");
                assert!(is_whole || says, "without {gone}: {path}: {}", page.status);
            }
            tried += 1;
        }
        put(rules.clone());
    }
    for _ in 0..50 {
        let missing = running.ops.fleet.detail(&ctx, &id).await.unwrap().grants;
        if missing.iter().all(|grant| grant.missing.is_empty() || grant.resource == "secrets") {
            println!("without each of {tried} rights the product said which");
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("the rights do not come back");
}

/// A credential with the role for looking alone: everything is shown, and nothing is offered that would be refused.
async fn observe(witness: &Witness) {
    let account = "create serviceaccount observer -n harvester-admin";
    let binding = "create clusterrolebinding observer --clusterrole=harvester-admin-reader --serviceaccount=harvester-admin:observer";
    for words in [account, binding] {
        witness.kubectl(words);
    }
    let token = witness.kubectl("create token observer -n harvester-admin --duration 1h");
    let kubeconfig = std::fs::read_to_string(witness.file("product")).unwrap();
    let mut kubeconfig: Value = serde_json::from_str(&kubeconfig).unwrap();
    kubeconfig["users"][0]["user"]["token"] = token.trim().into();
    let running = serve().await;
    settle_as(&running.ops, kubeconfig.to_string()).await;
    let ctx = Context::system("test", Clock::machine().now());
    let id = ClusterId::parse(CLUSTER).unwrap();
    running.ops.fleet.probe(&ctx, &id).await.unwrap();
    let view = running.ops.fleet.member(&id).unwrap().view();
    assert_eq!(view.observe_only, Some(ObserveOnly::Credential), "{view:?}");
    let browser = Browser::signed_in(running.address, "operator").await;
    for tab in ["", "?tab=capabilities", "?tab=networks", "?tab=images", "?tab=rights", "?tab=watches"] {
        let page = browser.get(&format!("/clusters/{CLUSTER}{tab}")).await;
        assert!(page.status == 200 && page.text.contains("的凭据只能读"), "{tab}");
    }
    let draft = Draft { namespace: NAMESPACE.into(), ..draft(&running, &operator(&running).await).await };
    let preview = running.ops.provisioning.preview(&operator(&running).await, draft).await.unwrap();
    let refused = preview.checks.iter().find(|check| check.verdict == CheckVerdict::Refused).unwrap();
    assert!(refused.say.en.contains("may only read"), "{refused:?}");
    witness.kubectl("delete serviceaccount observer -n harvester-admin");
    witness.kubectl("delete clusterrolebinding observer");
}

/// Every VM that can be ordered, rehearsed with KubeVirt's webhooks and the cluster's own schemas; the product writes strictly,
/// so a field that they do not know is refused.
async fn rehearse_all(running: &Running, ctx: &Context) {
    let options = running.ops.provisioning.options(ctx).await.unwrap();
    let base = draft(running, ctx).await;
    let mut count = 0;
    for template in &options.templates {
        for flavour in &template.flavours {
            for environment in ["dev", "test", "staging", "prod"] {
                let order = Draft {
                    template: template.id.to_string(),
                    flavour: flavour.word(),
                    environment: environment.into(),
                    namespace: NAMESPACE.into(),
                    ..base.clone()
                };
                let preview = running.ops.provisioning.preview(ctx, order).await.unwrap();
                let rehearsal = preview.checks.iter().find(|check| check.key == "rehearsal");
                let rehearsal = rehearsal.unwrap_or_else(|| panic!("not rehearsed: {preview:#?}"));
                assert_eq!(
                    rehearsal.verdict,
                    CheckVerdict::Fine,
                    "{} {}: {rehearsal:?}",
                    template.role,
                    flavour.word()
                );
                count += 1;
            }
        }
    }
    println!("{count} VMs were rehearsed");
    assert!(count >= 16, "{count}");
}

/// What writes objects is enumerated: who adds a constructor learns here that the witness has to see its objects.
#[test]
fn every_constructor_of_objects_is_held_against_the_witness() {
    let source =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/harvester/src/make/mod.rs")).unwrap();
    let mut exported: Vec<&str> = source
        .lines()
        .filter_map(|line| line.strip_prefix("pub use ")?.strip_suffix(';')?.split_once("::"))
        .flat_map(|(_, names)| names.trim_matches(['{', '}']).split(", "))
        .collect();
    exported.sort_unstable();
    // Delivered in the story (the Secret and its owner), rehearsed for all templates (the VM); the others are names and input.
    let held = ["cloud_init_secret", "owner_patch", "virtual_machine"];
    let others = ["CloudInit", "VmSpec", "cloud_init_name", "root_claim_name"];
    let mut known: Vec<&str> = held.iter().chain(&others).copied().collect();
    known.sort_unstable();
    assert_eq!(
        exported, known,
        "a new constructor: have the story or `rehearse_all` write its object, then name it here"
    );
}
