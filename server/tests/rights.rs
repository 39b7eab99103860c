//! The roles that the product offers for download are enough for all that it does; without one of their rights there is a
//! sentence, and no broken page.
#![expect(clippy::unwrap_used, reason = "a helper that fails here fails its test")]

mod common;

use common::orders::{draft, drive, ended, open_consoles, operator, order, power, wait_for};
use common::{Browser, CLUSTER, Lab, Running, serve, settle_as};
use model::change::State;
use model::fleet::{Grant, ObserveOnly};
use model::id::ClusterId;
use model::provisioning::{CheckVerdict, DeliveryView, Draft};
use model::vm::Power;
use serde_json::Value;
use simulator::behave::View;
use simulator::behave::resources::{SECRET, VM};
use simulator::world::access::Rule;
use simulator::world::fault::{Fault, Harm};

const TOKEN: &str = "least-privilege";

/// The rules of all roles in the file that people download.
async fn offered(browser: &Browser) -> Vec<Rule> {
    let file = browser.get(app::paths::CLUSTER_ROLE).await;
    assert_eq!(file.status, 200);
    let roles: Vec<Value> = serde_saphyr::from_multiple(&file.text).unwrap();
    let rules = roles.iter().flat_map(|role| role["rules"].as_array().unwrap()).cloned();
    rules.map(|rule| serde_json::from_value(rule).unwrap()).collect()
}

fn grant(lab: &Lab, rules: &[Rule]) {
    lab.simulator.world().access().grant(TOKEN, "system:serviceaccount:harvester-admin:platform", &[], rules.to_vec());
}

async fn grants(running: &Running) -> Vec<Grant> {
    let ctx = ops::Context::system("test", ops::Clock::machine().now());
    running.ops.fleet.detail(&ctx, &ClusterId::parse(CLUSTER).unwrap()).await.unwrap().grants
}

/// A delivery that has come, in a lab whose credential has just the offered roles.
async fn delivered(key: &str) -> (Running, Lab, Vec<Rule>, DeliveryView) {
    let (running, lab) = (serve().await, Lab::start(4, 30.0).await);
    let browser = Browser::signed_in(running.address, "operator").await;
    let rules = offered(&browser).await;
    grant(&lab, &rules);
    settle_as(&running.ops, lab.served.kubeconfig(TOKEN)).await;
    let ctx = operator(&running).await;
    let draft = draft(&running, &ctx).await;
    let id = running.ops.provisioning.order(&ctx, order(&draft, key)).await.unwrap();
    let view = ended(&running, &ctx, &id).await;
    assert_eq!(view.state, State::Succeeded, "{view:#?}");
    (running, lab, rules, view)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_offered_roles_are_enough() {
    let (running, lab, _, vm) = delivered("enough").await;
    let missing: Vec<_> = grants(&running).await.into_iter().filter(|grant| !grant.missing.is_empty()).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let (_, namespace, name) = &vm.vm;
    let secret = lab.simulator.world().get(SECRET, namespace, &format!("{name}-cloudinit")).expect("it has its Secret");
    let made = lab.simulator.world().get(VM, namespace, name).expect("it is there");
    let owner = secret.pointer("/metadata/ownerReferences/0/uid").cloned();
    assert_eq!(owner.as_ref(), made.pointer("/metadata/uid"), "the Secret goes when the VM goes");
    let browser = Browser::signed_in(running.address, "operator").await;
    let acts = [
        ("pause", Power::Paused),
        ("unpause", Power::Running),
        ("soft-reboot", Power::Running),
        ("restart", Power::Running),
        ("stop", Power::Stopped),
        ("start", Power::Running),
    ];
    drive(&running, &browser, &vm, "enough", &acts).await;
    let cluster = &vm.vm.0;
    open_consoles(&browser, &vm).await;
    for tab in ["", "?tab=events", "?tab=yaml"] {
        let page = browser.get(&format!("/vms/{cluster}/{namespace}/{name}{tab}")).await;
        assert!(page.status == 200 && page.text.contains(name.as_str()), "{tab}");
    }
    // What an order makes it can also take away.
    let ctx = operator(&running).await;
    let lost = Draft { name: "test-fault-unschedulable-01".into(), ..draft(&running, &ctx).await };
    let id = running.ops.provisioning.order(&ctx, order(&lost, "enough-undone")).await.unwrap();
    running.ops.provisioning.undo(&ctx, &id, "").await.unwrap();
    let view = ended(&running, &ctx, &id).await;
    assert_eq!(view.state, State::Undone, "{view:#?}");
}

/// One right less at a time: the page of rights names it, all pages are whole, and what needs it says why it was not done.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_right_there_is_a_sentence() {
    let (running, lab, rules, vm) = delivered("without").await;
    let browser = Browser::signed_in(running.address, "operator").await;
    let ctx = operator(&running).await;
    let (cluster, namespace, name) = &vm.vm;
    let of_vm = format!("/vms/{cluster}/{namespace}/{name}");
    let pages = ["/", "/vms", "/clusters", "/portal"].map(str::to_owned).into_iter();
    let of_cluster = ["", "?tab=capabilities", "?tab=networks", "?tab=images", "?tab=rights", "?tab=watches"];
    let pages: Vec<_> = pages
        .chain(of_cluster.map(|tab| format!("/clusters/{CLUSTER}{tab}")))
        .chain(["", "?tab=events", "?tab=yaml"].map(|tab| format!("{of_vm}{tab}")))
        .collect();
    for at in 0..rules.len() {
        let mut fewer = rules.clone();
        let rule = fewer.remove(at);
        grant(&lab, &fewer);
        // Watches that were begun with the right go on; a new one is refused.
        lab.simulator.world().faults().add(Fault::times(11, "watch", "*", Harm::CloseWatch { after_ms: 1 }));
        let plural = rule.resources[0].as_str();
        let told: Vec<_> = grants(&running).await.into_iter().filter(|grant| !grant.missing.is_empty()).collect();
        assert!(!told.is_empty() && told.iter().all(|grant| grant.resource.ends_with(plural)), "{rule:?}: {told:?}");
        assert!(told.iter().all(|grant| !grant.costs.en.is_empty()), "{rule:?}");
        for path in &pages {
            let page = browser.get(path).await;
            let is_broken = page.text.contains("class=\"blank\" data-tone=\"error\"");
            assert!(page.status < 500 && !is_broken, "without {rule:?}: {path}: {}", page.status);
            // The VM's own page is about an object that may not be read: it says which right is missing.
            let says = page.text.contains(&format!("get kubevirt.io/{plural}"));
            assert!(
                page.status == 200 || says && path.starts_with(&of_vm),
                "without {rule:?}: {path}: {}",
                page.status
            );
        }
        let key = format!("without-{at}");
        let act = match plural {
            "virtualmachines/start" => Some(("start", Power::Stopped)),
            // An ordinary stop is a patch of the run strategy.
            "virtualmachines/stop" => Some(("force-stop", Power::Running)),
            "virtualmachines/restart" => Some(("restart", Power::Running)),
            "virtualmachineinstances/softreboot" => Some(("soft-reboot", Power::Running)),
            "virtualmachineinstances/pause" => Some(("pause", Power::Running)),
            "virtualmachineinstances/unpause" => Some(("unpause", Power::Paused)),
            _ => None,
        };
        if let Some((action, from)) = act {
            let into = match from {
                Power::Stopped => Some(("stop", "start")),
                Power::Paused => Some(("pause", "unpause")),
                _ => None,
            };
            if let Some((before, _)) = into {
                assert_eq!(power(&browser, &vm, before, &format!("{key}-before")).await.status, 200);
                wait_for(&running, &vm, from).await;
            }
            let refused = power(&browser, &vm, action, &key).await;
            assert!((400..500).contains(&refused.status), "{action}: {} {}", refused.status, refused.text);
            assert!(
                refused.text.contains("forbidden") || refused.text.contains("may not"),
                "{action}: {}",
                refused.text
            );
            if let Some((_, after)) = into {
                grant(&lab, &rules);
                assert_eq!(power(&browser, &vm, after, &format!("{key}-after")).await.status, 200);
                wait_for(&running, &vm, Power::Running).await;
            }
        }
        let creates = rule.verbs.iter().any(|verb| verb == "create");
        if creates {
            let draft = Draft { name: format!("test-order-web-9{at}"), ..draft(&running, &ctx).await };
            let preview = running.ops.provisioning.preview(&ctx, draft).await.unwrap();
            let refused: Vec<_> = preview.checks.iter().filter(|c| c.verdict == CheckVerdict::Refused).collect();
            assert!(!refused.is_empty() && refused.iter().all(|c| !c.say.en.is_empty()), "{rule:?}: {refused:?}");
        }
    }
}

