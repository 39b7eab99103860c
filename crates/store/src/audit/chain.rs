//! One record as bytes, and its hash.
//!
//! Invariant: no two different records give the same bytes: each field carries its length, and what is absent differs
//! from what is empty. Never change the encoding: old chains would break. A second encoding gets a second label.

use sha2::{Digest, Sha256};

/// What every hash begins with, so that it means a record of ours in this encoding and nothing else.
const LABEL: &[u8] = b"harvester-admin audit 1";

/// A record as stored, its hashes aside.
#[derive(Debug, Clone, Default, PartialEq, sqlx::FromRow)]
pub(super) struct Record {
    pub(super) seq: i64,
    pub(super) opens: Option<i64>,
    pub(super) at: i64,
    pub(super) actor: String,
    pub(super) from_address: String,
    pub(super) verb: String,
    pub(super) act: String,
    pub(super) object: String,
    pub(super) reason: String,
    pub(super) request: String,
    pub(super) outcome: String,
    pub(super) before_json: Option<String>,
    pub(super) after_json: Option<String>,
    pub(super) detail: Option<String>,
}

impl Record {
    /// Hex of SHA-256 over the label, `prev` and every field.
    pub(super) fn hash(&self, prev: &str) -> String {
        let mut sha = Sha256::new();
        let mut field = |value: Option<&[u8]>| match value {
            None => sha.update([0]),
            Some(bytes) => {
                sha.update([1]);
                sha.update((bytes.len() as u64).to_be_bytes());
                sha.update(bytes);
            }
        };
        field(Some(LABEL));
        field(Some(prev.as_bytes()));
        field(Some(&self.seq.to_be_bytes()));
        field(self.opens.map(i64::to_be_bytes).as_ref().map(|bytes| &bytes[..]));
        field(Some(&self.at.to_be_bytes()));
        let words = [&self.actor, &self.from_address, &self.verb, &self.act, &self.object, &self.reason, &self.request];
        words.into_iter().for_each(|word| field(Some(word.as_bytes())));
        field(Some(self.outcome.as_bytes()));
        for text in [&self.before_json, &self.after_json, &self.detail] {
            field(text.as_deref().map(str::as_bytes));
        }
        hex::encode(sha.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn record() -> Record {
        Record { seq: 7, at: 1_700_000_000_000, actor: "wang".into(), verb: "vm.power".into(), ..Record::default() }
    }

    #[test]
    fn the_encoding_never_changes() {
        expect!["9a6d39ca5d5592580f2237f2b19300db87da7e69375612f58c52f53a0dfd2841"]
            .assert_eq(&record().hash(&"0".repeat(64)));
    }

    #[test]
    fn a_text_moved_to_the_next_field_is_another_record() {
        let a = Record { act: "ab".into(), object: "c".into(), ..record() };
        let b = Record { act: "a".into(), object: "bc".into(), ..record() };
        assert_ne!(a.hash(""), b.hash(""));
        let none = Record { detail: None, ..record() };
        let empty = Record { detail: Some(String::new()), ..record() };
        assert_ne!(none.hash(""), empty.hash(""));
        assert_ne!(none.hash(""), none.hash("0"));
    }
}
