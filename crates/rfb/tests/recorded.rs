//! Sessions recorded from a real QEMU (`record/record.py`): our pixels are those of QEMU's own `screendump`.
#![allow(clippy::unwrap_used, reason = "a test may")]

mod common;

use common::{Session, events, replay, sessions};
use rfb::{Client, Event, Options, Pacing};

#[test]
fn the_last_picture_is_what_qemu_dumped() {
    for session in sessions() {
        let client = replay(&[&session.bytes]);
        let screen = client.framebuffer();
        assert_eq!((screen.width(), screen.height()), session.size, "{}", session.name);
        if session.name.ends_with("jpeg") {
            continue; // lossy: see the test below
        }
        assert_eq!(fnv(screen.bytes()), session.hash, "{}", session.name);
    }
}

#[test]
fn a_lossy_picture_is_near_the_lossless_one() {
    let pixels = |name: &str| replay(&[&find(name).bytes]).framebuffer().bytes().to_vec();
    let (lossless, lossy) = (pixels("colours-zrle"), pixels("colours-jpeg"));
    assert!(lossless != lossy, "the session has no JPEG in it");
    // The smooth part, above the noise.
    let smooth = 320 * 176 * 4;
    let worst = lossless[..smooth].iter().zip(&lossy).map(|(a, b)| a.abs_diff(*b)).max();
    assert!(worst < Some(24), "a pixel is off by {worst:?}");
}

#[test]
fn where_the_network_cuts_does_not_matter() {
    for session in sessions().filter(|session| session.bytes.len() < 400_000) {
        let whole = replay(&[&session.bytes]).framebuffer().bytes().to_vec();
        for length in [1, 7, 1000, 4096] {
            let pieces: Vec<&[u8]> = session.bytes.chunks(length).collect();
            assert!(replay(&pieces).framebuffer().bytes() == whole, "{} in pieces of {length}", session.name);
        }
    }
}

#[test]
fn qemu_says_hello_and_offers_scancodes() {
    let session = find("bios-zrle");
    let mut client = Client::new(Options { pacing: Pacing::Continuous, ..Options::default() });
    client.receive(&session.bytes).unwrap();
    let first = client.poll();
    assert!(matches!(first, Some(Event::Connected { ref name, .. }) if name == "QEMU"), "{first:?}");
    let events = events(&mut client);
    assert!(events.contains(&Event::Resized { width: 720, height: 400 }), "{events:?}");
    client.take_output();
    client.press(rfb::keysym::from_browser("KeyA", "a"), true);
    // QEMU's extended key event: down, keysym, scancode.
    assert_eq!(client.take_output(), [255, 0, 0, 1, 0, 0, 0, 0x61, 0, 0, 0, 30]);
}

fn find(name: &str) -> Session {
    sessions().find(|session| session.name == name).unwrap()
}

/// FNV-1a over red, green and blue, as `record.py` has it.
fn fnv(rgba: &[u8]) -> u64 {
    let bytes = rgba.chunks(4).flat_map(|pixel| &pixel[..3]);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
