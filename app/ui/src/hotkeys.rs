//! Keys that work on a page, and the dialog that lists them.
//!
//! A page registers its keys with [`hotkey`] while it stands there; the frame's [`HotkeyHost`] listens and, on `?`,
//! shows them. A single letter is not taken while the reader types.

use leptos::{ev, prelude::*};

use crate::{Dialog, Glyph, dom, tip, words};

/// A key and what it does.
#[derive(Clone, Debug)]
pub struct Hotkey {
    /// `c`, `/`, `Escape`, or with Ctrl or ⌘: `mod+k`.
    pub key: &'static str,
    /// Under which heading it is listed.
    pub group: String,
    /// What it does.
    pub word: String,
    /// Does it; `None` for a key that a widget handles and that is only listed.
    pub act: Option<Callback<()>>,
}

/// The keys that work now; the frame provides it by context.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hotkeys {
    all: RwSignal<Vec<(u64, Hotkey)>>,
    last: StoredValue<u64>,
    /// Whether the list of keys stands there.
    pub help: RwSignal<bool>,
}

/// Registers a key for as long as the caller stands there; nothing where no frame listens.
pub fn hotkey(hotkey: Hotkey) {
    let Some(hotkeys) = use_context::<Hotkeys>() else { return };
    hotkeys.last.update_value(|last| *last += 1);
    let id = hotkeys.last.get_value();
    hotkeys.all.update(|all| all.push((id, hotkey)));
    on_cleanup(move || {
        // The frame may be gone before the page.
        let _ = hotkeys.all.try_update(|all| all.retain(|(own, _)| *own != id));
    });
}

/// Listens for the keys and shows them on `?`. Once a page, in the frame.
#[component]
pub fn HotkeyHost(
    /// The registry that the frame provides.
    hotkeys: Hotkeys,
) -> impl IntoView {
    tip::put_away_by_escape();
    Effect::new(move |_| {
        let listener = window_event_listener(ev::keydown, move |event| {
            let is_text = event.target().is_some() && dom::is_text(&event_target::<web_sys::Element>(&event));
            let held = if event.ctrl_key() || event.meta_key() { Held::Mod } else { Held::None };
            if event.default_prevented() || event.alt_key() || (is_text && held == Held::None) {
                return;
            }
            let key = event.key();
            // A dialog closes by itself, unless the key is taken from it.
            if key == "Escape" && dom::is_dialog_open() {
                return;
            }
            if key == "?" && held == Held::None {
                hotkeys.help.set(true);
            } else if let Some(act) = hotkeys.all.with_untracked(|all| find(all, &key, held)) {
                event.prevent_default();
                act.run(());
            }
        });
        on_cleanup(move || listener.remove());
    });
    let groups = move || {
        let mut groups: Vec<(String, Vec<Hotkey>)> = Vec::new();
        for (_, hotkey) in hotkeys.all.get() {
            match groups.iter_mut().find(|(group, _)| *group == hotkey.group) {
                Some((_, keys)) => keys.push(hotkey),
                None => groups.push((hotkey.group.clone(), vec![hotkey])),
            }
        }
        groups.into_iter().map(|(group, keys)| view! { <KeyGroup title=group keys=keys/> }).collect_view()
    };
    view! {
        <Dialog id="keys" title=words().keys glyph=Glyph::Keyboard open=hotkeys.help large=true>
            <div class="keys">{groups}</div>
        </Dialog>
    }
}

/// Keys under one heading.
#[component]
pub fn KeyGroup(
    /// The heading.
    #[prop(into)]
    title: String,
    /// The keys.
    keys: Vec<Hotkey>,
) -> impl IntoView {
    let line = |hotkey: Hotkey| {
        let caps = hotkey.key.split(['+', ' ']).map(|cap| view! { <kbd>{cap_word(cap)}</kbd> }).collect_view();
        view! { <dt>{hotkey.word}</dt><dd>{caps}</dd> }
    };
    view! { <section><h3>{title}</h3><dl>{keys.into_iter().map(line).collect_view()}</dl></section> }
}

fn cap_word(cap: &'static str) -> &'static str {
    match cap {
        "mod" => "Ctrl",
        "Escape" => "Esc",
        "ArrowUp" => "↑",
        "ArrowDown" => "↓",
        other => other,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    None,
    Mod,
}

/// The action of a key; the one registered last wins, as the innermost view.
fn find(all: &[(u64, Hotkey)], key: &str, held: Held) -> Option<Callback<()>> {
    let is_it = |hotkey: &Hotkey| match (hotkey.key.strip_prefix("mod+"), held) {
        (Some(with_mod), Held::Mod) => with_mod.eq_ignore_ascii_case(key),
        (None, Held::None) => hotkey.key == key,
        _ => false,
    };
    all.iter().rev().map(|(_, hotkey)| hotkey).filter(|hotkey| is_it(hotkey)).find_map(|hotkey| hotkey.act)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    fn key(key: &'static str, act: Option<Callback<()>>) -> Hotkey {
        Hotkey { key, group: "列表".into(), word: "打开".into(), act }
    }

    #[test]
    fn a_key_is_found_with_what_is_held() {
        Owner::new().with(|| {
            let act = Some(Callback::new(|()| ()));
            let all = [(1, key("mod+k", act)), (2, key("c", act)), (3, key("o", None))];
            assert!(find(&all, "K", Held::Mod).is_some());
            assert!(find(&all, "k", Held::None).is_none());
            assert!(find(&all, "c", Held::None).is_some());
            assert!(find(&all, "o", Held::None).is_none());
        });
    }

    #[test]
    fn the_help_lists_keys_by_group() {
        let help = html(|| {
            let hotkeys = Hotkeys::default();
            provide_context(hotkeys);
            hotkey(key("mod+k", None));
            hotkeys.help.set(true);
            view! { <HotkeyHost hotkeys=hotkeys/> }
        });
        assert_parts(&help, &["快捷键", "<h3>列表</h3>", "<dt>打开</dt>", "<kbd>Ctrl</kbd><kbd>k</kbd>"]);
    }
}
