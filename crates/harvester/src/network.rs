//! Where a registered address may lead: decided when the connection is made, not when the text is read.
//!
//! A name can be made to answer with another address later (DNS rebinding), and one address has many spellings
//! (`2130706433`, `0177.0.0.1`, `::ffff:127.0.0.1`). So the rule looks at the socket address that is about to be
//! connected to, and connects to that very address. It must never know Kubernetes. (`reliability.md` row 53)

mod connector;

pub(crate) use connector::{Guarded, refusal_in};

use model::ipam::Cidr;
use model::{Say, say};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

/// What registered addresses may lead to besides ordinary ones.
#[derive(Debug, Clone, Default)]
pub struct NetworkPolicy {
    allow: Arc<[Cidr]>,
    is_http_allowed: bool,
}

impl NetworkPolicy {
    /// Ordinary addresses (private ones included, clusters live there) and those in `allow`, by HTTPS only.
    pub fn new(allow: Vec<Cidr>) -> Self {
        Self { allow: allow.into(), is_http_allowed: false }
    }

    /// Plain HTTP too, for demonstrations and for an API server behind a local proxy.
    #[must_use]
    pub fn with_http(mut self) -> Self {
        self.is_http_allowed = true;
        self
    }

    /// Why no connection is made to `address`; `None` when one may be.
    pub fn refusal(&self, address: IpAddr) -> Option<Say> {
        let address = unmapped(address);
        if self.allow.iter().any(|cidr| cidr.contains(address)) {
            return None;
        }
        let (zh, en) = match address {
            a if a.is_loopback() => ("本机回环地址", "the loopback"),
            a if a.is_unspecified() => ("未指定地址", "unspecified"),
            a if a.is_multicast() => ("组播地址", "multicast"),
            IpAddr::V4(a) if a.octets()[0] == 0 => ("未指定地址", "unspecified"),
            IpAddr::V4(a) if a.is_link_local() => ("链路本地地址", "link-local"),
            IpAddr::V4(a) if a.octets()[0] >= 240 => ("保留地址", "reserved"),
            IpAddr::V6(a) if a.segments()[0] & 0xffc0 == 0xfe80 => ("链路本地地址", "link-local"),
            // The metadata service of one large cloud in IPv6.
            IpAddr::V6(a) if a == METADATA_V6 => ("云平台元数据地址", "a cloud's metadata service"),
            _ => return None,
        };
        Some(say!(
            "{address} 是{zh}，登记的集群不能指向它；确有需要时在配置里放行",
            "{address} is {en}, registered clusters may not lead there; allow it in the configuration if it must be"
        ))
    }

    /// Why `server` is not connected to at all; addresses behind names are looked at later, by [`Guarded`].
    pub(crate) fn refusal_of(&self, server: &http::Uri) -> Option<Say> {
        if server.scheme_str() != Some("https") && !self.is_http_allowed {
            return Some(Say::fixed("只接受 https 地址", "only https addresses are taken"));
        }
        literal(server.host()?).and_then(|address| self.refusal(address))
    }
}

/// `fd00:ec2::254`.
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

/// The address in a URL's host when it is written as one.
fn literal(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// The IPv4 address inside an IPv6 one, where the system would go there: mapped, compatible and NAT64.
fn unmapped(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else { return address };
    let inner = match v6.segments() {
        [0, 0, 0, 0, 0, 0xffff, ..] => v6.to_ipv4_mapped(),
        [0, 0, 0, 0, 0, 0, a, b] if (a, b) != (0, 0) && (a, b) != (0, 1) => v6.to_ipv4(),
        [0x64, 0xff9b, 0, 0, 0, 0, a, b] => {
            let [[a, b], [c, d]] = [a.to_be_bytes(), b.to_be_bytes()];
            Some([a, b, c, d].into())
        }
        _ => None,
    };
    inner.map_or(address, IpAddr::V4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(policy: &NetworkPolicy, address: &str) -> bool {
        policy.refusal(address.parse().unwrap()).is_some()
    }

    #[test]
    fn addresses_of_this_machine_and_of_the_link_are_refused_in_every_form() {
        let policy = NetworkPolicy::default();
        for bad in [
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "0.1.2.3",
            "169.254.169.254",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fe80::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "fd00:ec2::254",
        ] {
            assert!(refused(&policy, bad), "{bad}");
        }
        for fine in ["10.0.0.1", "192.168.1.1", "100.64.0.1", "8.8.8.8", "fd00::1", "2001:db8::1"] {
            assert!(!refused(&policy, fine), "{fine}");
        }
    }

    #[test]
    fn the_configuration_can_allow_what_it_names_and_no_more() {
        let policy = NetworkPolicy::new(vec![Cidr::parse("127.0.0.1/32").unwrap()]);
        assert!(!refused(&policy, "127.0.0.1") && !refused(&policy, "::ffff:127.0.0.1"));
        assert!(refused(&policy, "127.0.0.2") && refused(&policy, "::1"));
    }

    #[test]
    fn plain_http_and_refused_literals_are_said_before_any_connection() {
        let policy = NetworkPolicy::default();
        let refusal = |url: &str| policy.refusal_of(&url.parse().unwrap()).map(|say| say.en.into_owned());
        assert!(refusal("http://10.0.0.1").unwrap().contains("https"));
        assert!(refusal("https://[::1]:6443").unwrap().contains("loopback"));
        assert_eq!(refusal("https://10.0.0.1:6443"), None);
        assert_eq!(policy.clone().with_http().refusal_of(&"http://10.0.0.1".parse().unwrap()), None);
    }
}
