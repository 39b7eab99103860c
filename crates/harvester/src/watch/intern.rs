//! Texts that repeat are kept once: namespaces, nodes, owners, operating systems.

use crate::view::clean;
use std::collections::HashSet;
use std::sync::Arc;

/// Texts kept at most; beyond that (a hostile cluster makes each one different) they are just not shared.
const MAX_KEPT: usize = 50_000;

/// A set of shared texts.
#[derive(Debug, Default)]
pub(crate) struct Intern(HashSet<Arc<str>>);

impl Intern {
    /// The cleaned text, shared.
    pub(crate) fn share(&mut self, foreign: &str, max: usize) -> Arc<str> {
        if !clean::is_clean(foreign, max) {
            return self.keep(&clean::text(foreign, max));
        }
        self.keep(foreign)
    }

    fn keep(&mut self, text: &str) -> Arc<str> {
        if let Some(kept) = self.0.get(text) {
            return kept.clone();
        }
        if self.0.len() >= MAX_KEPT {
            self.0.retain(|kept| Arc::strong_count(kept) > 1);
        }
        let text: Arc<str> = text.into();
        if self.0.len() < MAX_KEPT {
            self.0.insert(text.clone());
        }
        text
    }
}

/// The cleaned text, for what does not repeat.
pub(crate) fn own(foreign: &str, max: usize) -> Arc<str> {
    if clean::is_clean(foreign, max) { foreign.into() } else { clean::text(foreign, max).into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_one_and_clean() {
        let mut intern = Intern::default();
        let (a, b) = (intern.share("team-a", 253), intern.share("team-a", 253));
        assert!(Arc::ptr_eq(&a, &b));
        assert_eq!(&*intern.share("x\u{202e}y", 253), "xy");
    }

    #[test]
    fn unused_texts_make_room() {
        let mut intern = Intern::default();
        (0..MAX_KEPT * 2).for_each(|n| drop(intern.share(&n.to_string(), 20)));
        assert!(intern.0.len() <= MAX_KEPT);
    }
}
