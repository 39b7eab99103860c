//! Signing in and out, sessions, accounts.
//!
//! A session's token is random, lives in a cookie and is kept as a hash only. A wrong name and a wrong password look and
//! take the same. Five wrong passwords lock an account for a quarter of an hour.

pub mod password;
mod permit;

pub use permit::Permit;

use crate::audit::{self, Act};
use crate::{Actor, Context, Error, Result};
use model::access::{LOCK_MS, MIN_PASSWORD, Me, Role, SessionView, SignIn, Verb};
use model::audit::Outcome;
use model::id::AccountId;
use model::{Say, UnixMs, say};
use std::sync::Arc;
use store::access::{NewAccount, NewSession, Session, TokenHash};
use store::audit::Closing;
use store::{Db, Tx};
use tokio::sync::Semaphore;

/// How long sessions last.
#[derive(Debug, Clone, Copy)]
pub struct SessionRules {
    /// Ends this long after its last use, in milliseconds.
    pub idle_ms: i64,
    /// Ends this long after it began, in milliseconds.
    pub most_ms: i64,
}

/// Passwords that are hashed at once: each takes 19 MiB and a core.
const HASHES_AT_ONCE: usize = 2;
/// Longest password that is looked at, in bytes: hashing a megabyte for anybody who asks is a gift to them.
const MAX_PASSWORD: usize = 512;

/// A session that goes on.
#[derive(Debug, Clone)]
pub struct Resumed {
    /// Whose it is.
    pub me: Me,
    /// What its changes must bring along.
    pub csrf: Csrf,
}

/// A secret of the session that its own pages know, and no other site: a change without it was not asked for there.
#[derive(Clone)]
pub struct Csrf(String);

impl Csrf {
    /// Whether `shown` is it, in a time that does not depend on where they differ: hashes are compared.
    pub fn is(&self, shown: &str) -> bool {
        TokenHash::of(&self.0) == TokenHash::of(shown)
    }

    /// For the session's own page, and nowhere else.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Csrf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Csrf(…)")
    }
}

/// The service.
#[derive(Debug, Clone)]
pub struct Access {
    db: Db,
    rules: SessionRules,
    hashing: Arc<Semaphore>,
}

impl Access {
    /// The service alone, for the command line.
    pub fn of(db: Db, rules: SessionRules) -> Self {
        Self { db, rules, hashing: Arc::new(Semaphore::new(HASHES_AT_ONCE)) }
    }

    /// Signs in; gives the session's token, for the cookie.
    pub async fn sign_in(&self, ctx: &Context, command: SignIn, user_agent: &str) -> Result<String> {
        let login = command.login.trim();
        let account = store::access::account_by_login(&self.db, login).await?;
        let locked = account.as_ref().and_then(|a| a.locked_until).filter(|&until| until > ctx.now);
        if let Some(until) = locked {
            let line = Line { detail: Some("locked"), ..Line::of(login, Outcome::Refused) };
            store::transact!(self.db, |tx| note(tx, ctx, line).await)?;
            let minutes = until.since(ctx.now).max(0) / 60_000 + 1;
            return Err(Error::TooMany(say!(
                "密码错误太多，账号已锁定，{minutes} 分钟后再试",
                "too many wrong passwords, the account is locked for {minutes} min"
            )));
        }
        let hash = account.as_ref().map_or(password::NOBODYS.to_owned(), |a| a.password_hash.clone());
        let is_right = self.is_right(command.password, hash).await?;
        let Some(account) = account.filter(|a| is_right && !a.is_disabled) else {
            return Err(self.wrong(ctx, login).await?);
        };
        let token = random_token();
        let hash = TokenHash::of(&token);
        let ends = UnixMs(ctx.now.0 + self.rules.most_ms);
        let csrf = random_token();
        store::transact!(self.db, |tx| {
            store::access::clear_wrong(tx, &account.id).await?;
            let new = NewSession {
                hash: &hash,
                account: &account.id,
                csrf: &csrf,
                began: ctx.now,
                ends,
                from: &ctx.from,
                user_agent,
            };
            store::access::insert_session(tx, &new).await?;
            let line = Line { actor: &account.login, ..Line::of(&account.login, Outcome::Done) };
            note(tx, ctx, line).await
        })?;
        Ok(token)
    }

