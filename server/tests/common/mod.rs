//! A server and simulated clusters on loopback, and a browser's worth of HTTP.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test program uses its part, and what fails here fails the test"
)]

pub(crate) mod orders;
pub(crate) mod program;

use http::{HeaderMap, Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use model::access::Role;
use model::fleet::Register;
use model::id::ClusterId;
use model::ipam::{Cidr, Serves, SubnetDraft};
use ops::{Clock, Context, Ops};
use server::config::{Config, Network, Session};
use server::wire::wire;
use simulator::Simulator;
use simulator::serve::Served;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// Password of every account of a lab.
pub(crate) const PASSWORD: &str = "correct horse battery";
/// Cluster of a lab.
pub(crate) const CLUSTER: &str = "lab-1";
/// Network that the lab's subnet serves.
pub(crate) const NETWORK: &str = "harvester-public/vlan-120";

/// A running simulated cluster.
pub(crate) struct Lab {
    /// The cluster.
    pub(crate) simulator: Simulator,
    /// Its API server.
    pub(crate) served: Served,
}

impl Lab {
    /// A Harvester 1.8 with three hosts and `vms` VMs that works `speed` times as fast as real time.
    pub(crate) async fn start(vms: usize, speed: f64) -> Self {
        Self::of("1.8", vms, speed, 7).await
    }

    /// The same of another release, with networks and addresses of its own by `seed`.
    pub(crate) async fn of(release: &str, vms: usize, speed: f64, seed: u64) -> Self {
        let clock = simulator::clock::Clock::auto(speed);
        let simulator = Simulator::builder().harvester(release).nodes(3).vms(vms).seed(seed).clock(clock).build();
        simulator.start();
        let served = simulator.serve("127.0.0.1:0").await.unwrap();
        Self { simulator, served }
    }
}

/// A configuration with a data folder of its own.
pub(crate) fn config(folder: &TempDir) -> Config {
    let site = folder.path().join("site");
    std::fs::create_dir_all(site.join("pkg")).unwrap();
    let manifest = r#"{"build":"test","base":"/pkg/test","script":"/pkg/test/a.js","wasm":"/pkg/test/a.wasm","style":"/pkg/test/a.css"}"#;
    std::fs::write(site.join("manifest.json"), manifest).unwrap();
    Config {
        data: folder.path().join("data"),
        site: Some(site),
        session: Session { secure_cookie: false, ..Session::default() },
        network: Network { allow: vec![Cidr::parse("127.0.0.0/8").unwrap()] },
        ..Config::default()
    }
}

/// A server in this process.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) ops: Arc<Ops>,
    folder: TempDir,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
}

impl Running {
    /// The file of its database.
    pub(crate) fn database(&self) -> std::path::PathBuf {
        self.folder.path().join("data/harvester-admin.db")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.stop.take().map(|stop| stop.send(()));
    }
}

/// Starts a server with accounts admin, operator and viewer.
pub(crate) async fn serve() -> Running {
    let folder = tempfile::tempdir().unwrap();
    let program = wire(config(&folder)).await.unwrap();
    let ops = program.ops().clone();
    for (login, role) in [("admin", Role::Admin), ("operator", Role::Operator), ("viewer", Role::Viewer)] {
        let ctx = Context::system("test", Clock::machine().now());
        ops.access.add_account(&ctx, login, login, Some("E10432"), role, PASSWORD).await.unwrap();
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    #[expect(clippy::disallowed_methods, reason = "the server of a test ends with the test's runtime")]
    tokio::spawn(program.serve(listener, async move {
        let _ = stopped.await;
    }));
    Running { address, ops, folder, stop: Some(stop) }
}

/// Registers the lab's cluster and a subnet that serves one of its networks; waits until its VMs are there.
pub(crate) async fn settle(ops: &Arc<Ops>, lab: &Lab) {
    settle_as(ops, lab.served.admin_kubeconfig()).await;
}

/// The same with another credential than the administrator's.
pub(crate) async fn settle_as(ops: &Arc<Ops>, kubeconfig: String) {
    let ctx = Context::system("test", Clock::machine().now());
    let command = Register { id: CLUSTER.into(), name: "实验室".into(), kubeconfig, is_observe_only: false };
    ops.fleet.register(&ctx, command).await.unwrap();
    let draft = SubnetDraft {
        name: "实验".into(),
        cidr: "10.20.240.0/24".into(),
        gateway: "10.20.240.1".into(),
        vlan: 120,
        dns: vec!["10.20.0.53".into()],
        search: vec!["corp.example".into()],
        ranges: vec![],
        serves: vec![Serves { cluster: ClusterId::parse(CLUSTER).unwrap(), network: NETWORK.into() }],
    };
    ops.ipam.create(&ctx, draft).await.unwrap();
    let id = ClusterId::parse(CLUSTER).unwrap();
    until("the cluster is reachable", || {
        let view = ops.fleet.member(&id).unwrap().view();
        let networks = ops.fleet.member(&id).unwrap().running().unwrap().cache.networks();
        view.health == model::fleet::Health::Reachable && !networks.is_empty()
    })
    .await;
}

/// Waits for a level, with a deadline.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..600 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("within a minute: {what}");
}

