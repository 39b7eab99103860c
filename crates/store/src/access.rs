//! Accounts, and the sessions of those who signed in.
//!
//! Invariant: a session is found by the hash of its token only, and neither an ended, an expired nor a disabled
//! account's session is ever returned. Must never know passwords or tokens, only their hashes.

mod session;
#[cfg(test)]
pub(crate) mod tests;

pub use session::{
    NewSession, Session, TokenHash, end_all, end_session, end_session_of, insert_session, purge_sessions,
    session_by_hash, sessions_of, touch,
};

use crate::db::{on, on_tx};
use crate::text::{clean, count, known, read};
use crate::{Db, StoreError, Tx};
use model::UnixMs;
use model::access::{LOCK_MS, MAX_WRONG, Role};
use model::id::AccountId;

/// An account.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    /// Id.
    pub id: AccountId,
    /// Sign-in name as typed at its making; unique whatever its case.
    pub login: String,
    /// Name of the person.
    pub name: String,
    /// Employee number.
    pub number: Option<String>,
    /// Role.
    pub role: Role,
    /// Argon2 hash in PHC format; `Debug` does not print it.
    pub password_hash: String,
    /// Wrong passwords in a row since the last lock or success.
    pub wrong: u64,
    /// No password is tried before then.
    pub locked_until: Option<UnixMs>,
    /// May not sign in, and has no sessions.
    pub is_disabled: bool,
    /// When it was made.
    pub created: UnixMs,
}

impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account").field("id", &self.id).field("login", &self.login).field("role", &self.role).finish()
    }
}

/// An account to be made.
pub struct NewAccount<'a> {
    /// Id.
    pub id: &'a AccountId,
    /// Sign-in name.
    pub login: &'a str,
    /// Name of the person.
    pub name: &'a str,
    /// Employee number.
    pub number: Option<&'a str>,
    /// Role.
    pub role: Role,
    /// Argon2 hash in PHC format.
    pub password_hash: &'a str,
    /// When.
    pub created: UnixMs,
}

/// What a wrong password led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wrong {
    /// Wrong ones in a row; 0 when this one locked the account.
    pub count: u64,
    /// Until when the account is locked.
    pub locked_until: Option<UnixMs>,
}

#[derive(sqlx::FromRow)]
struct AccountRow {
    id: String,
    login: String,
    name: String,
    number: Option<String>,
    role: String,
    password_hash: String,
    wrong: i64,
    locked_until: Option<i64>,
    is_disabled: i64,
    created: i64,
}

impl AccountRow {
    fn account(self) -> Result<Account, StoreError> {
        Ok(Account {
            id: read(AccountId::parse(&self.id), "account.id")?,
            login: self.login,
            name: self.name,
            number: self.number,
            role: known(Role::parse(&self.role), "account.role")?,
            password_hash: self.password_hash,
            wrong: count(self.wrong),
            locked_until: self.locked_until.map(UnixMs),
            is_disabled: self.is_disabled != 0,
            created: UnixMs(self.created),
        })
    }
}

/// Makes an account; [`StoreError::Unique`] when the login is taken in any case.
pub async fn insert_account(tx: &mut Tx, new: &NewAccount<'_>) -> Result<(), StoreError> {
    let sql = "INSERT INTO account (id, login, login_key, name, number, role, password_hash, created)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(new.id.as_str()).bind(clean(new.login)).bind(login_key(new.login));
        let query = query.bind(clean(new.name)).bind(new.number.map(clean)).bind(new.role.word());
        query.bind(new.password_hash).bind(new.created.0).execute(c).await?.rows_affected();
    });
    Ok(())
}

/// The account with that login, whatever its case.
pub async fn account_by_login(db: &Db, login: &str) -> Result<Option<Account>, StoreError> {
    let sql = "SELECT id, login, name, number, role, password_hash, wrong, locked_until, is_disabled, created
               FROM account WHERE login_key = $1";
    let key = login_key(login);
    let row = on!(db, |pool| sqlx::query_as::<_, AccountRow>(sql).bind(key).fetch_optional(pool).await?);
    row.map(AccountRow::account).transpose()
}

/// The account with that id.
pub async fn account(db: &Db, id: &AccountId) -> Result<Option<Account>, StoreError> {
    let sql = "SELECT id, login, name, number, role, password_hash, wrong, locked_until, is_disabled, created
               FROM account WHERE id = $1";
    let row = on!(db, |pool| sqlx::query_as::<_, AccountRow>(sql).bind(id.as_str()).fetch_optional(pool).await?);
    row.map(AccountRow::account).transpose()
}

