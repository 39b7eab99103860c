//! Widgets that know no noun: what a button, a table, a dialog is in this product, accessible by construction.
//!
//! A widget takes plain words, signals and children; what they mean is the page's business. The first render in the
//! browser is the server's, to the letter: no widget reads a clock, a random number or the window outside an effect.
//! The elements and attributes are those that `style/` dresses; a widget sets no colour and no length by itself.

mod age;
mod badge;
mod blank;
mod bone;
mod button;
mod chart;
mod check;
mod code;
mod copy;
mod dialog;
mod diff;
mod dom;
mod drawer;
mod facts;
mod field;
mod grid;
mod head;
mod hotkeys;
mod icon;
mod input;
mod live;
mod menu;
mod meter;
mod note;
mod plot;
mod search;
mod segments;
mod state;
mod steps;
mod table;
mod tabs;
#[cfg(test)]
mod testing;
mod tip;
mod toast;
mod tone;
mod virtual_table;
pub mod window;
mod words;

pub use age::*;
pub use badge::*;
pub use blank::*;
pub use bone::*;
pub use button::*;
pub use chart::*;
pub use check::*;
pub use code::*;
pub use copy::*;
pub use dialog::*;
pub use diff::*;
pub use drawer::*;
pub use facts::*;
pub use field::*;
pub use grid::*;
pub use head::*;
pub use hotkeys::*;
pub use icon::*;
pub use input::*;
pub use live::*;
pub use menu::*;
pub use meter::*;
pub use note::*;
pub use search::*;
pub use segments::*;
pub use state::*;
pub use steps::*;
pub use table::*;
pub use tabs::*;
pub use toast::*;
pub use tone::*;
pub use virtual_table::*;
pub use words::*;
