//! What a client can find out about the API itself, on both releases.

mod support;

use serde_json::json;
use simulator::behave::View;
use simulator::behave::resources::{KUBEVIRT, SETTING};
use simulator::clock::Clock;
use simulator::world::World;
use simulator::world::catalogue::Release;
use support::{plain, router, send};

fn installed(release: Release) -> World {
    let world = World::new(release, Clock::explicit(), 7);
    world.install_definitions();
    world
}

#[tokio::test]
async fn every_kind_is_found_in_both_forms_of_discovery() {
    let world = installed(Release::V1_8);
    let router = router(&world);
    let groups = plain(&router, "GET /apis", json!(null)).await.json();
    let kubevirt = groups["groups"]
        .as_array()
        .expect("groups")
        .iter()
        .find(|group| group["name"] == "kubevirt.io")
        .expect("kubevirt.io")
        .clone();
    assert_eq!(kubevirt["preferredVersion"]["version"], "v1");
    let resources = plain(&router, "GET /apis/kubevirt.io/v1", json!(null)).await.json();
    let vm = resources["resources"]
        .as_array()
        .expect("resources")
        .iter()
        .find(|entry| entry["name"] == "virtualmachines")
        .expect("VMs")
        .clone();
    assert_eq!(vm["shortNames"], json!(["vm", "vms"]));
    let accept = [("accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")];
    let all = send(&router, "GET /apis", &accept, json!(null)).await;
    assert!(all.headers["content-type"].to_str().is_ok_and(|text| text.contains("APIGroupDiscoveryList")));
    let items = all.json()["items"].clone();
    let subresources = items
        .as_array()
        .expect("items")
        .iter()
        .find(|item| item["metadata"]["name"] == "subresources.kubevirt.io")
        .expect("group")
        .clone();
    assert!(subresources.to_string().contains("\"vnc\""));
}

/// A client of Kubernetes 1.27 to 1.29 takes `v2beta1` or the plain lists; a server of 1.29 has no `v2`.
#[tokio::test]
async fn aggregated_discovery_comes_in_a_version_that_both_know() {
    let accept = |version: &str| format!("application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList");
    let both = format!("{},{},application/json", accept("v2"), accept("v2beta1"));
    for (release, wanted, got) in [
        (Release::V1_8, both.clone(), "apidiscovery.k8s.io/v2"),
        (Release::V1_8, format!("{},application/json", accept("v2beta1")), "apidiscovery.k8s.io/v2beta1"),
        (Release::V1_4, both, "apidiscovery.k8s.io/v2beta1"),
        (Release::V1_4, format!("{},application/json", accept("v2")), "v1"),
    ] {
        let router = router(&installed(release));
        let answer = send(&router, "GET /apis", &[("accept", wanted.as_str())], json!(null)).await;
        assert_eq!(answer.json()["apiVersion"], got, "{release:?} {wanted}");
    }
}

