//! The configuration file `harvester-admin.toml`: every key, its default, and no others.
//!
//! Secrets are never in it: the master key has a file of its own, the database password may come from the environment.

use anyhow::Context;
use model::ipam::Cidr;
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// All of the file. Relative paths are relative to the file's folder.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// The address that people type, for `Origin` checks behind a proxy: `https://ops.example.com`. Empty: the `Host` header.
    pub public_url: String,
    /// Folder of the database (SQLite), the master key and what else must survive.
    pub data: PathBuf,
    /// Folder of the built interface; empty: beside the program.
    pub site: Option<PathBuf>,
    /// `sqlite` (in the data folder) or `postgres://…`. The environment's `HARVESTER_ADMIN_DATABASE` wins.
    pub database: String,
    /// File of the master key, made at first start when absent. Empty: `master.key` in the data folder.
    pub master_key: Option<PathBuf>,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<Cidr>,
    /// Sessions.
    pub session: Session,
    /// Where registered clusters may be.
    pub network: Network,
    /// Where Prometheus reads our metrics, over plain HTTP and without sign-in; nowhere when absent.
    pub metrics: Option<SocketAddr>,
    /// Logging.
    pub log: Log,
}

/// Sessions.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Session {
    /// Ends this long after its last use, in minutes.
    pub idle_minutes: u32,
    /// Ends this long after it began, in hours.
    pub most_hours: u32,
    /// The cookie is sent over HTTPS only. Turn it off for plain HTTP on a trusted network.
    pub secure_cookie: bool,
}

/// Where registered clusters may be.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Network {
    /// Ranges that may be reached although they are loopback or link-local, for example `127.0.0.0/8` for a trial.
    pub allow: Vec<Cidr>,
}

/// Logging.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    /// A `tracing` filter, for example `info,ops=debug`.
    pub filter: String,
    /// One JSON object a line instead of text.
    pub json: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            public_url: String::new(),
            data: PathBuf::from("data"),
            site: None,
            database: "sqlite".to_owned(),
            master_key: None,
            trusted_proxies: Vec::new(),
            session: Session::default(),
            network: Network::default(),
            metrics: None,
            log: Log::default(),
        }
    }
}

impl Default for Session {
    fn default() -> Self {
        Self { idle_minutes: 60, most_hours: 12, secure_cookie: true }
    }
}

impl Default for Log {
    fn default() -> Self {
        Self { filter: "info".to_owned(), json: false }
    }
}

impl Config {
    /// Reads a file; unknown keys and wrong values are refused with their place.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        let mut config = Self::parse(&text).with_context(|| format!("in {}", path.display()))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for place in [Some(&mut config.data), config.site.as_mut(), config.master_key.as_mut()].into_iter().flatten() {
            *place = folder.join(&*place);
        }
        Ok(config)
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let config: Self = toml::from_str(text)?;
        anyhow::ensure!(
            config.public_url.is_empty()
                || config.public_url.starts_with("https://")
                || config.public_url.starts_with("http://"),
            "public_url must begin with https:// or http://"
        );
        Ok(config)
    }

    /// The URL that the store opens.
    pub fn database_url(&self) -> String {
        let chosen = std::env::var("HARVESTER_ADMIN_DATABASE").unwrap_or_else(|_| self.database.clone());
        if chosen == "sqlite" { format!("sqlite://{}", self.data.join("harvester-admin.db").display()) } else { chosen }
    }

    /// The file of the master key.
    pub fn master_key_file(&self) -> PathBuf {
        self.master_key.clone().unwrap_or_else(|| self.data.join("master.key"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_file_is_valid_and_names_every_key() {
        let example = include_str!("../../deploy/harvester-admin.toml");
        let config = Config::parse(example).unwrap();
        assert_eq!(config.session.idle_minutes, 60);
        let keys = [
            "listen",
            "public_url",
            "data",
            "site",
            "database",
            "master_key",
            "trusted_proxies",
            "idle_minutes",
            "most_hours",
            "secure_cookie",
            "allow",
            "metrics",
            "filter",
            "json",
        ];
        for key in keys {
            assert!(
                example.lines().any(|l| l.trim_start_matches("# ").starts_with(&format!("{key} ="))),
                "{key} is not in the example"
            );
        }
    }

    #[test]
    fn unknown_keys_are_refused_by_name() {
        let said = format!("{:#}", Config::parse("listten = \"127.0.0.1:1\"").unwrap_err());
        assert!(said.contains("listten"), "{said}");
        assert!(Config::parse("[session]\nidle = 5").is_err());
        assert!(Config::parse("public_url = \"ops\"").is_err());
        assert!(Config::parse("[network]\nallow = [\"127.0.0.1/8\"]").is_err(), "host bits");
    }
}
