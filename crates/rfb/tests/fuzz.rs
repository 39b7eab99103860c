//! Broken and hostile streams: an error or nothing, never a panic, never more than 128 MB.
//!
//! Deterministic: input `n` is the same on every machine. `RFB_FUZZ=1000000 cargo test --release -p rfb --test fuzz`
//! runs that many; a failure names its number, and `RFB_FUZZ_FROM` starts there.
#![allow(clippy::unwrap_used, reason = "a test may")]

mod common;

use common::{KINDS, Random, carry, catch_up, only, picture, sessions};
use rfb::{Buttons, Client, Cursor, Encoding, Key, Leds, Options, Pacing, Rect, Server, Wheel};

/// What one session may hold, see `src/limits.rs`.
const MAX_BYTES: u64 = 128 << 20;
/// Longer seeds would spend the time on copying them.
const MAX_SEED_BYTES: usize = 12_000;

#[test]
fn hostile_streams_end_in_an_error_and_little_memory() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let count = number("RFB_FUZZ").unwrap_or(20_000);
    let from = number("RFB_FUZZ_FROM").unwrap_or(0);
    let (said, asked) = seeds();
    let before = peak_bytes();
    let mut failures = 0;
    for input in from..from + count {
        let run = std::panic::catch_unwind(|| {
            let mut random = Random(input.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
            if input % 5 == 4 { server(&mut random, &asked) } else { client(&mut random, &said) }
        });
        failures += u64::from(run.unwrap_or_else(|_| panic!("input {input} panics")));
    }
    let grown = peak_bytes().saturating_sub(before);
    assert!(grown < MAX_BYTES, "{} MB were held", grown >> 20);
    assert!(failures > count / 4, "only {failures} of {count} inputs were refused: they are too tame");
    println!("{count} inputs, {failures} refused, {} MB at most", grown >> 20);
}

/// Whether the client refused.
fn client(random: &mut Random, seeds: &[Vec<u8>]) -> bool {
    let stream = broken(random, seeds);
    let pacing = if random.below(3) == 0 { Pacing::Requested } else { Pacing::Continuous };
    let mut client = Client::new(Options { pacing, ..Options::default() });
    let mut rest = &stream[..];
    let mut refused = false;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(1 + random.below(rest.len()));
        rest = after;
        refused |= client.receive(piece).is_err();
        match random.below(8) {
            0 => client.press(Key { keysym: random.next() as u32, scancode: random.next() as u32 }, true),
            1 => client.point(random.next() as u16, random.next() as u16, Buttons::LEFT),
            2 => client.request_size(random.next() as u16, 7),
            3 => client.pause(),
            4 => client.resume(),
            5 => drop(client.take_output()),
            _ => while client.poll().is_some() {},
        }
    }
    assert_eq!(client.receive(&[]).is_err(), refused, "an error stays");
    refused
}

/// Whether the server refused.
fn server(random: &mut Random, seeds: &[Vec<u8>]) -> bool {
    let stream = broken(random, seeds);
    let mut screen = picture(random.below(KINDS as usize) as u32, 20, 13);
    let mut server = Server::new("fuzz", 20, 13);
    let mut rest = &stream[..];
    let mut refused = false;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(1 + random.below(rest.len()));
        rest = after;
        refused |= server.receive(piece).is_err();
        server.damage(Rect::new(random.below(30) as u16, 2, random.next() as u16, 9));
        server.copied(random.below(30) as u16, 1, Rect::new(3, 3, random.below(20) as u16, 5));
        server.take_output();
        server.update(&screen);
        if random.below(4) == 0 {
            screen.resize(1 + random.below(40) as u16, 13).unwrap();
            while server.poll().is_some() {}
        }
    }
    refused
}

/// A seed with a few wounds, or noise behind a good beginning.
fn broken(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut stream = seeds[random.below(seeds.len())].clone();
    if stream.starts_with(b"RFB 003.008\n\x01") && random.below(5) == 0 {
        return packed(random);
    }
    if random.below(6) == 0 {
        stream.truncate(random.below(stream.len()));
        stream.extend((0..random.below(300)).map(|_| random.next() as u8));
        return stream;
    }
    for _ in 0..1 + random.below(4) {
        let at = random.below(stream.len());
        let end = (at + 1 + random.below(24)).min(stream.len());
        match random.below(8) {
            0 => stream[at] ^= 1 << random.below(8),
            1 => stream[at] = random.next() as u8,
            2 => stream[at..end].fill([0, 255, 127, 128][random.below(4)]),
            3 => drop(stream.drain(at..end)),
            4 => {
                let piece = stream[at..end].to_vec();
                stream.splice(at..at, piece);
            }
            5 => stream.truncate(at.max(1)),
            6 => {
                let other = &seeds[random.below(seeds.len())];
                let tail = &other[random.below(other.len())..];
                stream.splice(at.., tail.iter().copied());
            }
            _ => {
                // A rectangle of a random encoding, with plausible numbers.
                let mut rect = [0, random.below(9), 0, random.below(9), 0, random.below(30), 0, random.below(30)]
                    .map(|number| number as u8)
                    .to_vec();
                let code = [0, 1, 2, 5, 6, 7, 16, -223, -224, -239, -257, -258, -261, -307, -308, -314];
                rect.extend_from_slice(&i32::to_be_bytes(code[random.below(code.len())]));
                stream.splice(at..at, rect);
            }
        }
        if stream.is_empty() {
            break;
        }
    }
    stream
}

