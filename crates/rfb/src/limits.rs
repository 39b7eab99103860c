//! Every limit of a session, so that the 128 MB can be added up in one place.
//!
//! Two framebuffers while one is being resized (118 MB) is the most; a JPEG (12 + 25 MB) is never decoded meanwhile,
//! and buffers, streams, texts and cursors together stay below 10 MB. Must never know: what is being limited by whom.

/// Pixels of a framebuffer: 5120×2880 (59 MB), the largest of today's common screens.
pub const MAX_PIXELS: u32 = 5120 * 2880;
/// Width or height of a framebuffer: an inflated row of 4-byte pixels must fit the room of an inflater.
pub const MAX_SIDE: u16 = 16_384;
/// A clipboard: a megabyte of text is more than any console session pastes.
pub const MAX_TEXT_BYTES: usize = 1 << 20;
/// A desktop name; QEMU's is the name of the VM.
pub(crate) const MAX_NAME_BYTES: usize = 4096;
/// Why a server refuses: a sentence.
pub(crate) const MAX_REASON_BYTES: usize = 4096;
/// Width or height of a cursor; QEMU's own limit (`ui/cursor.c`, `cursor_alloc`).
pub(crate) const MAX_CURSOR_SIDE: u16 = 512;
/// Pixels of one JPEG: Tight servers cut at 2048 columns, and decoding costs up to 9 bytes a pixel.
pub(crate) const MAX_JPEG_PIXELS: u32 = 2048 * 2048;
/// The scans of a progressive JPEG, each of which costs a pass over the picture; a usual one has ten.
pub(crate) const MAX_JPEG_SCANS: usize = 32;
/// Payload of a fence (`rfbproto.rst`, "Fence").
pub(crate) const MAX_FENCE_BYTES: usize = 64;
/// How often the area of the screen one update may paint: honest ones paint it once or twice, and an endless
/// `CopyRect` must not hold the thread.
pub(crate) const MAX_PAINT_FACTOR: u64 = 16;
/// What one update may paint however small the screen is.
pub(crate) const MIN_PAINT_PIXELS: u64 = 1 << 20;
/// Updates owed to us at most: a server merges requests, so the count of unanswered ones would grow for ever.
pub(crate) const MAX_GRANTS: u32 = 64;
/// Resizes between two times our output was taken: a booting guest changes its mode a few times in a row.
pub(crate) const MAX_RESIZES: u32 = 32;
/// Output nobody takes: more means the owner of the socket stopped sending while the other end still asks.
pub(crate) const MAX_OUTPUT_BYTES: usize = 4 << 20;
/// How much of what is received is worked on at a time, so that the buffer for partial messages stays small.
pub(crate) const RECEIVE_CHUNK_BYTES: usize = 256 << 10;
/// Keys held down at once: a keyboard has fewer, and each is released on focus loss.
pub(crate) const MAX_HELD_KEYS: usize = 128;
/// Requests of a client nobody polls.
pub(crate) const MAX_PENDING_REQUESTS: usize = 16_384;
/// Rectangles a damaged region is made of; beyond, the nearest are merged.
pub(crate) const MAX_DAMAGE_RECTS: usize = 24;
/// Encodings a client may list; the largest real list has about forty.
pub(crate) const MAX_ENCODINGS: u16 = 1024;
