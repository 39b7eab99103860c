//! `cargo xtask test`: everything that CI checks, in order of speed.
//!
//! Cargo calls never run beside each other, and none of them lets `app` have both `ssr` and `hydrate`: native calls name
//! the whole workspace without `frontend` (there only the server asks for `app`), browser calls name the packages.

use std::collections::BTreeSet;
use std::process::Command;

use anyhow::{Result, bail};

use crate::browser::{npm, playwright, prepare};
use crate::build::{build, build_browser};
use crate::cargo::cargo;
use crate::clients;
use crate::postgres::Postgres;
use crate::process::{run, run_reading};
use crate::site::{self, Site};
use crate::steps::{Outcome, Step, Tally, run_all};
use crate::tidy::tidy;
use crate::toolchain::{Wasm, ensure_c_compiler};
use crate::witness;
use crate::workspace::{Profile, Workspace};

/// The workspace as this machine runs it.
const NATIVE: &str = "--workspace --exclude frontend";
/// What runs in the browser; `frontend` asks for `app` with `hydrate`.
const BROWSER: &str = "-p model -p rfb -p app-ui -p app -p frontend";
/// Where `store::testing` looks for the second engine.
const POSTGRES_URL: &str = "TEST_POSTGRES_URL";
/// What the compressed interface may weigh, in KiB of brotli; more is reported, not refused: the floor of
/// leptos, router and serde alone is 250.
const BUDGET_KIB: u64 = 700;

/// What to run.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Selection {
    /// Leave out the browser, PostgreSQL, the witness and other people's clients.
    #[arg(long)]
    quick: bool,
    /// Only this step; may be repeated.
    #[arg(long, value_name = "STEP")]
    only: Vec<String>,
}

/// Runs the selected steps; fails when one of them does, after the table has been printed.
pub(crate) fn test(workspace: &Workspace, selection: &Selection) -> Result<()> {
    ensure_c_compiler()?;
    let steps = selected(steps(workspace, selection.quick), &selection.only)?;
    if run_all(steps) { Ok(()) } else { bail!("a step failed") }
}

fn selected<'a>(steps: Vec<Step<'a>>, only: &[String]) -> Result<Vec<Step<'a>>> {
    let names: BTreeSet<_> = steps.iter().map(|step| step.name).collect();
    if let Some(unknown) = only.iter().find(|name| !names.contains(name.as_str())) {
        bail!("there is no step `{unknown}`; there are: {}", names.into_iter().collect::<Vec<_>>().join(", "));
    }
    Ok(steps.into_iter().filter(|step| only.is_empty() || only.iter().any(|name| name == step.name)).collect())
}

fn steps(workspace: &Workspace, quick: bool) -> Vec<Step<'_>> {
    let cargo = move |words: &str| run(&mut cargo(workspace, words)).map(|()| Outcome::Done(Tally::ONE));
    let clippy = format!("clippy {NATIVE} --all-targets -- -D warnings");
    vec![
        Step::new("fmt", move || cargo("fmt --all --check")),
        Step::new("tidy", || tidy(workspace).map(Outcome::Done)),
        Step::new("clippy", move || cargo(&clippy)),
        Step::new("clippy-wasm", || clippy_browser(workspace)),
        Step::new("crates", move || tests(workspace, quick, CRATES)),
        Step::new("platform", move || tests(workspace, quick, PLATFORM)),
        Step::new("program", move || tests(workspace, quick, PROGRAM)),
        Step::new("doc", || doc(workspace)),
        Step::new("deny", || tool(workspace, "deny", "deny --offline check bans licenses sources")),
        Step::new("machete", || tool(workspace, "machete", "machete --skip-target-dir")),
        Step::new("wasm", move || wasm(workspace, quick)),
        Step::new("clients", move || if quick { Ok(Outcome::Left("--quick")) } else { clients::check(workspace) }),
        Step::new("witness", move || if quick { Ok(Outcome::Left("--quick")) } else { witness::check(workspace) }),
        Step::new("browser", move || if quick { Ok(Outcome::Left("--quick")) } else { browser(workspace) }),
    ]
}

