//! Tight: a fill, a JPEG, or filtered rows through one of four streams (`rfbproto.rst`, "Tight Encoding").
//!
//! Invariant: a stream is reset exactly when the control byte says so. Must never know how rows are filtered
//! (`tight_rows.rs`).

use super::jpeg;
use super::tight_rows::{Filter, Rows};
use crate::inflate::{Inflater, Piece};
use crate::pixel::opaque;
use crate::wire::{Reader, Step};
use crate::{Framebuffer, ProtocolError, Rect};

/// Bytes of a pixel in [`crate::PixelFormat::RGBX`] (`rfbproto.rst`, "TPIXEL").
pub(super) const TPIXEL: usize = 3;
/// Data shorter than this travels as it is.
const MIN_TO_COMPRESS: usize = 12;

// Compression types, the high half of the control byte; below 8 it is "basic".
const FILL: u8 = 8;
const JPEG: u8 = 9;
/// In a basic type: a filter is named.
const NAMED_FILTER: u8 = 4;

pub(crate) struct Tight {
    rect: Rect,
    state: State,
}

enum State {
    Control,
    Fill,
    JpegLength,
    Jpeg(usize),
    FilterName { stream: usize },
    Palette { stream: usize },
    Length { stream: usize, rows: Rows },
    Plain { rows: Rows },
    Compressed { stream: usize, rows: Rows, piece: Piece },
    Complete,
}

impl Tight {
    pub(crate) fn new(rect: Rect) -> Self {
        Self { rect, state: State::Control }
    }

    pub(crate) fn step(
        &mut self,
        input: &mut Reader<'_>,
        screen: &mut Framebuffer,
        streams: &mut [Inflater; 4],
    ) -> Result<Step, ProtocolError> {
        loop {
            let next = match &mut self.state {
                State::Control => input.array().map(|[control]| begin(control, self.rect, streams)).transpose()?,
                State::Fill => input.take(TPIXEL).map(|color| {
                    screen.paint(self.rect, opaque(color));
                    State::Complete
                }),
                State::JpegLength => compact_length(input).map(State::Jpeg),
                State::Jpeg(length) => match input.take(*length) {
                    Some(data) => {
                        jpeg::paint(data, self.rect, screen)?;
                        Some(State::Complete)
                    }
                    None => None,
                },
                State::FilterName { stream } => {
                    let stream = *stream;
                    input.array().map(|[filter]| named_filter(filter, stream, self.rect)).transpose()?
                }
                State::Palette { stream } => {
                    let stream = *stream;
                    palette(input).map(|filter| with_filter(filter, stream, self.rect))
                }
                State::Length { .. } => compact_length(input).map(|length| self.compressed(length)),
                State::Plain { rows } => match input.take(rows.bytes()) {
                    Some(data) => {
                        rows.paint(data, screen)?;
                        Some(State::Complete)
                    }
                    None => None,
                },
                State::Compressed { stream, rows, piece } => {
                    let step = piece.step(input, &mut streams[*stream], |data| rows.paint(data, screen))?;
                    (step == Step::Done).then_some(State::Complete)
                }
                State::Complete => return Ok(Step::Done),
            };
            let Some(next) = next else { return Ok(Step::Wait) };
            self.state = next;
        }
    }

    fn compressed(&mut self, length: usize) -> State {
        match std::mem::replace(&mut self.state, State::Complete) {
            State::Length { stream, rows } => State::Compressed { stream, rows, piece: Piece::new(length) },
            other => other,
        }
    }
}

/// Resets the streams the control byte names and says what follows it.
fn begin(control: u8, rect: Rect, streams: &mut [Inflater; 4]) -> Result<State, ProtocolError> {
    for (number, stream) in streams.iter_mut().enumerate() {
        if control >> number & 1 != 0 {
            *stream = Inflater::default();
        }
    }
    let stream = usize::from(control >> 4 & 3);
    match control >> 4 {
        FILL => Ok(State::Fill),
        JPEG => Ok(State::JpegLength),
        basic if basic >= FILL => Err(ProtocolError::TightControl(control)),
        basic if basic & NAMED_FILTER != 0 => Ok(State::FilterName { stream }),
        _ => Ok(with_filter(Filter::Copy, stream, rect)),
    }
}

fn named_filter(name: u8, stream: usize, rect: Rect) -> Result<State, ProtocolError> {
    match name {
        0 => Ok(with_filter(Filter::Copy, stream, rect)),
        1 => Ok(State::Palette { stream }),
        2 => Ok(with_filter(Filter::Gradient, stream, rect)),
        _ => Err(ProtocolError::TightFilter(name)),
    }
}

fn with_filter(filter: Filter, stream: usize, rect: Rect) -> State {
    let rows = Rows::new(filter, rect);
    if rows.bytes() < MIN_TO_COMPRESS { State::Plain { rows } } else { State::Length { stream, rows } }
}

fn palette(input: &mut Reader<'_>) -> Option<Filter> {
    let colors = usize::from(*input.rest().first()?) + 1;
    let palette = input.take(1 + colors * TPIXEL)?;
    Some(Filter::Palette(palette[1..].chunks_exact(TPIXEL).map(opaque).collect()))
}

/// A length in one to three bytes of 7, 7 and 8 bits, the low ones first; so it is below 4 MB.
fn compact_length(input: &mut Reader<'_>) -> Option<usize> {
    let mut length = 0;
    for (at, &byte) in input.rest().iter().take(3).enumerate() {
        let bits = if at < 2 { byte & 127 } else { byte };
        length |= usize::from(bits) << (7 * at);
        if byte < 128 || at == 2 {
            input.skip(at + 1);
            return Some(length);
        }
    }
    None
}
