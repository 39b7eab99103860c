//! The two servers that the cases are held against, and what has to be there before a case begins. Only this file knows
//! which of them it is; a case does not.

use super::cases::Identity;
use super::client::{Ask, Client};
use super::pattern::Saved;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rand::RngExt as _;
use serde_json::{Value, json};
use simulator::Simulator;
use simulator::agent::{Agent, Door, Options};
use simulator::behave::role::roles;
use simulator::clock::Clock;
use simulator::serve::Served;
use simulator::world::World;
use simulator::world::access::Rule;
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How much faster the simulator's time passes.
const SPEED: f64 = 10.0;
const HOSTS: usize = 3;
/// Namespaces that are left end within this time, their VMs with them.
const END: Duration = Duration::from_secs(240);
/// What the servers' own programs make in a namespace is there within this time.
const BEGIN: Duration = Duration::from_secs(30);

/// A server with all that cases want of it.
pub(crate) struct Server {
    pub(crate) name: &'static str,
    client: Client,
    run: String,
    known: Saved,
    tokens: BTreeMap<String, String>,
    place: Place,
    /// Namespaces that are to end, and other paths that are to be deleted.
    left: Mutex<Vec<String>>,
    rubbish: Vec<String>,
}

enum Place {
    Simulator { _simulator: Simulator, served: Served, world: World },
    Witness { etcd: String, stop: CancellationToken, agent: JoinHandle<()> },
}

impl Server {
    /// A simulator of its own, served over TLS, that has forgotten how it was made, as a server has that was started anew.
    pub(crate) async fn simulator(identities: &[Identity]) -> Self {
        let simulator = Simulator::builder().harvester("1.8").nodes(HOSTS).clock(Clock::auto(SPEED)).build();
        let served = simulator.serve("127.0.0.1:0").await.expect("a port");
        simulator.start();
        let world = simulator.world().clone();
        world.compact(world.version());
        let (client, token) = Client::of_kubeconfig(&served.admin_kubeconfig());
        let mut server =
            Self::new("simulator", client, token, Place::Simulator { _simulator: simulator, served, world });
        server.begin(identities).await;
        server
    }

    /// The witness that the file describes, with a node agent beside it.
    pub(crate) async fn witness(path: &str, identities: &[Identity]) -> Self {
        let text = std::fs::read_to_string(path).expect("a witness.json");
        let about: Value = serde_json::from_str(&text).expect("JSON");
        let file = |field: &str| PathBuf::from(about[field].as_str().unwrap_or_default());
        let number = |field: &str| about[field].as_u64().unwrap_or_else(|| panic!("no {field} in {path}"));
        let port = u16::try_from(number("handlerPort")).expect("a port");
        let options = Options {
            kubeconfig: file("agent"),
            identities: Vec::new(),
            roles: roles("node").expect("a list"),
            nodes: usize::try_from(number("nodes")).expect("a number"),
            door: Some(Door { port, tls: file("handlerTls") }),
            brings_platform: true,
            clock: Clock::auto(1.0),
        };
        let stop = CancellationToken::new();
        let agent = Agent::start(options, &stop).await.expect("an agent");
        let ready = agent.ready();
        #[expect(clippy::disallowed_methods, reason = "ends with the token, and is awaited")]
        let agent = tokio::spawn(agent.run(stop.clone()));
        ready.cancelled().await;
        let admin = std::fs::read_to_string(file("admin")).expect("a kubeconfig");
        let (client, token) = Client::of_kubeconfig(&admin);
        let etcd = about["etcd"].as_str().expect("etcd's address").to_owned();
        let mut server = Self::new("witness", client, token, Place::Witness { etcd, stop, agent });
        server.begin(identities).await;
        server
    }

    fn new(name: &'static str, client: Client, token: String, place: Place) -> Self {
        let run = format!("c{:06x}", rand::rng().random::<u32>() & 0xff_ffff);
        let tokens = BTreeMap::from([("admin".to_owned(), token)]);
        let known = Saved::from([("run".to_owned(), run.clone().into())]);
        Self { name, client, run, known, tokens, place, left: Mutex::default(), rubbish: Vec::new() }
    }

