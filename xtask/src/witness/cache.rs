//! Where the witness lives: a cache outside the work tree, so that a clean clone finds what another one has built.
//!
//! A folder is there whole or not at all: it is made beside its place and moved there.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

/// How many builds (or kept folders of one build) stay: another checkout may be at another commit.
const GENERATIONS: usize = 3;
/// Characters of a checksum in a folder's name; more would only be harder to read.
const CHECKSUM_LEN: usize = 16;

/// The folder of all witnesses of this user.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    root: PathBuf,
}

impl Cache {
    /// `$XDG_CACHE_HOME` or `~/.cache`, and in it `harvester-admin/witness`.
    pub(super) fn find() -> Result<Self> {
        let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let caches = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
        let root = caches.context("neither XDG_CACHE_HOME nor HOME is set")?.join("harvester-admin/witness");
        fs::create_dir_all(root.join("run")).with_context(|| format!("making {}", root.display()))?;
        Ok(Self { root })
    }

    /// A path in it.
    pub(super) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// The folder of one witness.
    pub(super) fn run(&self, name: &str) -> PathBuf {
        self.path("run").join(name)
    }

    /// The witnesses that there are, in order.
    pub(super) fn names(&self) -> Result<Vec<String>> {
        let folders = fs::read_dir(self.path("run"))?.flatten().filter(|entry| entry.path().is_dir());
        let mut names: Vec<_> = folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        Ok(names)
    }

    /// Holds everybody else off until it is dropped.
    pub(super) fn lock(&self, name: &str) -> Result<File> {
        let path = self.path(&format!("{name}.lock"));
        let file = File::create(&path).with_context(|| format!("opening {}", path.display()))?;
        if file.try_lock().is_err() {
            println!("another xtask holds {}: waiting for it", path.display());
            file.lock().with_context(|| format!("locking {}", path.display()))?;
        }
        Ok(file)
    }
}

/// Makes `folder` by `make`, which gets an empty one beside it; afterwards older neighbours with the same beginning of
/// their names go.
pub(super) fn whole(folder: &Path, prefix: &str, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let partial = folder.with_extension("partial");
    remove(&partial)?;
    fs::create_dir_all(&partial)?;
    make(&partial)?;
    fs::rename(&partial, folder).with_context(|| format!("moving {}", partial.display()))?;
    prune(folder, prefix)
}

/// Says that a folder was used now, so that it is not among the old ones.
pub(super) fn touch(folder: &Path) -> Result<()> {
    #[expect(clippy::disallowed_methods, reason = "a file's time on the disk, not the product's time")]
    let now = SystemTime::now();
    File::open(folder)?.set_modified(now).with_context(|| format!("touching {}", folder.display()))
}

/// Removes a folder that may not be there.
pub(super) fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// The checksum of parts: their names and what they hold.
pub(super) fn checksum<'a>(parts: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut hash = Sha256::new();
    for (name, content) in parts {
        // Lengths, or what moves from one part into the next would not be seen.
        for bytes in [name.as_bytes(), content] {
            hash.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_le_bytes());
            hash.update(bytes);
        }
    }
    let mut text = hex::encode(hash.finalize());
    text.truncate(CHECKSUM_LEN);
    text
}

/// All files of a folder and those below, by name.
pub(super) fn files(folder: &Path, wanted: impl Fn(&Path) -> bool + Copy) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path, wanted)?);
        } else if wanted(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Copies a folder with all that is in it.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("reading {}", from.display()))? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if path.is_dir() {
            copy(&path, &to.join(name))?;
        } else {
            fs::copy(&path, to.join(name)).with_context(|| format!("copying {}", path.display()))?;
        }
    }
    Ok(())
}

/// Whether the name can be a folder's and looks like one.
pub(super) fn check_name(name: &str) -> Result<()> {
    let is_fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > 40 || !name.chars().all(is_fine) {
        bail!("a witness's name has 1 to 40 small letters, digits and hyphens: `{name}`");
    }
    Ok(())
}

fn prune(newest: &Path, prefix: &str) -> Result<()> {
    let Some(parent) = newest.parent() else { return Ok(()) };
    let is_one =
        |name: &OsStr| name.to_str().is_some_and(|name| name.starts_with(prefix) && is_checksum(&name[prefix.len()..]));
    let mut folders = Vec::new();
    for entry in fs::read_dir(parent)?.flatten() {
        if entry.path() != newest && is_one(&entry.file_name()) {
            folders.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    folders.sort();
    folders.iter().rev().skip(GENERATIONS - 1).try_for_each(|(_, folder)| remove(folder))
}

fn is_checksum(text: &str) -> bool {
    text.len() == CHECKSUM_LEN && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_knows_where_one_part_ends() {
        let of = |parts: &[(&str, &str)]| checksum(parts.iter().map(|(name, text)| (*name, text.as_bytes())));
        assert_eq!(of(&[("a", "bc")]), of(&[("a", "bc")]));
        assert_ne!(of(&[("a", "bc")]), of(&[("ab", "c")]));
        assert_ne!(of(&[("a", "b"), ("c", "")]), of(&[("a", ""), ("c", "b")]));
        assert!(is_checksum(&of(&[])));
    }

    #[test]
    fn a_folder_is_there_whole_or_not_at_all() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("one");
        whole(&folder, "", |_| bail!("no room")).unwrap_err();
        assert!(!folder.exists());
        whole(&folder, "", |partial| Ok(fs::write(partial.join("a"), "b")?)).unwrap();
        assert_eq!(fs::read_to_string(folder.join("a")).unwrap(), "b");
    }

    #[test]
    fn the_oldest_builds_go_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let name = |n: u8| format!("kept-{n:016x}");
        fs::create_dir(place.path().join("run")).unwrap();
        for n in 0..5 {
            whole(&place.path().join(name(n)), "kept-", |_| Ok(())).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let left: Vec<_> = (0..5).filter(|n| place.path().join(name(*n)).exists()).collect();
        assert_eq!(left, [2, 3, 4]);
        assert!(place.path().join("run").exists());
    }

    #[test]
    fn names_are_names_of_folders() {
        assert!(check_name("two-1").is_ok());
        for bad in ["", "..", "a/b", "A", "a b"] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
