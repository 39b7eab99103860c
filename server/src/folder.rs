//! The data folder: it belongs to one running program, and it knows under which name that program works.
//!
//! The name outlives the process, so that a program which was killed takes its own work up at once, instead of waiting
//! until the leases of its former life run out. Must know nothing of what lies in the folder otherwise.

use anyhow::{Context as _, bail};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

/// The file that is locked; it holds the name.
const FILE: &str = "worker";
/// Longest name that is believed, in bytes: it is written by us, but anybody can edit it.
const MAX_NAME: u64 = 64;

/// A data folder that is ours until this is dropped.
#[derive(Debug)]
pub(crate) struct DataFolder {
    /// Held for its lock, which the kernel takes back however the process ends.
    _lock: File,
    worker: String,
}

impl DataFolder {
    /// Makes the folder where it is missing, and takes it. Refused while another program has it.
    pub(crate) fn take(path: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(path).with_context(|| format!("making {}", path.display()))?;
        let file = path.join(FILE);
        let mut lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&file)
            .with_context(|| format!("opening {}", file.display()))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!(
                    "the data folder {} is in use by another harvester-admin: end that, or name another folder",
                    path.display()
                )
            }
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("locking {}", file.display()));
            }
        }
        let worker = name(&mut lock).with_context(|| format!("reading {}", file.display()))?;
        Ok(Self { _lock: lock, worker })
    }

    /// The name under which work is claimed.
    pub(crate) fn worker(&self) -> &str {
        &self.worker
    }
}

/// The name in the file; one that cannot be ours is replaced.
fn name(file: &mut File) -> std::io::Result<String> {
    let mut text = String::new();
    file.take(MAX_NAME).read_to_string(&mut text)?;
    let kept = text.trim();
    if uuid::Uuid::try_parse(kept).is_ok() {
        return Ok(kept.to_owned());
    }
    let new = uuid::Uuid::now_v7().to_string();
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(new.as_bytes())?;
    file.sync_all()?;
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_one_programs_and_keeps_its_name() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("data");
        let first = DataFolder::take(&path).unwrap();
        let refusal = DataFolder::take(&path).unwrap_err().to_string();
        assert!(refusal.contains("in use by another"), "{refusal}");
        let name = first.worker().to_owned();
        drop(first);
        assert_eq!(DataFolder::take(&path).unwrap().worker(), name);
    }

    #[test]
    fn a_name_that_is_not_ours_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "x'; DROP TABLE change; --".repeat(20)).unwrap();
        let name = DataFolder::take(folder.path()).unwrap().worker().to_owned();
        assert!(uuid::Uuid::try_parse(&name).is_ok());
        assert_eq!(std::fs::read_to_string(folder.path().join(FILE)).unwrap(), name);
    }
}
