//! The search language of the VM list: `owner:E1001 env:prod cpu>4 -status:running 10.20.30.`
//!
//! Parsed by the browser to draw tokens and by the server to answer; a text that does not parse is a sentence beside the
//! field, never an empty list.

use super::VmRow;
use crate::quantity::Bytes;
use crate::{Say, say};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Longest query text, in characters: a paste of a whole file is a mistake, not a query.
pub const MAX_QUERY: usize = 1_000;

/// What to show of the VMs, and in which order. The text is what the person typed; it is kept in the URL.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Query {
    /// Search text.
    #[serde(default)]
    pub text: String,
    /// Order.
    #[serde(default)]
    pub sort: Sort,
}

/// An order of rows; ties go by cluster, namespace, name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sort {
    /// By what.
    #[serde(default)]
    pub key: SortKey,
    /// Largest or last first.
    #[serde(default)]
    pub descending: bool,
}

/// What rows can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each is the column of its name")]
pub enum SortKey {
    #[default]
    Name,
    Power,
    Service,
    Owner,
    Address,
    Node,
    Cpu,
    Memory,
    Disk,
    Changed,
    Created,
    Cluster,
}

impl SortKey {
    /// All, in the order of columns.
    pub const ALL: [Self; 12] = [
        Self::Power,
        Self::Name,
        Self::Cluster,
        Self::Service,
        Self::Owner,
        Self::Address,
        Self::Node,
        Self::Cpu,
        Self::Memory,
        Self::Disk,
        Self::Changed,
        Self::Created,
    ];

    /// The word in a URL.
    pub fn word(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Power => "power",
            Self::Service => "service",
            Self::Owner => "owner",
            Self::Address => "address",
            Self::Node => "node",
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Disk => "disk",
            Self::Changed => "changed",
            Self::Created => "created",
            Self::Cluster => "cluster",
        }
    }
}

impl Sort {
    /// From a URL: `name`, `-changed`.
    pub fn parse(text: &str) -> Self {
        let (descending, word) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let key = SortKey::ALL.into_iter().find(|k| k.word() == word);
        key.map_or_else(Self::default, |key| Self { key, descending })
    }

    /// For a URL.
    pub fn word(self) -> String {
        format!("{}{}", if self.descending { "-" } else { "" }, self.key.word())
    }

    /// Compares two rows.
    pub fn compare(self, a: &VmRow, b: &VmRow) -> Ordering {
        let order = match self.key {
            SortKey::Name => a.name.cmp(&b.name),
            SortKey::Power => a.power.cmp(&b.power),
            SortKey::Service => a.service.cmp(&b.service),
            SortKey::Owner => a.owner.cmp(&b.owner),
            SortKey::Address => a.main_address().cmp(&b.main_address()),
            SortKey::Node => a.node.cmp(&b.node),
            SortKey::Cpu => a.cpu.cmp(&b.cpu),
            SortKey::Memory => a.memory.cmp(&b.memory),
            SortKey::Disk => a.disk.cmp(&b.disk),
            SortKey::Changed => a.changed.cmp(&b.changed),
            SortKey::Created => a.created.cmp(&b.created),
            SortKey::Cluster => a.cluster.cmp(&b.cluster),
        };
        let order = if self.descending { order.reverse() } else { order };
        order.then_with(|| a.key().cmp(&b.key()))
    }
}

/// One term of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The row must *not* match.
    pub is_not: bool,
    /// What must hold.
    pub claim: Claim,
}

/// What a term claims about a row. Texts are lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// Any of name, display name, address, MAC, owner, node, service contains the text.
    Text(String),
    /// The field contains the text (status: equals it; `*` matches what is not empty).
    Field(Field, String),
    /// The field compares so with the number (cores or bytes).
    Number(Field, Comparison, u64),
}

/// A field that can be named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the field of its name")]
pub enum Field {
    Cluster,
    Namespace,
    Name,
    Status,
    Node,
    Owner,
    Service,
    Environment,
    Address,
    Mac,
    Os,
    Managed,
    Agent,
    Cpu,
    Memory,
    Disk,
}

/// How a number compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Comparison {
    Less,
    AtMost,
    Equal,
    AtLeast,
    More,
}

/// A parsed query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// Terms that all must hold.
    pub terms: Vec<Term>,
}

