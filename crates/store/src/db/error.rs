//! What can go wrong with a database, by what the caller can do about it.
//!
//! Invariant: an error carries no SQL values and no URL, so it may go to a log.

use crate::seal::SealError;

/// Why the database did not do it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A row with that identity is there already; nothing was written.
    #[error("there is such a row already")]
    Unique {
        /// What the engine said.
        #[source]
        source: sqlx::Error,
    },
    /// Lost a race (busy, serialization failure, deadlock); the same transaction may succeed when tried again.
    #[error("lost a race with another transaction")]
    Conflict {
        /// What the engine said; `None` when the race was seen by us.
        #[source]
        source: Option<sqlx::Error>,
    },
    /// Cannot be reached, or has no connection left in time.
    #[error("the database cannot be reached")]
    Unavailable {
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// No room left on its disk; reads still work, nothing was half written.
    #[error("the database's disk is full")]
    Full {
        /// What the engine said.
        #[source]
        source: sqlx::Error,
    },
    /// A row or the file is not what we would have written.
    #[error("{what} in the database is not readable")]
    Corrupt {
        /// What is: a column, or the file.
        what: &'static str,
    },
    /// A sealed text cannot be opened.
    #[error("a sealed value cannot be opened")]
    Sealed {
        /// Why.
        #[source]
        source: SealError,
    },
    /// Somebody else took the operation or the change over; whoever gets this must stop.
    #[error("another worker has taken this over")]
    Fenced,
    /// The schema was made by a newer program; this one must not touch it.
    #[error("the database has schema {at}, this program knows {knows}: run the newer program")]
    Ahead {
        /// Version of the schema.
        at: i64,
        /// Newest version that this program knows.
        knows: i64,
    },
    /// The URL is none of ours.
    #[error("a database URL is sqlite://PATH, sqlite::memory: or postgres://…")]
    BadUrl,
    /// Anything else: a bug of ours, mostly.
    #[error("the database refused")]
    Other {
        /// What the engine said.
        #[source]
        source: sqlx::Error,
    },
}

impl StoreError {
    pub(crate) fn unavailable(source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Unavailable { source: Box::new(source) }
    }

    /// Whether the same transaction may succeed when tried again.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Conflict { .. })
    }
}

impl From<SealError> for StoreError {
    fn from(source: SealError) -> Self {
        Self::Sealed { source }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(source: sqlx::Error) -> Self {
        match &source {
            sqlx::Error::Database(said) if said.is_unique_violation() => Self::Unique { source },
            sqlx::Error::Database(said) => match said.code().map_or(Class::Other, |code| classify(&code)) {
                Class::Conflict => Self::Conflict { source: Some(source) },
                Class::Unavailable => Self::unavailable(source),
                Class::Full => Self::Full { source },
                Class::Corrupt => Self::Corrupt { what: "the file" },
                Class::Other => Self::Other { source },
            },
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => Self::unavailable(source),
            sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => Self::Corrupt { what: "a column" },
            _ => Self::Other { source },
        }
    }
}

#[derive(Debug, PartialEq)]
enum Class {
    Conflict,
    Unavailable,
    Full,
    Corrupt,
    Other,
}

/// Sources: PostgreSQL's appendix A (five characters), SQLite's `rescode.html` (a number, extended in the high bits).
fn classify(code: &str) -> Class {
    if code.len() == 5 {
        return match code {
            // serialization_failure, deadlock_detected, lock_not_available
            "40001" | "40P01" | "55P03" => Class::Conflict,
            // disk_full
            "53100" => Class::Full,
            // too_many_connections, admin_shutdown, crash_shutdown, cannot_connect_now, read_only_sql_transaction
            "53300" | "57P01" | "57P02" | "57P03" | "25006" => Class::Unavailable,
            // data_corrupted, index_corrupted
            "XX001" | "XX002" => Class::Corrupt,
            _ if code.starts_with("08") => Class::Unavailable,
            _ => Class::Other,
        };
    }
    let code: u32 = code.parse().unwrap_or(0);
    match (code, code & 0xff) {
        // SQLITE_IOERR_SHMSIZE: the shared index of the log cannot grow.
        (4874, _) | (_, 13) => Class::Full,
        // BUSY, LOCKED
        (_, 5 | 6) => Class::Conflict,
        // READONLY, IOERR, CANTOPEN
        (_, 8 | 10 | 14) => Class::Unavailable,
        // CORRUPT, NOTADB
        (_, 11 | 26) => Class::Corrupt,
        _ => Class::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_both_engines_mean_the_same() {
        for code in ["40001", "40P01", "55P03", "5", "517", "6", "262"] {
            assert_eq!(classify(code), Class::Conflict, "{code}");
        }
        for (code, class) in [
            ("53100", Class::Full),
            ("13", Class::Full),
            ("4874", Class::Full),
            ("57P01", Class::Unavailable),
            ("08006", Class::Unavailable),
            ("778", Class::Unavailable),
            ("11", Class::Corrupt),
            ("26", Class::Corrupt),
            ("42P01", Class::Other),
            ("1", Class::Other),
        ] {
            assert_eq!(classify(code), class, "{code}");
        }
    }
}
