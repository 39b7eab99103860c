//! One conformance suite, two servers: what the product relies on, as data, against the simulator and against upstream's
//! own programs. `README.md` says how a case is written.

mod cases;
mod client;
mod pattern;
mod play;
mod server;

use cases::{Case, Suite};
use futures::StreamExt as _;
use play::play;
use server::Server;
use std::time::Instant;
use tokio::sync::Mutex;

/// Cases that are played at a time.
const AT_ONCE: usize = 8;

/// One server at a time, so that none waits for the other's cases.
static TURN: Mutex<()> = Mutex::const_new(());

/// How many cases came out how.
#[derive(Default)]
struct Count {
    held: usize,
    differ: usize,
    failed: Vec<String>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_simulator_holds_every_case() {
    let _turn = TURN.lock().await;
    let suite = Suite::read();
    let server = Server::simulator(&suite.identities).await;
    hold(server, &suite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_witness_holds_every_case() {
    let Ok(path) = std::env::var("HARVESTER_WITNESS") else {
        println!("HARVESTER_WITNESS names no witness.json: no case was held against upstream's own programs");
        return;
    };
    let _turn = TURN.lock().await;
    let suite = Suite::read();
    let server = Server::witness(&path, &suite.identities).await;
    hold(server, &suite).await;
}

/// Plays all cases; fails when one does not hold, or one holds that is said to differ, or something is left behind.
async fn hold(server: Server, suite: &Suite) {
    let (start, name) = (Instant::now(), server.name);
    let mut count = Count::default();
    let numbered = || suite.cases.iter().enumerate();
    let mut together = futures::stream::iter(numbered().filter(|(_, case)| !case.alone))
        .map(|(number, case)| one(&server, suite, case, number))
        .buffer_unordered(AT_ONCE);
    while let Some(outcome) = together.next().await {
        count.add(outcome);
    }
    drop(together);
    for (number, case) in numbered().filter(|(_, case)| case.alone) {
        count.add(one(&server, suite, case, number).await);
    }
    let took = start.elapsed();
    let left = server.end().await;
    let (held, differ, failed) = (count.held, count.differ, count.failed.len());
    println!(
        "{name}: {held} cases hold, {failed} do not, {differ} differ as listed; {:.1} s, and {:.1} s to the end",
        took.as_secs_f64(),
        (start.elapsed() - took).as_secs_f64()
    );
    assert_eq!(held + differ + failed, suite.cases.len(), "every case was played");
    assert!(failed == 0, "{failed} cases do not hold at the {name}: {}", count.failed.join(", "));
    left.unwrap_or_else(|fault| panic!("{name}: {fault}"));
}

/// How one case came out.
enum Outcome {
    Held,
    Differs,
    Failed(String),
}

impl Count {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Held => self.held += 1,
            Outcome::Differs => self.differ += 1,
            Outcome::Failed(name) => self.failed.push(name),
        }
    }
}

async fn one(server: &Server, suite: &Suite, case: &Case, number: usize) -> Outcome {
    let listed = suite.differences.iter().find(|listed| listed.case == case.name && listed.server == server.name);
    let failed = || Outcome::Failed(case.name.clone());
    match (play(server, case, number).await, listed) {
        (Ok(()), None) => Outcome::Held,
        (Err(_), Some(_)) => Outcome::Differs,
        (Ok(()), Some(listed)) => {
            println!("\n{} holds at the {}, but differences.yaml says: {}", case.name, server.name, listed.reason);
            failed()
        }
        (Err(fault), None) => {
            println!(
                "\n{} does not hold at the {}: {}\n    {}\n      {}",
                case.name, server.name, case.says, fault.step, fault.what
            );
            failed()
        }
    }
}
