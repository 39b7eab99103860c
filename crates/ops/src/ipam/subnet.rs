//! From what was typed to a subnet, or to the field that is wrong.

use crate::{Error, Result};
use model::id::SubnetId;
use model::ipam::{Cidr, Range, Subnet, SubnetDraft};
use model::{Say, say};
use std::net::IpAddr;

/// Longest name, in characters.
const MAX_NAME: usize = 60;
/// Most ranges, name servers, search domains, networks of one subnet.
const MAX_LIST: usize = 32;

/// Parses a draft.
pub(super) fn parse(id: SubnetId, draft: &SubnetDraft) -> Result<Subnet> {
    let name = draft.name.trim();
    if name.is_empty() || name.chars().count() > MAX_NAME {
        return Err(Error::invalid(
            "name",
            say!("名称为 1 到 {MAX_NAME} 个字符", "a name has 1 to {MAX_NAME} characters"),
        ));
    }
    let cidr = Cidr::parse(&draft.cidr).map_err(|bad| Error::invalid("cidr", bad.0))?;
    let gateway = match draft.gateway.trim() {
        "" => None,
        text => Some(text.parse::<IpAddr>().ok().filter(|&a| cidr.is_host(a)).ok_or_else(|| {
            Error::invalid(
                "gateway",
                say!("网关应是 {cidr} 里的一个主机地址", "the gateway is a host address of {cidr}"),
            )
        })?),
    };
    let vlan = match draft.vlan {
        0 => None,
        vlan @ 1..=4094 => Some(vlan),
        _ => {
            return Err(Error::invalid(
                "vlan",
                Say::fixed("VLAN 为 1 到 4094，0 表示没有", "a VLAN is 1 to 4094, 0 means none"),
            ));
        }
    };
    for (field, len) in [
        ("dns", draft.dns.len()),
        ("search", draft.search.len()),
        ("ranges", draft.ranges.len()),
        ("serves", draft.serves.len()),
    ] {
        if len > MAX_LIST {
            return Err(Error::invalid(field, say!("最多 {MAX_LIST} 项", "at most {MAX_LIST} of them")));
        }
    }
    let dns = draft.dns.iter().map(|text| address("dns", text)).collect::<Result<_>>()?;
    let search = draft.search.iter().map(|text| domain(text)).collect::<Result<_>>()?;
    let ranges = draft.ranges.iter().map(|r| range(cidr, r)).collect::<Result<_>>()?;
    Ok(Subnet { id, name: name.to_owned(), cidr, gateway, vlan, dns, search, ranges, serves: draft.serves.clone() })
}

fn address(field: &str, text: &str) -> Result<IpAddr> {
    let text = text.trim();
    text.parse().map_err(|_| Error::invalid(field, say!("“{text}”不是地址", "“{text}” is not an address")))
}

fn domain(text: &str) -> Result<String> {
    let text = text.trim().trim_end_matches('.');
    let fine = |label: &str| {
        !label.is_empty() && label.len() <= 63 && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    if text.is_empty() || text.len() > 253 || !text.split('.').all(fine) {
        return Err(Error::invalid("search", say!("“{text}”不是域名", "“{text}” is not a domain name")));
    }
    Ok(text.to_ascii_lowercase())
}

fn range(cidr: Cidr, range: &Range) -> Result<Range> {
    let (from, to) = (range.from, range.to);
    if !cidr.contains(from) || !cidr.contains(to) {
        return Err(Error::invalid(
            "ranges",
            say!("{from} – {to} 不在 {cidr} 里", "{from} – {to} is not inside {cidr}"),
        ));
    }
    if from > to {
        return Err(Error::invalid("ranges", say!("{from} 在 {to} 之后", "{from} comes after {to}")));
    }
    Ok(range.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ipam::RangeKind;

    fn draft() -> SubnetDraft {
        SubnetDraft {
            name: "生产业务".into(),
            cidr: "10.20.0.0/24".into(),
            gateway: "10.20.0.1".into(),
            vlan: 120,
            dns: vec!["10.20.0.5".into()],
            search: vec!["Lab.example.".into()],
            ranges: vec![Range {
                kind: RangeKind::Static,
                from: "10.20.0.10".parse().unwrap(),
                to: "10.20.0.99".parse().unwrap(),
                note: String::new(),
            }],
            serves: vec![],
        }
    }

    fn wrong(change: impl FnOnce(&mut SubnetDraft)) -> String {
        let mut draft = draft();
        change(&mut draft);
        match parse(SubnetId::parse("s").unwrap(), &draft) {
            Err(Error::Invalid(fault)) => fault.field.unwrap_or_default(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_wrong_draft_names_its_field() {
        let fine = parse(SubnetId::parse("s").unwrap(), &draft()).unwrap();
        assert_eq!(fine.search, ["lab.example"]);
        assert_eq!(wrong(|d| d.name = " ".into()), "name");
        assert_eq!(wrong(|d| d.cidr = "10.20.0.7/24".into()), "cidr");
        assert_eq!(wrong(|d| d.gateway = "10.20.1.1".into()), "gateway");
        assert_eq!(wrong(|d| d.gateway = "10.20.0.255".into()), "gateway");
        assert_eq!(wrong(|d| d.vlan = 4095), "vlan");
        assert_eq!(wrong(|d| d.dns = vec!["ns1".into()]), "dns");
        assert_eq!(wrong(|d| d.search = vec!["a b\n---".into()]), "search");
        assert_eq!(wrong(|d| d.ranges[0].to = "10.20.1.9".parse().unwrap()), "ranges");
        assert_eq!(wrong(|d| d.ranges[0].to = "10.20.0.9".parse().unwrap()), "ranges");
    }
}
