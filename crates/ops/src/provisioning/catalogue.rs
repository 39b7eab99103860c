//! The templates that an empty catalogue begins with.

use crate::Result;
use model::Say;
use model::id::TemplateId;
use model::provisioning::{Flavour, Template};
use model::quantity::Bytes;

/// Templates for the images that enterprises mostly have; images are looked up by display name in each cluster.
pub(super) fn built_in() -> Result<Vec<Template>> {
    Ok(vec![
        template(
            "app-server",
            "app",
            "openEuler-24.03-LTS-x86_64.qcow2",
            Say::fixed("标准应用服务器", "Application server"),
            Say::fixed(
                "openEuler 24.03，时间同步与来宾代理已装好。无状态服务选它。",
                "openEuler 24.03 with time sync and guest agent. For stateless services.",
            ),
            &[(2, 4, 40), (4, 8, 80), (4, 16, 200), (8, 32, 200)],
            &["chrony"],
        )?,
        template(
            "database",
            "db",
            "openEuler-24.03-LTS-x86_64.qcow2",
            Say::fixed("数据库服务器", "Database server"),
            Say::fixed(
                "大内存与大盘，内核参数按数据库调好，数据库由 DBA 安装。",
                "Much memory and disk, kernel tuned for databases; the DBA installs the database.",
            ),
            &[(8, 32, 500), (16, 64, 1000)],
            &["chrony", "tuned"],
        )?,
        template(
            "web-gateway",
            "web",
            "ubuntu-24.04-server-cloudimg-amd64.img",
            Say::fixed("Nginx 入口", "Nginx gateway"),
            Say::fixed(
                "Ubuntu 24.04 与 Nginx，首次启动即监听 80。",
                "Ubuntu 24.04 with Nginx, listening on 80 from first boot.",
            ),
            &[(2, 4, 40), (4, 8, 80)],
            &["nginx"],
        )?,
        template(
            "debian-small",
            "util",
            "debian-12-genericcloud-amd64.qcow2",
            Say::fixed("轻量工具机", "Small utility host"),
            Say::fixed("Debian 12，最小安装，跑脚本和定时任务。", "Debian 12, minimal, for scripts and timers."),
            &[(1, 2, 20), (2, 4, 40)],
            &[],
        )?,
    ])
}

fn template(
    id: &str,
    role: &str,
    image: &str,
    name: Say,
    summary: Say,
    sizes: &[(u32, u64, u64)],
    packages: &[&str],
) -> Result<Template> {
    let flavour =
        |&(cpu, memory, disk): &(u32, u64, u64)| Flavour { cpu, memory: Bytes::gib(memory), disk: Bytes::gib(disk) };
    Ok(Template {
        id: TemplateId::parse(id)?,
        version: 1,
        name,
        summary,
        role: role.to_owned(),
        image: image.to_owned(),
        os: "linux".to_owned(),
        flavours: sizes.iter().map(flavour).collect(),
        packages: packages.iter().map(|p| (*p).to_owned()).collect(),
        run: Vec::new(),
        user: "ops".to_owned(),
    })
}
