//! The boot sector of the guests that QEMU runs: moving stripes, and an echo of what is typed.
//!
//! 510 bytes of 16-bit code, put together here instruction by instruction, so that there is no binary in the repository
//! and no assembler to install. It knows the BIOS and nothing else.
//!
//! Source: Intel SDM volume 2 for the encodings; BIOS services int 10h (video) and int 16h (keyboard).

use std::collections::HashMap;

/// A sector and where the BIOS puts it.
const SECTOR: usize = 512;
const ORIGIN: u16 = 0x7c00;
/// The size of a floppy image that a BIOS takes for one.
const FLOPPY: usize = 1_474_560;

/// Code with names for places in it.
#[derive(Default)]
struct Code {
    bytes: Vec<u8>,
    places: HashMap<&'static str, usize>,
    /// Where a distance or address has to be written: at, width, to, and from where it counts.
    open: Vec<(usize, Width, &'static str)>,
}

#[derive(Clone, Copy)]
enum Width {
    /// One byte, relative to the next instruction.
    Short,
    /// Two bytes, relative to the next instruction.
    Near,
    /// Two bytes, the address itself.
    Address,
}

impl Code {
    fn emit(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    fn place(&mut self, name: &'static str) -> &mut Self {
        self.places.insert(name, self.bytes.len());
        self
    }

    fn jump(&mut self, opcode: u8, to: &'static str) -> &mut Self {
        self.bytes.push(opcode);
        self.open.push((self.bytes.len(), Width::Short, to));
        self.bytes.push(0);
        self
    }

    fn word(&mut self, opcode: u8, width: Width, to: &'static str) -> &mut Self {
        self.bytes.push(opcode);
        self.open.push((self.bytes.len(), width, to));
        self.emit(&[0, 0])
    }

    fn finish(mut self) -> Vec<u8> {
        for (at, width, to) in self.open {
            let target = self.places.get(to).copied().unwrap_or_default();
            match width {
                Width::Short => self.bytes[at] = target.wrapping_sub(at + 1) as u8,
                Width::Near => {
                    let distance = (target.wrapping_sub(at + 2) as u16).to_le_bytes();
                    self.bytes[at..at + 2].copy_from_slice(&distance);
                }
                Width::Address => {
                    let address = (target as u16 + ORIGIN).to_le_bytes();
                    self.bytes[at..at + 2].copy_from_slice(&address);
                }
            }
        }
        self.bytes
    }
}

/// A floppy image whose first sector is the program; it greets with `name`.
pub(super) fn floppy(name: &str) -> Vec<u8> {
    let mut image = sector(name);
    image.resize(FLOPPY, 0);
    image
}

fn sector(name: &str) -> Vec<u8> {
    let mut code = Code::default();
    code.emit(&[0x31, 0xc0]) // xor ax, ax
        .emit(&[0x8e, 0xd8]) // mov ds, ax
        .emit(&[0x8e, 0xd0]) // mov ss, ax
        .emit(&[0xbc, 0x00, 0x7c]) // mov sp, 7c00h
        .emit(&[0xfb, 0xfc]) // sti; cld
        .emit(&[0xb8, 0x13, 0x00]) // mov ax, 13h: 320 by 200 in 256 colours
        .emit(&[0xcd, 0x10]); // int 10h
    code.word(0xbe, Width::Address, "greeting") // mov si, greeting
        .place("print")
        .emit(&[0xac]) // lodsb
        .emit(&[0x84, 0xc0]); // test al, al
    code.jump(0x74, "frame") // jz frame
        .word(0xe8, Width::Near, "put") // call put
        .jump(0xeb, "print"); // jmp print
    code.place("frame")
        .emit(&[0xf4]) // hlt: until the clock or a key
        .emit(&[0xb4, 0x01, 0xcd, 0x16]); // mov ah, 1; int 16h: is there a key?
    code.jump(0x74, "draw") // jz draw
        .emit(&[0xb4, 0x00, 0xcd, 0x16]); // mov ah, 0; int 16h: take it
    code.word(0xe8, Width::Near, "put") // call put
        .emit(&[0x3c, 0x0d]) // cmp al, 13
        .jump(0x75, "frame") // jnz frame
        .emit(&[0xb0, 0x0a]) // mov al, 10
        .word(0xe8, Width::Near, "put") // call put
        .jump(0xeb, "frame"); // jmp frame
    code.place("draw")
        .emit(&[0xa0, 0x6c, 0x04]) // mov al, [46ch]: the BIOS's ticks
        .emit(&[0xb4, 0x00, 0xc1, 0xe0, 0x02]) // mov ah, 0; shl ax, 2
        .emit(&[0x89, 0xc3]) // mov bx, ax
        .emit(&[0xb8, 0x00, 0xa0, 0x8e, 0xc0]) // mov ax, a000h; mov es, ax
        .emit(&[0xbf, 0x00, 0xbe]) // mov di, 152 * 320
        .emit(&[0xb9, 0x00, 0x3c]) // mov cx, 48 * 320
        .place("dot")
        .emit(&[0x89, 0xf8, 0x01, 0xd8, 0xaa]); // mov ax, di; add ax, bx; stosb
    code.jump(0xe2, "dot") // loop dot
        .jump(0xeb, "frame"); // jmp frame
    code.place("put").emit(&[0xb4, 0x0e, 0xbb, 0x0f, 0x00, 0xcd, 0x10, 0xc3]); // mov ah, 0eh; mov bx, 15; int 10h; ret
    code.place("greeting");
    let plain: String = name.chars().filter(char::is_ascii_graphic).take(63).collect();
    code.emit(b"harvester-sim\r\n").emit(plain.as_bytes()).emit(b"\r\n\r\nType: \0");
    let mut bytes = code.finish();
    bytes.resize(SECTOR - 2, 0);
    bytes.extend([0x55, 0xaa]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sector_is_one_that_a_bios_boots() {
        let made = sector(&"n".repeat(200));
        assert_eq!(made.len(), SECTOR);
        assert_eq!(made[SECTOR - 2..], [0x55, 0xaa]);
        assert_eq!(floppy("web-01").len(), FLOPPY);
    }
}
