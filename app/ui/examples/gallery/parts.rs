//! The samples, by what they are about.

mod blanks;
mod controls;
mod numbers;
mod overlays;
mod tables;
mod texts;

pub(crate) use {blanks::*, controls::*, numbers::*, overlays::*, tables::*, texts::*};
