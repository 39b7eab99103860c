//! Registering a cluster: every refusal before anything is kept.

use super::{Fleet, Member};
use crate::access::Permit;
use crate::audit::Act;
use crate::{Context, Error, Result};
use harvester::Access;
use model::access::Verb;
use model::fleet::{ClusterView, Register};
use model::id::ClusterId;
use model::{Say, UnixMs, say};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use store::fleet::{InsertError, NewCluster};

/// What a pasted kubeconfig says, before it is sent for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Examined {
    /// API server.
    pub url: String,
    /// When the credential ends, if it says so.
    pub expires: Option<UnixMs>,
}

/// Longest name of a cluster, in characters.
const MAX_NAME: usize = 60;

impl Fleet {
    /// Reads a pasted kubeconfig without using it.
    pub async fn examine(&self, ctx: &Context, kubeconfig: &str) -> Result<Examined> {
        Permit::ask(ctx, Verb::FleetRegister, "fleet")?;
        let access = parse(kubeconfig)?;
        Ok(Examined { url: access.server(), expires: access.expires() })
    }

    /// Registers a cluster: it must answer, and must not be registered already.
    pub async fn register(self: &Arc<Self>, ctx: &Context, command: Register) -> Result<ClusterView> {
        let permit = Permit::ask(ctx, Verb::FleetRegister, command.id.as_str())?;
        let act = Act { act: "register", ..Act::default() };
        self.audit.around(ctx, &permit, act, async || self.register_permitted(ctx, command).await).await
    }

    async fn register_permitted(
        self: &Arc<Self>,
        ctx: &Context,
        command: Register,
    ) -> Result<(ClusterView, Option<String>)> {
        let id = ClusterId::parse(command.id.trim()).map_err(|bad| Error::invalid("id", bad.say))?;
        let name = command.name.trim();
        if name.is_empty() || name.chars().count() > MAX_NAME {
            return Err(Error::invalid(
                "name",
                say!("名称为 1 到 {MAX_NAME} 个字符", "a name has 1 to {MAX_NAME} characters"),
            ));
        }
        let access = parse(&command.kubeconfig)?;
        let at_field = |error: harvester::ClusterError| match error.detail() {
            Some(detail) => Error::Invalid(model::Fault::invalid(error.say()).at("kubeconfig").detail(detail)),
            None => Error::invalid("kubeconfig", error.say()),
        };
        let cluster = (self.connect)(id.clone(), &access).map_err(at_field)?;
        let uid = cluster.identity().await.map_err(at_field)?;
        if !cluster.is_harvester().await.map_err(at_field)? {
            return Err(Error::invalid("kubeconfig", not_harvester()));
        }
        let url = access.server();
        let new = NewCluster {
            id: &id,
            name,
            url: &url,
            uid: &uid,
            kubeconfig: &command.kubeconfig,
            is_observe_only: command.is_observe_only,
            registered: ctx.now,
        };
        let kept = store::transact!(self.db, |tx| store::fleet::insert(tx, &self.sealer, &new).await);
        match kept {
            Ok(()) => {}
            Err(InsertError::IdTaken { .. }) => {
                return Err(Error::invalid("id", say!("标识 {id} 已被占用", "the id {id} is taken")));
            }
            Err(InsertError::Registered { id: by }) => {
                return Err(Error::invalid(
                    "kubeconfig",
                    say!(
                        "这个集群已登记为 {by}（kube-system 的 UID 相同）",
                        "this cluster is registered already as {by} (same kube-system UID)"
                    ),
                ));
            }
            Err(InsertError::Store(error)) => return Err(error.into()),
        }
        let record = store::fleet::get(&self.db, &id).await?.ok_or(Error::NotFound)?;
        let running = self.open(&id, &command.kubeconfig);
        let after =
            serde_json::json!({ "name": name, "url": url, "uid": uid, "observe_only": command.is_observe_only });
        self.admit(Member::new(record, running, None));
        Ok((self.member(&id)?.view(), Some(after.to_string())))
    }
}

fn not_harvester() -> Say {
    Say::fixed(
        "它应答了，但不是 Harvester：API 里没有 harvesterhci.io 和 kubevirt.io",
        "it answers, but it is no Harvester: its API has no harvesterhci.io and kubevirt.io",
    )
}

impl Fleet {
    /// Replaces a cluster's credential, which may also move its address: it must be the same cluster (kube-system UID).
    pub async fn replace_kubeconfig(
        self: &Arc<Self>,
        ctx: &Context,
        id: &ClusterId,
        kubeconfig: &str,
    ) -> Result<ClusterView> {
        let permit = Permit::ask(ctx, Verb::FleetRegister, id.as_str())?;
        let act = Act { act: "replace-credential", ..Act::default() };
        self.audit.around(ctx, &permit, act, async || self.replace_permitted(id, kubeconfig).await).await
    }

    async fn replace_permitted(
        self: &Arc<Self>,
        id: &ClusterId,
        kubeconfig: &str,
    ) -> Result<(ClusterView, Option<String>)> {
        let record = self.member(id)?.record.clone();
        let access = parse(kubeconfig)?;
        let at_field = |error: harvester::ClusterError| Error::invalid("kubeconfig", error.say());
        let cluster = (self.connect)(id.clone(), &access).map_err(at_field)?;
        if cluster.identity().await.map_err(at_field)? != record.uid {
            return Err(Error::invalid(
                "kubeconfig",
                Say::fixed(
                    "这是另一个集群（kube-system 的 UID 不同）",
                    "this is another cluster (another kube-system UID)",
                ),
            ));
        }
        store::transact!(self.db, |tx| crate::error::ok(
            store::fleet::set_kubeconfig(tx, &self.sealer, id, kubeconfig).await?
        ))?;
        let record = store::fleet::Cluster { url: access.server(), ..record };
        let after = serde_json::json!({ "url": record.url });
        let probe = store::fleet::probe(&self.db, id).await?;
        let running = self.open(id, kubeconfig);
        self.admit(Member::new(record, running, probe));
        Ok((self.member(id)?.view(), Some(after.to_string())))
    }
}

fn parse(kubeconfig: &str) -> Result<Access> {
    if kubeconfig.trim().is_empty() {
        return Err(Error::invalid("kubeconfig", Say::fixed("粘贴 kubeconfig 的全文", "paste the whole kubeconfig")));
    }
    Access::parse(kubeconfig).map_err(|refusal| Error::invalid("kubeconfig", refusal.say))
}
