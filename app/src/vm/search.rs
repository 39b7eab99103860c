//! The search field of the list: tokens of the text, and what may come next.

use app_ui::{Completion, SearchBox, Token};
use leptos::prelude::*;
use model::Lang;
use model::fleet::ClusterView;
use model::ownership::Environment;
use model::vm::{Power, Query, Sort};

use super::list::List;
use super::place::{Place, join, term};
use crate::locales::{Words, grouped, use_words};

/// Id of the field, so that `/` finds it.
pub(super) const FIELD: &str = "vm-search";

/// The field; words become tokens in the address, what is being typed is searched at once.
#[component]
pub(super) fn Search(list: List) -> impl IntoView {
    let words = use_words().vm;
    let all_words = use_words();
    let lang = all_words.lang;
    let List { place, typed, go, rows, fleet, .. } = list;
    let tokens = Memo::new(move |_| {
        place.with(|place| split(&place.text).iter().map(|word| token(word, lang)).collect::<Vec<_>>())
    });
    let completions = Signal::derive(move || typed.with(|typed| fleet.with(|fleet| complete(typed, fleet, all_words))));
    let found =
        Signal::derive(move || Some((words.found)(&grouped(rows.total.get()), rows.took_us.get().div_ceil(1000))));
    let enter = move |word: String| {
        place.with_untracked(|place| go.run(Place { text: join(&place.text, &word), ..place.clone() }))
    };
    let remove = move |at: usize| {
        place.with_untracked(|place| {
            let mut left = split(&place.text);
            if at < left.len() {
                left.remove(at);
            }
            go.run(Place { text: left.join(" "), ..place.clone() });
        });
    };
    view! {
        <SearchBox
            id=FIELD
            label=words.search
            tokens=tokens
            text=typed
            completions=completions
            completions_label=words.search_fields
            placeholder=words.search_hint
            found=found
            on_enter=enter
            on_remove=remove
        />
    }
}

/// The words of a text as they were typed; quotes keep white space, as in the search language.
pub(super) fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut is_inside) = (Vec::new(), String::new(), false);
    for c in text.chars() {
        match c {
            c if c.is_whitespace() && !is_inside => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            c => {
                is_inside ^= c == '"';
                word.push(c);
            }
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

fn token(word: &str, lang: Lang) -> Token {
    let wrong =
        Query { text: word.to_owned(), sort: Sort::default() }.parse().err().map(|say| say.text(lang).to_owned());
    let (not, rest) = match word.strip_prefix('-') {
        Some(rest) if !rest.is_empty() => (true, rest),
        _ => (false, word),
    };
    let is_quoted = rest.starts_with('"');
    let at = rest.find([':', '：', '=', '<', '>']).filter(|_| !is_quoted);
    let end = at.map_or(0, |at| {
        let signs = rest[at..].find(|c| !matches!(c, ':' | '：' | '=' | '<' | '>'));
        at + signs.unwrap_or(rest.len() - at)
    });
    Token { field: rest[..end].to_owned(), value: rest[end..].replace('"', ""), not, wrong }
}

/// Fields that can be named, and how to begin each.
const FIELDS: [&str; 14] = [
    "cluster:", "ns:", "status:", "node:", "owner:", "service:", "env:", "ip:", "mac:", "os:", "agent:", "cpu>",
    "mem>", "disk>",
];
/// Proposals at most, so that the list fits under the field.
const MOST: usize = 14;

/// What may come next: fields that begin so, or values of the field.
fn complete(typed: &str, fleet: &[ClusterView], words: &Words) -> Vec<Completion> {
    let (words, lang) = (words.vm, words.lang);
    let typed = typed.trim_start_matches('-').to_lowercase();
    let line = |text: String, meaning: String| Completion { text, meaning, note: String::new() };
    if typed.is_empty() {
        return Vec::new();
    }
    let Some((field, value)) = typed.split_once(':') else {
        let fits = FIELDS.into_iter().filter(|field| field.starts_with(&typed) && *field != typed);
        return fits.map(|field| line(field.to_owned(), (words.field)(field))).take(MOST).collect();
    };
    let values: Vec<(String, String)> = match field {
        "status" => {
            Power::ALL.into_iter().map(|power| (power.word().to_owned(), power.say().text(lang).to_owned())).collect()
        }
        "env" => {
            Environment::ALL.into_iter().map(|env| (env.word().to_owned(), env.say().text(lang).to_owned())).collect()
        }
        "cluster" => fleet.iter().map(|cluster| (cluster.id.to_string(), cluster.name.clone())).collect(),
        "agent" | "managed" => vec![("yes".to_owned(), words.yes.to_owned()), ("no".to_owned(), words.no.to_owned())],
        _ => Vec::new(),
    };
    let fits = values.into_iter().filter(|(word, name)| word.starts_with(value) || name.to_lowercase().contains(value));
    fits.filter(|(word, _)| word != value).map(|(word, name)| line(term(field, &word), name)).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_quotes_and_signs() {
        assert_eq!(split(r#" env:prod  service:"a b" -x "#), ["env:prod", r#"service:"a b""#, "-x"]);
        let parts = |word: &str| {
            let token = token(word, Lang::Zh);
            (token.field, token.value, token.not, token.wrong.is_some())
        };
        assert_eq!(parts("cpu>=4"), ("cpu>=".into(), "4".into(), false, false));
        assert_eq!(parts("-status:deleting"), ("status:".into(), "deleting".into(), true, false));
        assert_eq!(parts("10.20.30."), ("".into(), "10.20.30.".into(), false, false));
        assert_eq!(parts(r#"service:"a b""#), ("service:".into(), "a b".into(), false, false));
        assert_eq!(parts("cpu>many"), ("cpu>".into(), "many".into(), false, true));
    }

    #[test]
    fn proposals_follow_what_is_typed() {
        let texts = |typed: &str| {
            complete(typed, &[], crate::locales::words_of(Lang::Zh)).into_iter().map(|c| c.text).collect::<Vec<_>>()
        };
        assert_eq!(texts("c"), ["cluster:", "cpu>"]);
        assert_eq!(texts("env:p"), ["env:prod"]);
        assert!(texts("").is_empty() && texts("10.2").is_empty());
    }
}
