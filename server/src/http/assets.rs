//! The files of the interface, as `cargo xtask build` leaves them:
//!
//! ```text
//! site/manifest.json         which build is current, and the names of its files
//! site/pkg/<build>/…         JavaScript, WebAssembly, stylesheet, icons; beside each perhaps `.br` and `.gz`
//! ```
//! The folder is named by a hash of what is in it, so a file under its name never changes and may be cached for ever.
//! Folders of earlier builds may lie there too: pages opened before an upgrade still find their files.

use std::path::{Path, PathBuf};

use app::shell::Assets;
use axum::Router;
use http::header::CACHE_CONTROL;
use http::{HeaderValue, Response};
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeaderLayer;

/// A year, the longest that caches honour.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Why the interface's files cannot be served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SiteError {
    #[error("no interface in {}: build it by `cargo xtask build`, or name its folder by --site", .looked.join(", "))]
    Missing { looked: Vec<String> },
    #[error("reading {path}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path} is no manifest of a build")]
    Manifest { path: PathBuf, source: serde_json::Error },
}

/// One built interface on disk.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    root: PathBuf,
    /// The names of the current build's files.
    pub(crate) assets: Assets,
}

impl Site {
    /// Opens `folder`, or where none is given, the first that exists of: `site` beside the program (an installation),
    /// `site` one folder up (`target/site` for `target/debug/harvester-admin`).
    pub(crate) fn find(folder: Option<&Path>) -> Result<Self, SiteError> {
        let candidates = match folder {
            Some(folder) => vec![folder.to_owned()],
            None => beside_the_program(),
        };
        match candidates.iter().find(|root| root.join("manifest.json").is_file()) {
            Some(root) => Self::open(root),
            None => Err(SiteError::Missing { looked: candidates.iter().map(|c| c.display().to_string()).collect() }),
        }
    }

    fn open(root: &Path) -> Result<Self, SiteError> {
        let path = root.join("manifest.json");
        let text = std::fs::read_to_string(&path).map_err(|source| SiteError::Read { path: path.clone(), source })?;
        let assets = serde_json::from_str(&text).map_err(|source| SiteError::Manifest { path, source })?;
        Ok(Self { root: root.to_owned(), assets })
    }

    /// The routes of the files: `/pkg/<build>/…`.
    pub(crate) fn routes<S: Clone + Send + Sync + 'static>(&self) -> Router<S> {
        let files = ServeDir::new(self.root.join("pkg")).precompressed_br().precompressed_gzip();
        // A file that is missing now may be there after an upgrade, so only what was found is kept.
        let for_ever = SetResponseHeaderLayer::if_not_present(CACHE_CONTROL, |answer: &Response<_>| {
            (answer.status().is_success() || answer.status() == http::StatusCode::NOT_MODIFIED).then_some(FOR_EVER)
        });
        Router::new().nest_service("/pkg", files).layer(for_ever)
    }
}

fn beside_the_program() -> Vec<PathBuf> {
    let Ok(program) = std::env::current_exe() else { return Vec::new() };
    program.ancestors().skip(1).take(2).map(|folder| folder.join("site")).collect()
}
