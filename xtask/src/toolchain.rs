//! Which compilers there are, and what to install where one is missing.
//!
//! The browser half needs Rust's standard library for wasm32. In order: it is there; rustup adds it; Debian's and Ubuntu's
//! `rustc-web` builds it from source (once, `-Zbuild-std`); or we say exactly what to install.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::cargo::{cargo, forget_our_package};
use crate::process::{answer, run, which};
use crate::workspace::{WASM, Workspace};

/// Said where neither rustup nor Debian's sources are there.
const HOW_TO_GET_WASM: &str = "Rust's standard library for wasm32-unknown-unknown is missing. With rustup: \
    `rustup target add wasm32-unknown-unknown`. On Debian and Ubuntu without rustup: \
    `apt-get install rustc-web cargo-web rust-web-src lld-22`; xtask then builds it from source by itself.";

/// Said where no C compiler is there.
const HOW_TO_GET_C: &str = "a C compiler is needed (SQLite and ring are compiled from source): \
    `apt-get install build-essential`, `dnf install gcc` or `xcode-select --install`";

/// How the browser half is compiled here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wasm {
    /// The standard library lies beside the compiler.
    Ready,
    /// Debian's cargo compiles it from source; the path is that cargo's.
    FromSource { cargo: PathBuf, linker: Option<PathBuf> },
}

impl Wasm {
    /// Finds a way, adding the target by rustup where that is possible.
    pub(crate) fn ensure() -> Result<Self> {
        if has_std() {
            return Ok(Self::Ready);
        }
        if which("rustup").is_some() {
            run(Command::new("rustup").args(["target", "add", WASM]))?;
            return Ok(Self::Ready);
        }
        // Not what is first in PATH, but the pair that Debian installs together.
        let sysroot = answer(Command::new("/usr/bin/rustc").args(["--print", "sysroot"])).map(PathBuf::from);
        let Some(sysroot) = sysroot.filter(|root| root.join("lib/rustlib/src/rust/library/std").is_dir()) else {
            bail!(HOW_TO_GET_WASM)
        };
        eprintln!("xtask: the standard library for wasm32 is built from the sources in {}", sysroot.display());
        let linker = (14..40).rev().find_map(|n| which(&format!("wasm-ld-{n}"))).or_else(|| which("wasm-ld"));
        Ok(Self::FromSource { cargo: PathBuf::from("/usr/bin/cargo"), linker })
    }

    /// A cargo call for wasm32; `words` as in [`cargo`].
    pub(crate) fn cargo(&self, workspace: &Workspace, words: &str) -> Command {
        let mut plain = cargo(workspace, &format!("{words} --target {WASM}"));
        let Self::FromSource { cargo: program, linker } = self else { return plain };
        plain.arg("-Zbuild-std=std,panic_abort");
        let mut command = Command::new(program);
        command.args(plain.get_args()).current_dir(workspace.path("")).env("RUSTC_BOOTSTRAP", "1");
        forget_our_package(&mut command);
        if let Some(linker) = linker {
            command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        command
    }
}

/// Fails with what to install where no C compiler is found.
pub(crate) fn ensure_c_compiler() -> Result<()> {
    let named = std::env::var("CC").ok().filter(|name| !name.is_empty());
    let candidates = named.as_deref().map_or(vec!["cc", "gcc", "clang"], |name| vec![name]);
    if candidates.iter().any(|name| Path::new(name).is_file() || which(name).is_some()) {
        Ok(())
    } else {
        bail!(HOW_TO_GET_C)
    }
}

fn has_std() -> bool {
    let folder = answer(Command::new("rustc").args(["--print", "target-libdir", "--target", WASM]));
    folder.is_some_and(|folder| std::fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some()))
}