    /// What every case knows from the start.
    pub(crate) fn known(&self) -> &Saved {
        &self.known
    }

    /// A short word that no other run has.
    pub(crate) fn run(&self) -> &str {
        &self.run
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// The token of `admin` or of an identity.
    pub(crate) fn token(&self, who: &str) -> Option<&str> {
        self.tokens.get(who).map(String::as_str)
    }

    /// Makes the shared namespace, and the identities as service accounts in it.
    async fn begin(&mut self, identities: &[Identity]) {
        let shared = format!("{}-shared", self.run);
        self.make_namespace(&shared).await.expect("the shared namespace");
        self.left.lock().unwrap_or_else(PoisonError::into_inner).push(shared.clone());
        self.known.insert("shared".into(), shared.clone().into());
        for identity in identities {
            let user = format!("system:serviceaccount:{shared}:{}", identity.name);
            let token = match &self.place {
                Place::Simulator { world, .. } => grant(world, identity, &user, &shared),
                Place::Witness { .. } => self.bind(identity, &shared).await,
            };
            self.known.insert(format!("user:{}", identity.name), user.into());
            self.known.insert(format!("token:{}", identity.name), token.clone().into());
            self.tokens.insert(identity.name.clone(), token);
        }
    }

    /// An account, its role and the binding of both; the account's token.
    async fn bind(&mut self, identity: &Identity, shared: &str) -> String {
        const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
        let name = format!("{}-{}", self.run, identity.name);
        let (place, kind) = match &identity.place {
            Some(_) => (format!("{RBAC}/namespaces/{shared}/"), "Role"),
            None => (format!("{RBAC}/cluster"), "ClusterRole"),
        };
        let accounts = format!("/api/v1/namespaces/{shared}/serviceaccounts");
        let meta = json!({ "name": name });
        self.must(&accounts, &json!({ "metadata": { "name": identity.name } })).await;
        self.must(&format!("{place}roles"), &json!({ "metadata": meta, "rules": identity.rules })).await;
        let binding = json!({
            "metadata": meta, "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name },
            "subjects": [{ "kind": "ServiceAccount", "name": identity.name, "namespace": shared }],
        });
        self.must(&format!("{place}rolebindings"), &binding).await;
        if identity.place.is_none() {
            self.rubbish.extend(["roles", "rolebindings"].map(|plural| format!("{place}{plural}/{name}")));
        }
        let request = json!({ "spec": { "expirationSeconds": 7200 } });
        let made = self.must(&format!("{accounts}/{}/token", identity.name), &request).await;
        made["status"]["token"].as_str().expect("a token").to_owned()
    }

    async fn must(&self, path: &str, body: &Value) -> Value {
        self.admin("POST", path, Some(body)).await.unwrap_or_else(|fault| panic!("POST {path}: {fault}"))
    }

    /// A request as the administrator; a refusal is a fault.
    async fn admin(&self, method: &'static str, path: &str, body: Option<&Value>) -> Result<Value, String> {
        let ask = Ask {
            method,
            path: path.to_owned(),
            token: self.token("admin").map(str::to_owned),
            media: "application/json".to_owned(),
            body: body.map(|body| body.to_string().into()),
            ..Ask::default()
        };
        let answer = self.client.send(&ask).await?;
        let text = String::from_utf8_lossy(&answer.body);
        if answer.status >= 300 {
            return Err(format!("{} {text}", answer.status));
        }
        serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))
    }

    /// Makes a namespace, and waits until pods can be made in it.
    pub(crate) async fn make_namespace(&self, name: &str) -> Result<(), String> {
        self.admin("POST", "/api/v1/namespaces", Some(&json!({ "metadata": { "name": name } }))).await?;
        if matches!(self.place, Place::Simulator { .. }) {
            return Ok(());
        }
        let account = format!("/api/v1/namespaces/{name}/serviceaccounts/default");
        let end = Instant::now() + BEGIN;
        while let Err(fault) = self.admin("GET", &account, None).await {
            if Instant::now() > end {
                return Err(fault);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    }

    /// Deletes a namespace; that it ends is seen at the end of the run.
    pub(crate) async fn leave_namespace(&self, name: &str) {
        // A case may have deleted it itself.
        drop(self.admin("DELETE", &format!("/api/v1/namespaces/{name}"), None).await);
        self.left.lock().unwrap_or_else(PoisonError::into_inner).push(name.to_owned());
    }

    /// Has the server forget what was before a version.
    pub(crate) async fn compact(&self, version: &str) -> Result<(), String> {
        let number: u64 = version.parse().map_err(|_| format!("{version} is no version"))?;
        match &self.place {
            Place::Simulator { world, .. } => world.compact(number),
            Place::Witness { etcd, .. } => {
                let (etcd, version) = (etcd.clone(), version.to_owned());
                let done = tokio::task::spawn_blocking(move || compact_etcd(&etcd, number, &version)).await;
                done.map_err(|error| error.to_string())??;
            }
        }
        Ok(())
    }

    /// Takes everything back; what does not go is a fault.
    pub(crate) async fn end(self) -> Result<(), String> {
        let mut left = std::mem::take(&mut *self.left.lock().unwrap_or_else(PoisonError::into_inner));
        for name in &left {
            // Some are gone already.
            drop(self.admin("DELETE", &format!("/api/v1/namespaces/{name}"), None).await);
        }
        for path in &self.rubbish {
            self.admin("DELETE", path, None).await.map_err(|fault| format!("DELETE {path}: {fault}"))?;
        }
        let end = Instant::now() + END;
        while !left.is_empty() && Instant::now() < end {
            let there = self.admin("GET", "/api/v1/namespaces", None).await?;
            let items = there["items"].as_array().map(Vec::as_slice).unwrap_or_default();
            left.retain(|name| items.iter().any(|item| item["metadata"]["name"] == **name));
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        match self.place {
            Place::Simulator { served, .. } => served.stop(),
            Place::Witness { stop, agent, .. } => {
                stop.cancel();
                agent.await.map_err(|error| error.to_string())?;
            }
        }
        if left.is_empty() { Ok(()) } else { Err(format!("namespaces that did not end: {}", left.join(", "))) }
    }
}

fn grant(world: &World, identity: &Identity, user: &str, shared: &str) -> String {
    let rules = identity.rules.iter().map(|rule| {
        let mut rule: Rule = serde_json::from_value(rule.clone()).expect("a rule");
        rule.namespaces = identity.place.iter().map(|_| shared.to_owned()).collect();
        rule
    });
    let token = format!("conformance-{}", identity.name);
    let groups = ["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{shared}")];
    world.access().grant(&token, user, &groups.each_ref().map(String::as_str), rules.collect());
    token
}

/// etcd's own compaction, noted where the API server notes its own, so that its caches forget as well. Source:
/// `k8s.io/apiserver/pkg/storage/etcd3/compact.go`, `cacher/compactor.go`.
fn compact_etcd(etcd: &str, number: u64, version: &str) -> Result<(), String> {
    let note = json!({ "key": STANDARD.encode("compact_rev_key"), "value": STANDARD.encode(version) });
    post(etcd, "/v3/kv/put", &note)?;
    post(etcd, "/v3/kv/compaction", &json!({ "revision": number.to_string(), "physical": true }))
}

/// A request to etcd, which speaks plain HTTP on the loopback.
fn post(etcd: &str, path: &str, body: &Value) -> Result<(), String> {
    let authority = etcd.strip_prefix("http://").unwrap_or(etcd);
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let asked = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(authority)?;
        stream.write_all(format!("{head}{body}").as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    let answer = asked().map_err(|error| format!("etcd: {error}"))?;
    // What another run has compacted further needs no compaction.
    if answer.starts_with("HTTP/1.1 200") || answer.contains("has been compacted") { Ok(()) } else { Err(answer) }
}
