//! The naming rule: `{env}-{service}-{role}-{nn}`.

use crate::id::{MAX_LABEL, VmName};
use crate::ownership::Environment;
use crate::{Say, say};

/// Why a word cannot be a part of a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Bad(pub Say);

impl From<Bad> for crate::Fault {
    fn from(bad: Bad) -> Self {
        Self::invalid(bad.0).at("service")
    }
}

/// Longest service word: environment, role, number and hyphens must still fit into a DNS label.
pub const MAX_SERVICE: usize = 30;

/// Checks the service part of a name: lower-case letters, digits, hyphens, beginning with a letter.
pub fn service_word(text: &str) -> Result<String, Bad> {
    let text = text.trim();
    let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let say = if text.is_empty() {
        Say::fixed("填服务的英文标识，例如 order", "give the service's identifier, for example order")
    } else if text.len() > MAX_SERVICE {
        say!("服务标识最多 {MAX_SERVICE} 个字符", "a service identifier has at most {MAX_SERVICE} characters")
    } else if !text.chars().all(fine) || !text.starts_with(|c: char| c.is_ascii_lowercase()) || text.ends_with('-') {
        Say::fixed(
            "服务标识用小写字母、数字和连字符，以字母开头，因为它会成为主机名的一部分",
            "a service identifier takes lower-case letters, digits and hyphens and begins with a letter, since it becomes part of a host name",
        )
    } else {
        return Ok(text.to_owned());
    };
    Err(Bad(say))
}

/// `prod-order-app-`, the part before the number.
pub fn vm_name_prefix(environment: Environment, service: &str, role: &str) -> String {
    format!("{}-{service}-{role}-", environment.word())
}

/// The next free name: the least number from 1 that is not among `taken`, two digits at least.
pub fn vm_name(environment: Environment, service: &str, role: &str, is_taken: impl Fn(&str) -> bool) -> Option<VmName> {
    let prefix = vm_name_prefix(environment, service, role);
    (1..=9999u32)
        .map(|n| format!("{prefix}{n:02}"))
        .take_while(|n| n.len() <= MAX_LABEL)
        .find(|n| !is_taken(n))
        .and_then(|n| VmName::parse(&n).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_free_number_is_taken() {
        let taken = ["prod-order-app-01", "prod-order-app-03"];
        let name = vm_name(Environment::Prod, "order", "app", |n| taken.contains(&n)).unwrap();
        assert_eq!(name.as_str(), "prod-order-app-02");
        let many = vm_name(Environment::Prod, "order", "app", |n| n.len() < "prod-order-app-100".len()).unwrap();
        assert_eq!(many.as_str(), "prod-order-app-100");
    }

    #[test]
    fn a_service_word_can_be_part_of_a_host_name() {
        assert_eq!(service_word(" order ").unwrap(), "order");
        for bad in ["", "订单", "Order", "1st", "a_b", "a\nruncmd:", "a-", &"x".repeat(31)] {
            assert!(service_word(bad).is_err(), "{bad:?}");
        }
    }
}
