//! Who answers for a VM: the fields, and the labels that carry them on the object.
//!
//! Labels are for people with kubectl to see; they are never authority (`reliability.md` row 59).

use serde::{Deserialize, Serialize};

/// The domain of our labels and annotations.
pub const DOMAIN: &str = "ops.example.com";
/// Label: the platform manages this object.
pub const MANAGED_BY: &str = "ops.example.com/managed-by";
/// Value of [`MANAGED_BY`].
pub const MANAGED_BY_US: &str = "harvester-admin";
/// Label: employee number of the owner.
pub const OWNER: &str = "ops.example.com/owner";
/// Annotation: name of the owner (Chinese is not allowed in label values).
pub const OWNER_NAME: &str = "ops.example.com/owner-name";
/// Label: service id.
pub const SERVICE: &str = "ops.example.com/service";
/// Annotation: service as people call it.
pub const SERVICE_NAME: &str = "ops.example.com/service-name";
/// Label: environment.
pub const ENVIRONMENT: &str = "ops.example.com/env";
/// Annotation: the change that last wrote the object.
pub const CHANGE: &str = "ops.example.com/change";
/// Annotation: the operation that made the object.
pub const OPERATION: &str = "ops.example.com/operation";

/// Who answers for a machine.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Owner {
    /// Employee number, for example `E10432`.
    pub number: String,
    /// Name.
    pub name: String,
}

/// An environment; a closed list, since rules hang on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Environment {
    /// 开发
    Dev,
    /// 测试
    Test,
    /// 预发
    Staging,
    /// 生产
    Prod,
}

impl Environment {
    /// All, from careless to careful.
    pub const ALL: [Self; 4] = [Self::Dev, Self::Test, Self::Staging, Self::Prod];

    /// The label value, and the first part of a name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Test => "test",
            Self::Staging => "staging",
            Self::Prod => "prod",
        }
    }

    /// From the label value.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|e| e.word() == word)
    }

    /// The word for it.
    pub fn say(self) -> crate::Say {
        match self {
            Self::Dev => crate::Say::fixed("开发", "Development"),
            Self::Test => crate::Say::fixed("测试", "Test"),
            Self::Staging => crate::Say::fixed("预发", "Staging"),
            Self::Prod => crate::Say::fixed("生产", "Production"),
        }
    }
}
