//! The services put together: one function, read top to bottom.

use crate::access::{Access, SessionRules};
use crate::audit::Audit;
use crate::change::Changes;
use crate::console::Consoles;
use crate::fleet::{Connect, Fleet};
use crate::ipam::Ipam;
use crate::provisioning::Provisioning;
use crate::tasks::Tasks;
use crate::vm::Vms;
use crate::workflow::{Runner, Surroundings};
use crate::{Clock, Result};
use std::sync::Arc;
use store::{Db, Sealer};

/// What the services are made of.
pub struct Settings {
    /// The database, migrated.
    pub db: Db,
    /// Seals credentials.
    pub sealer: Sealer,
    /// The time.
    pub clock: Clock,
    /// Where background work runs.
    pub tasks: Tasks,
    /// The name under which work is claimed: that of this process alone, and of its former lives.
    pub worker: String,
    /// How long sessions last.
    pub sessions: SessionRules,
    /// How clusters are connected to.
    pub connect: Connect,
}

/// All services.
pub struct Ops {
    /// Signing in, accounts.
    pub access: Access,
    /// The audit trail.
    pub audit: Audit,
    /// Clusters.
    pub fleet: Arc<Fleet>,
    /// Addresses.
    pub ipam: Arc<Ipam>,
    /// VMs.
    pub vms: Arc<Vms>,
    /// Orders and deliveries.
    pub provisioning: Arc<Provisioning>,
    /// Consoles.
    pub consoles: Consoles,
    /// The time.
    pub clock: Clock,
    pub(crate) changes: Arc<Changes>,
    pub(crate) db: Db,
}

impl Ops {
    /// Whether the database answers.
    pub async fn ready(&self) -> Result<()> {
        Ok(self.db.ping().await?)
    }

    /// Puts the services together, connects the clusters and takes up what was interrupted.
    pub async fn start(settings: Settings) -> Result<Arc<Self>> {
        let Settings { db, sealer, clock, tasks, worker, sessions, connect } = settings;
        // What a former life of this worker held is free: whoever starts a worker makes sure that it is the only one.
        store::change::free(&db, &worker).await?;
        store::journal::free(&db, &worker).await?;
        let audit = Audit::new(db.clone(), clock.clone());
        let access = Access::of(db.clone(), sessions);
        let fleet = Arc::new(Fleet::new(db.clone(), sealer, audit.clone(), clock.clone(), connect));
        let changes = Arc::new(Changes::new(db.clone(), fleet.clone(), clock.clone(), tasks.clone(), worker.clone()));
        let ipam = Arc::new(Ipam::new(db.clone(), fleet.clone(), audit.clone(), clock.clone()));
        let vms = Arc::new(Vms::new(db.clone(), fleet.clone(), changes.clone(), ipam.clone(), audit.clone()));
        let provisioning =
            Arc::new(Provisioning::new(db.clone(), fleet.clone(), ipam.clone(), audit.clone(), clock.clone()));
        let consoles = Consoles::new(db.clone(), fleet.clone(), audit.clone());
        provisioning.seed().await?;
        fleet.start().await?;
        tasks.spawn("changes", changes.clone().resume_for_ever());
        let beat = changes.clone();
        let surroundings = Surroundings {
            db: db.clone(),
            clock: clock.clone(),
            tasks: tasks.clone(),
            worker,
            orders: provisioning.orders(),
            world: fleet.pulse(),
            changed: Arc::new(move || beat.beat()),
        };
        let runner = Arc::new(Runner::new(Arc::new(provisioning.workflow()), surroundings));
        tasks.spawn("deliveries", runner.run_for_ever());
        Ok(Arc::new(Self { access, audit, fleet, ipam, vms, provisioning, consoles, clock, changes, db }))
    }
}
