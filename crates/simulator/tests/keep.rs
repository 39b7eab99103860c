//! A world outlives its process in a file.

mod support;

use serde_json::{Value, json};
use simulator::Simulator;
use simulator::behave::resources::{POD, VM, VMI};
use simulator::behave::{Resource, View};
use simulator::world::By;
use std::collections::BTreeMap;
use std::time::Duration;
use support::plain;

const FIVE_MINUTES: Duration = Duration::from_secs(300);

fn everything(simulator: &Simulator) -> BTreeMap<String, Vec<Value>> {
    let kinds = simulator.world().catalogue().kinds().iter();
    kinds
        .map(|kind| {
            let objects = simulator.world().list(kind.resource, None);
            (kind.qualified(), objects.iter().map(|object| (**object).clone()).collect())
        })
        .collect()
}

fn resumed(path: &std::path::Path) -> Simulator {
    Simulator::builder().restore(path).expect("a whole world").build()
}

fn running(simulator: &Simulator) -> (String, String) {
    let vms = simulator.world().list(VM, None);
    let vm = vms.iter().find(|vm| vm["status"]["printableStatus"] == "Running").expect("a VM that runs");
    let text = |field: &str| vm["metadata"][field].as_str().expect("text").to_owned();
    (text("namespace"), text("name"))
}

#[tokio::test]
async fn everything_is_there_again_and_a_running_vm_can_be_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lab.world");
    let before = Simulator::builder().vms(20).seed(14).build();
    before.advance(FIVE_MINUTES).expect("the world comes to rest");
    before.world().save(&path).expect("saved");
    let after = resumed(&path);
    assert_eq!(everything(&after), everything(&before));
    assert_eq!(after.world().version(), before.world().version());
    assert_eq!(after.world().access().admin_token(), before.world().access().admin_token());
    assert_eq!(after.world().clock().unix_ms(), before.world().clock().unix_ms());

    after.settle().expect("the world comes to rest");
    let (namespace, name) = running(&after);
    let stop = format!("PUT /apis/subresources.kubevirt.io/v1/namespaces/{namespace}/virtualmachines/{name}/stop");
    assert_eq!(plain(&after.router(), &stop, json!({})).await.code, 202);
    let gone = after.advance_until(FIVE_MINUTES, |view| view.get(VMI, &namespace, &name).is_none());
    assert!(gone.expect("the world comes to rest"), "the instance ends");
    let vm = after.world().get(VM, &namespace, &name).expect("the VM stays");
    assert_eq!(vm["status"]["printableStatus"], "Stopped");
    let version: u64 = vm["metadata"]["resourceVersion"].as_str().and_then(|text| text.parse().ok()).expect("a number");
    assert!(version > before.world().version(), "versions go on");
}

#[tokio::test]
async fn what_was_under_way_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lab.world");
    let before = Simulator::builder().vms(20).build();
    let (namespace, name) = running(&before);
    let stop = format!("PUT /apis/subresources.kubevirt.io/v1/namespaces/{namespace}/virtualmachines/{name}/stop");
    assert_eq!(plain(&before.router(), &stop, json!({})).await.code, 202);
    before.world().save(&path).expect("saved before anybody acted on it");
    let after = resumed(&path);
    let gone = after.advance_until(FIVE_MINUTES, |view| view.get(VMI, &namespace, &name).is_none());
    assert!(gone.expect("the world comes to rest"), "the instance ends in the world that was brought back");
    let pods = after.world().labelled(POD, Some(&namespace), "vm.kubevirt.io/name", &name);
    assert!(pods.is_empty());
}

#[test]
fn who_watched_before_must_list_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lab.world");
    let before = Simulator::builder().build();
    before.world().save(&path).expect("saved");
    let after = resumed(&path);
    let version = after.world().version();
    assert!(after.world().subscribe(VM, version - 1).ready().is_err());
    assert!(after.world().subscribe(VM, version).ready().is_ok_and(|changes| changes.is_empty()));
}

#[test]
fn a_broken_file_is_refused_by_name_and_a_save_replaces_it_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lab.world");
    let simulator = Simulator::builder().build();
    simulator.world().save(&path).expect("saved");
    let whole = std::fs::read_to_string(&path).expect("read");
    let lines: Vec<&str> = whole.lines().collect();
    let twice =
        [lines[0], lines[1], lines[1]].join("\n").replace(&format!("\"objects\":{}", lines.len() - 1), "\"objects\":2");
    let last = format!("line {}: EOF while parsing", lines.len());
    let cases = [
        (String::new(), "line 1: the file is empty"),
        ("{}".to_owned(), "line 1: missing field"),
        (whole[..whole.len() / 2].to_owned(), "the end is missing"),
        (lines[..lines.len() - 1].join("\n"), "the end is missing"),
        (whole[..whole.len() - 9].to_owned(), last.as_str()),
        (twice, "line 3: an object that was there already"),
        (whole.replace("\"kind\":\"Node\"", "\"kind\":\"Nod\""), "no object of a kind"),
        (whole.replace("\"format\":1", "\"format\":9"), "format 9 is not 1"),
    ];
    for (text, gist) in cases {
        std::fs::write(&path, text).expect("written");
        let error = Simulator::builder().restore(&path).expect_err(gist).to_string();
        assert!(error.contains(&path.display().to_string()) && error.contains(gist), "{error}");
    }
    simulator.world().save(&path).expect("saved over it");
    assert_eq!(std::fs::read_to_string(&path).expect("read"), whole);
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1, "nothing else is left behind");
    let absent = folder.path().join("none");
    let error = Simulator::builder().restore(&absent).expect_err("no file").to_string();
    assert!(error.contains(&absent.display().to_string()), "{error}");
    let nowhere = folder.path().join("no-such-folder").join("lab.world");
    let error = simulator.world().save(&nowhere).expect_err("no folder").to_string();
    assert!(error.contains(&nowhere.display().to_string()), "{error}");
}

#[test]
fn a_change_after_the_save_is_not_in_it() {
    const MAP: Resource = Resource { group: "", version: "v1", plural: "configmaps" };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lab.world");
    let simulator = Simulator::builder().build();
    let put = |name: &str| {
        let map = json!({ "metadata": { "name": name } });
        simulator.world().create(MAP, "default", map, &By::user("me", "test")).expect("created");
    };
    put("early");
    simulator.world().save(&path).expect("saved");
    put("late");
    let after = resumed(&path);
    assert!(after.world().get(MAP, "default", "early").is_some());
    assert!(after.world().get(MAP, "default", "late").is_none());
}
