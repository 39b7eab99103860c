//! cloud-init: what the guest is told at its first boot.
//!
//! Values reach the text only through a YAML serialiser, so nothing that was typed can become a key, a command or a second
//! document (`reliability.md` row 57). Network data is version 2 without the `network:` wrapper (`harvester-api.md` §13).

use model::ipam::{Mac, Subnet};
use model::provisioning::Template;
use model::{Say, say};
use serde::Serialize;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// What the guest gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloudInit {
    /// `user-data`.
    pub user_data: String,
    /// `network-config`.
    pub network_data: String,
}

/// Longest SSH public key, in bytes: a 16,384-bit RSA key has 2,800.
const MAX_KEY: usize = 4_096;
/// Most SSH keys of one VM.
const MAX_KEYS: usize = 16;

/// Checks SSH public keys, one a line; blank lines are skipped.
pub fn ssh_keys(text: &str) -> Result<Vec<String>, Say> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    if lines.len() > MAX_KEYS {
        return Err(say!("最多 {MAX_KEYS} 把公钥", "at most {MAX_KEYS} keys"));
    }
    lines.into_iter().enumerate().map(|(n, line)| ssh_key(line).map_err(|why| at_line(n + 1, &why))).collect()
}

fn at_line(n: usize, why: &Say) -> Say {
    let (zh, en) = (&why.zh, &why.en);
    say!("第 {n} 行：{zh}", "line {n}: {en}")
}

/// One key in OpenSSH's form: type, base64, comment (sshd(8), AUTHORIZED_KEYS FILE FORMAT), without options.
fn ssh_key(line: &str) -> Result<String, Say> {
    use base64::Engine as _;
    const TYPES: [&str; 7] = [
        "ssh-ed25519",
        "ssh-rsa",
        "ecdsa-sha2-nistp256",
        "ecdsa-sha2-nistp384",
        "ecdsa-sha2-nistp521",
        "sk-ssh-ed25519@openssh.com",
        "sk-ecdsa-sha2-nistp256@openssh.com",
    ];
    if line.len() > MAX_KEY || line.chars().any(char::is_control) {
        return Err(Say::fixed("公钥太长或含控制字符", "the key is too long or holds control characters"));
    }
    let mut words = line.split_ascii_whitespace();
    let (kind, body) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if line.contains("PRIVATE KEY") {
        return Err(Say::fixed("这是私钥，请填公钥", "this is a private key; give the public one"));
    }
    if !TYPES.contains(&kind) {
        return Err(Say::fixed(
            "不是 OpenSSH 公钥（应以 ssh-ed25519、ssh-rsa 等开头）",
            "not an OpenSSH public key (it begins with ssh-ed25519, ssh-rsa …)",
        ));
    }
    let blob = base64::engine::general_purpose::STANDARD.decode(body).unwrap_or_default();
    // RFC 4253 §6.6: the blob repeats the type as a length-prefixed string.
    let repeats = blob.get(4..4 + kind.len()) == Some(kind.as_bytes())
        && blob.get(..4) == Some(&(kind.len() as u32).to_be_bytes()[..]);
    if !repeats {
        return Err(Say::fixed("公钥内容不完整", "the key is cut or damaged"));
    }
    Ok(line.to_owned())
}

#[derive(Serialize)]
struct UserData<'a> {
    hostname: &'a str,
    fqdn: String,
    manage_etc_hosts: bool,
    users: Vec<User<'a>>,
    ssh_pwauth: bool,
    package_update: bool,
    packages: Vec<&'a str>,
    runcmd: Vec<Vec<&'a str>>,
}

#[derive(Serialize)]
struct User<'a> {
    name: &'a str,
    shell: &'static str,
    sudo: &'static str,
    groups: Vec<&'static str>,
    lock_passwd: bool,
    ssh_authorized_keys: &'a [String],
}

#[derive(Serialize)]
struct NetworkData<'a> {
    version: u8,
    ethernets: BTreeMap<&'a str, Ethernet<'a>>,
}

#[derive(Serialize)]
struct Ethernet<'a> {
    #[serde(rename = "match")]
    by: ByMac,
    #[serde(rename = "set-name")]
    set_name: &'a str,
    dhcp4: bool,
    dhcp6: bool,
    addresses: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    routes: Vec<Route>,
    #[serde(skip_serializing_if = "NameServers::is_empty")]
    nameservers: NameServers<'a>,
}

#[derive(Serialize)]
struct ByMac {
    macaddress: String,
}

#[derive(Serialize)]
struct Route {
    to: &'static str,
    via: IpAddr,
}

#[derive(Serialize)]
struct NameServers<'a> {
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    addresses: &'a [IpAddr],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    search: &'a [String],
}

impl NameServers<'_> {
    fn is_empty(&self) -> bool {
        self.addresses.is_empty() && self.search.is_empty()
    }
}

/// Name of the interface in the VM spec and inside the guest.
pub const NIC: &str = "nic-1";

/// The agent's package and service; its absence means that no address is ever seen.
const AGENT: &str = "qemu-guest-agent";

/// Renders both texts. `keys` have been checked by [`ssh_keys`].
pub fn render(
    template: &Template,
    hostname: &str,
    keys: &[String],
    subnet: &Subnet,
    address: IpAddr,
    mac: Mac,
) -> Result<CloudInit, String> {
    let mut packages: Vec<&str> = vec![AGENT];
    packages.extend(template.packages.iter().map(String::as_str).filter(|&p| p != AGENT));
    let mut runcmd = vec![vec!["systemctl", "enable", "--now", "qemu-guest-agent.service"]];
    runcmd.extend(template.run.iter().map(|line| line.iter().map(String::as_str).collect()));
    let domain = subnet.search.first();
    let user_data = UserData {
        hostname,
        fqdn: domain.map_or_else(|| hostname.to_owned(), |domain| format!("{hostname}.{domain}")),
        manage_etc_hosts: true,
        users: vec![User {
            name: &template.user,
            shell: "/bin/bash",
            sudo: "ALL=(ALL) NOPASSWD:ALL",
            groups: vec!["wheel", "sudo"],
            lock_passwd: true,
            ssh_authorized_keys: keys,
        }],
        ssh_pwauth: false,
        package_update: true,
        packages,
        runcmd,
    };
    let nic = Ethernet {
        by: ByMac { macaddress: mac.to_string() },
        set_name: NIC,
        dhcp4: false,
        dhcp6: false,
        addresses: vec![format!("{address}/{}", subnet.cidr.prefix())],
        routes: subnet.gateway.map(|via| Route { to: "default", via }).into_iter().collect(),
        nameservers: NameServers { addresses: &subnet.dns, search: &subnet.search },
    };
    let network_data = NetworkData { version: 2, ethernets: BTreeMap::from([(NIC, nic)]) };
    let yaml = |error: serde_saphyr::ser::Error| error.to_string();
    Ok(CloudInit {
        user_data: format!("#cloud-config\n{}", serde_saphyr::to_string(&user_data).map_err(yaml)?),
        network_data: serde_saphyr::to_string(&network_data).map_err(yaml)?,
    })
}

#[cfg(test)]
mod tests;
