//! Screens as a viewer meets them.

use super::*;
use crate::clock::Clock;
use crate::scenario::Scenario;
use crate::world::World;
use crate::world::catalogue::Release;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const PIPE: usize = 1 << 20;

fn world() -> (World, String, String) {
    let world = World::new(Release::V1_8, Clock::explicit(), 1);
    Scenario::Many { vms: 1 }.seed(&world);
    let vmi = world.list(VMI, None).remove(0);
    let place = (object::namespace(&vmi).to_owned(), object::name(&vmi).to_owned());
    (world, place.0, place.1)
}

async fn viewer(screens: &Screens, place: (&str, &str)) -> Option<(u16, u16)> {
    let (mut ours, theirs) = tokio::io::duplex(PIPE);
    let screens = screens.clone();
    let look = async {
        let mut client = rfb::Client::new(rfb::Options::default());
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let out = client.take_output();
            ours.write_all(&out).await.ok()?;
            let length = ours.read(&mut buffer).await.ok().filter(|length| *length > 0)?;
            client.receive(&buffer[..length]).ok()?;
            while let Some(event) = client.poll() {
                if let rfb::Event::Connected { width, height, .. } = event {
                    return Some((width, height));
                }
            }
        }
    };
    tokio::select! {
        () = screens.vnc(place.0, place.1, theirs) => None,
        seen = look => seen,
        () = tokio::time::sleep(Duration::from_secs(20)) => None,
    }
}

#[tokio::test]
async fn a_drawn_screen_has_eighty_columns() {
    let (world, namespace, name) = world();
    assert_eq!(viewer(&Screens::drawn(&world), (&namespace, &name)).await, Some((640, 400)));
}

#[tokio::test]
async fn qemu_shows_a_screen_and_ends_with_its_screens() {
    if !qemu::is_installed() {
        return;
    }
    let (world, namespace, name) = world();
    let screens = Screens::new(&world);
    let (width, height) = viewer(&screens, (&namespace, &name)).await.unwrap();
    assert!(width >= 320 && height >= 200, "{width}x{height}");
    assert_eq!(screens.machines().await, 1);
    let uid = object::uid(&world.get(VMI, &namespace, &name).unwrap()).to_owned();
    tokio::time::sleep(Duration::from_secs(3)).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("screen.ppm");
    screens.screendump(&uid, &file).await.unwrap().unwrap();
    let picture = std::fs::read(&file).unwrap();
    let colours: std::collections::BTreeSet<&[u8]> = picture[32..].chunks_exact(3).collect();
    assert!(colours.len() > 16, "the stripes have many colours: {}", colours.len());
    screens.close().await;
    assert_eq!(screens.machines().await, 0);
}

#[tokio::test]
async fn a_serial_console_logs_in_and_keeps_its_session() {
    let (world, namespace, name) = world();
    let screens = Screens::drawn(&world);
    let say = async |text: &str, wanted: &str| {
        let (mut ours, theirs) = tokio::io::duplex(PIPE);
        let talk = async {
            ours.write_all(text.as_bytes()).await.unwrap();
            let mut heard = String::new();
            let mut buffer = [0; 4096];
            while !heard.contains(wanted) {
                let length = ours.read(&mut buffer).await.unwrap();
                heard.push_str(&String::from_utf8_lossy(&buffer[..length]));
            }
            drop(ours);
            heard
        };
        let (heard, ()) = tokio::join!(talk, screens.console(&namespace, &name, theirs));
        heard
    };
    let heard = say("root\rsecret\rwhoami\r", "\r\nroot\r\n").await;
    assert!(heard.contains("login: ") && !heard.contains("secret"));
    assert!(say("echo again\r", "\r\nagain\r\n").await.contains("again"));
}
