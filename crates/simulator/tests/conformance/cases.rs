//! The cases as they stand in files, read when the suite runs; `README.md` says what their fields mean.

use super::pattern::lay_over;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Only cases whose names begin with one of these, by comma.
const FILTER: &str = "CONFORMANCE";

/// One behaviour.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    #[serde(rename = "case")]
    pub(crate) name: String,
    pub(crate) says: String,
    /// Names of steps of the folder's `given.yaml` that come first; after reading they stand in `steps`.
    #[serde(default)]
    given: Vec<String>,
    pub(crate) steps: Vec<Step>,
    /// Done whatever happened.
    #[serde(default)]
    pub(crate) finally: Vec<Step>,
    /// Runs while no other does.
    #[serde(default)]
    pub(crate) alone: bool,
}

/// One request and what must come of it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Step {
    get: Option<String>,
    post: Option<String>,
    put: Option<String>,
    patch: Option<String>,
    delete: Option<String>,
    watch: Option<String>,
    compact: Option<String>,
    #[serde(rename = "as")]
    pub(crate) who: Option<String>,
    #[serde(rename = "type")]
    pub(crate) media: Option<String>,
    pub(crate) accept: Option<String>,
    pub(crate) with: BTreeMap<String, String>,
    like: Option<String>,
    but: Value,
    pub(crate) body: Value,
    pub(crate) status: Option<u16>,
    pub(crate) expect: Value,
    pub(crate) text: Option<String>,
    pub(crate) warning: Option<String>,
    pub(crate) absent: Vec<String>,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) save: BTreeMap<String, String>,
    #[serde(rename = "until")]
    pub(crate) until_secs: Option<u64>,
    #[serde(rename = "during")]
    pub(crate) during_secs: Option<u64>,
    pub(crate) times: Option<u32>,
    pub(crate) then: Vec<Step>,
    pub(crate) events: Vec<Value>,
    pub(crate) among: bool,
    pub(crate) bookmarks: bool,
    pub(crate) over: bool,
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    Ask(&'static str),
    Watch,
    Compact,
}

impl Step {
    /// What it does and about which path, before anything is filled in.
    pub(crate) fn deed(&self) -> Option<(Deed, &str)> {
        let all = [
            (Deed::Ask("GET"), &self.get),
            (Deed::Ask("POST"), &self.post),
            (Deed::Ask("PUT"), &self.put),
            (Deed::Ask("PATCH"), &self.patch),
            (Deed::Ask("DELETE"), &self.delete),
            (Deed::Watch, &self.watch),
            (Deed::Compact, &self.compact),
        ];
        let mut given = all.into_iter().filter_map(|(deed, path)| Some((deed, path.as_deref()?)));
        let first = given.next()?;
        given.next().is_none().then_some(first)
    }

    /// Puts the named body in, and sees that the step can be done and asserts something.
    fn settle(&mut self, given: &Given) -> Result<(), String> {
        if let Some(name) = self.like.take() {
            self.body = given.bodies.get(&name).ok_or_else(|| format!("there is no body `{name}`"))?.clone();
        }
        let but = std::mem::take(&mut self.but);
        if !but.is_null() {
            lay_over(&mut self.body, &but);
        }
        match self.deed() {
            None => return Err("a step is exactly one of get, post, put, patch, delete, watch, compact".to_owned()),
            Some((Deed::Compact, _)) => {}
            Some(_) if self.status.is_none() => return Err("a step without status".to_owned()),
            Some((Deed::Watch, _)) if self.status == Some(200) && self.events.is_empty() && !self.over => {
                return Err("a watch that waits for nothing".to_owned());
            }
            Some(_) => {}
        }
        self.then.iter_mut().try_for_each(|step| step.settle(given))
    }
}

/// A folder's `given.yaml`: what several cases begin with.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Given {
    bodies: BTreeMap<String, Value>,
    steps: BTreeMap<String, Vec<Step>>,
}

/// What one server cannot do.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Difference {
    pub(crate) case: String,
    pub(crate) server: String,
    pub(crate) reason: String,
}

/// Somebody who may ask; `in: shared` binds the rules to the shared namespace.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Identity {
    pub(crate) name: String,
    #[serde(default, rename = "in")]
    pub(crate) place: Option<String>,
    pub(crate) rules: Vec<Value>,
}

/// All that the files say.
#[derive(Debug)]
pub(crate) struct Suite {
    pub(crate) cases: Vec<Case>,
    pub(crate) differences: Vec<Difference>,
    pub(crate) identities: Vec<Identity>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance")
}

fn read<T: DeserializeOwned>(path: &Path) -> T {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

impl Suite {
    /// Reads it, and what the environment selects of it. Panics, naming the place, when something is not as it must be.
    pub(crate) fn read() -> Self {
        let folder = folder();
        let mut cases = Vec::new();
        for area in ["api", "kubevirt"] {
            cases.extend(cases_in(&folder.join(area), area));
        }
        let mut names = BTreeSet::new();
        if let Some(twice) = cases.iter().find(|case| !names.insert(case.name.clone())) {
            panic!("two cases are called {}", twice.name);
        }
        let differences: Vec<Difference> = read(&folder.join("differences.yaml"));
        for difference in &differences {
            assert!(names.contains(&difference.case), "differences.yaml: there is no case {}", difference.case);
            assert!(
                ["simulator", "witness"].contains(&difference.server.as_str()),
                "there is no server {}",
                difference.server
            );
            assert!(!difference.reason.is_empty(), "{} differs for no reason", difference.case);
        }
        if let Ok(filter) = std::env::var(FILTER) {
            cases.retain(|case| filter.split(',').any(|start| case.name.starts_with(start)));
        }
        assert!(!cases.is_empty(), "no case is selected");
        Self { cases, differences, identities: read(&folder.join("identities.yaml")) }
    }
}

fn cases_in(folder: &Path, area: &str) -> Vec<Case> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    let shared = folder.join("given.yaml");
    let given: Given = if shared.exists() { read(&shared) } else { Given::default() };
    files.retain(|path| *path != shared);
    let mut cases = Vec::new();
    for path in &files {
        for mut case in read::<Vec<Case>>(path) {
            let place = format!("{}: {}", path.display(), case.name);
            assert!(case.name.starts_with(&format!("{area}.")), "{place}: the name does not begin with {area}.");
            assert!(!case.says.is_empty() && !case.steps.is_empty(), "{place}: says nothing");
            for name in case.given.iter().rev() {
                let steps = given.steps.get(name).unwrap_or_else(|| panic!("{place}: there are no steps `{name}`"));
                case.steps.splice(0..0, steps.iter().cloned());
            }
            for (at, step) in case.steps.iter_mut().chain(&mut case.finally).enumerate() {
                step.settle(&given).unwrap_or_else(|fault| panic!("{place}: step {}: {fault}", at + 1));
            }
            cases.push(case);
        }
    }
    cases
}
