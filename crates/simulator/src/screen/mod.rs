//! What a running guest shows: its VNC screen and its serial console, as byte streams.
//!
//! A screen is begun when somebody first looks and ends with its instance, or when nobody has looked for a while. Where
//! QEMU is installed it is a real machine ([`qemu`]) that boots a sector of our own ([`boot`]); else a drawn one
//! ([`drawn`]). Invariant: no QEMU outlives its [`Screens`]. Who may look, and that a second viewer ends the first, is
//! the REST layer's business.
//!
//! Source: K `pkg/virt-handler/rest/console.go`; `harvester-api.md` §2.1.

mod boot;
mod drawn;
mod font;
mod png;
mod qemu;
mod serial;
#[cfg(test)]
mod tests;

use crate::behave::resources::VMI;
use crate::behave::{View, object};
use qemu::Machine;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::Mutex;
use tokio::time::Instant;

/// A machine that nobody looked at for so long is ended.
const IDLE: Duration = Duration::from_secs(120);
/// How often a viewer's pump looks whether the instance is still there.
const WATCH: Duration = Duration::from_millis(300);
/// A picture of the screen is there within this time or not at all.
const PICTURE: Duration = Duration::from_secs(15);
/// Bytes that wait between a screen and who takes a picture of it.
const PICTURE_PIPE_BYTES: usize = 256 * 1024;
/// QEMU processes at a time; whoever comes later gets a drawn screen.
const MACHINES: usize = 8;

/// The guest behind a screen, as far as the screen tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guest {
    /// The instance's uid.
    pub uid: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Where it runs; a migration ends its streams, as upstream.
    pub node: String,
    /// Name of the operating system.
    pub system: String,
    /// First address, or empty.
    pub address: String,
}

impl Guest {
    /// The guest of a running instance; `None` when it does not run.
    pub fn of(vmi: &Value) -> Option<Self> {
        let runs = object::text(vmi, "/status/phase") == "Running" && !super::behave::ended(vmi);
        runs.then(|| Self {
            uid: object::uid(vmi).to_owned(),
            namespace: object::namespace(vmi).to_owned(),
            name: object::name(vmi).to_owned(),
            node: object::text(vmi, "/status/nodeName").to_owned(),
            system: match object::text(vmi, "/status/guestOSInfo/prettyName") {
                "" => "Linux".to_owned(),
                // A terminal must not obey what a guest calls itself.
                name => name.chars().filter(|c| !c.is_control()).collect(),
            },
            address: object::text(vmi, "/status/interfaces/0/ipAddress").to_owned(),
        })
    }
}

struct Running {
    machine: Arc<Machine>,
    viewers: usize,
    seen: Instant,
}

/// The screens of one cluster.
#[derive(Clone)]
pub struct Screens {
    view: Arc<dyn View + Send + Sync>,
    uses_qemu: bool,
    machines: Arc<Mutex<HashMap<String, Running>>>,
    serials: Arc<std::sync::Mutex<HashMap<String, serial::Shell>>>,
}

impl std::fmt::Debug for Screens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screens").field("uses_qemu", &self.uses_qemu).finish_non_exhaustive()
    }
}

