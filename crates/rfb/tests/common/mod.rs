//! A client and a server with a wire between them, and pictures worth encoding.
#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test may")]

use rfb::{Client, Encoding, Event, Framebuffer, Options, Pacing, Rect, Rgba, Server};

/// A small random number generator (xorshift64*), so that tests repeat.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 8
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// Options for one encoding only (and `CopyRect`).
pub(crate) fn only(encoding: Encoding) -> Options {
    Options { encodings: vec![Encoding::CopyRect, encoding], pacing: Pacing::Continuous, ..Options::default() }
}

/// Carries bytes both ways until nobody has more to say; returns all the server said.
pub(crate) fn carry(client: &mut Client, server: &mut Server) -> Vec<u8> {
    let mut said = Vec::new();
    loop {
        let (down, up) = (server.take_output(), client.take_output());
        if down.is_empty() && up.is_empty() {
            return said;
        }
        said.extend_from_slice(&down);
        client.receive(&down).unwrap();
        server.receive(&up).unwrap();
    }
}

/// Lets the viewer catch up with `screen`; returns all the server said.
pub(crate) fn catch_up(client: &mut Client, server: &mut Server, screen: &mut Framebuffer) -> Vec<u8> {
    while let Some(rect) = screen.take_damage() {
        server.damage(rect);
    }
    let mut said = carry(client, server);
    while server.update(screen) {
        said.extend(carry(client, server));
    }
    said
}

/// All events there are.
pub(crate) fn events(client: &mut Client) -> Vec<Event> {
    std::iter::from_fn(|| client.poll()).collect()
}

/// A picture of a kind: each kind makes encoders choose another way.
pub(crate) fn picture(kind: u32, width: u16, height: u16) -> Framebuffer {
    let mut screen = Framebuffer::new(width, height).unwrap();
    let mut random = Random(u64::from(kind) + 7);
    let mut paint = |color: &mut dyn FnMut(u16, u16) -> Rgba| {
        let pixels: Vec<Rgba> =
            (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| color(x, y)).collect();
        screen.put(Rect::new(0, 0, width, height), &pixels);
    };
    match kind {
        0 => paint(&mut |_, _| [10, 20, 30, 255]),
        1 => paint(&mut |x, y| if (x / 3 + y / 5) % 2 == 0 { [0, 0, 0, 255] } else { [170, 170, 170, 255] }),
        2 => paint(&mut |_, _| [[9, 9, 9, 255], [200, 0, 0, 255], [0, 200, 0, 255], [1, 2, 3, 255]][random.below(4)]),
        3 => paint(&mut |_, _| [random.below(12) as u8 * 20, 40, 90, 255]),
        4 => paint(&mut |x, _| [x as u8, 100, random.below(2) as u8, 255]),
        5 => paint(&mut |x, y| [(x / 2) as u8, (y / 2) as u8, ((x + y) / 4) as u8, 255]),
        6 => paint(&mut |_, _| [random.next() as u8, random.next() as u8, random.next() as u8, 255]),
        7 => paint(&mut |_, y| [(y * 13) as u8, 7, (y / 9) as u8, 255]),
        _ => paint(&mut |x, y| [(x / 20 * 31) as u8, (y / 20 * 17) as u8, (x / 20 * y / 20) as u8, 255]),
    }
    screen
}

/// How many kinds of pictures there are.
pub(crate) const KINDS: u32 = 9;

/// What a QEMU said in one session.
pub(crate) struct Session {
    pub(crate) name: String,
    /// Of the last picture, in pixels.
    pub(crate) size: (u16, u16),
    /// Of the last picture's red, green and blue.
    pub(crate) hash: u64,
    pub(crate) bytes: Vec<u8>,
}

/// All recorded sessions.
pub(crate) fn sessions() -> impl Iterator<Item = Session> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    let list = std::fs::read_to_string(format!("{folder}/sessions.txt")).unwrap();
    let lines: Vec<String> = list.lines().map(str::to_owned).collect();
    lines.into_iter().map(move |line| {
        let [name, width, height, hash] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let packed = std::fs::read(format!("{folder}/{name}.z")).unwrap();
        Session {
            name: name.to_owned(),
            size: (width.parse().unwrap(), height.parse().unwrap()),
            hash: u64::from_str_radix(hash, 16).unwrap(),
            bytes: miniz_oxide::inflate::decompress_to_vec_zlib(&packed).unwrap(),
        }
    })
}

/// A client that has received these pieces.
pub(crate) fn replay(pieces: &[&[u8]]) -> Client {
    let mut client = Client::new(Options { pacing: Pacing::Continuous, ..Options::default() });
    for piece in pieces {
        client.receive(piece).unwrap();
        client.take_output();
    }
    client
}
