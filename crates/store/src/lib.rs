//! SQL, and nothing else: one file a noun, one text for SQLite and PostgreSQL.
//!
//! The service opens a transaction ([`transact!`], which tries again, or [`Db::begin`]), passes it as `&mut Tx`, and
//! commits. What must not happen twice is a constraint or a guarded `UPDATE`, never a check in code. Rows never leave
//! the crate: it speaks `model`. It must never know Kubernetes, workflows or HTTP; times and ids come in as arguments.

pub mod access;
pub mod audit;
pub mod change;
pub mod console;
pub mod db;
pub mod fleet;
pub mod idempotency;
pub mod ipam;
pub mod journal;
pub mod provisioning;
pub mod seal;
pub mod testing;

mod text;

pub use db::{Db, OpenOptions, SchemaState, StoreError, Tx};
pub use seal::{SealError, Sealer};
