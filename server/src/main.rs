//! The program harvester-admin.

mod http;

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context;
use app::App;
use axum::Router;
use clap::{Parser, Subcommand};
use leptos::config::LeptosOptions;
use leptos_axum::{LeptosRoutes, generate_route_list};
use tracing::info;

use crate::http::assets::Site;
use crate::http::headers::secured;

/// Runs and controls Harvester clusters from the browser.
#[derive(Debug, Parser)]
struct Arguments {
    /// Where to listen.
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The folder of the built interface; found beside the program when not given.
    #[arg(long)]
    site: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs against simulated clusters.
    Demo {
        /// The port on the loopback; 0 for a free one.
        #[arg(long, default_value_t = 8080)]
        port: u16,
        /// The data folder; `demo.json` in it says where the demo is once it answers.
        #[arg(long)]
        data: Option<PathBuf>,
    },
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let arguments = Arguments::parse();
    let site = Site::find(arguments.site.as_deref())?;
    let (address, data) = match arguments.command {
        Some(Command::Demo { port, data }) => (SocketAddr::from(([127, 0, 0, 1], port)), data),
        None => (arguments.listen, None),
    };
    let listener = tokio::net::TcpListener::bind(address).await.with_context(|| format!("listening on {address}"))?;
    let address = listener.local_addr()?;
    info!(%address, build = site.assets.build, "listening");
    if let Some(data) = data {
        let facts = serde_json::json!({ "url": format!("http://{address}"), "users": [], "kubeconfigs": [] });
        std::fs::write(data.join("demo.json.new"), facts.to_string())?;
        std::fs::rename(data.join("demo.json.new"), data.join("demo.json"))?;
    }
    axum::serve(listener, router(&site)).await.context("serving")
}

fn router(site: &Site) -> Router {
    let options = LeptosOptions::builder().output_name("frontend").build();
    let assets = site.assets.clone();
    let pages = Router::new()
        .leptos_routes(&options, generate_route_list(App), move || app::shell::shell(&assets))
        .with_state(options);
    secured(pages.merge(site.routes()))
}
