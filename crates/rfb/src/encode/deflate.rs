//! A zlib stream that goes on through a whole session.
//!
//! Invariant: each call ends on a byte with everything flushed (`Z_SYNC_FLUSH`), as viewers expect. Must never know
//! pixels.

use miniz_oxide::deflate::core::{CompressorOxide, TDEFLFlush, compress_to_output, create_comp_flags_from_zip_params};

use crate::wire::Write;

/// Fast: screens are flat, and a picture that is late is worth less than one that is small.
const LEVEL: i32 = 2;
/// Positive: with a zlib header.
const WINDOW_BITS: i32 = 15;

/// A stream; takes its memory (about 300 KB) with the first byte.
#[derive(Default)]
pub(super) struct Deflater {
    core: Option<Box<CompressorOxide>>,
}

impl Deflater {
    /// Appends `plain`, compressed.
    pub(super) fn deflate(&mut self, plain: &[u8], out: &mut Vec<u8>) {
        let core = self.core.get_or_insert_with(|| {
            Box::new(CompressorOxide::new(create_comp_flags_from_zip_params(LEVEL, WINDOW_BITS, 0)))
        });
        compress_to_output(core, plain, TDEFLFlush::Sync, |bytes| {
            out.extend_from_slice(bytes);
            true
        });
    }

    /// The same behind its length in four bytes (ZRLE, Zlib).
    pub(super) fn deflate_with_length(&mut self, plain: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        out.put_u32(0);
        self.deflate(plain, out);
        let length = (out.len() - start - 4) as u32;
        out[start..start + 4].copy_from_slice(&length.to_be_bytes());
    }
}
