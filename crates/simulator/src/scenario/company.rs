//! The imagined company whose machines these are: teams, services, names, owners.
//!
//! Everything follows from a machine's number, so that the same scenario is always the same company.

use super::images::{IMAGES, Image};
use super::networks::{Purpose, Site, Vlan};

/// A team with a namespace of its own.
pub(crate) struct Team {
    /// Namespace.
    pub(crate) namespace: &'static str,
    /// What it is called.
    pub(crate) title: &'static str,
    /// Its services: name, Chinese description, image (index), GiB of memory, cores, disk GiB.
    pub(crate) services: &'static [Service],
}

/// A service of a team.
pub(crate) struct Service {
    /// Stem of VM names.
    pub(crate) stem: &'static str,
    /// Purpose in Chinese.
    pub(crate) purpose: &'static str,
    image: usize,
    /// Memory in GiB.
    pub(crate) memory_gib: u64,
    /// Cores.
    pub(crate) cores: u64,
    /// Root disk in GiB.
    pub(crate) disk_gib: u64,
}

const fn service(
    stem: &'static str,
    purpose: &'static str,
    image: usize,
    memory_gib: u64,
    cores: u64,
    disk_gib: u64,
) -> Service {
    Service { stem, purpose, image, memory_gib, cores, disk_gib }
}

/// All teams.
pub(crate) const TEAMS: &[Team] = &[
    Team {
        namespace: "team-order",
        title: "订单中心",
        services: &[
            service("prod-order-app", "订单应用", 0, 8, 4, 60),
            service("prod-order-mq", "订单消息队列", 0, 16, 8, 100),
            service("test-order-app", "订单测试环境", 1, 4, 2, 40),
        ],
    },
    Team {
        namespace: "team-erp",
        title: "企业资源计划",
        services: &[
            service("erp-db-prod", "ERP 主数据库", 0, 32, 8, 200),
            service("erp-app-prod", "ERP 应用", 3, 16, 8, 120),
            service("erp-report", "ERP 报表", 3, 8, 4, 100),
        ],
    },
    Team {
        namespace: "team-pay",
        title: "支付与结算",
        services: &[
            service("pay-gateway", "支付网关", 1, 8, 4, 40),
            service("pay-settle", "清结算", 0, 16, 4, 80),
            service("test-pay", "支付联调", 2, 2, 1, 20),
        ],
    },
    Team {
        namespace: "team-data",
        title: "数据平台",
        services: &[
            service("kafka-prod", "消息总线", 1, 16, 8, 200),
            service("clickhouse", "分析库", 1, 32, 16, 200),
            service("etl-worker", "数据清洗", 2, 8, 4, 60),
        ],
    },
    Team {
        namespace: "team-oa",
        title: "办公自动化",
        services: &[
            service("oa-web", "办公门户", 4, 4, 2, 40),
            service("oa-files", "文件服务器", 3, 8, 4, 200),
            service("legacy-hr", "人事老系统", 4, 4, 2, 60),
        ],
    },
    Team {
        namespace: "team-infra",
        title: "基础设施",
        services: &[
            service("dns", "域名解析", 2, 2, 1, 20),
            service("ntp", "时间同步", 2, 1, 1, 20),
            service("jump", "堡垒机", 0, 4, 2, 60),
            service("gitlab-runner", "构建节点", 1, 8, 8, 100),
        ],
    },
];

const OWNERS: &[(&str, &str)] =
    &[("E10432", "陈思远"), ("E10077", "王海燕"), ("E11290", "李国强"), ("E10815", "赵敏"), ("E12001", "孙志鹏")];

/// One machine of the company.
pub(crate) struct Machine {
    /// Its number from zero.
    pub(crate) number: usize,
    /// Where its cluster stands.
    pub(crate) site: Site,
    /// Team.
    pub(crate) team: &'static Team,
    /// Service.
    pub(crate) service: &'static Service,
    /// Name.
    pub(crate) name: String,
}

impl Machine {
    /// The n-th machine. Teams take turns, then services, then serial numbers.
    pub(crate) fn nth(site: Site, number: usize) -> Self {
        let team = &TEAMS[number % TEAMS.len()];
        let turn = number / TEAMS.len();
        let service = &team.services[turn % team.services.len()];
        let serial = turn / team.services.len() + 1;
        Self { number, site, team, service, name: format!("{}-{serial:02}", service.stem) }
    }

    /// Its image.
    pub(crate) fn image(&self) -> &'static Image {
        &IMAGES[self.service.image % IMAGES.len()]
    }

    /// Its network.
    pub(crate) fn vlan(&self) -> Vlan {
        let stem = self.service.stem;
        self.site.vlan(match self.team.namespace {
            _ if stem.starts_with("test-") => Purpose::Testing,
            "team-oa" | "team-infra" => Purpose::Office,
            _ if stem.contains("db") || stem.contains("clickhouse") || stem.contains("kafka") => Purpose::Database,
            _ => Purpose::Business,
        })
    }

    /// A MAC of its own.
    pub(crate) fn mac(&self) -> String {
        self.site.mac(self.number)
    }

    /// An address of its own in its network.
    pub(crate) fn address(&self) -> String {
        self.vlan().address(self.number)
    }

    /// `prod`, `test` …
    pub(crate) fn environment(&self) -> &'static str {
        if self.service.stem.starts_with("test-") { "test" } else { "prod" }
    }

    /// Whose it is, for the third of machines that say so.
    pub(crate) fn owner(&self) -> Option<(&'static str, &'static str)> {
        (self.number % 3 == 1).then(|| OWNERS[self.number / 3 % OWNERS.len()])
    }

    /// Description in Chinese.
    pub(crate) fn description(&self) -> String {
        format!(
            "{}{}（{}）",
            self.team.title,
            self.service.purpose,
            if self.environment() == "test" { "测试" } else { "生产" }
        )
    }
}
