//! Compressed siblings of the files that are served, made once here rather than at each request.

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Below this the headers weigh more than what is saved.
const WORTH_IT_BYTES: u64 = 1024;
/// What compresses; pictures and fonts are compressed already.
const KINDS: [&str; 7] = ["js", "wasm", "css", "svg", "json", "txt", "map"];

/// One file and what it weighs, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Weight {
    pub(crate) name: String,
    pub(crate) raw: u64,
    pub(crate) gzip: u64,
    pub(crate) brotli: u64,
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kib = |bytes: u64| format!("{:.1} KiB", bytes as f64 / 1024.0);
        let (raw, gzip, brotli) = (kib(self.raw), kib(self.gzip), kib(self.brotli));
        write!(f, "  {:<24} {raw:>12}  gzip {gzip:>11}  brotli {brotli:>11}", self.name)
    }
}

/// Whether a file of this name and size gets compressed siblings.
fn is_worth_it(path: &Path, bytes: u64) -> bool {
    bytes >= WORTH_IT_BYTES && path.extension().and_then(|kind| kind.to_str()).is_some_and(|kind| KINDS.contains(&kind))
}

/// Writes `file.gz` and `file.br` beside each file of the folder that is worth it, and weighs them.
pub(crate) fn compress_folder(folder: &Path) -> Result<Vec<Weight>> {
    let mut weights = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            weights.extend(compress_folder(&path)?);
        } else if is_worth_it(&path, path.metadata()?.len()) {
            weights.push(compress(&path)?);
        }
    }
    weights.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(weights)
}

fn compress(path: &Path) -> Result<Weight> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let raw = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    let (gzip, brotli) = (gzipped(&raw)?, brotlied(&raw)?);
    fs::write(path.with_file_name(format!("{name}.gz")), &gzip)?;
    fs::write(path.with_file_name(format!("{name}.br")), &brotli)?;
    Ok(Weight { name, raw: raw.len() as u64, gzip: gzip.len() as u64, brotli: brotli.len() as u64 })
}

fn gzipped(raw: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(raw)?;
    Ok(encoder.finish()?)
}

fn brotlied(raw: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let params = BrotliEncoderParams { quality: 11, lgwin: 22, size_hint: raw.len(), ..Default::default() };
    brotli::BrotliCompress(&mut &*raw, &mut out, &params)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn what_is_compressed_comes_back_whole() {
        let raw = "harvester ".repeat(500).into_bytes();
        let (mut from_gzip, mut from_brotli) = (Vec::new(), Vec::new());
        flate2::read::GzDecoder::new(&*gzipped(&raw).unwrap()).read_to_end(&mut from_gzip).unwrap();
        brotli::BrotliDecompress(&mut &*brotlied(&raw).unwrap(), &mut from_brotli).unwrap();
        assert_eq!((from_gzip, from_brotli), (raw.clone(), raw));
    }

    #[test]
    fn pictures_and_small_files_stay_alone() {
        assert!(is_worth_it(Path::new("a/frontend_bg.wasm"), 2_000_000));
        assert!(!is_worth_it(Path::new("a/icon.svg"), 300));
        assert!(!is_worth_it(Path::new("a/photo.png"), 2_000_000));
        assert!(!is_worth_it(Path::new("a/frontend.js.br"), 2_000_000));
    }
}