/// Nonsense that is compressed well, so that it reaches the tiles and filters behind the streams.
fn packed(random: &mut Random) -> Vec<u8> {
    let mut stream = b"RFB 003.008\n\x01\x01\0\0\0\0\0\x50\0\x46".to_vec();
    stream.extend_from_slice(&[0; 16 + 4]);
    for _ in 0..1 + random.below(3) {
        let size = [1 + random.below(80) as u8, 1 + random.below(70) as u8];
        stream.extend_from_slice(&[0, 0, 0, 1, 0, 0, 0, 0, 0, size[0], 0, size[1]]);
        let kinds = [0, 1, 2, 5, 16, 127, 128, 129, 130, 140, 255, random.next() as u8];
        let calm = random.next() as u8 & random.next() as u8;
        let plain: Vec<u8> = (0..random.below(6000))
            .map(|_| match random.below(12) {
                0 => kinds[random.below(kinds.len())],
                1 => random.next() as u8,
                _ => calm,
            })
            .collect();
        let data = miniz_oxide::deflate::compress_to_vec_zlib(&plain, 1);
        match random.below(3) {
            0 => stream.extend_from_slice(&[0, 0, 0, 6]),
            1 => stream.extend_from_slice(&[0, 0, 0, 16]),
            _ => {
                let filter = [0, 1, 2][random.below(3)];
                stream.extend_from_slice(&[0, 0, 0, 7, 0x4f | (random.below(4) as u8) << 4, filter]);
                if filter == 1 {
                    let colors = random.below(7) as u8;
                    stream.push(colors);
                    stream.extend((0..(usize::from(colors) + 1) * 3).map(|_| random.next() as u8));
                }
                let length = data.len();
                stream.extend_from_slice(&[length as u8 | 128, (length >> 7) as u8 | 128, (length >> 14) as u8]);
                stream.extend_from_slice(&data);
                continue;
            }
        }
        stream.extend_from_slice(&(data.len() as u32).to_be_bytes());
        stream.extend_from_slice(&data);
    }
    stream
}

/// What servers said and what clients asked, in sessions that went well.
fn seeds() -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let mut said: Vec<Vec<u8>> =
        sessions().map(|session| session.bytes).filter(|bytes| bytes.len() <= MAX_SEED_BYTES).collect();
    let mut asked = Vec::new();
    for encoding in Encoding::ALL {
        for kind in 0..KINDS {
            let (mut client, mut server) = (Client::new(only(encoding)), Server::new("seed", 24, 18));
            let mut screen = picture(kind, 24, 18);
            let mut session = catch_up(&mut client, &mut server, &mut screen);
            let mut input = client_input(encoding);
            server.set_cursor(Cursor { width: 5, height: 4, hot_x: 1, hot_y: 1, rgba: vec![77; 80] });
            server.set_leds(Leds::default());
            server.set_absolute_pointer(false);
            server.clipboard("text");
            server.bell();
            session.extend(carry(&mut client, &mut server));
            session.extend(catch_up(&mut client, &mut server, &mut picture((kind + 1) % KINDS, 30, 11)));
            said.push(session);
            input.extend(client.take_output());
            asked.push(input);
        }
    }
    (said, asked)
}

/// All that a viewer can say, after its handshake.
fn client_input(encoding: Encoding) -> Vec<u8> {
    let (mut client, mut server) = (Client::new(only(encoding)), Server::new("seed", 24, 18));
    let mut input = Vec::new();
    let screen = picture(1, 24, 18);
    for round in 0..8 {
        let said = client.take_output();
        server.receive(&said).unwrap();
        input.extend(said);
        server.update(&screen);
        client.receive(&server.take_output()).unwrap();
        if round > 4 {
            client.press(Key { keysym: 0x61, scancode: 30 }, true);
            client.point(round, 3, Buttons::RIGHT);
            client.wheel(Wheel::Up);
            client.clipboard("from the viewer");
            client.request_size(30, 20);
            client.pause();
            client.resume();
        }
    }
    input
}

/// The most memory this process has held; 0 where that is not told.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("");
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) << 10
}
