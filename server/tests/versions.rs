//! Every page and the power of a VM with each Harvester that is out there, beside each other in one fleet.

mod common;

use common::{Browser, Lab, serve, until};
use model::fleet::{Health, Register};
use model::id::ClusterId;
use model::vm::{Power, VmRow};
use ops::{Clock, Context};
use serde_json::json;
use simulator::behave::View as _;
use simulator::behave::resources::VM;
use simulator::world::catalogue::Release;
use std::sync::Arc;

const TABS: [&str; 6] = ["", "?tab=capabilities", "?tab=networks", "?tab=images", "?tab=rights", "?tab=watches"];
/// How a page is drawn that could not fetch what it is about.
const TROUBLE: [&str; 2] = ["class=\"blank\" data-tone=\"error\"", "class=\"blank\" data-tone=\"warning\""];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_works_with_each_release() {
    let running = serve().await;
    let ctx = Context::system("test", Clock::machine().now());
    let mut labs = Vec::new();
    for (at, release) in Release::ALL.into_iter().enumerate() {
        let lab = Lab::of(release.line(), 12, 30.0, 20 + at as u64).await;
        let id = ClusterId::parse(&format!("lab-{at}")).unwrap();
        let kubeconfig = lab.served.admin_kubeconfig();
        let command = Register { id: id.to_string(), name: release.line().into(), kubeconfig, is_observe_only: false };
        running.ops.fleet.register(&ctx, command).await.unwrap_or_else(|error| panic!("{release:?}: {error}"));
        labs.push((release, id, lab));
    }
    let admin = Browser::signed_in(running.address, "admin").await;
    for (release, id, lab) in &labs {
        let member = running.ops.fleet.member(id).unwrap();
        let running_row = || -> Option<Arc<VmRow>> {
            let rows = member.running().ok()?.cache.rows();
            let quiet = |row: &&Arc<VmRow>| row.power == Power::Running && !row.name.contains("fault");
            (rows.len() >= 12).then(|| rows.iter().find(quiet).cloned()).flatten()
        };
        until(&format!("{release:?} is seen"), || member.view().health == Health::Reachable && running_row().is_some())
            .await;
        let view = member.view();
        assert_eq!(view.version.as_deref(), Some(release.harvester()));
        assert_eq!(view.quarantined, 0, "{release:?}: all objects are read");
        let row = running_row().unwrap();
        let vm = format!("/vms/{id}/{}/{}", row.namespace, row.name);
        let of_cluster = TABS.map(|tab| format!("/clusters/{id}{tab}"));
        let of_vm = ["", "?tab=events", "?tab=yaml"].map(|tab| format!("{vm}{tab}"));
        for path in of_cluster.iter().chain(&of_vm) {
            let page = admin.get(path).await;
            assert_eq!(page.status, 200, "{release:?} {path}");
            let trouble = TROUBLE.iter().find(|words| page.text.contains(**words));
            assert_eq!(trouble, None, "{release:?} {path}");
        }
        let shown = admin.get(&vm).await.text;
        assert!(shown.contains(row.name.as_ref()), "{release:?}");

        let named = json!({ "cluster": id, "namespace": row.namespace, "name": row.name });
        let command = json!({ "vm": named, "action": "stop", "reason": "", "key": format!("stop-{id}") });
        let done = admin.json("/api/app/vm/api/change_power", &json!({ "command": command })).await;
        assert_eq!(done.status, 200, "{release:?}: {}", done.text);
        until(&format!("{release:?} has stopped it"), || {
            let held = lab.simulator.world().get(VM, &row.namespace, &row.name).unwrap();
            held["status"]["printableStatus"] == "Stopped"
        })
        .await;
    }
    for path in ["/", "/vms", "/clusters", "/portal", "/addresses", "/audit"] {
        let page = admin.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(!TROUBLE.iter().any(|words| page.text.contains(words)), "{path}");
    }
    let clusters = admin.get("/clusters").await.text;
    for release in Release::ALL {
        assert!(clusters.contains(release.harvester()), "{release:?} is in the list with its version");
    }
}
