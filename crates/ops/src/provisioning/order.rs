//! From the form as typed to a delivery, or to the fields that are wrong: one path for the preview and for the order, so
//! that what was shown is what is done.

use super::data::Delivery;
use super::preflight::{self, Scene};
use super::{Provisioning, cloud_init};
use crate::fleet::Member;
use crate::{Context, Error, Result};
use model::id::{ChangeId, ClusterId, Namespace, OperationId, SubnetId, TemplateId, VmName, VmRef};
use model::image::ImageView;
use model::ipam::{Mac, Subnet};
use model::network::NetworkView;
use model::ownership::{Environment, Owner};
use model::provisioning::{Check, CheckVerdict, Draft, Flavour, Preview, Template, service_word, vm_name};
use model::{Fault, Say, say};
use std::net::IpAddr;
use std::sync::Arc;

/// Longest reason, in characters.
const MAX_REASON: usize = 500;

/// What a draft means, as far as it can be read.
pub(super) struct Read {
    pub(super) template: Option<Template>,
    pub(super) flavour: Option<Flavour>,
    pub(super) environment: Option<Environment>,
    pub(super) service: Option<String>,
    pub(super) member: Option<Arc<Member>>,
    pub(super) network: Option<NetworkView>,
    pub(super) subnet: Option<Subnet>,
    pub(super) namespace: Option<Namespace>,
    pub(super) name: Option<VmName>,
    pub(super) is_name_taken: bool,
    pub(super) wanted: Option<IpAddr>,
    pub(super) free: u64,
    pub(super) next: Option<IpAddr>,
    pub(super) owner: Owner,
    pub(super) keys: Vec<String>,
    pub(super) image: Option<ImageView>,
    pub(super) faults: Vec<Fault>,
}

