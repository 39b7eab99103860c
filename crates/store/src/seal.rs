//! Secrets at rest: XChaCha20-Poly1305 under a master key that lives outside the database.
//!
//! Invariant: a sealed text opens only under the noun and id it was sealed for, so texts cannot be swapped between rows,
//! and neither keys nor what was sealed appear in `Debug` or an error. Knows no table.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::Path;
use zeroize::{Zeroize, Zeroizing};

/// Bytes of a nonce: long enough to be drawn at random for ever.
const NONCE: usize = 24;
/// Most keys that a key file may hold: the one in use and a few that rotation left behind.
const MAX_KEYS: usize = 16;

/// Why a text cannot be sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The key file or the variable cannot be read or made.
    #[error("the master key cannot be read")]
    Io {
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// What was read is not a key.
    #[error("line {line} of the master key is not 32 bytes in base64")]
    BadKey {
        /// Counted from 1.
        line: usize,
    },
    /// There is no key.
    #[error("there is no master key")]
    NoKey,
    /// Sealed under a key that we do not have.
    #[error("sealed under key {id}, which is not here")]
    UnknownKey {
        /// Its id.
        id: String,
    },
    /// Not ours, damaged, or of another row.
    #[error("the sealed text is damaged or belongs to another row")]
    Broken,
}

/// Seals and opens.
pub struct Sealer {
    /// The first seals, all open.
    keys: Vec<Key>,
}

struct Key {
    id: String,
    cipher: XChaCha20Poly1305,
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sealer")
    }
}

impl Sealer {
    /// From a file of keys, one a line in base64, the first in use; made with one fresh key, readable by its owner only,
    /// when it is not there.
    pub fn from_file_or_create(path: &Path) -> Result<Self, SealError> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::from_text(&Zeroizing::new(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let text = fresh_key();
                create(path, &text).map_err(|source| SealError::Io { source })?;
                Self::from_text(&text)
            }
            Err(source) => Err(SealError::Io { source }),
        }
    }

    /// From an environment variable, in the file's format; commas may stand for line ends.
    pub fn from_env(name: &str) -> Result<Self, SealError> {
        let text = std::env::var(name).map_err(|_| SealError::NoKey)?;
        Self::from_text(&Zeroizing::new(text))
    }

    /// From the text of a key file.
    pub fn from_text(text: &str) -> Result<Self, SealError> {
        let lines = text.split(['\n', ',']).map(str::trim).enumerate();
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let keys = lines.take(MAX_KEYS).map(|(n, line)| Key::parse(line).ok_or(SealError::BadKey { line: n + 1 }));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        if keys.is_empty() { Err(SealError::NoKey) } else { Ok(Self { keys }) }
    }

    /// Under a fresh key that is kept nowhere: for demonstrations and tests.
    pub fn ephemeral() -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        rand::fill(&mut bytes[..]);
        Self { keys: vec![Key::new(&bytes)] }
    }

    /// Id of the key in use, for the log.
    pub fn key_id(&self) -> &str {
        self.keys.first().map_or("", |key| &key.id)
    }

    /// Seals `plain` for the row `id` of `noun`.
    pub fn seal(&self, noun: &str, id: &str, plain: &[u8]) -> Result<String, SealError> {
        let key = self.keys.first().ok_or(SealError::NoKey)?;
        let mut nonce = [0; NONCE];
        rand::fill(&mut nonce[..]);
        let aad = associated(noun, id);
        let payload = Payload { msg: plain, aad: &aad };
        let sealed = key.cipher.encrypt(&XNonce::from(nonce), payload).map_err(|_| SealError::Broken)?;
        Ok(format!("1.{}.{}", key.id, URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat())))
    }

    /// Opens what was sealed for the row `id` of `noun`, under any key that we have; wiped when dropped.
    pub fn open(&self, noun: &str, id: &str, sealed: &str) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let (key_id, body) = split(sealed)?;
        let key = self.keys.iter().find(|key| key.id == key_id);
        let key = key.ok_or_else(|| SealError::UnknownKey { id: key_id.chars().take(16).collect() })?;
        let body = URL_SAFE_NO_PAD.decode(body).map_err(|_| SealError::Broken)?;
        let (nonce, body) = body.split_first_chunk::<NONCE>().ok_or(SealError::Broken)?;
        let payload = Payload { msg: body, aad: &associated(noun, id) };
        let plain = key.cipher.decrypt(&XNonce::from(*nonce), payload).map_err(|_| SealError::Broken)?;
        Ok(Zeroizing::new(plain))
    }

    /// Whether rotation should seal this again: it is not under the key in use.
    pub fn is_stale(&self, sealed: &str) -> bool {
        split(sealed).is_ok_and(|(id, _)| id != self.key_id())
    }
}

