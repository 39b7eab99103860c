//! Why a service could not do what was asked. Clients never see these: `app::backend` turns them into faults.

use harvester::ClusterError;
use model::{Fault, Say};
use store::StoreError;

/// What every service method returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Why it did not work.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody is signed in.
    #[error("nobody is signed in")]
    Unauthenticated,
    /// The role may not do this.
    #[error("not allowed: {0}")]
    Forbidden(Say),
    /// There is no such thing, or it may not be seen.
    #[error("not found")]
    NotFound,
    /// It makes no sense now, or a rule speaks against it.
    #[error("refused: {0}")]
    Refused(Say),
    /// Somebody else changed it meanwhile.
    #[error("conflict: {0}")]
    Conflict(Say),
    /// The cluster is away, so nothing was tried.
    #[error("away: {0}")]
    Away(Say),
    /// Too many tries.
    #[error("too many tries: {0}")]
    TooMany(Say),
    /// The same idempotency key came with another body.
    #[error("the idempotency key was used for something else")]
    KeyReused,
    /// Wrong input, with its field.
    #[error("invalid input: {0}")]
    Invalid(Fault),
    /// The cluster said no, or nothing.
    #[error("the cluster: {0}")]
    Cluster(#[from] ClusterError),
    /// The database did not answer as it should.
    #[error("the database: {0}")]
    Store(#[from] StoreError),
    /// A promise of our own code does not hold.
    #[error("broken invariant: {0}")]
    Broken(String),
}

impl From<model::id::BadName> for Error {
    fn from(bad: model::id::BadName) -> Self {
        Self::Invalid(bad.into())
    }
}

impl Error {
    /// Wrong input at a field.
    pub fn invalid(field: &str, say: Say) -> Self {
        Self::Invalid(Fault::invalid(say).at(field))
    }

    /// The sentence for people where the error is kept rather than thrown, as in a journal.
    pub fn say(&self) -> Say {
        match self {
            Self::Forbidden(say) | Self::Refused(say) | Self::Conflict(say) | Self::TooMany(say) | Self::Away(say) => {
                say.clone()
            }
            Self::Invalid(fault) => fault.say.clone(),
            Self::Cluster(error) => error.say(),
            Self::Unauthenticated => Say::fixed("没有登录", "nobody is signed in"),
            Self::NotFound => Fault::not_found().say,
            Self::KeyReused => {
                Say::fixed("同一个幂等键用在了不同的请求上", "the idempotency key was used for another request")
            }
            Self::Store(_) => {
                Say::fixed("数据库暂时不可用，什么都没有执行", "the database does not answer, nothing was done")
            }
            Self::Broken(_) => Say::fixed("平台内部出错", "something broke inside the platform"),
        }
    }

    /// Nothing was tried, because the cluster is not there: waiting for it is no failure, however long it takes.
    pub fn is_away(&self) -> bool {
        matches!(self, Self::Away(_) | Self::Cluster(ClusterError::Away { .. }))
    }

    /// Trying again later may help.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Cluster(error) => matches!(
                error,
                ClusterError::Away { .. }
                    | ClusterError::Throttled { .. }
                    | ClusterError::Expired
                    | ClusterError::Broken { .. }
            ),
            Self::Away(_) => true,
            Self::Store(error) => error.is_retryable() || matches!(error, StoreError::Unavailable { .. }),
            _ => false,
        }
    }
}

/// A success whose error is ours, where the compiler cannot tell.
pub(crate) fn ok<T>(value: T) -> Result<T> {
    Ok(value)
}
