//! Consoles and guests of VMs on a simulated cluster.

use super::*;
use crate::ClusterError;
use crate::testing::{World, vm_ref};
use futures::{SinkExt as _, StreamExt as _};
use model::console::Mode;
use std::time::Duration;
use tokio_tungstenite::tungstenite::Message;

/// The first bytes that come over a console.
async fn first_bytes(socket: &mut crate::Socket) -> Vec<u8> {
    let read = async {
        loop {
            match socket.next().await {
                Some(Ok(Message::Binary(bytes))) if !bytes.is_empty() => return bytes.to_vec(),
                Some(Ok(_)) => {}
                other => panic!("{other:?}"),
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(10), read).await.expect("bytes")
}

#[tokio::test]
async fn a_screen_speaks_rfb_from_its_first_byte() {
    let world = World::new().with_sockets();
    world.put_vm("a", "Running");
    world.put_vmi("a", "node-1", "10.0.0.7");
    let mut screen = console(&world.cluster, &vm_ref("a"), Mode::Vnc).await.unwrap();
    let hello = first_bytes(&mut screen).await;
    assert!(hello.starts_with(b"RFB 003."), "{:?}", String::from_utf8_lossy(&hello));
}

#[tokio::test]
async fn a_serial_line_takes_keys() {
    let world = World::new().with_sockets();
    world.put_vm("a", "Running");
    world.put_vmi("a", "node-1", "10.0.0.7");
    let mut line = console(&world.cluster, &vm_ref("a"), Mode::Serial).await.unwrap();
    line.send(Message::Binary(b"\r".to_vec().into())).await.unwrap();
    assert!(!first_bytes(&mut line).await.is_empty());
}

#[tokio::test]
async fn a_vm_without_an_instance_has_no_screen() {
    let world = World::new().with_sockets();
    world.put_vm("a", "Stopped");
    let error = console(&world.cluster, &vm_ref("a"), Mode::Vnc).await.err().unwrap();
    assert!(matches!(error, ClusterError::NotFound { .. } | ClusterError::Refused { .. }), "{error:?}");
}

#[tokio::test]
async fn a_transport_that_cannot_upgrade_is_an_error_and_no_hang() {
    let world = World::new();
    world.put_vm("a", "Running");
    world.put_vmi("a", "node-1", "10.0.0.7");
    assert!(console(&world.cluster, &vm_ref("a"), Mode::Vnc).await.is_err());
}

#[tokio::test]
async fn a_guest_without_an_agent_says_nothing() {
    let world = World::new();
    world.put_vm("a", "Stopped");
    assert_eq!(guest(&world.cluster, &vm_ref("a")).await.unwrap(), None);
}