/// A browser: an address and a cookie.
#[derive(Clone)]
pub(crate) struct Browser {
    pub(crate) address: SocketAddr,
    pub(crate) cookie: Option<String>,
    /// What pages of this session know; empty for nobody.
    pub(crate) csrf: String,
}

impl Browser {
    /// Nobody's.
    pub(crate) fn nobody(address: SocketAddr) -> Self {
        Self { address, cookie: None, csrf: String::new() }
    }

    /// Signed in as one of the lab's accounts.
    pub(crate) async fn signed_in(address: SocketAddr, login: &str) -> Self {
        let nobody = Self::nobody(address);
        let answer = nobody.form("/sign-in", &format!("login={login}&password={}", PASSWORD.replace(' ', "+"))).await;
        let cookie =
            answer.headers.get("set-cookie").unwrap_or_else(|| panic!("{login} was not signed in: {answer:?}"));
        let cookie = cookie.to_str().unwrap().split(';').next().unwrap().to_owned();
        let mut browser = Self { address, cookie: Some(cookie), csrf: String::new() };
        let page = browser.get("/account").await.text;
        let field = page.split("name=\"csrf\"").nth(1).and_then(|after| after.split("value=\"").nth(1));
        browser.csrf = field.and_then(|after| after.split('"').next()).expect("a page has the secret").to_owned();
        browser
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], String::new()).await
    }

    pub(crate) async fn form(&self, path: &str, body: &str) -> Answer {
        let origin = format!("http://{}", self.address);
        let headers = [("origin", origin.as_str()), ("content-type", "application/x-www-form-urlencoded")];
        self.send(Method::POST, path, &headers, body.to_owned()).await
    }

    pub(crate) async fn json(&self, path: &str, body: &serde_json::Value) -> Answer {
        let origin = format!("http://{}", self.address);
        let headers =
            [("origin", origin.as_str()), ("content-type", "application/json"), (app::CSRF_HEADER, self.csrf.as_str())];
        self.send(Method::POST, path, &headers, body.to_string()).await
    }

    /// Shows a console ticket; the beginning of what the screen says, or the code that the line was closed with. Without a
    /// line it is the HTTP status.
    pub(crate) async fn console(&self, ticket: &str) -> Result<String, u16> {
        use futures::{SinkExt, StreamExt};
        use tokio_tungstenite::tungstenite::{Error, Message, client::IntoClientRequest};
        let mut request = format!("ws://{}{}", self.address, app::paths::CONSOLE_SOCKET).into_client_request().unwrap();
        request.headers_mut().insert("origin", format!("http://{}", self.address).parse().unwrap());
        if let Some(cookie) = &self.cookie {
            request.headers_mut().insert("cookie", cookie.parse().unwrap());
        }
        let stream = tokio::net::TcpStream::connect(self.address).await.unwrap();
        let mut socket = match tokio_tungstenite::client_async(request, stream).await {
            Ok((socket, _)) => socket,
            Err(Error::Http(answer)) => return Err(answer.status().as_u16()),
            Err(error) => panic!("no line: {error}"),
        };
        socket.send(Message::text(ticket)).await.unwrap();
        while let Some(message) = socket.next().await {
            match message.unwrap() {
                Message::Binary(bytes) => return Ok(String::from_utf8_lossy(&bytes[..3]).into_owned()),
                Message::Close(frame) => return Err(frame.map_or(1005, |frame| frame.code.into())),
                _ => {}
            }
        }
        Err(1006)
    }

    pub(crate) async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)], body: String) -> Answer {
        let stream = tokio::net::TcpStream::connect(self.address).await.unwrap();
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        #[expect(clippy::disallowed_methods, reason = "a connection of a test ends with its request")]
        tokio::spawn(connection);
        let mut request = Request::builder().method(method).uri(path).header("host", self.address.to_string());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        let response: Response<_> =
            sender.send_request(request.body(Full::new(Bytes::from(body))).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            text: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |v| v.to_str().unwrap())
    }
}
