//! A world in a file: all its objects as JSON, a line each, so that a simulated cluster outlives its process.
//!
//! Uids and resourceVersions stay, the next resourceVersion goes on. What is not objects is not kept: granted tokens,
//! ordered faults, open streams, and the history, so that older watches get 410 as after a compaction. A file is whole or
//! it is refused with its name.

use super::catalogue::Release;
use super::meta;
use super::stored::Stored;
use super::{Key, World};
use crate::clock::Clock;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The form of the file; grows when an older reader could not read a newer file.
const FORMAT: u32 = 1;

/// Why a world could not be kept or brought back.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// The file could not be written.
    #[error("writing the world to {}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file could not be read.
    #[error("reading the world in {}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file holds no whole world.
    #[error("{} holds no whole world: line {line}: {why}", .path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// From one.
        line: usize,
        /// What is wrong there.
        why: String,
    },
}

/// The first line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    format: u32,
    release: Release,
    seed: u64,
    version: u64,
    random: u64,
    /// Simulated time: it does not go back over a restart.
    unix_ms: i64,
    objects: usize,
    /// So many of them, the first ones, nobody had changed since they were seeded.
    at_rest: usize,
}

/// A world as it was saved.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    path: PathBuf,
    head: Head,
    /// One object each, as text: a large world must not lie here as trees.
    lines: Arc<[Vec<u8>]>,
}

impl World {
    /// Saves the objects as they are at this moment; the file is replaced at once or not at all.
    ///
    /// # Errors
    /// When the file or its neighbour `<file>.new` cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), KeepError> {
        let path = path.as_ref();
        // Handles only: the world goes on while they are written.
        let (head, objects) = self.read(|state, catalogue| {
            let kinds = 0..catalogue.kinds().len();
            let all = kinds.flat_map(|kind| state.range(kind, None, None)).map(|(_, stored)| stored.clone());
            let (at_rest, in_motion): (Vec<_>, Vec<_>) = all.partition(Stored::is_at_rest);
            let at_rest_count = at_rest.len();
            let objects = [at_rest, in_motion].concat();
            let head = Head {
                format: FORMAT,
                release: catalogue.release(),
                seed: self.seed(),
                version: state.version,
                random: state.random.0,
                unix_ms: self.clock().unix_ms(),
                objects: objects.len(),
                at_rest: at_rest_count,
            };
            (head, objects)
        });
        write(path, &head, &objects).map_err(|source| KeepError::Write { path: path.to_owned(), source })
    }

    /// The world that was saved, under a clock that does not run behind it.
    pub(crate) fn of(kept: &Kept, clock: Clock) -> Result<Self, KeepError> {
        let world = Self::new(kept.head.release, clock.not_before(kept.head.unix_ms), kept.head.seed);
        let broken = |at: usize, why: &str| kept.broken(at + 2, why);
        world.write(|txn| {
            for (at, line) in kept.lines.iter().enumerate() {
                let object: Value = serde_json::from_slice(line).map_err(|why| broken(at, &why.to_string()))?;
                let text = |field: &str| object[field].as_str().unwrap_or_default();
                let kind = txn.catalogue.find_object(text("apiVersion"), text("kind"));
                let kind = kind.ok_or_else(|| broken(at, "no object of a kind that this release has"))?;
                let version = meta::resource_version(&object);
                if meta::name(&object).is_empty() || meta::text(&object, "uid").is_empty() {
                    return Err(broken(at, "an object without name or uid"));
                }
                if version == 0 || version > kept.head.version {
                    return Err(broken(at, "a resourceVersion that the world had not reached"));
                }
                let stored = if at < kept.head.at_rest {
                    Stored::AtRest(line.as_slice().into())
                } else {
                    Stored::Whole(Arc::new(object.clone()))
                };
                if !txn.state.bring_back(kind.id, Key::of(&object), &object, stored) {
                    return Err(broken(at, "an object that was there already"));
                }
            }
            txn.state.go_on_from(kept.head.version, kept.head.random);
            Ok(())
        })?;
        Ok(world)
    }
}

impl Kept {
    /// Reads a file that [`World::save`] wrote; its objects are understood by `World::of`.
    ///
    /// # Errors
    /// When it cannot be read, or its head or the number of its lines is wrong; both name the file.
    pub(crate) fn read(path: impl AsRef<Path>) -> Result<Self, KeepError> {
        let path = path.as_ref().to_owned();
        let wrong = |line: usize, why: String| KeepError::Broken { path: path.clone(), line, why };
        let failed = |source: io::Error| KeepError::Read { path: path.clone(), source };
        let file = File::open(&path).map_err(failed)?;
        let mut lines = BufReader::new(file).split(b'\n').enumerate();
        let (_, first) = lines.next().ok_or_else(|| wrong(1, "the file is empty".into()))?;
        let head: Head = serde_json::from_slice(&first.map_err(failed)?).map_err(|why| wrong(1, why.to_string()))?;
        if head.format != FORMAT {
            return Err(wrong(1, format!("format {} is not {FORMAT}", head.format)));
        }
        let lines = lines.map(|(_, line)| line).collect::<io::Result<Vec<_>>>().map_err(failed)?;
        if lines.len() != head.objects {
            let why = format!("{} objects of {}: the end is missing or too much", lines.len(), head.objects);
            return Err(wrong(lines.len() + 1, why));
        }
        Ok(Self { path, head, lines: lines.into() })
    }

    fn broken(&self, line: usize, why: &str) -> KeepError {
        KeepError::Broken { path: self.path.clone(), line, why: why.to_owned() }
    }
}

/// Writes a neighbour, then gives it the name: whoever reads the name reads a whole world, before and after.
fn write(path: &Path, head: &Head, objects: &[Stored]) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let neighbour = PathBuf::from(name);
    let written = (|| {
        let mut out = BufWriter::new(File::create(&neighbour)?);
        serde_json::to_writer(&mut out, head)?;
        for object in objects {
            out.write_all(b"\n")?;
            match object {
                Stored::AtRest(text) => out.write_all(text)?,
                Stored::Whole(object) => serde_json::to_writer(&mut out, &**object)?,
            }
        }
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&neighbour, path)
    })();
    if written.is_err() {
        // The old file stands; what is left of the new one helps nobody.
        let _ = std::fs::remove_file(&neighbour);
    }
    written
}
