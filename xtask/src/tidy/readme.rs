//! Both readmes tell the same.

use super::tree::{File, Tree};
use super::{Breach, Rule};

pub(super) const RULE: Rule = Rule {
    name: "readme",
    why: "whoever reads the other language must be able to do the same things, by the same commands",
    breaches,
};

/// The same text in two languages.
const PAIR: [&str; 2] = ["README.md", "README.zh-CN.md"];

/// A part that both must have: its line, and what of it no language changes.
type Part = (usize, String);

fn breaches(tree: &Tree<'_>) -> Vec<Breach> {
    let [Some(one), Some(other)] = PAIR.map(|path| tree.file(path)) else { return Vec::new() };
    let mut breaches = Vec::new();
    for (name, parts) in [("heading", headings as fn(&File<'_>) -> Vec<Part>), ("code block", code_blocks)] {
        let (ours, theirs) = (parts(one), parts(other));
        let differ = (0..ours.len().max(theirs.len())).find(|&at| {
            let text = |parts: &[Part]| parts.get(at).map(|(_, text)| text.clone());
            text(&ours) != text(&theirs)
        });
        if let Some(at) = differ {
            let line = theirs.get(at).map_or(1, |(line, _)| *line);
            breaches.push(Breach::new(other, line, format!("{name} {} is not that of {}", at + 1, one.path)));
        }
    }
    breaches
}

/// The levels of headings.
fn headings(file: &File<'_>) -> Vec<Part> {
    let mut is_code = false;
    let mut headings = Vec::new();
    for (number, line) in file.lines() {
        is_code ^= line.starts_with("```");
        let level = line.bytes().take_while(|&byte| byte == b'#').count();
        if !is_code && level > 0 {
            headings.push((number, level.to_string()));
        }
    }
    headings
}

/// Code blocks; what a comment in one says is in the reader's language.
fn code_blocks(file: &File<'_>) -> Vec<Part> {
    let mut blocks: Vec<Part> = Vec::new();
    let mut is_code = false;
    for (number, line) in file.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
            if is_code {
                blocks.push((number, format!("{line}\n")));
            }
        } else if let Some((_, block)) = blocks.last_mut().filter(|_| is_code) {
            block.push_str(without_comment(line));
            block.push('\n');
        }
    }
    blocks
}

fn without_comment(line: &str) -> &str {
    let code = if line.starts_with('#') { "" } else { line.split(" #").next().unwrap_or_default() };
    code.trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::breaches;

    fn check(one: &str, other: &str) -> Vec<String> {
        breaches(&RULE, &[("README.md", one), ("README.zh-CN.md", other)])
    }

    #[test]
    fn both_have_the_same_headings_and_code() {
        let one = "# Pear\n```sh\neat   # all of it\n# now\n```\n## Kernel\n";
        assert!(check(one, "# 梨\n```sh\neat          # 全部\n# 现在\n```\n## 核\n").is_empty());
        let lacks_heading = "# 梨\n```sh\neat\n\n```\n";
        assert_eq!(check(one, lacks_heading), ["README.zh-CN.md:1: heading 2 is not that of README.md"]);
        let other_code = "# 梨\n```sh\nthrow away\n\n```\n## 核\n";
        assert_eq!(check(one, other_code), ["README.zh-CN.md:2: code block 1 is not that of README.md"]);
    }
}
