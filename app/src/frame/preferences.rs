//! What a browser prefers, carried by cookies so that the server's first paint is right: language, theme, zone, navigation, density.
//!
//! Reading is pure; writing touches the document's cookies and happens in event handlers and effects only.

use model::Lang;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsCast;

/// Names of the cookies.
const LANG: &str = "lang";
const THEME: &str = "theme";
const OFFSET: &str = "tz";
const NAV: &str = "nav";
const ROWS: &str = "rows";
/// A year: preferences are worth keeping.
const KEEP_SECONDS: u32 = 365 * 24 * 60 * 60;
/// China, where a browser has not said otherwise.
const DEFAULT_OFFSET: i32 = 8 * 60;

/// Light, dark, or as the system has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Theme {
    /// As the system has it.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// All, in the order of the menu.
    pub(crate) const ALL: [Self; 3] = [Self::Auto, Self::Light, Self::Dark];

    /// The value of the cookie and of `data-theme`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    fn parse(word: &str) -> Self {
        Self::ALL.into_iter().find(|theme| theme.word() == word).unwrap_or_default()
    }
}

/// All preferences of one browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preferences {
    /// Language.
    pub lang: Lang,
    /// Theme.
    pub theme: Theme,
    /// Minutes east of UTC.
    pub offset: i32,
    /// The navigation shows icons only.
    pub is_folded: bool,
    /// Long lists have high rows.
    pub is_roomy: bool,
}

impl Default for Preferences {
    fn default() -> Self {
        Self::read("", "")
    }
}

impl Preferences {
    /// From the `Cookie` header and, for the language, `Accept-Language`.
    pub fn read(cookies: &str, accept_language: &str) -> Self {
        let of = |name: &str| cookie(cookies, name);
        let offset = of(OFFSET).and_then(|text| text.parse().ok()).filter(|minutes| (-900..=900).contains(minutes));
        Self {
            lang: Lang::parse(of(LANG).unwrap_or(accept_language)),
            theme: Theme::parse(of(THEME).unwrap_or_default()),
            offset: offset.unwrap_or(DEFAULT_OFFSET),
            is_folded: of(NAV) == Some("icons"),
            is_roomy: of(ROWS) == Some("roomy"),
        }
    }
}

/// The value of a cookie in a `Cookie` header (RFC 6265 §4.2.1).
fn cookie<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    header
        .split(';')
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value)
}

/// Remembers the language; the page has to be loaded again to speak it.
pub(crate) fn remember_lang(lang: Lang) {
    write(LANG, lang.tag());
}

/// Remembers the theme and shows it.
pub(crate) fn remember_theme(theme: Theme) {
    write(THEME, theme.word());
    let Some(window) = web_sys::window() else { return };
    let wants_dark =
        || window.match_media("(prefers-color-scheme: dark)").ok().flatten().is_some_and(|query| query.matches());
    let shown = match theme {
        Theme::Auto if wants_dark() => Theme::Dark,
        Theme::Auto => Theme::Light,
        chosen => chosen,
    };
    if let Some(root) = window.document().and_then(|document| document.document_element()) {
        // An attribute that cannot be set leaves the old theme, which is no harm.
        let _ = root.set_attribute("data-theme", shown.word());
    }
}

/// Remembers whether the navigation is folded.
pub(crate) fn remember_nav(is_folded: bool) {
    write(NAV, if is_folded { "icons" } else { "open" });
}

/// Remembers how high the rows of long lists are.
pub(crate) fn remember_density(is_roomy: bool) {
    write(ROWS, if is_roomy { "roomy" } else { "compact" });
}

/// Remembers the browser's zone for the next page, if it is not `known` already.
pub(crate) fn remember_offset(known: i32) {
    let offset = -js_sys::Date::new_0().get_timezone_offset() as i32;
    if offset != known {
        write(OFFSET, &offset.to_string());
    }
}

fn write(name: &str, value: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    let Some(document) = document.and_then(|document| document.dyn_into::<web_sys::HtmlDocument>().ok()) else {
        return;
    };
    // A browser that refuses cookies shows the defaults again next time.
    let _ = document.set_cookie(&format!("{name}={value}; Path=/; Max-Age={KEEP_SECONDS}; SameSite=Lax"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_win_over_the_browsers_language() {
        let read = Preferences::read("theme=dark; lang=zh-CN; tz=-300; nav=icons; rows=roomy", "en-GB");
        let expected =
            Preferences { lang: Lang::Zh, theme: Theme::Dark, offset: -300, is_folded: true, is_roomy: true };
        assert_eq!(read, expected);
        assert_eq!(Preferences::read("", "en-GB,zh;q=0.5").lang, Lang::En);
    }

    #[test]
    fn nonsense_is_the_default() {
        assert_eq!(Preferences::read("tz=99999; theme=pink; =; nav", ""), Preferences::default());
        assert_eq!(Preferences::default().offset, 480);
    }
}
