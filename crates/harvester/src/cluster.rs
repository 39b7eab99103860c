//! One cluster to talk to: a client that goes only where it may, an id, and our name as a writer.
//!
//! Every request of this crate goes through here (`call.rs`), so each has a time limit, a size limit and obeys
//! `Retry-After`; and a slow cluster holds up nobody else, since it has its own connections and its own room for
//! requests. It must never know what the requests are for.

use crate::call::Calls;
use crate::error::ClusterError;
use crate::kubeconfig::{Access, Credential};
use crate::network::{Guarded, NetworkPolicy};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper_util::client::legacy::Client as Pool;
use hyper_util::rt::TokioExecutor;
use kube::client::ConfigExt as _;
use model::id::ClusterId;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tower::ServiceBuilder;

/// The name that the API server notes beside each field that we write (`metadata.managedFields`).
pub const FIELD_MANAGER: &str = "harvester-admin";

/// A cheap handle of one registered cluster.
#[derive(Clone)]
pub struct Cluster(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) id: ClusterId,
    pub(crate) client: kube::Client,
    pub(crate) calls: Calls,
}

impl Cluster {
    /// A client for a kubeconfig; nothing is sent yet. Must be called within a tokio runtime.
    ///
    /// Fails when the policy does not let it go there, or the certificate data cannot be used.
    pub fn connect(id: ClusterId, access: &Access, policy: &NetworkPolicy) -> Result<Self, ClusterError> {
        if let Some(say) = policy.refusal_of(&access.server) {
            return Err(ClusterError::NotAllowed { say });
        }
        let config = config(access)?;
        let unusable = |error: kube::Error| ClusterError::Certificate { source: error.into() };
        let https = config.rustls_https_connector_with_connector(Guarded::new(policy.clone())).map_err(unusable)?;
        let service = ServiceBuilder::new()
            .layer(config.base_uri_layer())
            .option_layer(config.auth_layer().map_err(unusable)?)
            .map_err(tower::BoxError::from)
            .service(Pool::builder(TokioExecutor::new()).pool_idle_timeout(Duration::from_secs(60)).build(https));
        Ok(Self::over(id, kube::Client::new(service, "default")))
    }

    /// A cluster behind any client: in tests the simulator's router is the transport.
    pub fn over(id: ClusterId, client: kube::Client) -> Self {
        Self(Arc::new(Inner { id, client, calls: Calls::default() }))
    }

    /// The id that it is registered under.
    pub fn id(&self) -> &ClusterId {
        &self.0.id
    }

    /// What makes the cluster this one and no other, however it is reached: the uid of namespace `kube-system`.
    pub async fn identity(&self) -> Result<String, ClusterError> {
        #[derive(Deserialize)]
        struct Namespace {
            metadata: Metadata,
        }
        #[derive(Deserialize)]
        struct Metadata {
            uid: String,
        }
        let namespace: Namespace = self.read("/api/v1/namespaces/kube-system").await?;
        Ok(crate::view::clean::text(&namespace.metadata.uid, 64))
    }

    /// Whether it is a Harvester at all: whether its API has Harvester's and KubeVirt's groups.
    pub async fn is_harvester(&self) -> Result<bool, ClusterError> {
        #[derive(Deserialize)]
        struct Groups {
            groups: Vec<Group>,
        }
        #[derive(Deserialize)]
        struct Group {
            name: String,
        }
        let found: Groups = self.read("/apis").await?;
        let has = |name: &str| found.groups.iter().any(|group| group.name == name);
        Ok(has("harvesterhci.io") && has("kubevirt.io"))
    }

    /// The API server's `gitVersion`, for example `v1.33.1+rke2r1`.
    pub async fn kubernetes_version(&self) -> Result<String, ClusterError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Version {
            git_version: String,
        }
        let version: Version = self.read("/version").await?;
        Ok(crate::view::clean::text(&version.git_version, 64))
    }
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cluster({})", self.0.id)
    }
}

/// Built by hand out of inline data: kube's own reader of kubeconfigs would run `exec` and open files.
fn config(access: &Access) -> Result<kube::Config, ClusterError> {
    let mut config = kube::Config::new(access.server.clone());
    config.root_cert.clone_from(&access.roots);
    config.tls_server_name.clone_from(&access.tls_server_name);
    config.default_retry = false;
    let auth = match &access.credential {
        Credential::Token(token) => json!({ "token": token }),
        Credential::Certificate { chain, key } => {
            json!({ "client-certificate-data": pem(chain), "client-key-data": pem(key) })
        }
    };
    config.auth_info = serde_json::from_value(auth).map_err(|_| ClusterError::garbled("credential"))?;
    Ok(config)
}

/// kube concatenates the two texts, so each has to end its last line.
fn pem(base64: &str) -> String {
    let mut pem = STANDARD.decode(base64).unwrap_or_default();
    pem.push(b'\n');
    STANDARD.encode(pem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(server: &str, user: &str) -> Access {
        let ca = include_str!("kubeconfig/testdata/ca.b64");
        Access::parse(&format!(
            "clusters: [{{name: c, cluster: {{server: '{server}', certificate-authority-data: {ca}}}}}]\n\
             users: [{{name: u, user: {{{user}}}}}]\ncontexts: [{{name: x, context: {{cluster: c, user: u}}}}]\n"
        ))
        .unwrap()
    }

    fn id() -> ClusterId {
        ClusterId::parse("bj-1").unwrap()
    }

    #[tokio::test]
    async fn a_cluster_on_the_loopback_is_refused_unless_the_configuration_allows_it() {
        let policy = NetworkPolicy::default();
        for server in ["https://127.0.0.1:6443", "http://10.0.0.1"] {
            let error = Cluster::connect(id(), &access(server, "token: t"), &policy).unwrap_err();
            assert!(matches!(error, ClusterError::NotAllowed { .. }), "{server}: {error:?}");
        }
        let cluster = Cluster::connect(id(), &access("https://localhost:6443", "token: t"), &policy).unwrap();
        let error = cluster.identity().await.unwrap_err();
        assert!(matches!(error, ClusterError::NotAllowed { .. }), "{error:?}");
    }

    #[tokio::test]
    async fn a_client_certificate_makes_a_client() {
        let (chain, key) =
            (include_str!("kubeconfig/testdata/client.b64"), include_str!("kubeconfig/testdata/client-key.b64"));
        let user = format!("client-certificate-data: {chain}, client-key-data: {key}");
        Cluster::connect(id(), &access("https://10.0.0.1", &user), &NetworkPolicy::default()).unwrap();
    }

    /// `reliability.md` row 12
    #[tokio::test]
    async fn another_certificate_is_never_trusted() {
        let world = crate::testing::World::new();
        let (served, other) = (world.simulator.serve("127.0.0.1:0").await.unwrap(), crate::testing::World::new());
        let other = other.simulator.serve("127.0.0.1:0").await.unwrap();
        let policy = NetworkPolicy::new(vec![model::ipam::Cidr::parse("127.0.0.1/32").unwrap()]);
        let mut access = Access::parse(&served.admin_kubeconfig()).unwrap();
        let cluster = Cluster::connect(id(), &access, &policy).unwrap();
        assert!(!cluster.identity().await.unwrap().is_empty());
        // The same address, but its certificate is of another authority.
        access.roots = Access::parse(&other.admin_kubeconfig()).unwrap().roots;
        let error = Cluster::connect(id(), &access, &policy).unwrap().identity().await.unwrap_err();
        assert!(matches!(error, ClusterError::Certificate { .. }), "{error:?}");
    }
}