    /// Counts a wrong try, and says what the person is told.
    async fn wrong(&self, ctx: &Context, login: &str) -> Result<Error> {
        let account = store::access::account_by_login(&self.db, login).await?;
        let locked = store::transact!(self.db, |tx| {
            let wrong = match &account {
                Some(account) => store::access::record_wrong(tx, &account.id, ctx.now).await?,
                None => None,
            };
            note(tx, ctx, Line { detail: Some("wrong name or password"), ..Line::of(login, Outcome::Refused) }).await?;
            crate::error::ok(wrong.is_some_and(|w| w.locked_until.is_some()))
        })?;
        Ok(if locked {
            let minutes = LOCK_MS / 60_000;
            Error::TooMany(say!(
                "密码错误太多，账号已锁定 {minutes} 分钟",
                "too many wrong passwords, the account is locked for {minutes} min"
            ))
        } else {
            Error::Invalid(
                model::Fault::invalid(Say::fixed("用户名或密码不对", "wrong name or password")).at("password"),
            )
        })
    }

    async fn is_right(&self, password: String, hash: String) -> Result<bool> {
        if password.len() > MAX_PASSWORD {
            return Ok(false);
        }
        let _place =
            self.hashing.acquire().await.map_err(|_| Error::Broken("the hashing semaphore is closed".into()))?;
        let checked = tokio::task::spawn_blocking(move || password::is_right(&password, &hash));
        checked.await.map_err(|error| Error::Broken(error.to_string()))
    }

    /// Whose session a token is; counts as a use of it.
    pub async fn resume(&self, token: &str, now: UnixMs) -> Result<Option<Resumed>> {
        let Some(session) = store::access::session_by_hash(&self.db, &TokenHash::of(token), now).await? else {
            return Ok(None);
        };
        if now.since(session.used) > self.rules.idle_ms {
            return Ok(None);
        }
        store::access::touch(&self.db, &session, now).await?;
        Ok(Some(Resumed { me: me(&session), csrf: Csrf(session.csrf) }))
    }

    /// Ends a session.
    pub async fn sign_out(&self, ctx: &Context, token: &str) -> Result<()> {
        let hash = TokenHash::of(token);
        let login = ctx.actor.login();
        let line = Line { verb: "session.end", actor: login, ..Line::of(login, Outcome::Done) };
        store::transact!(self.db, |tx| {
            store::access::end_session(tx, &hash).await?;
            // A token that belongs to nobody ends nothing.
            if ctx.actor.account().is_some() { note(tx, ctx, line).await } else { Ok(()) }
        })
    }

    /// The actor's live sessions.
    pub async fn sessions(&self, ctx: &Context, token: &str) -> Result<Vec<SessionView>> {
        let account = ctx.actor.account().ok_or(Error::Unauthenticated)?;
        let this = TokenHash::of(token);
        let sessions = store::access::sessions_of(&self.db, account, ctx.now).await?;
        let view = |s: Session| SessionView {
            id: s.hash.id().to_owned(),
            began: s.began,
            used: s.used,
            from: s.from,
            is_this: s.hash == this,
        };
        Ok(sessions.into_iter().map(view).collect())
    }

    /// Ends one of the actor's sessions by its short id.
    pub async fn end_session(&self, ctx: &Context, id: &str) -> Result<()> {
        let account = ctx.actor.account().ok_or(Error::Unauthenticated)?;
        let login = ctx.actor.login();
        let line = Line { verb: "session.end", actor: login, detail: Some(id), ..Line::of(login, Outcome::Done) };
        store::transact!(self.db, |tx| {
            if store::access::end_session_of(tx, account, id).await? {
                note(tx, ctx, line).await
            } else {
                Err(Error::NotFound)
            }
        })
    }

