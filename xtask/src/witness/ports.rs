//! Ports that nobody else takes: a block of ten for each witness, below those that the kernel gives to clients, held by a
//! file lock as long as the witness runs.

use std::fs::File;
use std::net::TcpListener;

use anyhow::{Context, Result, bail};

use super::cache::Cache;

/// Where the blocks begin; Linux gives clients ports from 32768 on.
const FIRST: u16 = 23_000;
/// Ports a block.
const BLOCK: u16 = 10;
/// How many blocks there are, and so how many witnesses on one machine.
const BLOCKS: u16 = 50;

/// A block of ports, ours until this is dropped.
#[derive(Debug)]
pub(super) struct Ports {
    first: u16,
    _lock: File,
}

impl Ports {
    /// The first block that nobody holds and nobody listens in.
    pub(super) fn take(cache: &Cache) -> Result<Self> {
        for block in 0..BLOCKS {
            let first = FIRST + block * BLOCK;
            let path = cache.path(&format!("run/ports-{first}.lock"));
            let lock = File::create(&path).with_context(|| format!("opening {}", path.display()))?;
            let is_free = |port| TcpListener::bind(("127.0.0.1", port)).is_ok();
            if lock.try_lock().is_ok() && (first..first + BLOCK).all(is_free) {
                return Ok(Self { first, _lock: lock });
            }
        }
        bail!("no ten free ports from {FIRST} on: are there {BLOCKS} witnesses already?")
    }

    pub(super) fn etcd(&self) -> u16 {
        self.first
    }

    pub(super) fn etcd_peer(&self) -> u16 {
        self.first + 1
    }

    pub(super) fn api(&self) -> u16 {
        self.first + 2
    }

    pub(super) fn virt_api(&self) -> u16 {
        self.first + 3
    }

    /// Where virt-api expects virt-handlers; nothing here listens there.
    pub(super) fn handler(&self) -> u16 {
        self.first + 4
    }

    pub(super) fn virt_controller(&self) -> u16 {
        self.first + 5
    }

    pub(super) fn controller_manager(&self) -> u16 {
        self.first + 6
    }

    pub(super) fn scheduler(&self) -> u16 {
        self.first + 7
    }
}
