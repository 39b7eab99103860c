//! What is written, read again by what reads.

use super::*;
use crate::make::{CloudInit, cloud_init_secret, owner_patch};
use crate::watch::index::Keys;
use crate::watch::intern::Intern;
use expect_test::expect;
use std::sync::Arc;

pub(crate) fn spec() -> VmSpec {
    VmSpec {
        namespace: Namespace::parse("team-a").unwrap(),
        name: VmName::parse("prod-order-app-05").unwrap(),
        cpu: 4,
        memory: Bytes::gib(8),
        disk: Bytes::gib(40),
        image: ImageView {
            namespace: "team-a".into(),
            name: "image-7hq2d".into(),
            display_name: "debian".into(),
            storage_class: Some("longhorn-image-7hq2d".into()),
            size: Bytes(1),
            virtual_size: Bytes::gib(2),
            is_ready: true,
            progress: 100,
            is_cdi: false,
        },
        storage_class: None,
        network: "team-a/vlan-120".into(),
        mac: Mac::ours(0xab_10_01),
        disk_suffix: "k3x9q".into(),
        os: Some("debian".into()),
        key_pairs: vec!["team-a/ops-key".into()],
        description: "order app".into(),
        owner: Owner { number: "E10432".into(), name: "张伟".into() },
        service: ("order-app".into(), "订单".into()),
        environment: Environment::Prod,
        operation: OperationId::parse("op-1").unwrap(),
        change: ChangeId::parse("ch-1").unwrap(),
    }
}

