//! Who may depend on whom.

use super::tree::{Dependency, Package, Tree};
use super::{Breach, Rule};

pub(super) const RULE: Rule = Rule {
    name: "layers",
    why: "a crate that knows what its layer must not know cannot be read, tested or replaced alone (ARCHITECTURE.md, The map)",
    breaches,
};

/// What a package of ours may ask for.
struct Layer {
    name: &'static str,
    /// Packages of ours.
    on: &'static [&'static str],
    /// Packages of ours that only a feature brings in.
    by_feature: &'static [&'static str],
    /// Packages of ours that its tests may have as well.
    in_tests: &'static [&'static str],
    /// What others have written and it must never ask for.
    never: &'static [&'static str],
}

/// A layer that depends on nothing and may ask for anything.
const PLAIN: Layer = Layer { name: "", on: &[], by_feature: &[], in_tests: &[], never: &[] };

/// What only a server half may know.
const INTERFACES: &[&str] = &["leptos", "leptos_axum", "axum", "sqlx"];

/// A new line here is a new line in ARCHITECTURE.md.
const LAYERS: [Layer; 11] = [
    Layer { name: "model", never: &["tokio", "sqlx", "kube", "leptos", "axum", "futures", "web-sys"], ..PLAIN },
    Layer { name: "rfb", never: &["tokio", "futures", "web-sys", "js-sys", "jiff", "tracing"], ..PLAIN },
    Layer { name: "harvester", on: &["model"], in_tests: &["simulator"], never: INTERFACES, ..PLAIN },
    Layer { name: "store", on: &["model"], never: &["kube", "k8s-openapi", "leptos", "axum", "http"], ..PLAIN },
    Layer {
        name: "ops",
        on: &["model", "harvester", "store"],
        in_tests: &["simulator"],
        never: &["leptos", "leptos_axum", "axum", "sqlx", "http", "hyper"],
        ..PLAIN
    },
    Layer { name: "simulator", on: &["rfb"], never: &["kube", "k8s-openapi", "sqlx", "leptos"], ..PLAIN },
    Layer { name: "app-ui", never: &["leptos_router", "server_fn", "tokio"], ..PLAIN },
    Layer {
        name: "app",
        on: &["model", "app-ui"],
        by_feature: &["rfb", "ops"],
        never: &["sqlx", "kube", "k8s-openapi", "tokio"],
        ..PLAIN
    },
    Layer { name: "frontend", on: &["app"], ..PLAIN },
    Layer {
        name: "server",
        on: &["app", "model", "harvester", "store", "ops", "simulator"],
        never: &["sqlx", "kube"],
        ..PLAIN
    },
    Layer { name: "xtask", ..PLAIN },
];

fn breaches(tree: &Tree<'_>) -> Vec<Breach> {
    let ours: Vec<&str> = tree.packages.iter().map(|package| package.name.as_str()).collect();
    let mut breaches = Vec::new();
    for package in &tree.packages {
        let refusals: Vec<(&str, String)> = match LAYERS.iter().find(|layer| layer.name == package.name) {
            Some(layer) => refusals(layer, package, &ours),
            None => vec![("name", format!("{} has no layer: add it to xtask/src/tidy/layers.rs", package.name))],
        };
        for (word, what) in refusals {
            breaches.push(Breach { path: package.manifest_path.clone(), line: line_of(tree, package, word), what });
        }
    }
    breaches
}

/// Names of dependencies and what is wrong with them.
fn refusals<'a>(layer: &Layer, package: &'a Package, ours: &[&str]) -> Vec<(&'a str, String)> {
    let refusal = |dependency: &'a Dependency| {
        let name = dependency.name.as_str();
        let is_for_tests = dependency.kind.as_deref() == Some("dev");
        let why = if layer.never.contains(&name) && !is_for_tests {
            "must never ask for"
        } else if !ours.contains(&name) || layer.on.contains(&name) || is_for_tests && layer.in_tests.contains(&name) {
            return None;
        } else if layer.by_feature.contains(&name) {
            if dependency.is_optional {
                return None;
            }
            "may ask only by a feature for"
        } else {
            "must not depend on"
        };
        Some((name, format!("{} {why} {name}", layer.name)))
    };
    package.dependencies.iter().filter_map(refusal).collect()
}

/// The line of the manifest that begins with the word.
fn line_of(tree: &Tree<'_>, package: &Package, word: &str) -> usize {
    let begins = |line: &str| line.strip_prefix(word).is_some_and(|rest| rest.starts_with(['.', ' ', '=']));
    let file = tree.file(&package.manifest_path);
    file.and_then(|file| file.lines().find(|(_, line)| begins(line))).map_or(1, |(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packages by name, each with what it asks for: `name`, `name?` by a feature, `dev name` in tests.
    fn check(packages: &[(&str, &[&str])]) -> Vec<String> {
        let dependency = |word: &&str| {
            let name = word.trim_start_matches("dev ").trim_end_matches('?').to_owned();
            let kind = word.starts_with("dev ").then(|| "dev".to_owned());
            Dependency { name, kind, is_optional: word.ends_with('?') }
        };
        let package = |&(name, words): &(&str, &[&str])| Package {
            name: name.to_owned(),
            manifest_path: format!("{name}/Cargo.toml"),
            dependencies: words.iter().map(dependency).collect(),
        };
        let tree = Tree { files: Vec::new(), packages: packages.iter().map(package).collect() };
        breaches(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn layers_depend_downwards() {
        let good: &[(&str, &[&str])] = &[
            ("model", &["serde"]),
            ("rfb", &[]),
            ("simulator", &["rfb", "axum"]),
            ("store", &["model", "sqlx"]),
            ("harvester", &["model", "kube", "dev simulator"]),
            ("ops", &["model", "harvester", "store", "dev kube"]),
            ("app", &["model", "rfb?", "ops?"]),
        ];
        assert_eq!(check(good), Vec::<String>::new());
    }

    #[test]
    fn what_goes_sideways_or_up_is_named() {
        let rest: &[(&str, &[&str])] = &[("model", &[]), ("simulator", &[]), ("ops", &[])];
        for (package, word, what) in [
            ("store", "harvester", "store must not depend on harvester"),
            ("store", "kube", "store must never ask for kube"),
            ("harvester", "simulator", "harvester must not depend on simulator"),
            ("app", "ops", "app may ask only by a feature for ops"),
            ("pear", "model", "pear has no layer: add it to xtask/src/tidy/layers.rs"),
        ] {
            let words = [word];
            let mut packages = rest.to_vec();
            packages.extend([("harvester", &[][..]), (package, &words[..])]);
            assert_eq!(check(&packages), [format!("{package}/Cargo.toml:1: {what}")]);
        }
    }
}
