//! Sessions, by the hash of their token.

use super::{Account, AccountRow};
use crate::db::{on, on_tx};
use crate::text::cut;
use crate::{Db, StoreError, Tx};
use model::UnixMs;
use model::id::AccountId;
use sha2::{Digest, Sha256};

/// A session's use is written at most this often.
const TOUCH_MS: i64 = 60_000;
/// Longest user agent that is kept, in bytes.
const MAX_USER_AGENT: usize = 256;
/// Hex digits of the hash that make the id which its owner sees.
const ID_DIGITS: usize = 16;
/// Most sessions of one account that are listed.
const MAX_LISTED: i64 = 100;

/// SHA-256 of a session token, as hex.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TokenHash(String);

impl TokenHash {
    /// Of the token as the cookie carries it.
    pub fn of(token: &str) -> Self {
        Self(hex::encode(Sha256::digest(token.as_bytes())))
    }

    /// The hash as the column has it.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The short id that is not the secret.
    pub fn id(&self) -> &str {
        &self.0[..ID_DIGITS]
    }
}

/// A session to begin.
pub struct NewSession<'a> {
    /// Hash of its token.
    pub hash: &'a TokenHash,
    /// Whose.
    pub account: &'a AccountId,
    /// Secret that forms send back.
    pub csrf: &'a str,
    /// When it begins.
    pub began: UnixMs,
    /// When it ends whatever happens.
    pub ends: UnixMs,
    /// Address that it came from.
    pub from: &'a str,
    /// Browser, as it says.
    pub user_agent: &'a str,
}

/// A live session.
#[derive(Clone, PartialEq, Eq)]
pub struct Session {
    /// Hash of its token.
    pub hash: TokenHash,
    /// Whose.
    pub account: Account,
    /// Secret that forms send back; `Debug` does not print it.
    pub csrf: String,
    /// When it began.
    pub began: UnixMs,
    /// When it was last used, to the minute.
    pub used: UnixMs,
    /// When it ends whatever happens.
    pub ends: UnixMs,
    /// Address that it began from.
    pub from: String,
    /// Browser, as it said.
    pub user_agent: String,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("id", &self.hash.id()).field("account", &self.account).finish()
    }
}

#[derive(sqlx::FromRow)]
struct SessionRow {
    token_hash: String,
    csrf: String,
    began: i64,
    used: i64,
    ends: i64,
    from_address: String,
    user_agent: String,
    #[sqlx(flatten)]
    account: AccountRow,
}

impl SessionRow {
    fn session(self) -> Result<Session, StoreError> {
        if self.token_hash.len() < ID_DIGITS || !self.token_hash.is_ascii() {
            return Err(StoreError::Corrupt { what: "session.token_hash" });
        }
        Ok(Session {
            hash: TokenHash(self.token_hash),
            account: self.account.account()?,
            csrf: self.csrf,
            began: UnixMs(self.began),
            used: UnixMs(self.used),
            ends: UnixMs(self.ends),
            from: self.from_address,
            user_agent: self.user_agent,
        })
    }
}

/// Begins a session.
pub async fn insert_session(tx: &mut Tx, new: &NewSession<'_>) -> Result<(), StoreError> {
    let sql = "INSERT INTO session (token_hash, id, account, csrf, began, used, ends, from_address, user_agent)
               VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8)";
    on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(&new.hash.0).bind(new.hash.id()).bind(new.account.as_str());
        let query = query.bind(new.csrf).bind(new.began.0).bind(new.ends.0);
        query.bind(cut(new.from, 64)).bind(cut(new.user_agent, MAX_USER_AGENT)).execute(c).await?.rows_affected();
    });
    Ok(())
}

/// The session of that token with its account; none when it ended, when it is past its end, or when the account is
/// disabled.
pub async fn session_by_hash(db: &Db, hash: &TokenHash, now: UnixMs) -> Result<Option<Session>, StoreError> {
    let sql = "SELECT s.token_hash, s.csrf, s.began, s.used, s.ends, s.from_address, s.user_agent,
                      a.id, a.login, a.name, a.number, a.role, a.password_hash, a.wrong, a.locked_until,
                      a.is_disabled, a.created
               FROM session s JOIN account a ON a.id = s.account
               WHERE s.token_hash = $1 AND s.ends > $2 AND a.is_disabled = 0";
    let row =
        on!(db, |pool| sqlx::query_as::<_, SessionRow>(sql).bind(&hash.0).bind(now.0).fetch_optional(pool).await?);
    row.map(SessionRow::session).transpose()
}

/// Writes that a session was used, at most once a minute; without a write when it was used just now.
pub async fn touch(db: &Db, session: &Session, now: UnixMs) -> Result<(), StoreError> {
    if now.since(session.used) < TOUCH_MS {
        return Ok(());
    }
    let sql = "UPDATE session SET used = $2 WHERE token_hash = $1 AND used <= $3";
    let mut tx = db.begin().await?;
    on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(&session.hash.0).bind(now.0);
        query.bind(now.0.saturating_sub(TOUCH_MS)).execute(c).await?.rows_affected()
    });
    tx.commit().await
}

/// Ends one session; `false` when it had ended.
pub async fn end_session(tx: &mut Tx, hash: &TokenHash) -> Result<bool, StoreError> {
    let sql = "DELETE FROM session WHERE token_hash = $1";
    Ok(on_tx!(tx, |c| sqlx::query(sql).bind(&hash.0).execute(c).await?.rows_affected()) == 1)
}

/// Ends the session with that short id, if it is the account's own.
pub async fn end_session_of(tx: &mut Tx, account: &AccountId, id: &str) -> Result<bool, StoreError> {
    let sql = "DELETE FROM session WHERE account = $1 AND id = $2";
    Ok(on_tx!(tx, |c| sqlx::query(sql).bind(account.as_str()).bind(id).execute(c).await?.rows_affected()) == 1)
}

/// Ends all sessions of an account, but the one that asks if it is named; how many ended.
pub async fn end_all(tx: &mut Tx, account: &AccountId, but: Option<&TokenHash>) -> Result<u64, StoreError> {
    let sql = "DELETE FROM session WHERE account = $1 AND token_hash <> $2";
    let but = but.map_or("", |hash| &hash.0);
    Ok(on_tx!(tx, |c| sqlx::query(sql).bind(account.as_str()).bind(but).execute(c).await?.rows_affected()))
}

/// Live sessions of an account, the youngest first.
pub async fn sessions_of(db: &Db, account: &AccountId, now: UnixMs) -> Result<Vec<Session>, StoreError> {
    let sql = "SELECT s.token_hash, s.csrf, s.began, s.used, s.ends, s.from_address, s.user_agent,
                      a.id, a.login, a.name, a.number, a.role, a.password_hash, a.wrong, a.locked_until,
                      a.is_disabled, a.created
               FROM session s JOIN account a ON a.id = s.account
               WHERE s.account = $1 AND s.ends > $2 AND a.is_disabled = 0 ORDER BY s.began DESC LIMIT $3";
    let rows = on!(db, |pool| {
        let query = sqlx::query_as::<_, SessionRow>(sql).bind(account.as_str()).bind(now.0);
        query.bind(MAX_LISTED).fetch_all(pool).await?
    });
    rows.into_iter().map(SessionRow::session).collect()
}

/// Removes sessions that are past their end; how many.
pub async fn purge_sessions(tx: &mut Tx, now: UnixMs) -> Result<u64, StoreError> {
    let sql = "DELETE FROM session WHERE ends <= $1";
    Ok(on_tx!(tx, |c| sqlx::query(sql).bind(now.0).execute(c).await?.rows_affected()))
}
