//! Icons: drawings of our own, in one sprite that the browser fetches once (`style/public/icons.svg`).
//!
//! An icon never stands for a word alone: it is hidden from screen readers, and what it says is said by the text or the
//! label beside it.

use leptos::prelude::*;

/// Where the sprite is served, when no other [`Sprite`] is provided.
const SPRITE: &str = "/icons.svg";

/// Another address of the sprite, given by context: a release puts its version into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sprite(pub &'static str);

/// One drawing of the sprite, in the text's colour.
#[component]
pub fn Icon(
    /// Which drawing.
    #[prop(into)]
    glyph: Signal<Glyph>,
    /// Colours the icon itself: `error`, `warning`, `moving`, `ok`.
    #[prop(optional, into)]
    tone: Option<&'static str>,
) -> impl IntoView {
    let sprite = use_context::<Sprite>().map_or(SPRITE, |sprite| sprite.0);
    view! {
        <svg class="icon" aria-hidden="true" data-tone=tone>
            <use href=move || format!("{sprite}#{}", glyph.get().name())/>
        </svg>
    }
}

/// The drawings there are.
#[rustfmt::skip] // A word a line would be four screens.
#[expect(missing_docs, reason = "each is named for what it shows")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Glyph {
    Overview, Portal, Vm, Move, Shield, Address, Cluster, Owner, Approve, Audit, Report, Settings, Search, Plus,
    Minus, Close, Check, Right, Left, Down, Up, Fold, More, Grip, External, Enter, Menu, Filter, Columns, Rows,
    RowsWide, Sort, Asc, Desc, Download, Upload, Table, Pin, Play, Stop, Pause, Restart, Power, Console,
    Snapshot, Backup, Restore, Clone, Edit, Trash, Undo, Skip, Send, Link, Fit, Keyboard, Paste, Diff, Yaml,
    Host, Disk, Nic, Cpu, Memory, Image, Key, Lock, Clock, Calendar, Window, Database, Globe, User, Users, Eye,
    Scan, Phone, Bell, Tasks, Sun, Moon, Language, Bolt, Flag, Star, Record, Chain, Cut, Offline, Info, Help,
    Hash, Folder, Chart, Refresh, Running, Stopped, Moving, Paused, Error, Warning, Unknown, Ok, No, Wait,
}

impl Glyph {
    /// Every drawing, in the order of the sprite and of the enum.
    #[rustfmt::skip]
    pub const ALL: [Self; 105] = [
        Self::Overview, Self::Portal, Self::Vm, Self::Move, Self::Shield, Self::Address, Self::Cluster, Self::Owner,
        Self::Approve, Self::Audit, Self::Report, Self::Settings, Self::Search, Self::Plus, Self::Minus,
        Self::Close, Self::Check, Self::Right, Self::Left, Self::Down, Self::Up, Self::Fold, Self::More, Self::Grip,
        Self::External, Self::Enter, Self::Menu, Self::Filter, Self::Columns, Self::Rows, Self::RowsWide,
        Self::Sort, Self::Asc, Self::Desc, Self::Download, Self::Upload, Self::Table, Self::Pin, Self::Play,
        Self::Stop, Self::Pause, Self::Restart, Self::Power, Self::Console, Self::Snapshot, Self::Backup,
        Self::Restore, Self::Clone, Self::Edit, Self::Trash, Self::Undo, Self::Skip, Self::Send, Self::Link,
        Self::Fit, Self::Keyboard, Self::Paste, Self::Diff, Self::Yaml, Self::Host, Self::Disk, Self::Nic,
        Self::Cpu, Self::Memory, Self::Image, Self::Key, Self::Lock, Self::Clock, Self::Calendar, Self::Window,
        Self::Database, Self::Globe, Self::User, Self::Users, Self::Eye, Self::Scan, Self::Phone, Self::Bell,
        Self::Tasks, Self::Sun, Self::Moon, Self::Language, Self::Bolt, Self::Flag, Self::Star, Self::Record,
        Self::Chain, Self::Cut, Self::Offline, Self::Info, Self::Help, Self::Hash, Self::Folder, Self::Chart,
        Self::Refresh, Self::Running, Self::Stopped, Self::Moving, Self::Paused, Self::Error, Self::Warning,
        Self::Unknown, Self::Ok, Self::No, Self::Wait,
    ];

    /// The drawing's name in the sprite.
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }
}

#[rustfmt::skip]
const NAMES: [&str; 105] = [
    "overview", "portal", "vm", "move", "shield", "address", "cluster", "owner", "approve", "audit", "report",
    "settings", "search", "plus", "minus", "close", "check", "right", "left", "down", "up", "fold", "more",
    "grip", "external", "enter", "menu", "filter", "columns", "rows", "rows-wide", "sort", "asc", "desc",
    "download", "upload", "table", "pin", "play", "stop", "pause", "restart", "power", "console", "snapshot",
    "backup", "restore", "clone", "edit", "trash", "undo", "skip", "send", "link", "fit", "keyboard", "paste",
    "diff", "yaml", "host", "disk", "nic", "cpu", "memory", "image", "key", "lock", "clock", "calendar",
    "window", "database", "globe", "user", "users", "eye", "scan", "phone", "bell", "tasks", "sun", "moon",
    "language", "bolt", "flag", "star", "record", "chain", "cut", "offline", "info", "help", "hash", "folder",
    "chart", "refresh", "running", "stopped", "moving", "paused", "error", "warning", "unknown", "ok", "no",
    "wait",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::html;

    #[test]
    fn every_glyph_is_in_the_sprite_and_every_drawing_has_a_glyph() {
        let sprite = include_str!("../../../style/public/icons.svg");
        assert_eq!(sprite.matches("<symbol ").count(), Glyph::ALL.len());
        for (at, glyph) in Glyph::ALL.into_iter().enumerate() {
            assert_eq!(glyph as usize, at);
            assert_eq!(format!("{glyph:?}").to_lowercase(), glyph.name().replace('-', ""));
            assert!(sprite.contains(&format!("id=\"{}\"", glyph.name())), "{glyph:?}");
        }
    }

    #[test]
    fn an_icon_is_no_news_to_a_screen_reader() {
        let icon = html(|| view! { <Icon glyph=Glyph::RowsWide/> });
        assert_eq!(icon, r##"<svg aria-hidden="true" class="icon"><use href="/icons.svg#rows-wide"></use></svg>"##);
    }
}
