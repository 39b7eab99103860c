//! How long the client takes for a frame, by encoding: `cargo bench -p rfb`.
//!
//! The frames are QEMU's text mode noise, 720×400, every cell changing; where longer recordings are given
//! (`RFB_RECORDINGS=FOLDER`, made by `tests/record/record.py --long FOLDER`), those, else one recorded frame for Tight
//! and ZRLE and what our own server makes of it for the rest. The peer is noVNC 1.7.0 in Chromium on the same kind of
//! stream (`design/performance.md` §1.8), whose figures are wasm's to beat; these here are native.
#![allow(clippy::unwrap_used, reason = "a bench may")]

use std::time::{Duration, Instant};

use rfb::{Client, Encoding, Event, Framebuffer, Options, Pacing, Server};

/// Encoding, its name, and noVNC's milliseconds a frame.
const PEERS: &[(Encoding, &str, Option<f64>)] = &[
    (Encoding::Raw, "raw", Some(3.7)),
    (Encoding::Hextile, "hextile", Some(14.0)),
    (Encoding::Zlib, "zlib", None),
    (Encoding::Zrle, "zrle", Some(29.2)),
    (Encoding::Tight, "tight", Some(4.4)),
];
/// Long enough that a turbo or a neighbour does not decide.
const MEASURED: Duration = Duration::from_millis(1500);

fn main() {
    println!("720x400 text noise    ms/frame    frames   MB/s in   noVNC ms   ratio");
    for &(encoding, name, peer) in PEERS {
        let (session, frames) = session(encoding, name);
        let best = fastest(&session);
        let ms = best.as_secs_f64() * 1000.0 / f64::from(frames);
        let rate = session.len() as f64 / best.as_secs_f64() / 1e6;
        let ratio = peer.map_or_else(String::new, |peer| format!("{peer:>8.1}   {:>5.1}x", peer / ms));
        println!("{name:<18} {ms:>11.3} {frames:>9} {rate:>9.0}   {ratio}");
    }
    println!();
    for &(encoding, name, _) in PEERS {
        let screen = noise();
        let (mut frames, start) = (0u32, Instant::now());
        let mut server = ready(encoding, &screen);
        let mut bytes = 0;
        while start.elapsed() < MEASURED / 3 {
            server.receive(&[3, 0, 0, 0, 0, 0, 2, 208, 1, 144]).unwrap();
            assert!(server.update(&screen));
            bytes += server.take_output().len();
            frames += 1;
        }
        let ms = start.elapsed().as_secs_f64() * 1000.0 / f64::from(frames);
        println!("encode {name:<11} {ms:>11.3} {frames:>9}   {:>6} KB/frame", bytes / frames as usize / 1000);
    }
}

/// A session and how many whole frames it has.
fn session(encoding: Encoding, name: &str) -> (Vec<u8>, u32) {
    if let Ok(folder) = std::env::var("RFB_RECORDINGS") {
        let bytes = unpack(&format!("{folder}/noise-{name}.z"));
        let painted = count_pixels(&bytes);
        return (bytes, (painted / (720 * 400)).max(1) as u32);
    }
    match encoding {
        Encoding::Zrle | Encoding::Tight => (unpack(&recording(name)), 1),
        _ => {
            let screen = noise();
            let mut server = Server::new("bench", 720, 400);
            let mut client = client(encoding);
            let mut session = Vec::new();
            for _ in 0..6 {
                let said = server.take_output();
                session.extend_from_slice(&said);
                client.receive(&said).unwrap();
                server.receive(&client.take_output()).unwrap();
            }
            for _ in 0..10 {
                server.receive(&[3, 0, 0, 0, 0, 0, 2, 208, 1, 144]).unwrap();
                server.update(&screen);
                session.extend(server.take_output());
            }
            (session, 10)
        }
    }
}

fn recording(name: &str) -> String {
    format!("{}/tests/data/noise-{name}.z", env!("CARGO_MANIFEST_DIR"))
}

fn unpack(path: &str) -> Vec<u8> {
    miniz_oxide::inflate::decompress_to_vec_zlib(&std::fs::read(path).unwrap()).unwrap()
}

fn client(encoding: Encoding) -> Client {
    Client::new(Options { encodings: vec![encoding], pacing: Pacing::Continuous, ..Options::default() })
}

/// The time a session takes: of each piece the fastest of many runs, so that a busy machine does not decide.
fn fastest(session: &[u8]) -> Duration {
    // What a WebSocket delivers at a time.
    let pieces: Vec<&[u8]> = session.chunks(64 << 10).collect();
    let mut best = vec![Duration::MAX; pieces.len()];
    let (mut runs, start) = (0, Instant::now());
    while runs < 3 || start.elapsed() < MEASURED {
        let mut client = client(Encoding::Raw);
        for (piece, best) in pieces.iter().zip(&mut best) {
            let begun = Instant::now();
            client.receive(piece).unwrap();
            *best = begun.elapsed().min(*best);
            client.take_output();
        }
        assert_eq!(client.framebuffer().bytes().len(), 720 * 400 * 4);
        runs += 1;
    }
    best.iter().sum()
}

/// Pixels that the updates of a session damaged.
fn count_pixels(session: &[u8]) -> u64 {
    let mut client = client(Encoding::Raw);
    let mut pixels = 0;
    for piece in session.chunks(512) {
        client.receive(piece).unwrap();
        while let Some(event) = client.poll() {
            pixels += if let Event::Damage(rect) = event { rect.area() } else { 0 };
        }
    }
    pixels
}

fn noise() -> Framebuffer {
    let mut client = client(Encoding::Zrle);
    client.receive(&unpack(&recording("zrle"))).unwrap();
    client.framebuffer().clone()
}

fn ready(encoding: Encoding, screen: &Framebuffer) -> Server {
    let mut server = Server::new("bench", screen.width(), screen.height());
    let mut client = client(encoding);
    for _ in 0..6 {
        client.receive(&server.take_output()).unwrap();
        server.receive(&client.take_output()).unwrap();
    }
    while server.update(screen) {
        client.receive(&server.take_output()).unwrap();
    }
    server
}
