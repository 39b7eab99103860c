//! What of the list is in its address: search, order, the row that is open; and what is searched while one types.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use model::id::VmRef;
use model::vm::{Query, Sort};

use crate::paths::{self, param};

/// What the address of the list says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Place {
    /// Search text.
    pub(super) text: String,
    /// Order.
    pub(super) sort: Sort,
    /// The VM whose preview is open.
    pub(super) open: Option<VmRef>,
}

impl Place {
    /// That of the address, now and later.
    pub(super) fn follow() -> Memo<Self> {
        let asked = use_query_map();
        Memo::new(move |_| {
            asked.with(|asked| Self {
                text: asked.get(param::TEXT).unwrap_or_default(),
                sort: asked.get(param::SORT).map(|word| Sort::parse(&word)).unwrap_or_default(),
                open: asked.get(param::OPEN).and_then(|text| parse_open(&text)),
            })
        })
    }

    /// The address that says this.
    pub(super) fn href(&self) -> String {
        paths::vms_open(&self.text, self.sort, &self.open.as_ref().map(VmRef::to_string).unwrap_or_default())
    }
}

fn parse_open(text: &str) -> Option<VmRef> {
    let mut parts = text.splitn(3, '/');
    VmRef::parse(parts.next()?, parts.next()?, parts.next()?).ok()
}

/// What to search: the address and what is being typed, as far as both can be understood; else what was searched before,
/// so that a half-typed word never empties the list.
pub(super) fn sought(place: &Place, typed: &str, before: Option<&Query>) -> Query {
    let typed = typed.trim();
    // `owner:` alone means "without owner", which nobody who goes on typing means.
    let is_half = typed.is_empty() || typed.ends_with([':', '：', '=', '<', '>', '-', '"']);
    let both = (!is_half).then(|| join(&place.text, typed));
    let candidates = both.into_iter().chain([place.text.clone()]);
    let mut fine = candidates.map(|text| Query { text, sort: place.sort }).filter(|query| query.parse().is_ok());
    let fallback = || Query { text: before.map(|query| query.text.clone()).unwrap_or_default(), sort: place.sort };
    fine.next().unwrap_or_else(fallback)
}

/// A search text with one more word.
pub(super) fn join(text: &str, word: &str) -> String {
    format!("{} {}", text.trim(), word.trim()).trim().to_owned()
}

/// `field:value` as the search language reads it, whatever the value is.
pub(super) fn term(field: &str, value: &str) -> String {
    let value: String = value.chars().filter(|&c| c != '"').collect();
    if value.contains(char::is_whitespace) { format!("{field}:\"{value}\"") } else { format!("{field}:{value}") }
}

/// Link to the VMs that share a value with the one shown.
pub(super) fn like(field: &str, value: &str) -> String {
    paths::vms_like(&term(field, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::vm::SortKey;

    fn place(text: &str) -> Place {
        Place { text: text.into(), ..Place::default() }
    }

    #[test]
    fn what_is_typed_is_searched_at_once_unless_it_is_half_a_word() {
        assert_eq!(sought(&place("env:prod"), "10.20.", None).text, "env:prod 10.20.");
        assert_eq!(sought(&place("env:prod"), "owner:", None).text, "env:prod");
        assert_eq!(sought(&place(""), "  ", None).text, "");
    }

    #[test]
    fn what_cannot_be_understood_leaves_the_list_as_it_was() {
        let before = Query { text: "web".into(), sort: Sort::default() };
        let sort = Sort { key: SortKey::Cpu, descending: true };
        let now = sought(&Place { sort, ..place("cpu>many") }, "", Some(&before));
        assert_eq!((now.text.as_str(), now.sort), ("web", sort));
        assert_eq!(sought(&place("env:prod"), "cpu>x", Some(&before)).text, "env:prod");
    }

    #[test]
    fn values_with_spaces_are_quoted() {
        assert_eq!(term("service", "ERP 核心"), "service:\"ERP 核心\"");
        let query = Query { text: term("service", "a \"b\" c"), sort: Sort::default() };
        assert_eq!(query.parse().unwrap().terms.len(), 1);
    }

    #[test]
    fn an_open_row_is_a_reference_or_nothing() {
        assert_eq!(parse_open("bj-1/erp/web-01").map(|vm| vm.to_string()).as_deref(), Some("bj-1/erp/web-01"));
        assert_eq!(parse_open("bj-1/erp"), None);
        assert_eq!(parse_open("a/b/../c"), None);
    }
}
