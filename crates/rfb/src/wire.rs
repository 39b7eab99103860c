//! Reading and writing the wire's big-endian numbers.
//!
//! Invariant: a read takes all it asks for or nothing, so that a message cut anywhere is simply read again.
//! Must never know what the numbers mean.

use crate::Rect;

/// Whether a step of a state machine came to its end or waits for more bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Done,
    Wait,
}

/// Bytes received and not yet understood.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How many bytes were taken.
    pub(crate) fn taken(&self) -> usize {
        self.at
    }

    /// What is left, without taking it.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Takes `count` bytes that [`Self::rest`] has shown to exist.
    #[inline]
    pub(crate) fn skip(&mut self, count: usize) {
        debug_assert!(count <= self.bytes.len() - self.at, "only what was seen may be skipped");
        self.at = self.bytes.len().min(self.at + count);
    }

    /// Takes exactly `count` bytes.
    #[inline]
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.rest().get(..count)?;
        self.at += count;
        Some(taken)
    }

    /// Takes `N` bytes as an array.
    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let taken = *self.rest().first_chunk::<N>()?;
        self.at += N;
        Some(taken)
    }
}

/// The number at `at`; 0 beyond the end.
#[inline]
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u16::from_be_bytes(*chunk))
}

/// The number at `at`; 0 beyond the end.
#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u32::from_be_bytes(*chunk))
}

/// The rectangle in the eight bytes at `at`.
pub(crate) fn rect_at(bytes: &[u8], at: usize) -> Rect {
    Rect::new(u16_at(bytes, at), u16_at(bytes, at + 2), u16_at(bytes, at + 4), u16_at(bytes, at + 6))
}

/// Writing numbers; a trait only to hang methods on `Vec<u8>`.
pub(crate) trait Write {
    fn put_u16(&mut self, number: u16);
    fn put_u32(&mut self, number: u32);
    fn put_rect(&mut self, rect: Rect);
}

impl Write for Vec<u8> {
    fn put_u16(&mut self, number: u16) {
        self.extend_from_slice(&number.to_be_bytes());
    }

    fn put_u32(&mut self, number: u32) {
        self.extend_from_slice(&number.to_be_bytes());
    }

    fn put_rect(&mut self, rect: Rect) {
        [rect.x, rect.y, rect.width, rect.height].into_iter().for_each(|side| self.put_u16(side));
    }
}

/// The wire's Latin-1 as text (RFC 6143 §7.6.4).
pub(crate) fn from_latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// Text as the wire's Latin-1; what it lacks becomes `?`.
pub(crate) fn to_latin1(text: &str) -> Vec<u8> {
    text.chars().map(|char| u8::try_from(u32::from(char)).unwrap_or(b'?')).collect()
}
