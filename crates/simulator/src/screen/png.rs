//! A picture as PNG: eight bits a colour, no alpha, rows as they are.
//!
//! Source: PNG specification (W3C, third edition) §5, §11.2, annex D.

use rfb::Framebuffer;

/// How hard the picture is squeezed; a screen of text shrinks well at once.
const LEVEL: u8 = 6;

/// Encodes a screen.
pub(super) fn encode(screen: &Framebuffer) -> Vec<u8> {
    let mut rows = Vec::with_capacity(screen.pixels().len() * 3 + usize::from(screen.height()));
    for row in screen.rows(screen.area()) {
        // Filter type 0: none.
        rows.push(0);
        rows.extend(row.iter().flat_map(|pixel| &pixel[..3]));
    }
    let mut header = Vec::new();
    header.extend(u32::from(screen.width()).to_be_bytes());
    header.extend(u32::from(screen.height()).to_be_bytes());
    // Bit depth 8, colour type 2 (RGB), compression, filter method and interlace 0.
    header.extend([8, 2, 0, 0, 0]);
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut png, b"IHDR", &header);
    chunk(&mut png, b"IDAT", &miniz_oxide::deflate::compress_to_vec_zlib(&rows, LEVEL));
    chunk(&mut png, b"IEND", &[]);
    png
}

fn chunk(png: &mut Vec<u8>, kind: &[u8; 4], body: &[u8]) {
    let length = u32::try_from(body.len()).expect("a screen of 65,535 by 65,535 pixels at most, squeezed");
    png.extend(length.to_be_bytes());
    png.extend(kind);
    png.extend(body);
    png.extend(crc(kind.iter().chain(body)).to_be_bytes());
}

fn crc<'a>(bytes: impl Iterator<Item = &'a u8>) -> u32 {
    !bytes.fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_specification() {
        // The CRC of every PNG's last chunk.
        assert_eq!(crc(b"IEND".iter()), 0xae42_6082);
    }
}
