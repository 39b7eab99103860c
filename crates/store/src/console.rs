//! One-time tickets to consoles.
//!
//! Invariant: a ticket opens one console, once, before it expires: its redemption is one guarded `UPDATE`. Must never
//! know the secret, only its hash.

#[cfg(test)]
mod tests;

use crate::access::TokenHash;
use crate::db::on_tx;
use crate::text::{known, read};
use crate::{StoreError, Tx};
use model::UnixMs;
use model::console::Mode;
use model::id::{AccountId, VmRef};

/// A ticket to be made.
pub struct NewTicket<'a> {
    /// Hash of its secret.
    pub hash: &'a TokenHash,
    /// For whom.
    pub account: &'a AccountId,
    /// To which VM.
    pub vm: &'a VmRef,
    /// To which console.
    pub mode: Mode,
    /// Until when.
    pub expires: UnixMs,
}

/// What a redeemed ticket opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admission {
    /// For whom.
    pub account: AccountId,
    /// Which VM.
    pub vm: VmRef,
    /// Which console.
    pub mode: Mode,
}

/// Makes a ticket.
pub async fn insert(tx: &mut Tx, new: &NewTicket<'_>) -> Result<(), StoreError> {
    let sql = "INSERT INTO console_ticket (hash, account, cluster, namespace, vm, mode, expires)
               VALUES ($1, $2, $3, $4, $5, $6, $7)";
    on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(new.hash.as_str()).bind(new.account.as_str());
        let query = query.bind(new.vm.cluster.as_str()).bind(new.vm.namespace.as_str()).bind(new.vm.name.as_str());
        query.bind(new.mode.subresource()).bind(new.expires.0).execute(c).await?.rows_affected()
    });
    Ok(())
}

/// Redeems a ticket; `None` when it was used, is past its time, or was never made: nobody learns which.
pub async fn redeem(tx: &mut Tx, hash: &TokenHash, now: UnixMs) -> Result<Option<Admission>, StoreError> {
    let sql = "UPDATE console_ticket SET used = $2 WHERE hash = $1 AND used IS NULL AND expires > $2
               RETURNING account, cluster, namespace, vm, mode";
    let row = on_tx!(tx, |c| {
        let query = sqlx::query_as::<_, (String, String, String, String, String)>(sql).bind(hash.as_str());
        query.bind(now.0).fetch_optional(c).await?
    });
    let Some((account, cluster, namespace, vm, mode)) = row else { return Ok(None) };
    let mode = [Mode::Vnc, Mode::Serial].into_iter().find(|m| m.subresource() == mode);
    Ok(Some(Admission {
        account: read(AccountId::parse(&account), "console_ticket.account")?,
        vm: read(VmRef::parse(&cluster, &namespace, &vm), "console_ticket.vm")?,
        mode: known(mode, "console_ticket.mode")?,
    }))
}

/// Removes tickets that are past their time, used or not; how many.
pub async fn purge(tx: &mut Tx, now: UnixMs) -> Result<u64, StoreError> {
    let sql = "DELETE FROM console_ticket WHERE expires <= $1";
    Ok(on_tx!(tx, |c| sqlx::query(sql).bind(now.0).execute(c).await?.rows_affected()))
}