impl Provisioning {
    /// Reads a draft; every wrong field is named, not only the first.
    pub(super) async fn read(&self, ctx: &Context, draft: &Draft) -> Result<Read> {
        let mut faults = Vec::new();
        let mut wrong = |field: &str, say: Say| faults.push(Fault::invalid(say).at(field));
        let template = match TemplateId::parse(&draft.template) {
            Ok(id) => store::provisioning::get(&self.db, &id).await?,
            Err(_) => None,
        };
        if template.is_none() {
            wrong("template", Say::fixed("选一个模板", "choose a template"));
        }
        let flavour = template.as_ref().and_then(|t| t.flavours.iter().find(|f| f.word() == draft.flavour).cloned());
        if flavour.is_none() {
            wrong("flavour", Say::fixed("选一个规格", "choose a size"));
        }
        let environment = Environment::parse(&draft.environment);
        if environment.is_none() {
            wrong("environment", Say::fixed("选一个环境", "choose an environment"));
        }
        let service = service_word(&draft.service).map_err(|bad| wrong("service", bad.0)).ok();
        let member = ClusterId::parse(&draft.cluster).ok().and_then(|id| self.fleet.member(&id).ok());
        let subnet = match SubnetId::parse(&draft.subnet) {
            Ok(id) => store::ipam::subnet(&self.db, &id).await?,
            Err(_) => None,
        };
        let serves =
            |s: &Subnet| s.serves.iter().any(|p| p.cluster.as_str() == draft.cluster && p.network == draft.network);
        if member.is_none() || !subnet.as_ref().is_some_and(serves) {
            wrong("network", Say::fixed("选一个网络", "choose a network"));
        }
        let network = member
            .as_ref()
            .and_then(|m| m.running().ok())
            .and_then(|r| r.cache.networks().into_iter().find(|n| n.reference() == draft.network));
        let namespace_text = if draft.namespace.is_empty() {
            draft.network.split('/').next().unwrap_or_default()
        } else {
            &draft.namespace
        };
        let namespace = match Namespace::parse(namespace_text) {
            Ok(namespace) => Some(namespace),
            Err(_) if draft.network.is_empty() => None,
            Err(bad) => {
                wrong("namespace", bad.say);
                None
            }
        };
        let wanted = match draft.address.trim() {
            "" => None,
            text => {
                let parsed = text.parse::<IpAddr>().ok().filter(|a| subnet.as_ref().is_none_or(|s| s.cidr.is_host(*a)));
                if parsed.is_none() {
                    wrong(
                        "address",
                        say!("“{text}”不是这个子网的主机地址", "“{text}” is not a host address of this subnet"),
                    );
                }
                parsed
            }
        };
        let keys = cloud_init::ssh_keys(&draft.ssh_keys).map_err(|say| wrong("ssh_keys", say)).unwrap_or_default();
        if draft.reason.chars().count() > MAX_REASON {
            wrong("reason", say!("最多 {MAX_REASON} 个字符", "at most {MAX_REASON} characters"));
        }
        let owner = owner(ctx, draft);
        if owner.number.chars().any(|c| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
            || owner.number.len() > 63
        {
            wrong(
                "owner_number",
                Say::fixed("工号用字母、数字、- _ .", "an employee number takes letters, digits, - _ ."),
            );
        }
        let image = template.as_ref().and_then(|t| find_image(member.as_deref(), &t.image));
        let (name, is_name_taken) = match (environment, &service, &template, &namespace) {
            (Some(environment), Some(service), Some(template), Some(namespace)) => {
                match self.name(draft, environment, service, &template.role, member.as_deref(), namespace).await? {
                    Ok(found) => (Some(found.0), found.1),
                    Err(say) => {
                        wrong("name", say);
                        (None, false)
                    }
                }
            }
            _ => (None, false),
        };
        let (free, next) = match &subnet {
            Some(subnet) => {
                let view = self.ipam.view(subnet.clone()).await?;
                (view.room.saturating_sub(view.held + view.quarantined), self.ipam.next_free(subnet).await?)
            }
            None => (0, None),
        };
        Ok(Read {
            template,
            flavour,
            environment,
            service,
            member,
            network,
            subnet,
            namespace,
            name,
            is_name_taken,
            wanted,
            free,
            next,
            owner,
            keys,
            image,
            faults,
        })
    }

    /// The name that was typed, or the rule's; and whether it is taken.
    async fn name(
        &self,
        draft: &Draft,
        environment: Environment,
        service: &str,
        role: &str,
        member: Option<&Member>,
        namespace: &Namespace,
    ) -> Result<std::result::Result<(VmName, bool), Say>> {
        let Some(Ok(running)) = member.map(Member::running) else {
            return Ok(Err(Say::fixed("先选网络", "choose a network first")));
        };
        // Names are told apart by cluster and namespace there, but people say the name alone, so the rule looks everywhere.
        let ordered = store::journal::running(&self.db, 1_000).await?;
        let ordered: Vec<&str> = ordered.iter().filter_map(|o| o.object.rsplit('/').next()).collect();
        let everywhere: std::collections::HashSet<Arc<str>> = self
            .fleet
            .members()
            .iter()
            .filter_map(|m| m.running().ok().map(|r| r.cache.rows()))
            .flat_map(|rows| rows.iter().map(|r| r.name.clone()).collect::<Vec<_>>())
            .collect();
        if draft.name.trim().is_empty() {
            let named = vm_name(environment, service, role, |n| everywhere.contains(n) || ordered.contains(&n));
            return Ok(named
                .map(|name| (name, false))
                .ok_or_else(|| Say::fixed("这个服务的号用完了", "the numbers of this service are used up")));
        }
        Ok(VmName::parse(draft.name.trim()).map_err(|bad| bad.say).map(|name| {
            let is_taken =
                running.cache.row(namespace.as_str(), name.as_str()).is_some() || ordered.contains(&name.as_str());
            (name, is_taken)
        }))
    }
}

fn owner(ctx: &Context, draft: &Draft) -> Owner {
    let me = match &ctx.actor {
        crate::Actor::Account(me) => Some(me),
        _ => None,
    };
    let typed = |text: &str, own: Option<String>| match text.trim() {
        "" => own.unwrap_or_default(),
        text => text.to_owned(),
    };
    if draft.owner_number.trim().is_empty() {
        return Owner {
            number: me.and_then(|m| m.number.clone()).unwrap_or_default(),
            name: me.map(|m| m.name.clone()).unwrap_or_default(),
        };
    }
    Owner { number: typed(&draft.owner_number, None), name: typed(&draft.owner_name, None) }
}

fn find_image(member: Option<&Member>, display_name: &str) -> Option<ImageView> {
    let images = member?.running().ok()?.cache.images();
    let mut named: Vec<_> = images.into_iter().filter(|i| i.display_name == display_name).collect();
    named.sort_by_key(|i| (!i.is_ready, i.name.clone()));
    named.into_iter().next()
}

impl Read {
    /// The pre-checks, as far as the draft goes.
    pub(super) fn checks(&self) -> Vec<Check> {
        let (Some(template), Some(flavour), Some(member), Some(name)) =
            (&self.template, &self.flavour, &self.member, &self.name)
        else {
            return Vec::new();
        };
        let view = member.view();
        let nodes = member.running().map(|r| r.cache.nodes()).unwrap_or_default();
        preflight::check(&Scene {
            template,
            flavour,
            health: view.health,
            observe_only: view.observe_only,
            cluster: &view.name,
            image: self.image.as_ref(),
            network: self.network.as_ref(),
            nodes: &nodes,
            is_name_taken: self.is_name_taken,
            name: name.as_str(),
            free_addresses: self.free,
            owner: &self.owner,
        })
    }