/// A credential that may only read makes a cluster that is only observed: nobody is offered what would be refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_credential_that_may_only_read_observes() {
    let (running, lab, rules, vm) = delivered("observes").await;
    let ctx = operator(&running).await;
    let id = ClusterId::parse(CLUSTER).unwrap();
    let reading: Vec<Rule> = rules
        .iter()
        .filter(|rule| rule.verbs.iter().all(|v| ["get", "list", "watch"].contains(&v.as_str())))
        .cloned()
        .collect();
    grant(&lab, &reading);
    running.ops.fleet.probe(&ctx, &id).await.unwrap();
    let view = || running.ops.fleet.member(&id).unwrap().view();
    assert_eq!(view().observe_only, Some(ObserveOnly::Credential));
    let browser = Browser::signed_in(running.address, "operator").await;
    let sentence = "may only read";
    for path in ["/clusters".to_owned(), format!("/clusters/{CLUSTER}")] {
        let page = browser.get(&path).await;
        assert!(page.status == 200 && page.text.contains("的凭据只能读"), "{path}");
    }
    let refused = power(&browser, &vm, "stop", "observes-stop").await;
    assert!((400..500).contains(&refused.status) && refused.text.contains(sentence), "{}", refused.text);
    let draft = Draft { name: "test-order-web-77".into(), ..draft(&running, &ctx).await };
    let preview = running.ops.provisioning.preview(&ctx, draft).await.unwrap();
    let refusals: Vec<_> = preview.checks.iter().filter(|c| c.verdict == CheckVerdict::Refused).collect();
    assert!(refusals.iter().any(|check| check.say.en.contains(sentence)), "{refusals:?}");
    // What is granted later is found at the next probe.
    grant(&lab, &rules);
    running.ops.fleet.probe(&ctx, &id).await.unwrap();
    assert_eq!(view().observe_only, None);
    assert_eq!(power(&browser, &vm, "stop", "observes-again").await.status, 200);
}
