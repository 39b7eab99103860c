//! MAC addresses that the platform hands out.

use crate::{Fault, Say};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A MAC address; shown in lower case with colons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Mac([u8; 6]);

impl Mac {
    /// One of ours out of 24 random bits: QEMU's prefix `52:54:00`, which is locally administered and unicast.
    pub fn ours(random: u32) -> Self {
        let [_, a, b, c] = random.to_be_bytes();
        Self([0x52, 0x54, 0x00, a, b, c])
    }

    /// Parses `52:54:00:ab:10:01` or `52-54-00-AB-10-01`; refuses multicast and all-zero addresses.
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0u8; 6];
        let mut parts = text.split([':', '-']);
        for byte in &mut bytes {
            let part = parts.next().filter(|p| p.len() == 2)?;
            *byte = u8::from_str_radix(part, 16).ok()?;
        }
        (parts.next().is_none() && bytes[0] & 1 == 0 && bytes != [0; 6]).then_some(Self(bytes))
    }
}

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

impl TryFrom<String> for Mac {
    type Error = Fault;
    fn try_from(text: String) -> Result<Self, Fault> {
        Self::parse(&text).ok_or_else(|| Fault::invalid(Say::fixed("MAC 地址不合规", "not a MAC address")).at("mac"))
    }
}

impl From<Mac> for String {
    fn from(mac: Mac) -> Self {
        mac.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macs_of_ours_are_local_and_unicast() {
        assert_eq!(Mac::ours(0xff_ab_10_01).to_string(), "52:54:00:ab:10:01");
        assert_eq!(Mac::parse("52-54-00-AB-10-01"), Some(Mac::ours(0xab_10_01)));
        for bad in
            ["", "52:54:00:ab:10", "53:54:00:ab:10:01", "00:00:00:00:00:00", "52:54:00:ab:10:01:02", "5:54:00:ab:10:01"]
        {
            assert_eq!(Mac::parse(bad), None, "{bad}");
        }
    }
}