/// All that the product writes into a cluster, in one place: whoever adds a writer adds it here.
#[test]
fn every_writer() {
    let cloud_init = CloudInit { user_data: "#cloud-config\n".into(), network_data: "version: 2\n".into() };
    let all = [virtual_machine(&spec()), cloud_init_secret(&spec(), &cloud_init), owner_patch(&spec().name, "uid-1")];
    let text: Vec<String> = all.iter().map(|object| serde_json::to_string_pretty(object).unwrap()).collect();
    expect![[r#"
        {
          "apiVersion": "kubevirt.io/v1",
          "kind": "VirtualMachine",
          "metadata": {
            "annotations": {
              "field.cattle.io/description": "order app",
              "harvesterhci.io/volumeClaimTemplates": "[{\"metadata\":{\"annotations\":{\"harvesterhci.io/imageId\":\"team-a/image-7hq2d\"},\"name\":\"prod-order-app-05-rootdisk-k3x9q\"},\"spec\":{\"accessModes\":[\"ReadWriteMany\"],\"resources\":{\"requests\":{\"storage\":\"40Gi\"}},\"storageClassName\":\"longhorn-image-7hq2d\",\"volumeMode\":\"Block\"}}]",
              "ops.example.com/change": "ch-1",
              "ops.example.com/operation": "op-1",
              "ops.example.com/owner-name": "张伟",
              "ops.example.com/service-name": "订单"
            },
            "labels": {
              "harvesterhci.io/creator": "harvester",
              "harvesterhci.io/os": "debian",
              "ops.example.com/env": "prod",
              "ops.example.com/managed-by": "harvester-admin",
              "ops.example.com/owner": "E10432",
              "ops.example.com/service": "order-app"
            },
            "name": "prod-order-app-05",
            "namespace": "team-a"
          },
          "spec": {
            "runStrategy": "RerunOnFailure",
            "template": {
              "metadata": {
                "annotations": {
                  "harvesterhci.io/sshNames": "[\"team-a/ops-key\"]"
                },
                "labels": {
                  "harvesterhci.io/creator": "harvester",
                  "harvesterhci.io/os": "debian",
                  "harvesterhci.io/vmName": "prod-order-app-05",
                  "ops.example.com/env": "prod",
                  "ops.example.com/managed-by": "harvester-admin",
                  "ops.example.com/owner": "E10432",
                  "ops.example.com/service": "order-app"
                }
              },
              "spec": {
                "domain": {
                  "cpu": {
                    "cores": 4,
                    "sockets": 1,
                    "threads": 1
                  },
                  "devices": {
                    "disks": [
                      {
                        "bootOrder": 1,
                        "disk": {
                          "bus": "virtio"
                        },
                        "name": "rootdisk"
                      },
                      {
                        "disk": {
                          "bus": "virtio"
                        },
                        "name": "cloudinitdisk"
                      }
                    ],
                    "inputs": [
                      {
                        "bus": "usb",
                        "name": "tablet",
                        "type": "tablet"
                      }
                    ],
                    "interfaces": [
                      {
                        "bridge": {},
                        "macAddress": "52:54:00:ab:10:01",
                        "model": "virtio",
                        "name": "nic-1"
                      }
                    ]
                  },
                  "features": {
                    "acpi": {
                      "enabled": true
                    }
                  },
                  "machine": {
                    "type": "q35"
                  },
                  "resources": {
                    "limits": {
                      "cpu": "4",
                      "memory": "8Gi"
                    }
                  }
                },
                "evictionStrategy": "LiveMigrateIfPossible",
                "hostname": "prod-order-app-05",
                "networks": [
                  {
                    "multus": {
                      "networkName": "team-a/vlan-120"
                    },
                    "name": "nic-1"
                  }
                ],
                "terminationGracePeriodSeconds": 120,
                "volumes": [
                  {
                    "name": "rootdisk",
                    "persistentVolumeClaim": {
                      "claimName": "prod-order-app-05-rootdisk-k3x9q"
                    }
                  },
                  {
                    "cloudInitNoCloud": {
                      "networkDataSecretRef": {
                        "name": "prod-order-app-05-cloudinit"
                      },
                      "secretRef": {
                        "name": "prod-order-app-05-cloudinit"
                      }
                    },
                    "name": "cloudinitdisk"
                  }
                ]
              }
            }
          }
        }
        ---
        {
          "apiVersion": "v1",
          "data": {
            "networkdata": "dmVyc2lvbjogMgo=",
            "userdata": "I2Nsb3VkLWNvbmZpZwo="
          },
          "kind": "Secret",
          "metadata": {
            "annotations": {
              "ops.example.com/change": "ch-1",
              "ops.example.com/operation": "op-1",
              "ops.example.com/owner-name": "张伟",
              "ops.example.com/service-name": "订单"
            },
            "labels": {
              "harvesterhci.io/cloud-init-template": "harvester",
              "ops.example.com/env": "prod",
              "ops.example.com/managed-by": "harvester-admin",
              "ops.example.com/owner": "E10432",
              "ops.example.com/service": "order-app"
            },
            "name": "prod-order-app-05-cloudinit",
            "namespace": "team-a"
          },
          "type": "Opaque"
        }
        ---
        {
          "metadata": {
            "ownerReferences": [
              {
                "apiVersion": "kubevirt.io/v1",
                "kind": "VirtualMachine",
                "name": "prod-order-app-05",
                "uid": "uid-1"
              }
            ]
          }
        }"#]].assert_eq(&text.join("\n---\n"));
}

#[test]
fn what_is_written_reads_back_as_the_same_row() {
    let mut vm = virtual_machine(&spec());
    vm["metadata"]["uid"] = "u".into();
    vm["metadata"]["resourceVersion"] = "1".into();
    let text = vm.to_string();
    let (keys, mut intern) = (Keys::default(), Intern::default());
    let (mut row, half) =
        crate::view::row::of_vm(&serde_json::from_str(&text).unwrap(), &Arc::from("bj-1"), &keys, &mut intern);
    crate::view::row::lay(&mut row, None, &half, None, false, Bytes(0));
    assert_eq!((row.owner.as_deref(), row.owner_name.as_deref()), (Some("E10432"), Some("张伟")));
    assert_eq!((row.service.as_deref(), row.environment.as_deref()), (Some("order-app"), Some("prod")));
    assert_eq!((row.cpu, row.memory, row.disk), (4, Bytes::gib(8), Bytes::gib(40)));
    assert!(row.is_managed && row.change.as_deref() == Some("ch-1"));
    assert_eq!(row.macs, [Arc::from("52:54:00:ab:10:01")]);
}

#[test]
fn a_disk_is_never_smaller_than_its_image_and_cdi_takes_the_chosen_class() {
    let mut small = spec();
    (small.disk, small.storage_class) = (Bytes::gib(1), Some("fast".into()));
    assert_eq!(root_claim(&small)["spec"]["resources"]["requests"]["storage"], "2Gi");
    assert_eq!(root_claim(&small)["spec"]["storageClassName"], "longhorn-image-7hq2d");
    small.image.is_cdi = true;
    assert_eq!(root_claim(&small)["spec"]["storageClassName"], "fast");
}