impl Key {
    fn parse(line: &str) -> Option<Self> {
        let mut decoded = Zeroizing::new([0u8; 33]);
        let n = STANDARD.decode_slice(line, &mut decoded[..]).ok()?;
        let bytes: &[u8; 32] = decoded[..n].try_into().ok()?;
        Some(Self::new(bytes))
    }

    fn new(bytes: &[u8; 32]) -> Self {
        // The id tells keys apart and says nothing about the key.
        let id = Sha256::new().chain_update(b"harvester-admin key id").chain_update(bytes).finalize();
        let mut key = chacha20poly1305::Key::from(*bytes);
        let cipher = XChaCha20Poly1305::new(&key);
        key.as_mut_slice().zeroize();
        Self { id: hex::encode(&id[..4]), cipher }
    }
}

fn split(sealed: &str) -> Result<(&str, &str), SealError> {
    sealed.strip_prefix("1.").and_then(|rest| rest.split_once('.')).ok_or(SealError::Broken)
}

/// Length first, so that no other pair of noun and id gives the same bytes.
fn associated(noun: &str, id: &str) -> Vec<u8> {
    let mut bytes = (noun.len() as u64).to_be_bytes().to_vec();
    bytes.extend_from_slice(noun.as_bytes());
    bytes.extend_from_slice(id.as_bytes());
    bytes
}

fn fresh_key() -> Zeroizing<String> {
    let mut bytes = Zeroizing::new([0; 32]);
    rand::fill(&mut bytes[..]);
    let key = Zeroizing::new(STANDARD.encode(&bytes[..]));
    Zeroizing::new(format!("{}\n", *key))
}

fn create(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    // The key must not be lost when what it sealed was not.
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_text_opens_for_its_own_row_only() {
        let sealer = Sealer::ephemeral();
        let sealed = sealer.seal("cluster", "bj-1", b"token").unwrap();
        assert_eq!(&sealer.open("cluster", "bj-1", &sealed).unwrap()[..], b"token");
        for (noun, id) in [("cluster", "bj-2"), ("account", "bj-1"), ("clusterb", "j-1")] {
            assert!(matches!(sealer.open(noun, id, &sealed), Err(SealError::Broken)), "{noun} {id}");
        }
        assert_ne!(sealer.seal("cluster", "bj-1", b"token").unwrap(), sealed);
        assert!(!sealed.contains("token") && format!("{sealer:?}") == "Sealer");
    }

    #[test]
    fn any_damage_is_seen() {
        let sealer = Sealer::ephemeral();
        let sealed = sealer.seal("cluster", "bj-1", b"token").unwrap();
        for at in 0..sealed.len() {
            let mut bytes = sealed.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let damaged = String::from_utf8(bytes).unwrap();
            assert!(sealer.open("cluster", "bj-1", &damaged).is_err(), "byte {at}");
            assert!(sealer.open("cluster", "bj-1", &sealed[..at]).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn after_a_rotation_old_texts_open_and_are_stale() {
        let (old, new) = (fresh_key(), fresh_key());
        let sealed = Sealer::from_text(&old).unwrap().seal("cluster", "bj-1", b"token").unwrap();
        let both = Sealer::from_text(&format!("# rotated\n{}{}", *new, *old)).unwrap();
        assert_eq!(&both.open("cluster", "bj-1", &sealed).unwrap()[..], b"token");
        assert!(both.is_stale(&sealed) && !both.is_stale(&both.seal("cluster", "bj-1", b"").unwrap()));
        let error = Sealer::from_text(&new).unwrap().open("cluster", "bj-1", &sealed).unwrap_err();
        assert!(matches!(error, SealError::UnknownKey { .. }));
    }

    #[test]
    fn a_key_file_is_made_once_and_is_private() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("master.key");
        let first = Sealer::from_file_or_create(&path).unwrap();
        let second = Sealer::from_file_or_create(&path).unwrap();
        assert_eq!(first.key_id(), second.key_id());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        std::fs::write(&path, "c2hvcnQ=\n").unwrap();
        assert!(matches!(Sealer::from_file_or_create(&path), Err(SealError::BadKey { line: 1 })));
        assert!(matches!(Sealer::from_text("\n"), Err(SealError::NoKey)));
    }
}