    /// Makes an account; used by the command line.
    pub async fn add_account(
        &self,
        ctx: &Context,
        login: &str,
        name: &str,
        number: Option<&str>,
        role: Role,
        password: &str,
    ) -> Result<AccountId> {
        let permit = Permit::ask(ctx, Verb::AccountManage, login)?;
        if password.chars().count() < MIN_PASSWORD || password.len() > MAX_PASSWORD {
            return Err(Error::invalid(
                "password",
                say!("密码至少 {MIN_PASSWORD} 个字符", "a password has at least {MIN_PASSWORD} characters"),
            ));
        }
        let fine = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '@');
        if login.is_empty() || login.chars().count() > 64 || !login.chars().all(fine) {
            return Err(Error::invalid(
                "login",
                Say::fixed(
                    "登录名用字母、数字和 . - _ @，最多 64 个",
                    "a sign-in name takes letters, digits and . - _ @, at most 64",
                ),
            ));
        }
        let id = AccountId::parse(&uuid::Uuid::now_v7().to_string())?;
        let hash = password::hash(password).map_err(|error| Error::Broken(error.to_string()))?;
        let new = NewAccount { id: &id, login, name, number, role, password_hash: &hash, created: ctx.now };
        let after = serde_json::json!({ "name": name, "number": number, "role": role.word() }).to_string();
        let made = store::transact!(self.db, |tx| {
            let opened = audit::open(tx, ctx, &permit, &Act { act: "add", ..Act::default() }).await?;
            store::access::insert_account(tx, &new).await?;
            let closing =
                Closing { at: ctx.now, outcome: Outcome::Done, before: None, after: Some(&after), detail: None };
            store::audit::close(tx, opened.seq, &closing).await?;
            Ok::<_, Error>(())
        });
        match made {
            Err(Error::Store(store::StoreError::Unique { .. })) => {
                Err(Error::invalid("login", say!("{login} 已存在", "{login} exists already")))
            }
            Err(error) => Err(error),
            Ok(()) => Ok(id),
        }
    }

    /// Accounts in all; none means that nobody can sign in yet.
    pub async fn count(&self) -> Result<u64> {
        Ok(store::access::count_accounts(&self.db).await?)
    }
}

fn me(session: &Session) -> Me {
    let a = &session.account;
    Me { id: a.id.clone(), login: a.login.clone(), name: a.name.clone(), number: a.number.clone(), role: a.role }
}

/// A line about a session.
#[derive(Clone, Copy)]
struct Line<'a> {
    verb: &'a str,
    /// Who is known to have done it: whoever only types a name is nobody yet.
    actor: &'a str,
    /// The sign-in name that it is about.
    login: &'a str,
    outcome: Outcome,
    detail: Option<&'a str>,
}

impl<'a> Line<'a> {
    /// A try to sign in as `login`, by whoever that is.
    fn of(login: &'a str, outcome: Outcome) -> Self {
        Self { verb: "session.begin", actor: Actor::Nobody.login(), login, outcome, detail: None }
    }
}

/// Writes a line about a session: opened and closed at once, since the act is the check itself.
async fn note(tx: &mut Tx, ctx: &Context, line: Line<'_>) -> Result<()> {
    let act = Act { act: line.verb.rsplit('.').next().unwrap_or(line.verb), ..Act::default() };
    let opened = audit::open_by(tx, ctx, line.actor, line.verb, line.login, &act).await?;
    let closing = Closing { at: ctx.now, outcome: line.outcome, before: None, after: None, detail: line.detail };
    store::audit::close(tx, opened.seq, &closing).await?;
    Ok(())
}

/// 256 random bits as base64url.
pub(crate) fn random_token() -> String {
    use base64::Engine as _;
    let bytes: [u8; 32] = rand::random();
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}
