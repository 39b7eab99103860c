//! `cargo xtask bench`: the benchmarks of every package that has some, one package after the other so that nothing else
//! runs beside them.

use anyhow::{Result, bail};
use serde::Deserialize;

use crate::cargo::{cargo, metadata};
use crate::process::run;
use crate::workspace::Workspace;

/// The part of `cargo metadata` that we read.
#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
struct Target {
    kind: Vec<String>,
}

/// Runs them all, or only those of `package`.
pub(crate) fn bench(workspace: &Workspace, package: Option<&str>) -> Result<()> {
    let with_benches = with_benches(metadata(workspace)?);
    let chosen: Vec<_> = with_benches.iter().filter(|name| package.is_none_or(|wanted| wanted == *name)).collect();
    if chosen.is_empty() {
        bail!("no such benchmarks; packages with some: {}", with_benches.join(", "));
    }
    chosen.into_iter().try_for_each(|name| run(&mut cargo(workspace, &format!("bench -p {name} --benches"))))
}

fn with_benches(metadata: Metadata) -> Vec<String> {
    let has_some =
        |package: &Package| package.targets.iter().any(|target| target.kind.iter().any(|kind| kind == "bench"));
    metadata.packages.into_iter().filter(has_some).map(|package| package.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_packages_with_benches_are_run() {
        let text = r#"{"packages":[
            {"name":"model","targets":[{"kind":["lib"]},{"kind":["test"]}]},
            {"name":"rfb","targets":[{"kind":["lib"]},{"kind":["bench"]}]}]}"#;
        assert_eq!(with_benches(serde_json::from_str(text).unwrap()), ["rfb"]);
    }
}