/// Accounts by login; at most `limit`.
pub async fn accounts(db: &Db, limit: u32) -> Result<Vec<Account>, StoreError> {
    let sql = "SELECT id, login, name, number, role, password_hash, wrong, locked_until, is_disabled, created
               FROM account ORDER BY login_key LIMIT $1";
    let rows = on!(db, |pool| sqlx::query_as::<_, AccountRow>(sql).bind(i64::from(limit)).fetch_all(pool).await?);
    rows.into_iter().map(AccountRow::account).collect()
}

/// How many accounts there are: 0 means that nobody can sign in yet.
pub async fn count_accounts(db: &Db) -> Result<u64, StoreError> {
    let sql = "SELECT COUNT(*) FROM account";
    Ok(count(on!(db, |pool| sqlx::query_scalar::<_, i64>(sql).fetch_one(pool).await?)))
}

/// Gives another password and unlocks; `false` when there is no such account.
pub async fn set_password(tx: &mut Tx, id: &AccountId, password_hash: &str) -> Result<bool, StoreError> {
    let sql = "UPDATE account SET password_hash = $2, wrong = 0, locked_until = NULL WHERE id = $1";
    let query =
        on_tx!(tx, |c| sqlx::query(sql).bind(id.as_str()).bind(password_hash).execute(c).await?.rows_affected());
    Ok(query == 1)
}

/// Gives another role; `false` when there is no such account.
pub async fn set_role(tx: &mut Tx, id: &AccountId, role: Role) -> Result<bool, StoreError> {
    let sql = "UPDATE account SET role = $2 WHERE id = $1";
    let changed =
        on_tx!(tx, |c| sqlx::query(sql).bind(id.as_str()).bind(role.word()).execute(c).await?.rows_affected());
    Ok(changed == 1)
}

/// Shuts an account out and ends its sessions; `false` when there is no such account.
pub async fn disable(tx: &mut Tx, id: &AccountId) -> Result<bool, StoreError> {
    end_all(tx, id, None).await?;
    let sql = "UPDATE account SET is_disabled = 1 WHERE id = $1";
    let changed = on_tx!(tx, |c| sqlx::query(sql).bind(id.as_str()).execute(c).await?.rows_affected());
    Ok(changed == 1)
}

/// Lets an account in again; `false` when there is no such account.
pub async fn enable(tx: &mut Tx, id: &AccountId) -> Result<bool, StoreError> {
    let sql = "UPDATE account SET is_disabled = 0, wrong = 0, locked_until = NULL WHERE id = $1";
    let changed = on_tx!(tx, |c| sqlx::query(sql).bind(id.as_str()).execute(c).await?.rows_affected());
    Ok(changed == 1)
}

/// Counts a wrong password; the [`MAX_WRONG`]th in a row locks for [`LOCK_MS`] and starts the count again. `None` when
/// there is no such account.
pub async fn record_wrong(tx: &mut Tx, id: &AccountId, now: UnixMs) -> Result<Option<Wrong>, StoreError> {
    let sql = "UPDATE account
               SET wrong = CASE WHEN wrong + 1 >= $2 THEN 0 ELSE wrong + 1 END,
                   locked_until = CASE WHEN wrong + 1 >= $2 THEN $3 ELSE locked_until END
               WHERE id = $1 RETURNING wrong, locked_until";
    let row = on_tx!(tx, |c| {
        let query = sqlx::query_as::<_, (i64, Option<i64>)>(sql).bind(id.as_str());
        query.bind(i64::from(MAX_WRONG)).bind(now.0.saturating_add(LOCK_MS)).fetch_optional(c).await?
    });
    Ok(row.map(|(wrong, until)| Wrong { count: count(wrong), locked_until: until.map(UnixMs).filter(|&t| t > now) }))
}

/// Forgets wrong passwords after a right one.
pub async fn clear_wrong(tx: &mut Tx, id: &AccountId) -> Result<(), StoreError> {
    let sql = "UPDATE account SET wrong = 0, locked_until = NULL WHERE id = $1";
    on_tx!(tx, |c| sqlx::query(sql).bind(id.as_str()).execute(c).await?.rows_affected());
    Ok(())
}

fn login_key(login: &str) -> String {
    clean(login.trim()).to_lowercase()
}
