//! Sentences in Chinese and English, side by side.
//!
//! A domain sentence (a refusal, a check, a fault) is made where it is known, in both languages at once, so that neither
//! can be forgotten. Labels of the interface are not here: they are `app::locales`.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A language of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Lang {
    /// Simplified Chinese, the first language.
    #[default]
    Zh,
    /// English, complete.
    En,
}

impl Lang {
    /// The BCP 47 tag for `<html lang>`.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Zh => "zh-CN",
            Self::En => "en",
        }
    }

    /// From a cookie or an `Accept-Language` header; Chinese unless English comes first.
    pub fn parse(text: &str) -> Self {
        if text.trim_start().to_ascii_lowercase().starts_with("en") { Self::En } else { Self::Zh }
    }
}

/// One sentence in both languages.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Say {
    /// Chinese.
    pub zh: Cow<'static, str>,
    /// English.
    pub en: Cow<'static, str>,
}

impl Say {
    /// A fixed sentence.
    pub const fn fixed(zh: &'static str, en: &'static str) -> Self {
        Self { zh: Cow::Borrowed(zh), en: Cow::Borrowed(en) }
    }

    /// A sentence with values in it.
    pub fn new(zh: impl Into<String>, en: impl Into<String>) -> Self {
        Self { zh: Cow::Owned(zh.into()), en: Cow::Owned(en.into()) }
    }

    /// The same text in both languages: names, verbatim upstream texts.
    pub fn verbatim(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { zh: Cow::Owned(text.clone()), en: Cow::Owned(text) }
    }

    /// The sentence in `lang`.
    pub fn text(&self, lang: Lang) -> &str {
        match lang {
            Lang::Zh => &self.zh,
            Lang::En => &self.en,
        }
    }
}

impl std::fmt::Display for Say {
    /// English, for logs and the open API.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.en)
    }
}

/// A sentence in both languages with the same captured values: `say!("{name} 已存在", "{name} exists already")`.
#[macro_export]
macro_rules! say {
    ($zh:literal, $en:literal) => {
        $crate::Say::new(::std::format!($zh), ::std::format!($en))
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_macro_fills_both_languages() {
        let name = "web-01";
        let say = say!("{name} 已存在", "{name} exists already");
        assert_eq!((say.text(Lang::Zh), say.text(Lang::En)), ("web-01 已存在", "web-01 exists already"));
    }

    #[test]
    fn english_is_chosen_only_when_it_comes_first() {
        assert_eq!(Lang::parse("en-GB,zh;q=0.5"), Lang::En);
        assert_eq!(Lang::parse("zh-CN,en;q=0.5"), Lang::Zh);
        assert_eq!(Lang::parse(""), Lang::Zh);
    }
}
