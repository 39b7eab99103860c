//! The command line.

use crate::config::Config;
use crate::wire::{self, told_to_stop};
use crate::{config, demo};
use anyhow::Context as _;
use clap::{Parser, Subcommand};
use model::UnixMs;
use model::access::Role;
use ops::Clock;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use store::{Db, SchemaState};
use tracing_subscriber::EnvFilter;

/// Runs and controls Harvester clusters from the browser.
#[derive(Debug, Parser)]
#[command(version, name = "harvester-admin")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the platform.
    Serve(WithConfig),
    /// Accounts.
    User {
        #[command(subcommand)]
        command: User,
    },
    /// Bring the database's schema up to date.
    Migrate(WithConfig),
    /// Look at configuration, database and clusters, and say what is wrong.
    Check(WithConfig),
    /// The audit trail.
    Audit {
        #[command(subcommand)]
        command: Audit,
    },
    /// The product with simulated clusters, to look at.
    Demo(demo::Options),
}

#[derive(Debug, clap::Args)]
struct WithConfig {
    /// The configuration file.
    #[arg(long, default_value = "harvester-admin.toml")]
    config: PathBuf,
}

#[derive(Debug, Subcommand)]
enum User {
    /// Make an account. The password is read from the first line of standard input.
    Add {
        #[command(flatten)]
        with: WithConfig,
        /// Sign-in name.
        login: String,
        /// Name of the person; the sign-in name when absent.
        #[arg(long)]
        name: Option<String>,
        /// Employee number.
        #[arg(long)]
        number: Option<String>,
        /// admin, operator or viewer.
        #[arg(long, default_value = "viewer")]
        role: String,
    },
}

#[derive(Debug, Subcommand)]
enum Audit {
    /// Verify the hash chain; names the first broken line, and exits with 2.
    Verify(WithConfig),
}

/// Exit code of a verification that found something.
const BROKEN: u8 = 2;

/// Runs the command; the exit code is the program's.
pub async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        Command::Serve(with) => serve(&with.config).await,
        Command::User { command: User::Add { with, login, name, number, role } } => {
            add_user(&with.config, &login, name.as_deref(), number.as_deref(), &role).await
        }
        Command::Migrate(with) => migrate(&with.config).await,
        Command::Check(with) => check(&with.config).await,
        Command::Audit { command: Audit::Verify(with) } => verify(&with.config).await,
        Command::Demo(options) => demo::run(options).await,
    }
}

/// Logs to standard error.
pub(crate) fn log(log: &config::Log) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&log.filter).with_context(|| format!("the log filter {:?}", log.filter))?;
    let builder = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal());
    if log.json {
        builder.json().init()
    } else {
        builder.init()
    }
    Ok(())
}

async fn serve(path: &Path) -> anyhow::Result<ExitCode> {
    let config = Config::read(path)?;
    log(&config.log)?;
    let listener = tokio::net::TcpListener::bind(config.listen)
        .await
        .with_context(|| format!("listening on {}", config.listen))?;
    let program = wire::wire(config).await?;
    if program.shared.ops.access.count().await? == 0 {
        tracing::warn!("nobody can sign in yet: harvester-admin user add --role admin LOGIN");
    }
    program.serve(listener, told_to_stop()).await?;
    Ok(ExitCode::SUCCESS)
}

async fn add_user(
    path: &Path,
    login: &str,
    name: Option<&str>,
    number: Option<&str>,
    role: &str,
) -> anyhow::Result<ExitCode> {
    let config = Config::read(path)?;
    let role = Role::parse(role).with_context(|| format!("no role {role:?}: admin, operator or viewer"))?;
    if std::io::stdin().is_terminal() {
        eprintln!("Password, then Enter (it is shown as you type; pipe it in to avoid that):");
    }
    let mut text = String::new();
    std::io::stdin().take(4_096).read_to_string(&mut text).context("reading the password")?;
    let password = text.lines().next().unwrap_or_default();
    let db = wire::database(&config).await?;
    db.migrate().await?;
    let sessions = ops::access::SessionRules { idle_ms: 0, most_ms: 0 };
    let access = ops::access::Access::of(db, sessions);
    let ctx = ops::Context::system("command line", Clock::machine().now());
    let id = access.add_account(&ctx, login, name.unwrap_or(login), number, role, password).await.map_err(told)?;
    println!("made {login} ({}) with id {id}", role.word());
    Ok(ExitCode::SUCCESS)
}

