//! How cargo is called from within cargo.
//!
//! Two things must hold whoever calls us: `--cfg erase_components` is passed (a `RUSTFLAGS` in the environment replaces
//! the flags of `.cargo/config.toml` silently), and what `cargo run` has set for us does not reach the inner cargo, or
//! build scripts that watch these variables run again at each change between `cargo build` and `cargo xtask`.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;

use crate::workspace::Workspace;

/// Server and browser must agree on it; see `.cargo/config.toml`.
const FLAG: &str = "--cfg erase_components";

/// A cargo in the workspace's root, with `words` as its arguments, split at spaces.
pub(crate) fn cargo(workspace: &Workspace, words: &str) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.args(words.split_whitespace()).current_dir(workspace.path(""));
    forget_our_package(&mut command);
    if let Ok(flags) = std::env::var("RUSTFLAGS") {
        command.env("RUSTFLAGS", with_flag(&flags));
    }
    command
}

/// What cargo knows of the packages of the workspace, as far as `T` asks for it.
pub(crate) fn metadata<T: DeserializeOwned>(workspace: &Workspace) -> Result<T> {
    let mut metadata = cargo(workspace, "metadata --no-deps --format-version 1");
    let output = metadata.stderr(Stdio::inherit()).output().context("asking cargo for the packages")?;
    serde_json::from_slice(&output.stdout).context("reading cargo's metadata")
}

/// The flags with ours among them.
pub(crate) fn with_flag(flags: &str) -> String {
    if flags.contains("erase_components") { flags.to_owned() } else { format!("{flags} {FLAG}").trim().to_owned() }
}

/// Takes back what `cargo run` tells a program about its package.
pub(crate) fn forget_our_package(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(describes_a_package) {
            command.env_remove(name);
        }
    }
}

fn describes_a_package(name: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"]
        .iter()
        .any(|p| name.starts_with(p))
        || name == "OUT_DIR"
}

#[cfg(test)]
mod tests {
    use super::{describes_a_package, with_flag};

    #[test]
    fn foreign_flags_do_not_cost_us_ours() {
        assert_eq!(with_flag(""), "--cfg erase_components");
        assert_eq!(with_flag("-C instrument-coverage"), "-C instrument-coverage --cfg erase_components");
        assert_eq!(with_flag("--cfg erase_components -g"), "--cfg erase_components -g");
    }

    #[test]
    fn only_what_describes_our_package_is_forgotten() {
        assert!(describes_a_package("CARGO_PKG_NAME"));
        assert!(describes_a_package("CARGO_MANIFEST_DIR"));
        assert!(!describes_a_package("CARGO_TARGET_DIR"));
        assert!(!describes_a_package("CARGO_HOME"));
    }
}
