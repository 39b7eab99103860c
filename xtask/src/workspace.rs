//! Where things are: the sources, what cargo makes of them, the built interface, what is delivered.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The target of the browser half.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// For whom something is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// For us: fast to build.
    Dev,
    /// For users: fast to run, small to load.
    Release,
}

impl Profile {
    /// The cargo profile of what runs on this machine, and the folder in `target` that cargo uses for it.
    pub(crate) fn native(self) -> (&'static str, &'static str) {
        match self {
            Self::Dev => ("dev", "debug"),
            Self::Release => ("release", "release"),
        }
    }

    /// The cargo profile of what runs in the browser; the folder has the same name.
    pub(crate) fn browser(self) -> &'static str {
        match self {
            Self::Dev => "wasm-dev",
            Self::Release => "wasm-release",
        }
    }
}

/// The folders of one checkout.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// The checkout that this xtask was built from; `CARGO_TARGET_DIR` is honoured.
    pub(crate) fn find() -> Result<Self> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&manifest).parent().context("xtask lies in no workspace")?.to_owned();
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir));
        Ok(Self { root, target })
    }

    /// A path in the sources.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// A path in cargo's target folder.
    pub(crate) fn target(&self, relative: &str) -> PathBuf {
        self.target.join(relative)
    }

    /// The program as cargo leaves it.
    pub(crate) fn program(&self, profile: Profile) -> PathBuf {
        self.target(profile.native().1).join("harvester-admin")
    }

    /// The browser half as cargo leaves it, before wasm-bindgen.
    pub(crate) fn wasm(&self, profile: Profile) -> PathBuf {
        self.target(WASM).join(profile.browser()).join("frontend.wasm")
    }

    /// The folder to copy somewhere.
    pub(crate) fn dist(&self) -> PathBuf {
        self.target("dist/harvester-admin")
    }

    /// The built interface, where the program looks for it by itself: beside itself, or one folder up.
    pub(crate) fn site(&self, profile: Profile) -> PathBuf {
        match profile {
            Profile::Dev => self.target("site"),
            Profile::Release => self.dist().join("site"),
        }
    }
}
