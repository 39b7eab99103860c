//! What the interface says, in each language it speaks: hand-made structs, so that a missing sentence does not compile.
//!
//! A noun's words are in the file of its name, both languages side by side. Sentences of the domain (refusals, states,
//! faults) are not here: they are `model::Say`. Sentences with values are functions.

mod access;
mod audit;
mod console;
mod fault;
mod fleet;
mod frame;
mod ipam;
mod number;
mod overview;
mod provisioning;
mod vm;

use leptos::prelude::*;
use model::Lang;

pub(crate) use number::{count, grouped};

/// The type of an entry: a text, or a function of values that makes one.
macro_rules! entry {
    () => { &'static str };
    ($($argument:ty),+) => { fn($($argument),+) -> String };
}

/// `words! { Name { field: "中文", "English"; field(u32): |n| …, |n| …; } }` makes the struct and one static a language.
/// A macro, since struct and two statics by hand would say each name three times, on three screens.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($field:ident $(($($argument:ty),+))?: $zh:expr, $en:expr;)* }) => {
        $(#[$doc])*
        pub(crate) struct $name { $(pub(crate) $field: crate::locales::entry!($($($argument),+)?)),* }
        pub(super) static ZH: $name = $name { $($field: $zh),* };
        pub(super) static EN: $name = $name { $($field: $en),* };
    };
}
use {entry, words};

/// All words of a language, a field a noun.
pub(crate) struct Words {
    pub(crate) lang: Lang,
    pub(crate) frame: &'static frame::Frame,
    pub(crate) fault: &'static fault::FaultWords,
    pub(crate) access: &'static access::Access,
    pub(crate) overview: &'static overview::Overview,
    pub(crate) fleet: &'static fleet::Fleet,
    pub(crate) audit: &'static audit::Audit,
    pub(crate) ipam: &'static ipam::Ipam,
    pub(crate) provisioning: &'static provisioning::Provisioning,
    pub(crate) vm: &'static vm::Vm,
    pub(crate) console: &'static console::Console,
}

static ZH: Words = Words {
    lang: Lang::Zh,
    frame: &frame::ZH,
    fault: &fault::ZH,
    access: &access::ZH,
    overview: &overview::ZH,
    fleet: &fleet::ZH,
    audit: &audit::ZH,
    ipam: &ipam::ZH,
    provisioning: &provisioning::ZH,
    vm: &vm::ZH,
    console: &console::ZH,
};

static EN: Words = Words {
    lang: Lang::En,
    frame: &frame::EN,
    fault: &fault::EN,
    access: &access::EN,
    overview: &overview::EN,
    fleet: &fleet::EN,
    audit: &audit::EN,
    ipam: &ipam::EN,
    provisioning: &provisioning::EN,
    vm: &vm::EN,
    console: &console::EN,
};

/// The words of `lang`.
pub(crate) fn words_of(lang: Lang) -> &'static Words {
    match lang {
        Lang::Zh => &ZH,
        Lang::En => &EN,
    }
}

/// Gives the words of `lang` to pages and to the widgets of `app-ui`.
pub(crate) fn provide_words(lang: Lang) {
    provide_context(words_of(lang));
    provide_context(match lang {
        Lang::Zh => &app_ui::ZH,
        Lang::En => &app_ui::EN,
    });
}

/// The words of the reader's language; Chinese stands in where none was chosen, as in a test.
pub(crate) fn use_words() -> &'static Words {
    use_context::<&'static Words>().unwrap_or(&ZH)
}