fn clippy_browser(workspace: &Workspace) -> Result<Outcome> {
    let wasm = Wasm::ensure()?;
    let mut command = wasm.cargo(workspace, &format!("clippy {BROWSER} --lib"));
    run(command.args(["--", "-D", "warnings"]))?;
    Ok(Outcome::Done(Tally::ONE))
}

/// What needs no interface: short to compile, so it fails first.
const CRATES: &str = "-p model -p rfb -p store -p simulator -p app-ui -p xtask";
/// What stands on a cluster, simulated or real.
const PLATFORM: &str = "-p harvester -p ops";
/// The interface and the program around it.
const PROGRAM: &str = "-p app -p server --features app/ssr";

/// Unit and integration tests; the store's run on SQLite and on a PostgreSQL of our own.
fn tests(workspace: &Workspace, quick: bool, packages: &str) -> Result<Outcome> {
    let mut command = cargo(workspace, &format!("test {packages}"));
    let named = std::env::var_os(POSTGRES_URL).is_some();
    let postgres = if quick || named { None } else { Some(Postgres::start()?) };
    if let Some(postgres) = &postgres {
        command.env(POSTGRES_URL, postgres.url());
    }
    counted(&mut command)
}

/// The documentation for those who work on it, private items included; so links to these are no fault.
fn doc(workspace: &Workspace) -> Result<Outcome> {
    let mut command = cargo(workspace, &format!("doc {NATIVE} --no-deps --document-private-items"));
    run(command.env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private_intra_doc_links --cfg erase_components"))?;
    Ok(Outcome::Done(Tally::ONE))
}

/// A check of a tool that not everybody has.
fn tool(workspace: &Workspace, name: &str, words: &str) -> Result<Outcome> {
    if crate::process::which(&format!("cargo-{name}")).is_none() {
        return Ok(Outcome::Left("not installed"));
    }
    run(&mut cargo(workspace, words))?;
    Ok(Outcome::Done(Tally::ONE))
}

/// The interface as it is delivered, and what it weighs. The quick run builds the one for development.
fn wasm(workspace: &Workspace, quick: bool) -> Result<Outcome> {
    let profile = if quick { Profile::Dev } else { Profile::Release };
    build_browser(workspace, profile)?;
    let Site::New { weights, .. } = site::assemble(workspace, profile)? else { return Ok(Outcome::Done(Tally::ONE)) };
    for weight in &weights {
        println!("{weight}");
    }
    let total = weights.iter().map(|weight| weight.brotli).sum::<u64>() / 1024;
    if !weights.is_empty() {
        let verdict = if total <= BUDGET_KIB { "within" } else { "OVER" };
        println!("{total} KiB compressed by brotli: {verdict} the budget of {BUDGET_KIB} KiB");
    }
    Ok(Outcome::Done(Tally::ONE))
}

/// The end-to-end suite against the demo.
fn browser(workspace: &Workspace) -> Result<Outcome> {
    prepare(workspace)?;
    run(&mut npm(workspace, &["run", "--silent", "check"]))?;
    build(workspace, Profile::Dev)?;
    run(&mut cargo(workspace, "build -p simulator --bin harvester-sim"))?;
    counted(&mut playwright(workspace, &["test"]))
}

/// Runs a test runner and counts what it reports.
fn counted(command: &mut Command) -> Result<Outcome> {
    let mut tally = Tally::default();
    run_reading(command, |line| tally.read(line))?;
    Ok(Outcome::Done(tally))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_step_is_refused_with_the_ones_there_are() {
        let workspace = Workspace::find().unwrap();
        let error = selected(steps(&workspace, true), &["clipy".into()]).err().unwrap().to_string();
        assert!(error.contains("`clipy`") && error.contains("clippy-wasm"), "{error}");
    }

    #[test]
    fn a_step_can_be_repeated_alone() {
        let workspace = Workspace::find().unwrap();
        let names = |only: &[String]| -> Vec<_> {
            selected(steps(&workspace, false), only).unwrap().iter().map(|step| step.name).collect()
        };
        assert_eq!(names(&["doc".into()]), ["doc"]);
        assert_eq!(names(&[]).first(), Some(&"fmt"));
        assert_eq!(names(&[]).last(), Some(&"browser"));
    }
}
