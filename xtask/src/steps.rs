//! A run of named steps: each is announced, timed and counted; the first failure ends the run and says what to type to
//! repeat only that step.
//!
//! The last line is `N passed, N failed` alone: people look for it, and so does CI.

use std::fmt::Write;
use std::time::{Duration, Instant};

use anyhow::Result;

/// How many checks there were in a step, and how they went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    /// Of those that passed, how many failed at first: the suite in the browser tries once more.
    pub(crate) again: u64,
}

impl Tally {
    /// A step that is one check by itself.
    pub(crate) const ONE: Self = Self { passed: 1, failed: 0, again: 0 };

    /// Adds what a line of libtest or of Playwright's list reporter reports; other lines count nothing.
    pub(crate) fn read(&mut self, line: &str) {
        let line = line.trim();
        let summary =
            line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". ")).map(|(_, counts)| counts);
        if let Some(counts) = summary {
            for part in counts.split("; ") {
                self.add(part);
            }
        } else if line.split_whitespace().nth(1).is_some_and(|word| matches!(word, "passed" | "failed" | "flaky")) {
            self.add(line);
        }
    }

    /// Adds those of another run.
    pub(crate) fn merge(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.again += other.again;
    }

    /// `part` begins with a number and a word, as in `12 passed (3.4s)`; a flaky test of Playwright passed at its second try.
    fn add(&mut self, part: &str) {
        let mut words = part.split_whitespace();
        let (count, word) = (words.next().and_then(|n| n.parse::<u64>().ok()), words.next());
        match (count, word) {
            (Some(n), Some("passed")) => self.passed += n,
            (Some(n), Some("failed")) => self.failed += n,
            (Some(n), Some("flaky")) => {
                self.passed += n;
                self.again += n;
            }
            _ => {}
        }
    }
}

/// How a step that did not fail went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It ran; so many checks.
    Done(Tally),
    /// It did not run, because of this.
    Left(&'static str),
}

/// A step of the run.
pub(crate) struct Step<'a> {
    /// Its name on the command line and in the table.
    pub(crate) name: &'static str,
    work: Box<dyn FnOnce() -> Result<Outcome> + 'a>,
}

impl<'a> Step<'a> {
    /// A step that is done by `work`.
    pub(crate) fn new(name: &'static str, work: impl FnOnce() -> Result<Outcome> + 'a) -> Self {
        Self { name, work: Box::new(work) }
    }
}

/// One line of the table at the end.
#[derive(Debug)]
struct Line {
    name: &'static str,
    took: Duration,
    word: String,
    tally: Tally,
}

/// Runs the steps in order and prints the table. `false` when one failed: the ones after it did not run.
pub(crate) fn run_all(steps: Vec<Step<'_>>) -> bool {
    let mut lines = Vec::new();
    for step in steps {
        println!("\n── {} ──", step.name);
        let start = Instant::now();
        let result = (step.work)();
        let took = start.elapsed();
        let (word, tally) = match &result {
            Ok(Outcome::Done(tally)) if tally.again > 0 => {
                (format!("ok, {} of them at the second try", tally.again), *tally)
            }
            Ok(Outcome::Done(tally)) => ("ok".to_owned(), *tally),
            Ok(Outcome::Left(why)) => (format!("left out: {why}"), Tally::default()),
            Err(_) => ("FAILED".to_owned(), Tally { failed: 1, ..Tally::default() }),
        };
        println!("── {}: {word} after {:.1} s ──", step.name, took.as_secs_f64());
        lines.push(Line { name: step.name, took, word, tally });
        if let Err(error) = result {
            eprintln!("xtask: {error:#}\nto repeat this step alone: cargo xtask test --only {}", step.name);
            break;
        }
    }
    let (table, total) = table(&lines);
    println!("\n{table}\n{} passed, {} failed", total.passed, total.failed);
    total.failed == 0
}

fn table(lines: &[Line]) -> (String, Tally) {
    let (mut text, mut total, mut took) = (String::new(), Tally::default(), Duration::ZERO);
    for line in lines {
        total.passed += line.tally.passed;
        total.failed += line.tally.failed;
        took += line.took;
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{:<12} {:>8.1} s {:>6}  {}",
            line.name,
            line.took.as_secs_f64(),
            line.tally.passed,
            line.word
        );
    }
    let _ = writeln!(text, "{:<12} {:>8.1} s {:>6}", "all", took.as_secs_f64(), total.passed);
    (text, total)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Passed, and failed.
    fn tally(lines: &[&str]) -> (u64, u64) {
        let mut tally = Tally::default();
        lines.iter().for_each(|line| tally.read(line));
        (tally.passed, tally.failed)
    }

    #[test]
    fn counts_come_from_libtest_and_playwright_and_nowhere_else() {
        assert_eq!(
            tally(&["test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s"]),
            (12, 0)
        );
        assert_eq!(tally(&["test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out"]), (3, 2));
        assert_eq!(
            tally(&["  2 failed", "    [chromium] › smoke.spec.ts:3:5 › a", "  7 passed (3.4s)", "  1 flaky"]),
            (8, 2)
        );
        assert_eq!(tally(&["test passed::by ... ok", "Running 7 tests", "", "1 skipped"]), (0, 0));
    }

    #[test]
    fn the_first_failure_ends_the_run() {
        let ran = std::cell::RefCell::new(Vec::new());
        let step = |name, fails: bool| {
            let ran = &ran;
            let work = move || {
                ran.borrow_mut().push(name);
                if fails { anyhow::bail!("broken") } else { Ok(Outcome::Done(Tally::ONE)) }
            };
            Step::new(name, work)
        };
        assert!(!run_all(vec![step("one", false), step("two", true), step("three", false)]));
        assert_eq!(*ran.borrow(), ["one", "two"]);
    }

    #[test]
    fn a_step_left_out_counts_nothing() {
        let (text, total) = table(&[
            Line { name: "fmt", took: Duration::from_millis(1500), word: "ok".into(), tally: Tally::ONE },
            Line {
                name: "deny",
                took: Duration::ZERO,
                word: "left out: not installed".into(),
                tally: Tally::default(),
            },
        ]);
        assert_eq!(total, Tally::ONE);
        assert!(text.contains("fmt") && text.contains("1.5 s") && text.contains("left out: not installed"), "{text}");
    }
}
