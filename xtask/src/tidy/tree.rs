//! What the rules look at: the files that belong to the repository, and the packages as cargo sees them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::rust::Source;
use crate::cargo;
use crate::process::answer;
use crate::workspace::Workspace;

/// Folders whose Rust is no part of the product, wherever they lie.
const TEST_FOLDERS: [&str; 3] = ["tests", "benches", "examples"];

/// The repository.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree<'a> {
    pub(super) files: Vec<File<'a>>,
    pub(super) packages: Vec<Package>,
}

/// A file whose content is text.
#[derive(Clone, Debug)]
pub(super) struct File<'a> {
    /// From the root, with `/`.
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    /// Empty when it is no Rust.
    pub(super) source: Source<'a>,
}

/// A package of the workspace.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) manifest_path: String,
    pub(super) dependencies: Vec<Dependency>,
}

/// What a package asks for.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Dependency {
    pub(super) name: String,
    /// `dev` and `build`; absent when it is asked for always.
    pub(super) kind: Option<String>,
    #[serde(rename = "optional")]
    pub(super) is_optional: bool,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// Every file that git keeps or would add, with its text; what is no UTF-8 has none and is left out.
pub(super) fn texts(workspace: &Workspace) -> Result<Vec<(String, String)>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(workspace.path(""));
    let names = answer(&mut git).context("asking git which files there are")?;
    // A file that is removed and not yet committed is still named.
    let names: BTreeSet<&str> = names.split('\0').filter(|name| workspace.path(name).is_file()).collect();
    let mut texts = Vec::new();
    for name in names {
        let bytes = fs::read(workspace.path(name)).with_context(|| format!("reading {name}"))?;
        texts.extend(String::from_utf8(bytes).ok().map(|text| (name.to_owned(), text)));
    }
    Ok(texts)
}

/// The packages of the workspace.
pub(super) fn packages(workspace: &Workspace) -> Result<Vec<Package>> {
    let metadata: Metadata = cargo::metadata(workspace)?;
    let root = workspace.path("");
    let mut packages = metadata.packages;
    for package in &mut packages {
        let path = Path::new(&package.manifest_path).strip_prefix(&root).map(|path| path.display().to_string());
        package.manifest_path = path.unwrap_or_default();
    }
    Ok(packages)
}

impl<'a> Tree<'a> {
    /// Reads all sources.
    pub(super) fn of(texts: &'a [(String, String)], packages: Vec<Package>) -> Self {
        let file = |(path, text): &'a (String, String)| File::read(path, text);
        let mut tree = Self { files: texts.iter().map(file).collect(), packages };
        tree.find_test_modules();
        tree
    }

    /// The Rust of these folders.
    pub(super) fn rust(&self, folders: &'a [&str]) -> impl Iterator<Item = &File<'a>> {
        self.files.iter().filter(move |file| file.is_rust() && folders.iter().any(|folder| file.lies_in(folder)))
    }

    /// The file of that path.
    pub(super) fn file(&self, path: &str) -> Option<&File<'a>> {
        self.files.iter().find(|file| file.path == path)
    }

    /// A module that is declared for tests is a test in all its files.
    fn find_test_modules(&mut self) {
        let modules = self.files.iter().flat_map(|file| {
            let folder = file.module_folder();
            file.source.test_modules.iter().map(move |name| format!("{folder}/{name}"))
        });
        let modules: Vec<String> = modules.collect();
        for file in &mut self.files {
            let is_of =
                |module: &String| file.path.strip_prefix(module).is_some_and(|r| r == ".rs" || r.starts_with('/'));
            if modules.iter().any(is_of) {
                file.source.be_a_test();
            }
        }
    }
}

impl<'a> File<'a> {
    fn read(path: &'a str, text: &'a str) -> Self {
        let is_rust = path.ends_with(".rs");
        let mut file = Self { path, text, source: if is_rust { Source::read(text) } else { Source::default() } };
        if path.split('/').any(|part| TEST_FOLDERS.contains(&part)) {
            file.source.be_a_test();
        }
        file
    }

    /// Whether it is Rust.
    pub(super) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether it lies in the folder or below.
    pub(super) fn lies_in(&self, folder: &str) -> bool {
        self.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }

    /// Its lines and their numbers.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &'a str)> {
        self.text.lines().enumerate().map(|(at, line)| (at + 1, line))
    }

    /// Its name without folders and ending.
    pub(super) fn stem(&self) -> &'a str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.split('.').next().unwrap_or_default()
    }

    /// Where files of the modules that it declares are looked for.
    fn module_folder(&self) -> &'a str {
        let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if matches!(self.stem(), "mod" | "lib" | "main") { folder } else { self.path.trim_end_matches(".rs") }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::tree;

    #[test]
    fn what_is_declared_for_tests_is_a_test_in_its_own_file() {
        let texts = [
            ("a/src/lib.rs", "#[cfg(test)] mod testing; mod pear;"),
            ("a/src/testing.rs", "fn b() {}"),
            ("a/src/pear.rs", "#[cfg(test)] mod tests;"),
            ("a/src/pear/tests.rs", "fn c() {}"),
            ("a/src/tests.rs", "fn d() {}"),
            ("a/benches/e.rs", "fn e() {}"),
        ];
        tree(&texts, |tree| {
            let is_product = |path| tree.file(path).unwrap().source.product().count() > 0;
            assert!(!is_product("a/src/testing.rs"));
            assert!(!is_product("a/src/pear/tests.rs"));
            assert!(is_product("a/src/tests.rs"), "nobody declares it for tests");
            assert!(!is_product("a/benches/e.rs"));
        });
    }
}
