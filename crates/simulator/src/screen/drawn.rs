//! A drawn screen: a text console with a login prompt, served over RFB where there is no QEMU.
//!
//! The console is [`super::serial`]'s shell, its letters are [`super::font`]'s; this file only puts them on a picture.

use super::Guest;
use super::font::{HEIGHT, WIDTH, glyph};
use super::serial::Shell;
use rfb::{Framebuffer, Rect, Request, Rgba, Server};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

const COLUMNS: usize = 80;
const ROWS: usize = 25;
const PAPER: [u8; 4] = [16, 20, 28, 255];
const INK: [u8; 4] = [208, 214, 224, 255];
const BEAM: [u8; 4] = [90, 170, 255, 255];
/// Half a blink of the cursor.
const BLINK: Duration = Duration::from_millis(500);

/// The text on the screen.
struct Text {
    rows: Vec<Vec<char>>,
    column: usize,
    row: usize,
}

impl Text {
    fn new() -> Self {
        Self { rows: vec![vec![' '; COLUMNS]; ROWS], column: 0, row: 0 }
    }

    fn write(&mut self, text: &str) {
        // Escape sequences of the shell's `clear` are the only ones.
        if text.contains("\u{1b}[2J") {
            *self = Self::new();
        }
        for char in text.replace("\u{1b}[2J", "").replace("\u{1b}[H", "").chars() {
            match char {
                '\r' => self.column = 0,
                '\n' => self.line_feed(),
                '\u{8}' => self.column = self.column.saturating_sub(1),
                char => {
                    if self.column == COLUMNS {
                        self.column = 0;
                        self.line_feed();
                    }
                    self.rows[self.row][self.column] = char;
                    self.column += 1;
                }
            }
        }
    }

    fn line_feed(&mut self) {
        if self.row + 1 < ROWS {
            self.row += 1;
        } else {
            self.rows.remove(0);
            self.rows.push(vec![' '; COLUMNS]);
        }
    }

    fn draw(&self, screen: &mut Framebuffer, cursor: bool) {
        for (row, line) in self.rows.iter().enumerate() {
            for (column, &char) in line.iter().enumerate() {
                let here = cursor && (row, column) == (self.row, self.column.min(COLUMNS - 1));
                let pixels: Vec<Rgba> = glyph(char)
                    .iter()
                    .enumerate()
                    .flat_map(|(y, bits)| {
                        (0..WIDTH).map(move |x| {
                            if here && y + 3 >= HEIGHT {
                                BEAM
                            } else if bits & (0x80 >> x) != 0 {
                                INK
                            } else {
                                PAPER
                            }
                        })
                    })
                    .collect();
                screen.put(cell(column, row), &pixels);
            }
        }
    }
}

fn cell(column: usize, row: usize) -> Rect {
    let at = |value: usize| u16::try_from(value).unwrap_or(u16::MAX);
    Rect::new(at(column * WIDTH), at(row * HEIGHT), at(WIDTH), at(HEIGHT))
}

/// Serves the screen until the viewer is gone.
pub(super) async fn play(guest: &Guest, mut stream: DuplexStream) {
    let (width, height) = (u16::try_from(COLUMNS * WIDTH).unwrap_or(640), u16::try_from(ROWS * HEIGHT).unwrap_or(400));
    let Ok(mut screen) = Framebuffer::new(width, height) else { return };
    let mut server = Server::new(&format!("QEMU ({})", guest.name), width, height);
    let mut shell = Shell::new(guest);
    let mut text = Text::new();
    text.write(&shell.greet());
    let mut shows_cursor = true;
    let mut blink = tokio::time::interval(BLINK);
    let mut buffer = vec![0; 16 * 1024];
    loop {
        text.draw(&mut screen, shows_cursor);
        if let Some(changed) = screen.take_damage() {
            server.damage(changed);
        }
        server.update(&screen);
        let out = server.take_output();
        if !out.is_empty() && stream.write_all(&out).await.is_err() {
            return;
        }
        tokio::select! {
            _ = blink.tick() => shows_cursor = !shows_cursor,
            read = stream.read(&mut buffer) => {
                let Ok(length @ 1..) = read else { return };
                if server.receive(&buffer[..length]).is_err() {
                    return;
                }
            }
        }
        while let Some(request) = server.poll() {
            if let Request::Key { key, down: true } = request
                && let Some(byte) = byte_of(key.keysym)
            {
                text.write(&shell.typed(&[byte]));
            }
        }
    }
}

/// The byte that a terminal sends for a key (X keysyms: Latin-1, Return, BackSpace).
fn byte_of(keysym: u32) -> Option<u8> {
    match keysym {
        0x20..=0x7e => u8::try_from(keysym).ok(),
        0xff0d | 0xff8d => Some(b'\r'),
        0xff08 => Some(8),
        _ => None,
    }
}
