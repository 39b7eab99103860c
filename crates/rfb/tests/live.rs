//! A live QEMU: the strict client keeps a session with it, sees what it shows and types.
//!
//! `cargo test -p rfb --test live -- --ignored`, where `qemu-system-x86_64` is installed.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rfb::{Client, Encoding, Options, keysym};

/// A firmware that waits for a key, and ends with its machine.
struct Machine {
    qemu: Child,
    folder: PathBuf,
}

impl Machine {
    fn start(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("rfb-live-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let at = |file: &str| folder.join(file).display().to_string();
        let qemu = Command::new("qemu-system-x86_64")
            .args(["-M", "pc", "-m", "32", "-display", "none", "-nic", "none"])
            .args(["-boot", "menu=on,splash-time=60000"])
            .args(["-vnc", &format!("unix:{}", at("vnc"))])
            .args(["-monitor", &format!("unix:{},server,nowait", at("monitor"))])
            .spawn()
            .unwrap();
        Self { qemu, folder }
    }

    fn connect(&self, socket: &str) -> UnixStream {
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            match UnixStream::connect(self.folder.join(socket)) {
                Ok(stream) => return stream,
                Err(error) => assert!(Instant::now() < deadline, "{error}"),
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The pixels that QEMU itself sees.
    fn dump(&self) -> Vec<u8> {
        let file = self.folder.join("dump.ppm");
        let _ = std::fs::remove_file(&file);
        let mut monitor = self.connect("monitor");
        writeln!(monitor, "screendump {}", file.display()).unwrap();
        let mut size = 0;
        let deadline = Instant::now() + Duration::from_secs(10);
        while size == 0 || length(&file) > size {
            assert!(Instant::now() < deadline, "no screendump");
            size = length(&file);
            std::thread::sleep(Duration::from_millis(100));
        }
        std::fs::read(file).unwrap()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.qemu.kill();
        let _ = self.qemu.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn length(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |file| file.len())
}

/// Carries bytes until `is_enough`, or panics after a while.
fn pump(client: &mut Client, socket: &mut UnixStream, mut is_enough: impl FnMut(&Client) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    let mut buffer = vec![0; 64 << 10];
    while !is_enough(client) {
        assert!(Instant::now() < deadline, "it never came");
        socket.write_all(&client.take_output()).unwrap();
        match socket.read(&mut buffer) {
            Ok(0) => panic!("QEMU hung up"),
            Ok(count) => client.receive(&buffer[..count]).unwrap(),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(error) => panic!("{error}"),
        }
        while client.poll().is_some() {}
    }
}

/// Whether the client's picture is `dump`, but for the cursor that blinks in it.
fn is_same(client: &Client, dump: &[u8]) -> bool {
    let ours: Vec<u8> = client.framebuffer().pixels().iter().flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let Some(theirs) = dump.len().checked_sub(ours.len()).map(|head| &dump[head..]) else { return false };
    let differing = ours.chunks(3).zip(theirs.chunks(3)).filter(|(a, b)| a != b).count();
    differing <= 9 * 16
}

#[test]
#[ignore = "needs QEMU and half a minute"]
fn a_session_with_qemu_shows_its_screen_and_types() {
    for encoding in [Encoding::Raw, Encoding::Hextile, Encoding::Zlib, Encoding::Zrle, Encoding::Tight] {
        let machine = Machine::start(&format!("{encoding:?}"));
        let mut socket = machine.connect("vnc");
        socket.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        let mut client = Client::new(Options { encodings: vec![encoding], ..Options::default() });
        let lit = |client: &Client| client.framebuffer().pixels().iter().filter(|pixel| pixel[0] > 99).count();
        pump(&mut client, &mut socket, |client| client.framebuffer().width() == 720 && lit(client) > 600);
        let before = lit(&client);
        let escape = keysym::from_browser("Escape", "Escape");
        client.press(escape, true);
        client.press(escape, false);
        pump(&mut client, &mut socket, |client| lit(client) > before + 300);
        let settled = Instant::now() + Duration::from_secs(1);
        pump(&mut client, &mut socket, |_| Instant::now() > settled);
        assert!(is_same(&client, &machine.dump()), "{encoding:?}");
    }
}
