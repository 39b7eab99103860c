//! Keys that work everywhere: registered with the host of `app-ui`, which also lists them on `?`.

use app_ui::{Hotkey, hotkey};
use leptos::prelude::*;

use super::desk::Desk;
use crate::locales::use_words;

/// Registers the keys of the frame. Pages register theirs with [`app_ui::hotkey`] under their own heading.
pub(crate) fn register(desk: Desk) {
    let words = use_words().frame;
    let everywhere = |key, word: &str, act: Option<Callback<()>>| {
        hotkey(Hotkey { key, group: words.keys_everywhere.into(), word: word.into(), act })
    };
    everywhere("mod+k", words.keys_palette, Some(Callback::new(move |()| desk.palette.update(|open| *open = !*open))));
    everywhere("?", words.keys_help, None);
    everywhere("Escape", words.keys_close, Some(Callback::new(move |()| desk.close_all())));
}
