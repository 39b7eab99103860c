//! The nouns of the platform, as `ARCHITECTURE.md` lists them.

use super::tree::Tree;

/// The paragraph begins so; each noun of it is `quoted`.
const LIST: &str = "Nouns:";

/// All of them; none when the list is missing, which makes whatever needs one a breach.
pub(super) fn nouns<'a>(tree: &Tree<'a>) -> Vec<&'a str> {
    let text = tree.file("ARCHITECTURE.md").map_or("", |file| file.text);
    let lines = text.lines().skip_while(|line| !line.starts_with(LIST)).take_while(|line| !line.is_empty());
    lines.flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::tree;

    #[test]
    fn nouns_are_the_quoted_words_of_one_paragraph() {
        let text = "# A\n\nNouns: `pear` (a fruit), `plum`,\n`fig`.\n\nNot `this`.";
        tree(&[("ARCHITECTURE.md", text)], |tree| assert_eq!(nouns(tree), ["pear", "plum", "fig"]));
        tree(&[], |tree| assert!(nouns(tree).is_empty()));
    }
}