#[tokio::test]
async fn the_releases_differ_where_a_client_looks() {
    let field =
        "GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/virtualmachineinstancemigrations.kubevirt.io";
    let definition =
        "GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/hostnetworkconfigs.network.harvesterhci.io";
    for (release, has) in [(Release::V1_4, false), (Release::V1_8, true)] {
        let world = installed(release);
        let router = router(&world);
        let migration = plain(&router, field, json!(null)).await.json();
        let schema = &migration["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
        assert_eq!(schema.get("addedNodeSelector").is_some(), has, "{release:?}");
        assert!(schema.get("vmiName").is_some());
        assert_eq!(plain(&router, definition, json!(null)).await.code == 200, has, "{release:?}");
        let subresources = plain(&router, "GET /apis/subresources.kubevirt.io/v1", json!(null)).await.text;
        assert_eq!(subresources.contains("evacuate/cancel"), has, "{release:?}");
    }
}

/// What a client probes for, by `harvester-api.md` §9.5: where, the pointer that must lead somewhere, the two answers.
#[tokio::test]
async fn each_release_answers_the_probes_for_what_it_can() {
    let crd = |name: &str| format!("apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}");
    let field = |path: &str| {
        let steps = path.replace('.', "/properties/");
        format!("/spec/versions/0/schema/openAPIV3Schema/properties/{steps}")
    };
    let setting = |name: &str| format!("apis/harvesterhci.io/v1beta1/settings/{name}");
    let kubevirt = "apis/kubevirt.io/v1/namespaces/harvester-system/kubevirts/kubevirt".to_owned();
    let addon = |name: &str| format!("apis/harvesterhci.io/v1beta1/namespaces/{name}");
    let image = || crd("virtualmachineimages.harvesterhci.io");
    let restore = || crd("virtualmachinerestores.harvesterhci.io");
    let backup = || crd("virtualmachinebackups.harvesterhci.io");
    use Release::{V1_2, V1_3, V1_4, V1_6, V1_8, V1_9};
    let probes = [
        (backup(), field("spec.type"), V1_2),
        (restore(), field("spec.keepMacAddress"), V1_3),
        (crd("ippools.network.harvesterhci.io"), String::new(), V1_3),
        (crd("schedulevmbackups.harvesterhci.io"), String::new(), V1_4),
        (crd("resourcequotas.harvesterhci.io"), String::new(), V1_4),
        (image(), field("spec.securityParameters"), V1_4),
        (crd("usbdevices.devices.harvesterhci.io"), String::new(), V1_4),
        (setting("longhorn-v2-data-engine-enabled"), String::new(), V1_4),
        (image(), field("spec.backend"), V1_6),
        (crd("cdis.cdi.kubevirt.io"), String::new(), V1_6),
        (kubevirt.clone(), "/spec/configuration/vmStateStorageClass".into(), V1_6),
        (setting("max-hotplug-ratio"), String::new(), V1_6),
        (setting("vm-migration-network"), String::new(), V1_6),
        (setting("csi-online-expand-validation"), String::new(), V1_6),
        (crd("vpcs.kubeovn.io"), String::new(), V1_6),
        (addon("kube-system/addons/kubeovn-operator"), String::new(), V1_6),
        (crd("virtualmachineinstancemigrations.kubevirt.io"), field("spec.addedNodeSelector"), V1_8),
        (setting("kubevirt-migration"), String::new(), V1_8),
        (addon("kube-system/addons/descheduler"), String::new(), V1_8),
        (crd("hostnetworkconfigs.network.harvesterhci.io"), String::new(), V1_8),
        (setting("rwx-network"), String::new(), V1_8),
        (kubevirt, "/spec/configuration/network/binding/managedtap".into(), V1_8),
        (restore(), field("spec.haltAfterRestore"), V1_9),
        (backup(), field("spec.fsFreezeDeadline"), V1_9),
        (crd("upgradeplans.management.harvesterhci.io"), String::new(), V1_9),
    ];
    for release in Release::ALL {
        let world = installed(release);
        simulator::scenario::empty(&world, 3);
        let router = router(&world);
        for (path, pointer, since) in &probes {
            let answer = plain(&router, &format!("GET /{path}"), json!(null)).await;
            let is_there = answer.code == 200 && answer.json().pointer(pointer).is_some();
            assert_eq!(is_there, release >= *since, "{release:?}: {path} {pointer}");
        }
        let text = plain(&router, "GET /apis/subresources.kubevirt.io/v1", json!(null)).await.text;
        for (later, since) in [("virtualmachineinstances/reset", V1_6), ("virtualmachines/evacuate/cancel", V1_8)] {
            assert_eq!(text.contains(later), release >= since, "{release:?}: {later}");
        }
        let kubevirt = world.get(KUBEVIRT, "harvester-system", "kubevirt").expect("KubeVirt");
        let gates = &kubevirt["spec"]["configuration"]["developerConfiguration"]["featureGates"];
        let has = |gate: &str| gates.as_array().is_some_and(|gates| gates.iter().any(|held| held == gate));
        let seen = ["CPUManager", "HotplugVolumes", "ExpandDisks", "DeclarativeHotplugVolumes"].map(has);
        let (new, old) = (release >= V1_8, release < V1_8);
        assert_eq!(seen, [release >= V1_4, old, release >= V1_6, new], "{release:?}: {gates}");
        let upgrade = world.get(SETTING, "", "upgrade-config");
        assert_eq!(upgrade.is_some(), release >= V1_4, "{release:?}");
        let pauses = upgrade.is_some_and(|setting| setting["default"].to_string().contains("nodeUpgradeOption"));
        assert_eq!(pauses, new, "{release:?}");
    }
}

#[tokio::test]
async fn openapi_has_the_schema_and_the_parameters_that_kubectl_looks_for() {
    let world = installed(Release::V1_8);
    let router = router(&world);
    let index = plain(&router, "GET /openapi/v3", json!(null)).await.json();
    assert!(index["paths"].get("apis/kubevirt.io/v1").is_some());
    let document = plain(&router, "GET /openapi/v3/apis/kubevirt.io/v1", json!(null)).await.json();
    let vm = &document["components"]["schemas"]["io.kubevirt.v1.VirtualMachine"];
    assert_eq!(vm["x-kubernetes-group-version-kind"][0]["kind"], "VirtualMachine");
    assert_eq!(vm["properties"]["spec"]["properties"]["runStrategy"]["type"], "string");
    let path = &document["paths"]["/apis/kubevirt.io/v1/namespaces/{namespace}/virtualmachines/{name}"];
    assert!(path["patch"]["parameters"].to_string().contains("fieldValidation"));
}

#[tokio::test]
async fn a_table_has_the_printer_columns_of_the_kind() {
    let world = installed(Release::V1_8);
    let router = router(&world);
    let accept = [("accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json")];
    let table = send(&router, "GET /api/v1/namespaces", &accept, json!(null)).await.json();
    let heads: Vec<_> =
        table["columnDefinitions"].as_array().expect("columns").iter().map(|column| column["name"].clone()).collect();
    assert_eq!(heads, ["Name", "Status", "Age"]);
    assert_eq!(table["rows"][0]["object"]["kind"], "PartialObjectMetadata");
    let accept = [("accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io")];
    let list = send(&router, "GET /api/v1/namespaces", &accept, json!(null)).await.json();
    assert_eq!(list["kind"], "PartialObjectMetadataList");
    assert!(list["items"][0].get("spec").is_none());
}
