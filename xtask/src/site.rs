//! The built interface: what a browser loads, in a folder named by a hash of what is in it.
//!
//! ```text
//! site/manifest.json      the current build and the names of its files; read by server/src/http/assets.rs
//! site/inputs             a hash of what it was made from, so that an unchanged interface costs nothing
//! site/pkg/<build>/       frontend.js, frontend_bg.wasm, main.css, and what lies in style/public
//! ```
//! Folders of earlier builds stay for a day, so that pages opened before still find their files.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use lightningcss::bundler::{Bundler, FileProvider};
use lightningcss::stylesheet::{MinifyOptions, ParserOptions, PrinterOptions};
use serde::Serialize;
use sha2::{Digest, Sha256};
use wasm_bindgen_cli_support::Bindgen;

use crate::compress::{Weight, compress_folder};
use crate::workspace::{Profile, Workspace};

/// How long the folder of a replaced build is kept.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// Characters of the hash in a folder's name: 64 bits are plenty for builds.
const NAME_LEN: usize = 16;

/// What `manifest.json` says; the reader is `app::shell::Assets`.
#[derive(Debug, Serialize)]
struct Manifest {
    build: String,
    base: String,
    script: String,
    wasm: String,
    style: String,
}

impl Manifest {
    fn of(build: &str) -> Self {
        let base = format!("/pkg/{build}");
        let file = |name: &str| format!("{base}/{name}");
        let (script, wasm, style) = (file("frontend.js"), file("frontend_bg.wasm"), file("main.css"));
        Self { build: build.to_owned(), base, script, wasm, style }
    }
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Site {
    /// Nothing had changed.
    Current,
    /// A new build; weights are there where files were compressed.
    New { build: String, weights: Vec<Weight> },
}

/// Makes the site of `profile` from the compiled browser half and `style/`.
pub(crate) fn assemble(workspace: &Workspace, profile: Profile) -> Result<Site> {
    let (site, wasm, style) = (workspace.site(profile), workspace.wasm(profile), workspace.path("style"));
    let inputs = inputs(&wasm, &style)?;
    if fs::read_to_string(site.join("inputs")).is_ok_and(|before| before == inputs)
        && site.join("manifest.json").is_file()
    {
        return Ok(Site::Current);
    }
    let pkg = site.join("pkg");
    let fresh = pkg.join(".new");
    if fresh.exists() {
        fs::remove_dir_all(&fresh)?;
    }
    fs::create_dir_all(&fresh).with_context(|| format!("making {}", fresh.display()))?;
    bind(&wasm, &fresh, profile)?;
    fs::write(fresh.join("main.css"), bundle(&style.join("main.css"))?)?;
    copy_folder(&style.join("public"), &fresh)?;
    let build = hash_folder(&fresh)?[..NAME_LEN].to_owned();
    let weights = if profile == Profile::Release { compress_folder(&fresh)? } else { Vec::new() };
    let folder = pkg.join(&build);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::rename(&fresh, &folder)?;
    replace(&site.join("manifest.json"), &serde_json::to_vec_pretty(&Manifest::of(&build))?)?;
    replace(&site.join("inputs"), inputs.as_bytes())?;
    forget_old_builds(&pkg, &build)?;
    Ok(Site::New { build, weights })
}

/// JavaScript and WebAssembly that a browser takes; the wasm-bindgen is the one of `Cargo.lock`.
fn bind(wasm: &Path, out: &Path, profile: Profile) -> Result<()> {
    Bindgen::new()
        .input_path(wasm)
        .out_name("frontend")
        .web(true)?
        .typescript(false)
        .omit_default_module_path(false)
        .remove_name_section(profile == Profile::Release)
        .remove_producers_section(true)
        .generate(out)
        .with_context(|| format!("wasm-bindgen on {}", wasm.display()))
}

/// One minified stylesheet with its imports.
fn bundle(main: &Path) -> Result<String> {
    let files = FileProvider::new();
    // The errors borrow from `files`: they become text at once.
    let mut sheet = Bundler::new(&files, None, ParserOptions::default())
        .bundle(main)
        .map_err(|error| anyhow!("{}: {error}", main.display()))?;
    sheet.minify(MinifyOptions::default()).map_err(|error| anyhow!("minifying {}: {error}", main.display()))?;
    let printed = sheet.to_css(PrinterOptions { minify: true, ..PrinterOptions::default() });
    Ok(printed.map_err(|error| anyhow!("printing {}: {error}", main.display()))?.code)
}

/// A hash of all that goes in: the compiled browser half, the styles, and this program.
fn inputs(wasm: &Path, style: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    hash.update(fs::read(wasm).with_context(|| format!("reading {}", wasm.display()))?);
    hash.update(hash_folder(style)?);
    let program = std::env::current_exe()?.metadata()?;
    hash.update(format!("{} {:?}", program.len(), program.modified()?));
    Ok(hex::encode(hash.finalize()))
}

/// A hash of the names and contents of all files in a folder.
fn hash_folder(folder: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    for path in files(folder)? {
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
        let content = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
        // Lengths before contents, so that no two folders look the same.
        hash.update(format!("{name}\0{}\0", content.len()));
        hash.update(content);
    }
    Ok(hex::encode(hash.finalize()))
}

/// All files below a folder, sorted; none when it does not exist.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if folder.is_dir() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { found.extend(files(&path)?) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    for path in files(from)? {
        let target = to.join(path.strip_prefix(from)?);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(&path, &target).with_context(|| format!("copying {}", path.display()))?;
    }
    Ok(())
}