    /// The delivery, if nothing is missing and no check speaks against it.
    pub(super) fn delivery(
        &self,
        operation: OperationId,
        change: ChangeId,
        reason: &str,
        random: u64,
    ) -> Result<Delivery> {
        if let Some(fault) = self.faults.first() {
            return Err(Error::Invalid(fault.clone()));
        }
        if let Some(check) = self.checks().into_iter().find(|c| c.verdict == CheckVerdict::Refused) {
            return Err(Error::Refused(check.say));
        }
        let whole = || {
            let member = self.member.as_ref()?;
            let subnet = self.subnet.as_ref()?;
            Some(Delivery {
                operation,
                vm: VmRef {
                    cluster: member.record.id.clone(),
                    namespace: self.namespace.clone()?,
                    name: self.name.clone()?,
                },
                template: self.template.clone()?,
                flavour: self.flavour.clone()?,
                image: self.image.clone()?,
                network: self.network.as_ref()?.reference(),
                subnet: subnet.id.clone(),
                subnet_name: subnet.name.clone(),
                wanted: self.wanted,
                owner: self.owner.clone(),
                service: self.service.clone()?,
                environment: self.environment?,
                keys: self.keys.clone(),
                reason: reason.trim().to_owned(),
                disk_suffix: suffix(random),
                change,
                mac: Mac::ours((random >> 32) as u32),
                address: None,
                uid: None,
            })
        };
        whole().ok_or_else(|| Error::Refused(Say::fixed("订单不完整", "the order is not complete")))
    }

    /// What the form shows.
    pub(super) fn preview(&self, checks: Vec<Check>, texts: Option<cloud_init::CloudInit>) -> Preview {
        Preview {
            name: self.name.as_ref().map(|n| n.to_string()),
            namespace: self.namespace.as_ref().map(|n| n.to_string()),
            address: self.wanted.or(self.next),
            prefix: self.subnet.as_ref().map(|s| s.cidr.prefix()),
            gateway: self.subnet.as_ref().and_then(|s| s.gateway),
            owner: Some(self.owner.clone()).filter(|o| !o.number.is_empty()),
            environment: self.environment,
            user_data: texts.as_ref().map(|t| t.user_data.clone()),
            network_data: texts.map(|t| t.network_data),
            checks,
            faults: self.faults.clone(),
        }
    }
}

/// Five of `[a-z0-9]`.
fn suffix(random: u64) -> String {
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let mut rest = random;
    let letter = |_| {
        let at = (rest % 36) as usize;
        rest /= 36;
        char::from(LETTERS[at])
    };
    (0..5).map(letter).collect()
}
