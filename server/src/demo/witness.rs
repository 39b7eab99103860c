//! Upstream's own Kubernetes and KubeVirt as a cluster of the demo: somebody else runs them (`cargo xtask demo --witness`),
//! this program plays the nodes that they lack, by the node agent, and registers them as an operator would: with the
//! account that has the offered roles and nothing else.

use anyhow::Context as _;
use serde::Deserialize;
use simulator::agent::{Agent, Door, Options};
use simulator::behave::role::roles;
use std::path::{Path, PathBuf};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Its id in the fleet.
pub(super) const ID: &str = "witness";
/// What people call it.
pub(super) const NAME: &str = "上游见证";
/// A subnet of the network that the node agent brings; as `super::SUBNETS`.
pub(super) const SUBNET: (&str, &str, &str, u16, &str, &str) =
    ("见证业务", "10.20.242.0/24", "10.20.242.1", 120, "harvester-public/vlan-120", ID);

/// What `witness.json` says; the writer is xtask's `witness::state`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct About {
    handler_port: u16,
    nodes: usize,
    admin: PathBuf,
    product: PathBuf,
    agent: PathBuf,
    handler_tls: PathBuf,
}

/// One that is attended.
pub(super) struct Witness {
    admin: PathBuf,
    product: String,
    agent: JoinHandle<()>,
}

impl Witness {
    /// Plays the nodes of the witness that `file` tells of, until `stop`; comes back when they are there.
    pub(super) async fn attend(file: &Path, stop: &CancellationToken) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
        let about: About = serde_json::from_str(&text).with_context(|| format!("reading {}", file.display()))?;
        let product =
            std::fs::read_to_string(&about.product).with_context(|| format!("reading {}", about.product.display()))?;
        let options = Options {
            kubeconfig: about.agent,
            identities: Vec::new(),
            roles: roles("node").map_err(anyhow::Error::msg)?,
            nodes: about.nodes,
            door: Some(Door { port: about.handler_port, tls: about.handler_tls }),
            brings_platform: true,
            clock: simulator::clock::Clock::auto(1.0),
        };
        let agent = Agent::start(options, stop).await.context("playing the nodes of the witness")?;
        let ready = agent.ready();
        #[expect(clippy::disallowed_methods, reason = "the demo waits for it at its end: `left`")]
        let agent = tokio::spawn(agent.run(stop.clone()));
        ready.cancelled().await;
        Ok(Self { admin: about.admin, product, agent })
    }

    /// The kubeconfig of who may do anything, for kubectl.
    pub(super) fn admin(&self) -> &Path {
        &self.admin
    }

    /// The kubeconfig of the product's account.
    pub(super) fn product(&self) -> &str {
        &self.product
    }

    /// Waits until the agent has ended.
    pub(super) async fn left(self) {
        if let Err(error) = self.agent.await {
            tracing::error!(%error, "the node agent did not end in order");
        }
    }
}
