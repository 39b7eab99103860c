//! The form's texts and the draft that they mean: lists and ranges are typed as lines, since they are pasted from ledgers.

use model::ipam::{Range, RangeKind, Serves, Subnet, SubnetDraft};

/// What is typed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Typed {
    pub(super) name: String,
    pub(super) cidr: String,
    pub(super) gateway: String,
    pub(super) vlan: String,
    pub(super) dns: String,
    pub(super) search: String,
    pub(super) ranges: String,
    pub(super) serves: Vec<Serves>,
}

impl Typed {
    /// The texts of a subnet that is there.
    pub(super) fn of(subnet: &Subnet) -> Self {
        let range = |r: &Range| format!("{} {}-{} {}", r.kind.word(), r.from, r.to, r.note).trim().to_owned();
        Self {
            name: subnet.name.clone(),
            cidr: subnet.cidr.to_string(),
            gateway: subnet.gateway.map(|a| a.to_string()).unwrap_or_default(),
            vlan: subnet.vlan.map(|v| v.to_string()).unwrap_or_default(),
            dns: subnet.dns.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            search: subnet.search.join(" "),
            ranges: subnet.ranges.iter().map(range).collect::<Vec<_>>().join("\n"),
            serves: subnet.serves.clone(),
        }
    }

    /// What they mean; the error is the line of ranges that cannot be read. A VLAN that is no number becomes one that the
    /// service refuses, so that its sentence stands at the field.
    pub(super) fn draft(&self) -> Result<SubnetDraft, String> {
        let ranges = self.ranges.lines().map(str::trim).filter(|line| !line.is_empty());
        Ok(SubnetDraft {
            name: self.name.trim().to_owned(),
            cidr: self.cidr.trim().to_owned(),
            gateway: self.gateway.trim().to_owned(),
            vlan: if self.vlan.trim().is_empty() { 0 } else { self.vlan.trim().parse().unwrap_or(u16::MAX) },
            dns: words(&self.dns),
            search: words(&self.search),
            ranges: ranges.map(|line| range(line).ok_or_else(|| line.to_owned())).collect::<Result<_, _>>()?,
            serves: self.serves.clone(),
        })
    }
}

fn words(text: &str) -> Vec<String> {
    text.split([' ', ',', '，', '\n', '\t']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// `static 10.0.0.1-10.0.0.9 note`; a single address is a range of one.
fn range(line: &str) -> Option<Range> {
    let (kind, rest) = line.split_once(' ')?;
    let (span, note) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
    let (from, to) = span.split_once('-').unwrap_or((span, span));
    Some(Range {
        kind: RangeKind::parse(kind)?,
        from: from.parse().ok()?,
        to: to.parse().ok()?,
        note: note.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_ranges_and_come_back() {
        let typed = Typed {
            name: "生产".into(),
            cidr: "10.0.0.0/24".into(),
            dns: "10.0.0.5, 10.0.0.6".into(),
            ranges: "static 10.0.0.10-10.0.0.99\n\nreserved 10.0.0.10 打印机 二楼".into(),
            ..Typed::default()
        };
        let draft = typed.draft().unwrap();
        assert_eq!(draft.dns, ["10.0.0.5", "10.0.0.6"]);
        assert_eq!(draft.ranges.len(), 2);
        assert_eq!(draft.ranges[1].note, "打印机 二楼");
        assert_eq!(draft.vlan, 0);
    }

    #[test]
    fn the_line_that_cannot_be_read_is_named() {
        for bad in ["static", "statik 10.0.0.1-10.0.0.2", "static 10.0.0.1-x", "10.0.0.1-10.0.0.2"] {
            let typed = Typed { ranges: format!("static 10.0.0.1-10.0.0.2\n{bad}"), ..Typed::default() };
            assert_eq!(typed.draft().unwrap_err(), bad);
        }
        assert_eq!(Typed { vlan: "abc".into(), ..Typed::default() }.draft().unwrap().vlan, u16::MAX);
    }
}
