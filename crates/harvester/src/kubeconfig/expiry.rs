//! When a credential ends, as far as it says so itself. Nothing is verified here: that is the API server's part.

use super::Credential;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use model::UnixMs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

pub(super) fn of(credential: &Credential) -> Option<UnixMs> {
    match credential {
        Credential::Token(token) => of_jwt(token),
        Credential::Certificate { chain, .. } => {
            let pem = STANDARD.decode(chain).ok()?;
            not_after(CertificateDer::from_pem_slice(&pem).ok()?.as_ref())
        }
    }
}

/// `exp` of a JWT (RFC 7519 §4.1.4), in seconds there.
fn of_jwt(token: &str) -> Option<UnixMs> {
    #[derive(serde::Deserialize)]
    struct Claims {
        exp: f64,
    }
    let payload = token.split('.').nth(1)?;
    let json = URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok()?;
    let claims: Claims = serde_json::from_slice(&json).ok()?;
    claims.exp.is_finite().then_some(UnixMs((claims.exp * 1000.0) as i64))
}

/// `tbsCertificate.validity.notAfter` (RFC 5280 §4.1).
fn not_after(der: &[u8]) -> Option<UnixMs> {
    const SEQUENCE: u8 = 0x30;
    const VERSION: u8 = 0xa0;
    let (_, certificate, _) = element(der)?;
    let (_, mut tbs, _) = element(certificate)?;
    if tbs.first() == Some(&VERSION) {
        tbs = element(tbs)?.2;
    }
    let (_, _serial, rest) = element(tbs)?;
    let (_, _algorithm, rest) = element(rest)?;
    let (_, _issuer, rest) = element(rest)?;
    let (tag, validity, _) = element(rest)?;
    if tag != SEQUENCE {
        return None;
    }
    let (_, _not_before, rest) = element(validity)?;
    let (tag, time, _) = element(rest)?;
    time_of(tag, std::str::from_utf8(time).ok()?)
}

/// One DER element: tag, content, what follows.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (len, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let n = usize::from(first & 0x7f);
        let bytes = rest.get(..n).filter(|_| (1..=4).contains(&n))?;
        (bytes.iter().fold(0usize, |len, &b| len << 8 | usize::from(b)), &rest[n..])
    };
    Some((tag, rest.get(..len)?, rest.get(len..)?))
}

/// `UTCTime` (two-digit year, 1950 to 2049) or `GeneralizedTime`, both in `Z`.
fn time_of(tag: u8, text: &str) -> Option<UnixMs> {
    const UTC_TIME: u8 = 0x17;
    let full = match tag {
        UTC_TIME if text.get(..2)? >= "50" => format!("19{text}"),
        UTC_TIME => format!("20{text}"),
        _ => text.to_owned(),
    };
    let part = |from: usize, to: usize| full.get(from..to);
    UnixMs::parse_rfc3339(&format!(
        "{}-{}-{}T{}:{}:{}Z",
        part(0, 4)?,
        part(4, 6)?,
        part(6, 8)?,
        part(8, 10)?,
        part(10, 12)?,
        part(12, 14)?
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_both_forms() {
        let t = |tag, text| time_of(tag, text).map(UnixMs::rfc3339);
        assert_eq!(t(0x17, "301231235959Z").as_deref(), Some("2030-12-31T23:59:59.000Z"));
        assert_eq!(t(0x18, "20511231235959Z").as_deref(), Some("2051-12-31T23:59:59.000Z"));
        assert_eq!(t(0x17, "nonsense"), None);
    }

    #[test]
    fn cut_certificates_have_no_end() {
        for der in [&[][..], &[0x30], &[0x30, 0x84, 0xff, 0xff, 0xff, 0xff], &[0x30, 0x02, 0x30, 0x00]] {
            assert_eq!(not_after(der), None);
        }
    }
}
