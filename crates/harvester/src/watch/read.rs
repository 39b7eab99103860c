//! Pieces of a list or a watch → objects, one at a time: what cannot be read is noted and costs nobody else anything.

use super::index::Ident;
use super::kinds::Followed;
use super::naming::whose;
use super::shared::Shared;
use super::split::{MAX_OBJECT, Piece};
use crate::api::Text;
use crate::error::words;
use serde::Deserialize;
use serde_json::value::RawValue;

/// `metadata` of a list.
#[derive(Deserialize)]
pub(super) struct Page {
    pub(super) metadata: PageMeta,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PageMeta {
    #[serde(default)]
    pub(super) resource_version: String,
    #[serde(default, rename = "continue")]
    pub(super) next: Option<String>,
}

/// A piece of a list.
pub(super) enum Read<P> {
    Object(Ident, P),
    /// There, but unreadable.
    Broken(u64),
}

/// One object; what cannot be read goes into quarantine.
pub(super) fn read_piece<F: Followed>(shared: &Shared, piece: &Piece<'_>) -> Option<Read<F::Part>> {
    let ((namespace, name), why) = match piece {
        Piece::Whole(raw) => match F::read(raw, &shared.reader) {
            Ok((id, part)) => {
                shared.quarantine.take(F::KIND, id.key);
                return Some(Read::Object(id, part));
            }
            Err(error) => (whose(raw), error.to_string()),
        },
        Piece::TooLarge(naming) => (naming.names(), format!("larger than {} MiB", MAX_OBJECT >> 20)),
    };
    let key = shared.reader.keys.key(&namespace, &name);
    shared.quarantine.put(F::KIND, key, &namespace, &name, &why);
    shared.books.count(F::KIND, |counts| counts.unreadable += 1);
    shared.status_changed();
    Some(Read::Broken(key))
}

/// An event of a watch.
pub(super) enum Event<P> {
    Set(Ident, P),
    Gone(Ident),
    Bookmark(String),
    Expired,
    Failed(String),
}

/// One line of a watch. Source: k8s.io/apimachinery `pkg/apis/meta/v1/watch.go`.
pub(super) fn read_event<F: Followed>(shared: &Shared, piece: &Piece<'_>) -> Option<Event<F::Part>> {
    #[derive(Deserialize)]
    struct Line<'a> {
        #[serde(borrow, rename = "type")]
        kind: Text<'a>,
        #[serde(borrow)]
        object: &'a RawValue,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Marked {
        metadata: Mark,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Mark {
        resource_version: String,
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Status {
        code: u16,
        message: String,
    }
    let line: Option<Line<'_>> = match piece {
        Piece::Whole(raw) => serde_json::from_slice(raw).ok(),
        Piece::TooLarge(_) => None,
    };
    let Some(Line { kind, object }) = line else {
        // The type is lost with the line; the object stays as it was, and is read again at the next comparison.
        read_piece::<F>(shared, piece);
        return None;
    };
    let raw = object.get().as_bytes();
    match &*kind {
        "ADDED" | "MODIFIED" => match read_piece::<F>(shared, &Piece::Whole(raw))? {
            Read::Object(id, part) => Some(Event::Set(id, part)),
            Read::Broken(_) => None,
        },
        "DELETED" => shared.reader.bare(raw).ok().map(Event::Gone),
        "BOOKMARK" => serde_json::from_slice(raw).ok().map(|m: Marked| Event::Bookmark(m.metadata.resource_version)),
        "ERROR" => {
            let status: Status = serde_json::from_slice(raw).unwrap_or_default();
            if status.code == 410 { Some(Event::Expired) } else { Some(Event::Failed(words(&status.message))) }
        }
        _ => None,
    }
}
