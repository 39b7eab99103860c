//! Which program is started with which flags.

use std::process::Command;

use anyhow::{Result, bail};

use super::{NAMESPACE, Plane, VIRT_API};
use crate::witness::programs::KUBEVIRT;

const ETCD: &str = "etcd";
const API_SERVER: &str = "kube-apiserver";
const CONTROLLER_MANAGER: &str = "kube-controller-manager";
const SCHEDULER: &str = "kube-scheduler";
const VIRT_CONTROLLER: &str = "virt-controller";
/// Controllers that need a cloud, or nodes that we do not have.
const CONTROLLERS: &str = "*,-node-ipam-controller,-node-route-controller,-cloud-node-lifecycle-controller,\
    -service-lb-controller,-bootstrap-signer-controller,-token-cleaner-controller";

impl Plane {
    /// Starts a program of that name as it was started before.
    pub(super) fn start_again(&mut self, name: &str) -> Result<()> {
        match name {
            ETCD => self.etcd(),
            API_SERVER => self.api_server(),
            CONTROLLER_MANAGER => self.controller_manager(),
            SCHEDULER => self.scheduler(),
            VIRT_API => self.virt_api(),
            VIRT_CONTROLLER => self.virt_controller(),
            _ => bail!("there is no program {name} in a witness"),
        }
    }

    /// Without durability: a witness is thrown away.
    pub(super) fn etcd(&mut self) -> Result<()> {
        let (client, peer) = (self.etcd_address(), format!("http://127.0.0.1:{}", self.ports.etcd_peer()));
        let mut etcd = self.programs.bound("kube");
        etcd.arg("etcd").arg("--data-dir").arg(self.path("etcd"));
        etcd.args(["--unsafe-no-fsync", "--log-level", "warn"]);
        etcd.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
        etcd.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
        etcd.args(["--initial-cluster", &format!("default={peer}")]);
        // Not expendable: asked to end, it leaves a folder that starts without a repair.
        let running = self.spawn(ETCD, &mut etcd)?;
        self.add(ETCD, running);
        Ok(())
    }

    /// All on the loopback, RBAC on, every admission plugin that is on by default.
    pub(super) fn api_server(&mut self) -> Result<()> {
        let mut server = self.programs.bound("kube");
        server.arg(API_SERVER).args(["--etcd-servers", &self.etcd_address()]);
        server.args(["--bind-address", "127.0.0.1", "--secure-port", &self.ports.api().to_string()]);
        for (flag, file) in [
            ("--tls-cert-file", "apiserver.crt"),
            ("--tls-private-key-file", "apiserver.key"),
            ("--client-ca-file", "ca.crt"),
            ("--token-auth-file", "tokens.csv"),
            ("--service-account-key-file", "sa.pub"),
            ("--service-account-signing-key-file", "sa.key"),
            ("--requestheader-client-ca-file", "front-ca.crt"),
            ("--proxy-client-cert-file", "front.crt"),
            ("--proxy-client-key-file", "front.key"),
        ] {
            server.arg(flag).arg(self.path(file));
        }
        server.args([
            "--service-account-issuer",
            "https://kubernetes.default.svc.cluster.local",
            "--service-cluster-ip-range",
            "10.53.0.0/16",
            "--authorization-mode",
            "Node,RBAC",
            "--requestheader-allowed-names",
            "front-proxy-client",
            "--requestheader-username-headers",
            "X-Remote-User",
            "--requestheader-group-headers",
            "X-Remote-Group",
            "--requestheader-extra-headers-prefix",
            "X-Remote-Extra-",
            "--allow-privileged",
            // Nobody reaches it by the service `kubernetes`, whose endpoints may not be a loopback address.
            "--endpoint-reconciler-type",
            "none",
            // As Harvester's RKE2 starts it.
            "--anonymous-auth=false",
            "--profiling=false",
        ]);
        self.expendable(API_SERVER, &mut server)
    }

    /// Garbage collection, node lifecycle, accounts and the rest.
    pub(in crate::witness) fn controller_manager(&mut self) -> Result<()> {
        let mut manager =
            self.background_program(CONTROLLER_MANAGER, "controller-manager", self.ports.controller_manager());
        manager.arg("--service-account-private-key-file").arg(self.path("sa.key"));
        manager.arg("--root-ca-file").arg(self.path("ca.crt")).args(["--controllers", CONTROLLERS]);
        self.expendable(CONTROLLER_MANAGER, &mut manager)
    }

    /// The scheduler.
    pub(in crate::witness) fn scheduler(&mut self) -> Result<()> {
        let mut scheduler = self.background_program(SCHEDULER, "scheduler", self.ports.scheduler());
        self.expendable(SCHEDULER, &mut scheduler)
    }

    /// What these two have in common.
    fn background_program(&self, name: &str, who: &str, port: u16) -> Command {
        let mut command = self.programs.bound("kube");
        command.arg(name).args([
            "--bind-address",
            "127.0.0.1",
            "--secure-port",
            &port.to_string(),
            "--leader-elect=false",
        ]);
        for flag in ["--kubeconfig", "--authentication-kubeconfig", "--authorization-kubeconfig"] {
            command.arg(flag).arg(self.path(&format!("{who}.kubeconfig")));
        }
        command.arg("--tls-cert-file").arg(self.path("apiserver.crt"));
        command.arg("--tls-private-key-file").arg(self.path("apiserver.key")).arg("--profiling=false");
        command
    }

    /// Webhooks and subresources.
    pub(in crate::witness) fn virt_api(&mut self) -> Result<()> {
        let mut api = self.kubevirt_program(VIRT_API, self.ports.virt_api());
        api.args(["--console-server-port", &self.ports.handler().to_string()]);
        for (flag, file) in [
            ("--tls-cert-file", "virt-api.crt"),
            ("--tls-key-file", "virt-api.key"),
            ("--handler-cert-file", "handler-client.crt"),
            ("--handler-key-file", "handler-client.key"),
        ] {
            api.arg(flag).arg(self.path(file));
        }
        self.expendable(VIRT_API, &mut api)
    }

    /// What makes VMIs, launcher pods and migrations.
    pub(in crate::witness) fn virt_controller(&mut self) -> Result<()> {
        let mut controller = self.kubevirt_program(VIRT_CONTROLLER, self.ports.virt_controller());
        for (flag, file) in [("--prom-cert-file", "virt-api.crt"), ("--prom-key-file", "virt-api.key")] {
            controller.arg(flag).arg(self.path(file));
        }
        for (flag, image) in [("--launcher-image", "launcher"), ("--exporter-image", "exporter")] {
            controller.args([flag, &format!("witness/{image}:{}", KUBEVIRT)]);
        }
        self.expendable(VIRT_CONTROLLER, &mut controller)
    }

    /// What these two have in common.
    fn kubevirt_program(&self, name: &str, port: u16) -> Command {
        let mut command = self.programs.bound(name);
        command.arg("--kubeconfig").arg(self.path(&format!("{name}.kubeconfig")));
        command.args(["--listen", "127.0.0.1", "--port", &port.to_string()]);
        command.envs([("NAMESPACE", NAMESPACE), ("POD_NAMESPACE", NAMESPACE)]);
        command
    }
}
