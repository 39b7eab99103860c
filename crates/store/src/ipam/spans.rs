//! What of a subnet may be handed out, as spans of numbers.

use super::key::{address, number};
use model::ipam::{Range, RangeKind, Subnet};

/// First and last of each run of addresses that may be handed out without being asked for by name, in order and apart:
/// exactly those of which [`Subnet::kind_of`] says static.
pub fn static_spans(subnet: &Subnet) -> Vec<(u128, u128)> {
    let (first, last) = (number(subnet.cidr.network()), number(subnet.cidr.last()));
    let is_here =
        |range: &&Range| range.from.is_ipv4() == subnet.cidr.is_ipv4() && range.to.is_ipv4() == range.from.is_ipv4();
    let ranges = || subnet.ranges.iter().filter(is_here).map(|r| (r.kind, number(r.from), number(r.to)));
    let mut spans: Vec<_> = ranges()
        .filter(|(kind, ..)| *kind == RangeKind::Static)
        .map(|(_, from, to)| (from.max(first), to.min(last)))
        .filter(|(from, to)| from <= to)
        .collect();
    if !subnet.ranges.iter().any(|r| r.kind == RangeKind::Static) {
        spans = vec![(first, last)];
    }
    let mut holes: Vec<_> =
        ranges().filter(|(kind, ..)| *kind != RangeKind::Static).map(|(_, from, to)| (from, to)).collect();
    let family = if subnet.cidr.is_ipv4() { 4 } else { 6 };
    let is_host = |n| address(family, n).is_ok_and(|a| subnet.cidr.is_host(a));
    holes.extend([first, last].into_iter().filter(|&n| !is_host(n)).map(|n| (n, n)));
    holes.extend(subnet.gateway.filter(|&g| subnet.cidr.contains(g)).map(|g| (number(g), number(g))));
    merged(holes.into_iter().fold(spans, without))
}

fn without(spans: Vec<(u128, u128)>, (from, to): (u128, u128)) -> Vec<(u128, u128)> {
    if from > to {
        return spans;
    }
    let mut left = Vec::with_capacity(spans.len() + 1);
    for (a, b) in spans {
        if to < a || b < from {
            left.push((a, b));
            continue;
        }
        if a < from {
            left.push((a, from - 1));
        }
        if to < b {
            left.push((to + 1, b));
        }
    }
    left
}

fn merged(mut spans: Vec<(u128, u128)>) -> Vec<(u128, u128)> {
    spans.sort_unstable();
    let mut apart: Vec<(u128, u128)> = Vec::with_capacity(spans.len());
    for (a, b) in spans {
        match apart.last_mut() {
            Some((_, end)) if a <= end.saturating_add(1) => *end = b.max(*end),
            _ => apart.push((a, b)),
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::super::tests::subnet_of;
    use super::*;
    use model::ipam::Cidr;

    fn range(kind: RangeKind, from: &str, to: &str) -> Range {
        Range { kind, from: from.parse().unwrap(), to: to.parse().unwrap(), note: String::new() }
    }

    /// Every address of a small subnet is in a span exactly when the model says static.
    #[track_caller]
    fn check(cidr: &str, gateway: Option<&str>, ranges: Vec<Range>) {
        let mut subnet = subnet_of(cidr);
        subnet.gateway = gateway.map(|g| g.parse().unwrap());
        subnet.ranges = ranges;
        let spans = static_spans(&subnet);
        assert!(spans.windows(2).all(|w| w[0].1 + 1 < w[1].0), "{spans:?}");
        for at in 0..subnet.cidr.size() {
            let address = subnet.cidr.at(at).unwrap();
            let is_static = subnet.kind_of(address) == RangeKind::Static;
            let is_in = spans.iter().any(|&(a, b)| (a..=b).contains(&number(address)));
            assert_eq!(is_static, is_in, "{address} {spans:?}");
        }
    }

    #[test]
    fn spans_are_what_the_model_calls_static() {
        use RangeKind::{Dhcp, Forbidden, Reserved, Static};
        check("10.0.0.0/28", None, vec![]);
        check("10.0.0.0/28", Some("10.0.0.1"), vec![]);
        check("10.0.0.0/31", None, vec![]);
        check("10.0.0.4/32", None, vec![]);
        check("2001:db8::/120", Some("2001:db8::1"), vec![range(Dhcp, "2001:db8::80", "2001:db8::ff")]);
        check("10.0.0.0/24", Some("10.0.0.254"), vec![range(Static, "10.0.0.10", "10.0.0.99")]);
        check(
            "10.0.0.0/24",
            Some("10.0.0.20"),
            vec![
                range(Static, "10.0.0.10", "10.0.0.99"),
                range(Static, "10.0.0.50", "10.0.1.99"),
                range(Forbidden, "10.0.0.60", "10.0.0.61"),
                range(Reserved, "9.0.0.0", "10.0.0.12"),
                range(Dhcp, "10.0.0.61", "10.0.0.70"),
                range(Dhcp, "10.0.0.90", "10.0.0.80"),
            ],
        );
        check("10.0.0.0/24", None, vec![range(Static, "2001:db8::1", "2001:db8::2")]);
    }

    #[test]
    fn the_whole_of_ipv6_has_no_overflow() {
        let mut subnet = subnet_of("8000::/1");
        subnet.gateway = Some("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff".parse().unwrap());
        assert_eq!(static_spans(&subnet), vec![((1 << 127) + 1, u128::MAX - 1)]);
        assert!(Cidr::parse("8000::/1").is_ok());
    }
}