impl Screens {
    /// Screens of a cluster's instances, by QEMU where it is installed.
    pub fn new(view: &(impl View + Clone + Send + Sync + 'static)) -> Self {
        Self { uses_qemu: qemu::is_installed(), ..Self::drawn(view) }
    }

    /// Screens that are always drawn: quick, for tests.
    pub fn drawn(view: &(impl View + Clone + Send + Sync + 'static)) -> Self {
        Self { view: Arc::new(view.clone()), uses_qemu: false, machines: Arc::default(), serials: Arc::default() }
    }

    fn guest(&self, namespace: &str, name: &str) -> Option<Guest> {
        self.view.get(VMI, namespace, name).and_then(|vmi| Guest::of(&vmi))
    }

    /// Plays RFB on `stream` until either end is over or the instance stops or moves.
    pub async fn vnc(&self, namespace: &str, name: &str, stream: DuplexStream) {
        let Some(guest) = self.guest(namespace, name) else { return };
        tokio::select! {
            () = self.gone(&guest) => self.end(&guest.uid).await,
            () = self.show(&guest, stream) => {}
        }
    }

    /// The screen as PNG; `None` when the instance does not run or shows nothing in time. Viewers stay. With
    /// `moves_cursor` the pointer is moved first, which wakes a screen saver.
    ///
    /// Source: K `pkg/virt-handler/rest/screenshot.go`; `harvester-api.md` §2.1.
    pub async fn screenshot(&self, namespace: &str, name: &str, moves_cursor: bool) -> Option<Vec<u8>> {
        let guest = self.guest(namespace, name)?;
        let (ours, theirs) = tokio::io::duplex(PICTURE_PIPE_BYTES);
        let mut seen = None;
        // A machine that was begun for the picture is left, so that it can end, whoever is done first.
        let taken = async {
            seen = tokio::time::timeout(PICTURE, picture(ours, moves_cursor)).await.ok().flatten();
        };
        tokio::join!(self.show(&guest, theirs), taken);
        seen
    }

    /// Plays a serial console on `stream`, likewise.
    pub async fn console(&self, namespace: &str, name: &str, stream: DuplexStream) {
        let Some(guest) = self.guest(namespace, name) else { return };
        let shell = self.shells().remove(&guest.uid).unwrap_or_else(|| serial::Shell::new(&guest));
        let kept = tokio::select! {
            () = self.gone(&guest) => None,
            shell = serial::play(shell, stream) => Some(shell),
        };
        // Like a getty, the line keeps its session when the client goes.
        if let Some(shell) = kept {
            self.shells().insert(guest.uid, shell);
        }
    }

    fn shells(&self) -> std::sync::MutexGuard<'_, HashMap<String, serial::Shell>> {
        self.serials.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn show(&self, guest: &Guest, mut stream: DuplexStream) {
        let machine = self.enter(guest).await;
        let Some(machine) = machine else { return drawn::play(guest, stream).await };
        match machine.connect().await {
            Ok(mut screen) => {
                // Ends when either side does, which is no fault.
                let _ = tokio::io::copy_bidirectional(&mut stream, &mut screen).await;
            }
            Err(error) => {
                tracing::warn!(vm = guest.name, %error, "QEMU's screen does not answer; a drawn one is shown");
                drawn::play(guest, stream).await;
            }
        }
        self.leave(&guest.uid).await;
    }

    /// The machine of a guest, begun if need be; also ends those that nobody looks at any more.
    async fn enter(&self, guest: &Guest) -> Option<Arc<Machine>> {
        if !self.uses_qemu {
            return None;
        }
        let mut machines = self.machines.lock().await;
        machines.retain(|_, held| held.viewers > 0 || held.seen.elapsed() < IDLE);
        if let Some(held) = machines.get_mut(&guest.uid) {
            held.viewers += 1;
            return Some(held.machine.clone());
        }
        if machines.len() >= MACHINES {
            return None;
        }
        match Machine::start(&guest.name).await {
            Ok(machine) => {
                let machine = Arc::new(machine);
                machines
                    .insert(guest.uid.clone(), Running { machine: machine.clone(), viewers: 1, seen: Instant::now() });
                Some(machine)
            }
            Err(error) => {
                tracing::warn!(vm = guest.name, %error, "QEMU does not start; a drawn screen is shown");
                None
            }
        }
    }

    async fn leave(&self, uid: &str) {
        if let Some(held) = self.machines.lock().await.get_mut(uid) {
            held.viewers = held.viewers.saturating_sub(1);
            held.seen = Instant::now();
        }
    }

    async fn end(&self, uid: &str) {
        self.machines.lock().await.remove(uid);
    }

    /// The monitor of a guest's machine, if it has one that runs: `screendump` shows what a viewer should see.
    pub async fn screendump(&self, uid: &str, to: &std::path::Path) -> Option<std::io::Result<()>> {
        let machine = self.machines.lock().await.get(uid).map(|held| held.machine.clone())?;
        Some(machine.screendump(to).await)
    }

    /// How many QEMU processes there are.
    pub async fn machines(&self) -> usize {
        self.machines.lock().await.len()
    }

    /// Ends all machines.
    pub async fn close(&self) {
        self.machines.lock().await.clear();
        self.shells().clear();
    }

    /// Comes back when the instance has stopped, moved, or been replaced.
    async fn gone(&self, guest: &Guest) {
        loop {
            tokio::time::sleep(WATCH).await;
            let now = self.guest(&guest.namespace, &guest.name);
            if now.is_none_or(|now| now.uid != guest.uid || now.node != guest.node) {
                return;
            }
        }
    }
}

/// Looks at a screen until it was shown whole once; the stream ends with it.
async fn picture(mut stream: DuplexStream, moves_cursor: bool) -> Option<Vec<u8>> {
    let mut client = rfb::Client::new(rfb::Options::default());
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let out = client.take_output();
        stream.write_all(&out).await.ok()?;
        let length = stream.read(&mut buffer).await.ok().filter(|length| *length > 0)?;
        client.receive(&buffer[..length]).ok()?;
        while let Some(event) = client.poll() {
            match event {
                rfb::Event::Connected { width, height, .. } if moves_cursor => {
                    client.point(width / 2, height / 2, rfb::Buttons::NONE);
                }
                rfb::Event::Damage(area) if area == client.framebuffer().area() => {
                    return Some(png::encode(client.framebuffer()));
                }
                _ => {}
            }
        }
    }
}
