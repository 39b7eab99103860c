//! The composition root: from a configuration to a running program, one function, read top to bottom.

use crate::config::Config;
use crate::folder::DataFolder;
use crate::http::assets::Site;
use crate::http::router;
use crate::metrics;
use anyhow::Context as _;
use harvester::{Cluster, NetworkPolicy};
use ops::access::SessionRules;
use ops::tasks::Tasks;
use ops::{Clock, Ops, Settings};
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;
use store::{Db, OpenOptions, SchemaState, Sealer};
use tokio::net::TcpListener;

/// How long background work may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// What every request may need.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Inner>);

/// Inside of [`Shared`].
pub(crate) struct Inner {
    pub(crate) ops: Arc<Ops>,
    pub(crate) config: Config,
    pub(crate) build: Arc<str>,
    pub(crate) tasks: Tasks,
}

impl Deref for Shared {
    type Target = Inner;
    fn deref(&self) -> &Inner {
        &self.0
    }
}

/// The program's parts, before anything listens.
pub struct Program {
    pub(crate) shared: Shared,
    site: Site,
    /// Ours as long as the program lives.
    _folder: DataFolder,
}

/// Opens the database and refuses one that a newer program made.
pub(crate) async fn database(config: &Config) -> anyhow::Result<Db> {
    std::fs::create_dir_all(&config.data).with_context(|| format!("making {}", config.data.display()))?;
    let db = Db::open(&config.database_url(), OpenOptions::default()).await.context("opening the database")?;
    Ok(db)
}

/// The master key, made at first start.
pub(crate) fn sealer(config: &Config) -> anyhow::Result<Sealer> {
    let file = config.master_key_file();
    Sealer::from_file_or_create(&file).with_context(|| format!("reading the master key {}", file.display()))
}

/// Puts the program together; background work begins here.
pub async fn wire(config: Config) -> anyhow::Result<Program> {
    let site = Site::find(config.site.as_deref())?;
    let folder = DataFolder::take(&config.data)?;
    let db = database(&config).await?;
    match db.schema().await? {
        SchemaState::Current => {}
        SchemaState::Behind { .. } => db.migrate().await.context("bringing the database up to date")?,
        SchemaState::Ahead { at, knows } => {
            anyhow::bail!("the database has schema {at}, this program knows {knows}: run the newer program")
        }
    }
    let sealer = sealer(&config)?;
    let policy = NetworkPolicy::new(config.network.allow.clone());
    let connect = Arc::new(move |id, access: &harvester::Access| Cluster::connect(id, access, &policy));
    let tasks = Tasks::default();
    let sessions = SessionRules {
        idle_ms: i64::from(config.session.idle_minutes) * 60_000,
        most_ms: i64::from(config.session.most_hours) * 3_600_000,
    };
    let worker = folder.worker().to_owned();
    let settings = Settings { db, sealer, clock: Clock::machine(), tasks: tasks.clone(), worker, sessions, connect };
    let ops = Ops::start(settings).await?;
    let build = Arc::from(site.assets.build.as_str());
    Ok(Program { shared: Shared(Arc::new(Inner { ops, config, build, tasks })), site, _folder: folder })
}

impl Program {
    /// The services, for tests that look behind the pages.
    pub fn ops(&self) -> &Arc<Ops> {
        &self.shared.ops
    }

    /// Everything that the program answers.
    pub(crate) fn router(&self) -> axum::Router {
        router(&self.shared, &self.site)
    }

    /// Serves until `stop` resolves, then ends background work and waits for it.
    pub async fn serve(
        self,
        listener: TcpListener,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> anyhow::Result<()> {
        tracing::info!(address = %listener.local_addr()?, build = %self.shared.build, "listening");
        if let Some(address) = self.shared.config.metrics {
            let listener =
                TcpListener::bind(address).await.with_context(|| format!("listening for metrics on {address}"))?;
            tracing::info!(%address, "metrics");
            let scraped = axum::serve(listener, metrics::routes(&self.shared.ops));
            self.shared.tasks.spawn("metrics", async move {
                if let Err(error) = scraped.await {
                    tracing::error!(%error, "serving metrics");
                }
            });
        }
        let service = self.router().into_make_service_with_connect_info::<SocketAddr>();
        let tasks = self.shared.tasks.clone();
        let stopping = async move {
            stop.await;
            // Sockets end with the tasks; without that a browser would keep the program alive.
            tasks.cancel();
        };
        axum::serve(listener, service).with_graceful_shutdown(stopping).await.context("serving")?;
        self.shared.tasks.shut_down(PATIENCE).await;
        Ok(())
    }
}

/// Ctrl-C or SIGTERM.
pub(crate) async fn told_to_stop() {
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(error) => {
                tracing::error!(%error, "SIGTERM cannot be waited for");
                std::future::pending::<()>().await;
            }
        }
    };
    tokio::select! {
        done = tokio::signal::ctrl_c() => if let Err(error) = done { tracing::error!(%error, "Ctrl-C cannot be waited for") },
        () = terminate => {}
    }
}