fn told(error: ops::Error) -> anyhow::Error {
    let say = error.say();
    anyhow::Error::new(error).context(say.en)
}

async fn migrate(path: &Path) -> anyhow::Result<ExitCode> {
    let db = wire::database(&Config::read(path)?).await?;
    db.migrate().await?;
    println!("the database is up to date");
    Ok(ExitCode::SUCCESS)
}

/// Every part is looked at, also after one was found wrong.
async fn check(path: &Path) -> anyhow::Result<ExitCode> {
    let config = Config::read(path)?;
    println!("configuration  fine: {}", path.display());
    let mut is_fine = true;
    let mut report = |what: &str, outcome: Result<String, String>| {
        let (word, text) = match outcome {
            Ok(text) => ("fine", text),
            Err(text) => {
                is_fine = false;
                ("WRONG", text)
            }
        };
        println!("{what:<14} {word}: {text}");
    };
    report("master key", wire::sealer(&config).map(|s| format!("key {}", s.key_id())).map_err(|e| format!("{e:#}")));
    let db = wire::database(&config).await;
    report("database", schema(&db).await);
    if let (Ok(db), Ok(sealer)) = (db, wire::sealer(&config)) {
        for record in store::fleet::list(&db).await.unwrap_or_default() {
            let what = format!("cluster {}", record.id);
            report(&what, reach(&config, &db, &sealer, &record.id).await.map_err(|e| format!("{e:#}")));
        }
    }
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn schema(db: &anyhow::Result<Db>) -> Result<String, String> {
    let db = db.as_ref().map_err(|e| format!("{e:#}"))?;
    match db.schema().await {
        Ok(SchemaState::Current) => Ok(format!("{}, schema up to date", db.engine())),
        Ok(SchemaState::Behind { .. }) => {
            Err(format!("{}, schema is behind: run harvester-admin migrate", db.engine()))
        }
        Ok(SchemaState::Ahead { at, knows }) => Err(format!("schema {at} is newer than this program's {knows}")),
        Err(error) => Err(error.to_string()),
    }
}

async fn reach(config: &Config, db: &Db, sealer: &store::Sealer, id: &model::id::ClusterId) -> anyhow::Result<String> {
    let text = store::fleet::kubeconfig(db, sealer, id).await?.context("no credential is kept")?;
    let access = harvester::Access::parse(&text).map_err(|refusal| anyhow::anyhow!("{}", refusal.say))?;
    let policy = harvester::NetworkPolicy::new(config.network.allow.clone());
    let cluster = harvester::Cluster::connect(id.clone(), &access, &policy)?;
    let version = cluster.kubernetes_version().await?;
    let expires = access
        .expires()
        .map(|UnixMs(at)| UnixMs(at).rfc3339())
        .map(|at| format!(", credential ends {at}"))
        .unwrap_or_default();
    Ok(format!("{} answers, Kubernetes {version}{expires}", access.server()))
}

async fn verify(path: &Path) -> anyhow::Result<ExitCode> {
    let db = wire::database(&Config::read(path)?).await?;
    let report = store::audit::verify(&db, None, Clock::machine().now(), |_| ()).await?;
    match report.broken {
        None => {
            println!("the chain holds: {} records, head {}", report.records, report.head);
            Ok(ExitCode::SUCCESS)
        }
        Some((seq, say)) => {
            println!(
                "BROKEN at record {seq}: {say}\n{} records before it are good, head {}",
                report.records, report.head
            );
            Ok(ExitCode::from(BROKEN))
        }
    }
}