impl Field {
    /// Names that people type, Chinese ones too.
    const NAMES: [(Self, &'static [&'static str]); 16] = [
        (Self::Cluster, &["cluster", "集群"]),
        (Self::Namespace, &["ns", "namespace", "命名空间"]),
        (Self::Name, &["name", "名称"]),
        (Self::Status, &["status", "state", "power", "状态"]),
        (Self::Node, &["node", "host", "主机", "节点"]),
        (Self::Owner, &["owner", "负责人"]),
        (Self::Service, &["service", "服务"]),
        (Self::Environment, &["env", "environment", "环境"]),
        (Self::Address, &["ip", "address", "地址"]),
        (Self::Mac, &["mac"]),
        (Self::Os, &["os", "系统"]),
        (Self::Managed, &["managed", "纳管"]),
        (Self::Agent, &["agent", "代理"]),
        (Self::Cpu, &["cpu"]),
        (Self::Memory, &["mem", "memory", "内存"]),
        (Self::Disk, &["disk", "磁盘"]),
    ];

    fn parse(word: &str) -> Option<Self> {
        let word = word.to_lowercase();
        Self::NAMES.iter().find(|(_, names)| names.contains(&word.as_str())).map(|&(field, _)| field)
    }

    fn is_number(self) -> bool {
        matches!(self, Self::Cpu | Self::Memory | Self::Disk)
    }

    fn number(self, text: &str) -> Option<u64> {
        if self == Self::Cpu {
            return text.parse().ok();
        }
        let at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(at);
        let suffix = match unit.to_ascii_lowercase().trim_end_matches('b') {
            "k" | "ki" => "Ki",
            "m" | "mi" => "Mi",
            // "mem>8" means GiB, since nobody means bytes.
            "" | "g" | "gi" => "Gi",
            "t" | "ti" => "Ti",
            _ => return None,
        };
        Bytes::parse(&format!("{number}{suffix}")).map(|b| b.0)
    }
}

impl Query {
    /// Parses the text; the error is a sentence for beside the field.
    pub fn parse(&self) -> Result<Verdict, Say> {
        if self.text.chars().count() > MAX_QUERY {
            return Err(say!("查询最多 {MAX_QUERY} 个字符", "a query has at most {MAX_QUERY} characters"));
        }
        words(&self.text)
            .map(|(word, is_quoted)| term(&word, is_quoted))
            .collect::<Result<_, _>>()
            .map(|terms| Verdict { terms })
    }
}

/// Splits at white space; quotes keep it. The flag says that the word began with a quote.
fn words(text: &str) -> impl Iterator<Item = (String, bool)> + '_ {
    let mut chars = text.chars().peekable();
    std::iter::from_fn(move || {
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        chars.peek()?;
        let starts_quoted = chars.peek() == Some(&'"');
        let (mut word, mut is_inside) = (String::new(), false);
        for c in chars.by_ref() {
            match c {
                '"' => is_inside = !is_inside,
                c if c.is_whitespace() && !is_inside => break,
                c => word.push(c),
            }
        }
        Some((word, starts_quoted))
    })
}

fn term(word: &str, is_quoted: bool) -> Result<Term, Say> {
    if is_quoted {
        return Ok(Term { is_not: false, claim: Claim::Text(word.to_lowercase()) });
    }
    let (is_not, rest) = match word.strip_prefix('-') {
        Some(rest) if !rest.is_empty() => (true, rest),
        _ => (false, word),
    };
    let claim = claim(rest)?;
    Ok(Term { is_not, claim })
}

fn claim(text: &str) -> Result<Claim, Say> {
    let Some(at) = text.find([':', '=', '<', '>', '：']) else {
        return Ok(Claim::Text(text.to_lowercase()));
    };
    let (name, rest) = text.split_at(at);
    let Some(field) = Field::parse(name) else {
        // Bare IPv6 addresses and MACs hold colons, so an unknown name is text, unless it reads like a field.
        let reads_like_a_field = name.len() > 4 && name.chars().all(|c| c.is_ascii_alphabetic());
        if reads_like_a_field {
            return Err(say!(
                "没有“{name}”这个字段，可用 cluster、ns、status、node、owner、service、env、ip、mac、os、cpu、mem、disk",
                "there is no field “{name}”; use cluster, ns, status, node, owner, service, env, ip, mac, os, cpu, mem, disk"
            ));
        }
        return Ok(Claim::Text(text.to_lowercase()));
    };
    let (comparison, value) = comparison(rest);
    if field.is_number() {
        let number = field.number(value).ok_or_else(|| {
            say!(
                "“{name}”要一个数，例如 {name}>4 或 mem>=8Gi",
                "“{name}” takes a number, for example {name}>4 or mem>=8Gi"
            )
        })?;
        return Ok(Claim::Number(field, comparison, number));
    }
    if comparison != Comparison::Equal {
        return Err(say!("“{name}”不能比较大小，用 {name}:值", "“{name}” has no order, write {name}:value"));
    }
    Ok(Claim::Field(field, value.to_lowercase()))
}