/// Writes a file in one step, so that a server that reads it now sees the old or the new one.
fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let fresh = path.with_extension("new");
    fs::write(&fresh, content).with_context(|| format!("writing {}", fresh.display()))?;
    fs::rename(&fresh, path).with_context(|| format!("writing {}", path.display()))
}

fn forget_old_builds(pkg: &Path, current: &str) -> Result<()> {
    for entry in fs::read_dir(pkg)? {
        let entry = entry?;
        let is_old = entry.metadata()?.modified()?.elapsed().is_ok_and(|age| age > KEPT);
        if is_old && entry.file_name() != current {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::create_dir_all(dir.path().join(name).parent().unwrap()).unwrap();
            fs::write(dir.path().join(name), content).unwrap();
        }
        dir
    }

    #[test]
    fn the_hash_sees_names_contents_and_where_one_file_ends() {
        let hash = |files: &[(&str, &str)]| hash_folder(folder(files).path()).unwrap();
        let one = hash(&[("a", "xy"), ("b", "")]);
        assert_eq!(one, hash(&[("b", ""), ("a", "xy")]), "the order on disk does not matter");
        assert_ne!(one, hash(&[("a", "x"), ("b", "y")]));
        assert_ne!(one, hash(&[("a", "xy"), ("c", "")]));
        assert_ne!(one, hash(&[("a", "xy"), ("d/b", "")]));
    }

    #[test]
    fn imports_keep_their_layers_and_their_order() {
        let dir = folder(&[
            ("main.css", "@layer a, b;\n@import \"b.css\" layer(b);\n@import \"a.css\" layer(a);"),
            ("a.css", ".x { color: red }"),
            ("b.css", ".x { color: blue; & .y { color: green } }"),
        ]);
        let css = bundle(&dir.path().join("main.css")).unwrap();
        // The minifier writes the layers in their order, so the statement in front is no longer needed.
        let at = |text: &str| css.find(text).unwrap_or_else(|| panic!("no {text} in {css}"));
        assert!(at("@layer a{") < at("@layer b{"), "{css}");
    }

    #[test]
    fn a_missing_import_is_an_error_that_names_the_sheet() {
        let dir = folder(&[("main.css", "@import \"gone.css\" layer(a);")]);
        assert!(bundle(&dir.path().join("main.css")).unwrap_err().to_string().contains("main.css"));
    }

    #[test]
    fn all_names_of_a_build_lie_in_its_folder() {
        let manifest = serde_json::to_value(Manifest::of("0123")).unwrap();
        assert_eq!(manifest["build"], "0123");
        for name in ["script", "wasm", "style"] {
            assert!(manifest[name].as_str().unwrap().starts_with("/pkg/0123/"), "{manifest}");
        }
    }
}
