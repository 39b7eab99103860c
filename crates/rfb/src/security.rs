//! Versions and security types of the handshake.
//!
//! Invariant: the only security type spoken is `None`: who may see a console is decided before the socket opens.
//! Must never know passwords.

use crate::ProtocolError;

/// Security type `None` (RFC 6143 §7.2.1).
pub const NONE: u8 = 1;

/// Protocol versions that differ (RFC 6143 §7.1.1, Appendix A).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// The server chooses the security type; there is no result for `None`.
    V3_3,
    /// The client chooses; still no result for `None`.
    V3_7,
    /// There is always a result, with a reason when it is bad.
    V3_8,
}

impl Version {
    /// From the twelve bytes of the wire. Unknown minor versions of 3 count as 3.3, those after 3.8 as 3.8, which is
    /// what Apple's 3.889 and RealVNC's 4 and 5 expect.
    ///
    /// # Errors
    /// [`ProtocolError::NotRfb`] for anything else.
    pub fn parse(bytes: &[u8; 12]) -> Result<Self, ProtocolError> {
        let number = |digits: &[u8]| {
            let digit = |sum: u32, &byte: &u8| byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0'));
            digits.iter().try_fold(0, digit).ok_or(ProtocolError::NotRfb)
        };
        if &bytes[..4] != b"RFB " || bytes[7] != b'.' || bytes[11] != b'\n' {
            return Err(ProtocolError::NotRfb);
        }
        match (number(&bytes[4..7])?, number(&bytes[8..11])?) {
            (3, 8..) | (4.., _) => Ok(Self::V3_8),
            (3, 7) => Ok(Self::V3_7),
            (3, _) => Ok(Self::V3_3),
            _ => Err(ProtocolError::NotRfb),
        }
    }

    /// The twelve bytes of the wire.
    pub fn to_wire(self) -> [u8; 12] {
        match self {
            Self::V3_3 => *b"RFB 003.003\n",
            Self::V3_7 => *b"RFB 003.007\n",
            Self::V3_8 => *b"RFB 003.008\n",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_versions_fall_back_to_one_that_is_spoken() {
        let parse = |text: &[u8; 12]| Version::parse(text);
        assert_eq!(parse(b"RFB 003.889\n"), Ok(Version::V3_8));
        assert_eq!(parse(b"RFB 005.000\n"), Ok(Version::V3_8));
        assert_eq!(parse(b"RFB 003.005\n"), Ok(Version::V3_3));
        assert_eq!(parse(b"RFB 002.000\n"), Err(ProtocolError::NotRfb));
        assert_eq!(parse(b"HTTP/1.1 400"), Err(ProtocolError::NotRfb));
    }
}
