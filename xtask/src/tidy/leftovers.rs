//! Nothing of the making is left in what is shipped.

use super::rust::{Kind, reads};
use super::tree::{File, Tree};
use super::{Breach, Exception, Rule, except};

pub(super) const RULE: Rule = Rule {
    name: "leftovers",
    why: "what is not done belongs into an issue, and what is said belongs into the log, where it has a time and a place",
    breaches,
};

/// The product.
const FOLDERS: [&str; 4] = ["app", "crates", "frontend", "server"];
/// Notes to oneself.
const NOTES: [&str; 3] = ["TODO", "FIXME", "XXX"];
/// Holes, in tests too.
const HOLES: [&str; 3] = ["dbg", "todo", "unimplemented"];
/// What goes past the log; a test may say what it measured.
const PRINTS: [&str; 4] = ["println", "print", "eprintln", "eprint"];

const EXCEPTIONS: [Exception; 5] = [
    Exception { path: "server/src/command.rs", what: "println!", why: "the answers of the command line" },
    Exception { path: "server/src/command.rs", what: "eprintln!", why: "asks for a password" },
    Exception {
        path: "server/src/main.rs",
        what: "eprintln!",
        why: "why the program ended, perhaps before there is a log",
    },
    Exception { path: "server/src/demo.rs", what: "println!", why: "tells who can sign in, once it is up" },
    Exception {
        path: "crates/simulator/src/main.rs",
        what: "println!",
        why: "the address, for the script that started it",
    },
];

fn breaches(tree: &Tree<'_>) -> Vec<Breach> {
    let product = tree.rust(&FOLDERS).filter(|file| file.path.contains("/src/"));
    let breaches = product.flat_map(|file| notes(file).into_iter().chain(macros(file))).collect();
    except(tree, &EXCEPTIONS, breaches)
}

fn notes(file: &File<'_>) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for comment in &file.source.comments {
        for (at, line) in comment.text.lines().enumerate() {
            let mut words = line.split(|c: char| !c.is_alphanumeric());
            let note = words.find(|word| NOTES.contains(word));
            breaches.extend(note.map(|note| Breach::new(file, comment.line + at, note)));
        }
    }
    breaches
}

fn macros(file: &File<'_>) -> Vec<Breach> {
    let is_left = |at: usize| {
        let code = &file.source.code[at..];
        let is_one_of = |names: &[&str]| names.iter().any(|name| reads(code, &[name, "!"]));
        code[0].kind == Kind::Word && (is_one_of(&HOLES) || !code[0].is_test && is_one_of(&PRINTS))
    };
    let left = file.source.code.iter().enumerate().filter(|&(at, _)| is_left(at));
    left.map(|(_, token)| Breach::new(file, token.line, format!("{}!", token.text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::breaches;

    fn check(text: &str) -> Vec<String> {
        breaches(&RULE, &[("crates/a/src/b.rs", text)])
    }

    #[test]
    fn nothing_of_the_making_is_left() {
        for good in ["// Why not.\nfn todo() { writeln!(f) }", "#[test] fn a() { println!(\"3 ms\") }", "say(\"TODO\")"]
        {
            assert!(check(good).is_empty(), "{good}");
        }
        for (bad, what) in [
            ("fn a() {}\n// TODO: b", "2: TODO"),
            ("/* a\n FIXME */", "2: FIXME"),
            ("/// XXX", "1: XXX"),
            ("dbg!(a)", "1: dbg!"),
            ("#[test] fn a() { todo!() }", "1: todo!"),
            ("unimplemented!()", "1: unimplemented!"),
            ("println!()", "1: println!"),
            ("eprint!(\"a\")", "1: eprint!"),
        ] {
            assert_eq!(check(bad), [format!("crates/a/src/b.rs:{what}")], "{bad}");
        }
        assert!(breaches(&RULE, &[("crates/a/build.rs", "println!()")]).is_empty(), "cargo reads it");
    }
}
