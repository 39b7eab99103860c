//! Names and ids, parsed once and then trusted.
//!
//! A value of one of these types is well formed wherever it came from: `serde` parses too.

use crate::{Fault, Say, say};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a text is not a name of that kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{say}")]
pub struct BadName {
    /// What is wrong, for the person who typed it.
    pub say: Say,
}

impl From<BadName> for Fault {
    fn from(bad: BadName) -> Self {
        Fault::invalid(bad.say)
    }
}

/// Longest DNS label (RFC 1123 §2.1); Kubernetes names that become labels or host names share it.
pub const MAX_LABEL: usize = 63;

fn dns_label(text: &str, what_zh: &str, what_en: &str) -> Result<(), BadName> {
    let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let say = if text.is_empty() {
        say!("{what_zh}不能为空", "{what_en} must not be empty")
    } else if text.len() > MAX_LABEL {
        let n = text.len();
        say!(
            "{what_zh}最多 {MAX_LABEL} 个字符，现在是 {n} 个",
            "{what_en} has at most {MAX_LABEL} characters, this one has {n}"
        )
    } else if let Some(c) = text.chars().find(|&c| !fine(c)) {
        let c = c.escape_debug();
        say!(
            "{what_zh}只能用小写字母、数字和连字符，“{c}”不行",
            "{what_en} takes lower-case letters, digits and hyphens, not “{c}”"
        )
    } else if text.starts_with('-') || text.ends_with('-') {
        say!("{what_zh}不能以连字符开头或结尾", "{what_en} must not begin or end with a hyphen")
    } else {
        return Ok(());
    };
    Err(BadName { say })
}

macro_rules! label {
    ($(#[$doc:meta])* $name:ident, $zh:literal, $en:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Parses; the error is a sentence for the person who typed it.
            pub fn parse(text: &str) -> Result<Self, BadName> {
                dns_label(text, $zh, $en).map(|()| Self(text.to_owned()))
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = BadName;
            fn try_from(text: String) -> Result<Self, BadName> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

label!(
    /// The id of a registered cluster: a DNS label chosen at registration, in every URL and row, never changed.
    ClusterId, "集群标识", "the cluster id"
);
label!(
    /// A Kubernetes namespace.
    Namespace, "命名空间", "the namespace"
);
label!(
    /// A VM's name: DNS label, since it becomes a label value, a host name and a part of pod names.
    VmName, "虚拟机名", "the VM name"
);

/// One VM in one cluster.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct VmRef {
    /// Cluster.
    pub cluster: ClusterId,
    /// Namespace.
    pub namespace: Namespace,
    /// Name.
    pub name: VmName,
}

impl VmRef {
    /// Parses the three parts.
    pub fn parse(cluster: &str, namespace: &str, name: &str) -> Result<Self, BadName> {
        Ok(Self {
            cluster: ClusterId::parse(cluster)?,
            namespace: Namespace::parse(namespace)?,
            name: VmName::parse(name)?,
        })
    }
}

impl fmt::Display for VmRef {
    /// `cluster/namespace/name`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.cluster, self.namespace, self.name)
    }
}

macro_rules! opaque {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Parses: 1 to 64 characters of `[A-Za-z0-9_-]`.
            pub fn parse(text: &str) -> Result<Self, BadName> {
                let fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
                if text.is_empty() || text.len() > 64 || !text.chars().all(fine) {
                    return Err(BadName { say: Say::fixed("标识不合规", "not an id") });
                }
                Ok(Self(text.to_owned()))
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = BadName;
            fn try_from(text: String) -> Result<Self, BadName> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

opaque!(
    /// A change on the write path; rides along on the object as an annotation.
    ChangeId
);
opaque!(
    /// A durable operation: a delivery or another workflow. UUIDv7.
    OperationId
);
opaque!(
    /// A subnet of the ledger. UUIDv7.
    SubnetId
);
opaque!(
    /// An account of the platform. UUIDv7.
    AccountId
);
opaque!(
    /// A template of the catalogue, for example `app-server`.
    TemplateId
);
opaque!(
    /// What the browser sends with each request that must not be done twice. UUID.
    IdempotencyKey
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_dns_labels_and_say_what_is_wrong() {
        assert!(VmName::parse("prod-order-app-03").is_ok());
        for (bad, has) in [("", "empty"), ("Web", "“W”"), ("-a", "hyphen"), ("a.b", "“.”"), ("x\ny", "“\\n”")]
        {
            let said = VmName::parse(bad).unwrap_err().say.en.into_owned();
            assert!(said.contains(has), "{bad:?}: {said}");
        }
        assert!(VmName::parse(&"x".repeat(64)).unwrap_err().say.zh.contains("64"));
    }

    #[test]
    fn serde_parses_too() {
        assert!(serde_json::from_str::<ClusterId>("\"Bad Name\"").is_err());
        assert_eq!(serde_json::from_str::<ClusterId>("\"bj-1\"").unwrap().as_str(), "bj-1");
    }
}