fn comparison(text: &str) -> (Comparison, &str) {
    for (sign, meaning) in [
        (">=", Comparison::AtLeast),
        ("<=", Comparison::AtMost),
        (">", Comparison::More),
        ("<", Comparison::Less),
        (":", Comparison::Equal),
        ("：", Comparison::Equal),
        ("=", Comparison::Equal),
    ] {
        if let Some(rest) = text.strip_prefix(sign) {
            return (meaning, rest);
        }
    }
    (Comparison::Equal, text)
}

impl Verdict {
    /// Whether all terms hold for `row`.
    pub fn admits(&self, row: &VmRow) -> bool {
        self.terms.iter().all(|term| term.claim.holds(row) != term.is_not)
    }
}

impl Claim {
    fn holds(&self, row: &VmRow) -> bool {
        match self {
            Self::Text(text) => {
                has(&row.name, text)
                    || row.addresses.iter().any(|a| a.to_string().contains(text.as_str()))
                    || [&row.display_name, &row.owner, &row.owner_name, &row.node, &row.service]
                        .into_iter()
                        .flatten()
                        .any(|field| has(field, text))
                    || has(&row.namespace, text)
                    || row.macs.iter().any(|mac| has(mac, text))
            }
            Self::Field(field, text) => field_holds(*field, text, row),
            Self::Number(field, comparison, number) => {
                let value = match field {
                    Field::Cpu => u64::from(row.cpu),
                    Field::Memory => row.memory.0,
                    _ => row.disk.0,
                };
                match comparison {
                    Comparison::Less => value < *number,
                    Comparison::AtMost => value <= *number,
                    Comparison::Equal => value == *number,
                    Comparison::AtLeast => value >= *number,
                    Comparison::More => value > *number,
                }
            }
        }
    }
}

fn field_holds(field: Field, text: &str, row: &VmRow) -> bool {
    let some = |value: &Option<std::sync::Arc<str>>| match value {
        Some(value) => text == "*" || (!text.is_empty() && has(value, text)),
        None => text.is_empty(),
    };
    match field {
        Field::Cluster => text == "*" || has(&row.cluster, text),
        Field::Namespace => text == "*" || has(&row.namespace, text),
        Field::Name => text == "*" || has(&row.name, text),
        Field::Status => {
            row.power.word() == text || row.power.say().zh == text || row.status.eq_ignore_ascii_case(text)
        }
        Field::Node => some(&row.node),
        Field::Owner => some(&row.owner) || (!text.is_empty() && some(&row.owner_name)),
        Field::Service => some(&row.service),
        Field::Environment => match &row.environment {
            Some(value) => text == "*" || value.eq_ignore_ascii_case(text),
            None => text.is_empty(),
        },
        Field::Address => match text {
            "*" => !row.addresses.is_empty(),
            "" => row.addresses.is_empty(),
            _ => row.addresses.iter().any(|a| a.to_string().starts_with(text)),
        },
        Field::Mac => row.macs.iter().any(|mac| has(mac, text)),
        Field::Os => some(&row.os),
        Field::Managed => row.is_managed == yes(text),
        Field::Agent => row.has_agent == yes(text),
        Field::Cpu | Field::Memory | Field::Disk => false,
    }
}

fn yes(text: &str) -> bool {
    matches!(text, "yes" | "true" | "1" | "是" | "*")
}

/// Whether `hay` contains `needle`, which is lower case already. ASCII, the common case, allocates nothing.
fn has(hay: &str, needle: &str) -> bool {
    if needle.is_empty() {
        return true;
    }
    if hay.is_ascii() {
        let (hay, needle) = (hay.as_bytes(), needle.as_bytes());
        return hay.len() >= needle.len() && hay.windows(needle.len()).any(|w| w.eq_ignore_ascii_case(needle));
    }
    hay.to_lowercase().contains(needle)
}

#[cfg(test)]
mod tests;
