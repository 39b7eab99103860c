//! Versions as clusters say them, read leniently.

/// Major and minor; a release candidate counts as its release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32);

impl Version {
    /// From `v1.8.2`, `1.8`, `v1.8-3f2a1c-head`, `v1.7.0-rc4`; `None` for `dev`, `master-3f2a1c-head` and nonsense.
    ///
    /// Source: harvester `pkg/settings/settings.go` (`server-version`).
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts = text.split(['.', '-', '+']);
        let major = parts.next()?.parse().ok()?;
        let minor = parts.next()?.parse().ok()?;
        Some(Self(major, minor))
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_every_make() {
        for (text, version) in [
            ("v1.8.2", Some((1, 8))),
            ("1.4", Some((1, 4))),
            ("v1.8-3f2a1c-head", Some((1, 8))),
            ("v1.7.0-rc4", Some((1, 7))),
            ("v1.10.0-dev", Some((1, 10))),
        ] {
            assert_eq!(Version::parse(text).map(|v| (v.0, v.1)), version, "{text}");
        }
        for text in ["dev", "master-3f2a1c-head", "", "v", "v1", "v1.x", "v99999999999.1"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
        assert!(Version(1, 10) > Version(1, 9));
    }
}
