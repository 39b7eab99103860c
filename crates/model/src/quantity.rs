//! Sizes as Kubernetes writes them and as people read them.

use serde::{Deserialize, Serialize};

/// Bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// Thousandths of a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millicores(pub u64);

/// One gibibyte.
pub const GIB: u64 = 1 << 30;

impl Bytes {
    /// `n` GiB.
    pub const fn gib(n: u64) -> Self {
        Self(n.saturating_mul(GIB))
    }

    /// Parses a Kubernetes quantity such as `8Gi`, `512Mi`, `1e9`, `2000000000`; `None` when it is none, or negative.
    ///
    /// Source: k8s.io/apimachinery `pkg/api/resource/quantity.go`.
    pub fn parse(text: &str) -> Option<Self> {
        parse(text).map(|v| Self(v as u64))
    }

    /// `8 GiB`, `1.5 TiB`, `512 MiB`: at most one digit after the point.
    pub fn human(self) -> String {
        let (value, unit) = self.parts();
        format!("{value} {unit}")
    }

    /// Number and unit apart, so that a page can show the unit fainter.
    pub fn parts(self) -> (String, &'static str) {
        const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
        let mut value = self.0 as f64;
        let mut unit = 0;
        while value >= 1024.0 && unit + 1 < UNITS.len() {
            value /= 1024.0;
            unit += 1;
        }
        let text = if value >= 100.0 || (value - value.round()).abs() < 0.05 {
            format!("{value:.0}")
        } else {
            format!("{value:.1}")
        };
        (text, UNITS[unit])
    }

    /// As a Kubernetes quantity: `8Gi` where it is whole, else the plain number.
    pub fn quantity(self) -> String {
        for (size, unit) in [(GIB, "Gi"), (1 << 20, "Mi")] {
            if self.0 > 0 && self.0.is_multiple_of(size) {
                return format!("{}{unit}", self.0 / size);
            }
        }
        self.0.to_string()
    }
}

impl Millicores {
    /// Parses `4`, `500m`, `1.5`.
    pub fn parse(text: &str) -> Option<Self> {
        parse(text).map(|v| Self((v * 1000.0).round() as u64))
    }

    /// `4`, `0.5`.
    pub fn cores(self) -> String {
        if self.0.is_multiple_of(1000) { (self.0 / 1000).to_string() } else { format!("{:.1}", self.0 as f64 / 1000.0) }
    }
}

/// `part` of `whole` in percent, 0 when there is no whole.
pub fn percent(part: u64, whole: u64) -> u32 {
    if whole == 0 { 0 } else { (part as u128 * 100 / whole as u128).min(u32::MAX as u128) as u32 }
}

fn parse(text: &str) -> Option<f64> {
    let at = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, suffix) = text.split_at(at);
    let number: f64 = number.parse().ok()?;
    let scale = match suffix {
        "" => 1.0,
        "n" => 1e-9,
        "u" => 1e-6,
        "m" => 1e-3,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "E" => 1e18,
        "Ki" => 1024.0,
        "Mi" => 1024f64.powi(2),
        "Gi" => 1024f64.powi(3),
        "Ti" => 1024f64.powi(4),
        "Pi" => 1024f64.powi(5),
        "Ei" => 1024f64.powi(6),
        exponent => {
            let power: i32 = exponent.strip_prefix(['e', 'E'])?.parse().ok()?;
            10f64.powi(power.clamp(-30, 30))
        }
    };
    let value = number * scale;
    (value.is_finite() && value >= 0.0).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_of_every_suffix() {
        for (text, bytes) in
            [("8Gi", 8 * GIB), ("512Mi", 512 << 20), ("1e3", 1000), ("5k", 5000), ("1500m", 1), ("0", 0)]
        {
            assert_eq!(Bytes::parse(text), Some(Bytes(bytes)), "{text}");
        }
        for bad in ["", "Gi", "-1", "1Xi", "1e999x", "NaN"] {
            assert_eq!(Bytes::parse(bad), None, "{bad}");
        }
        assert_eq!(Millicores::parse("500m"), Some(Millicores(500)));
        assert_eq!(Millicores::parse("1.5"), Some(Millicores(1500)));
    }

    #[test]
    fn people_read_one_digit_after_the_point() {
        assert_eq!(Bytes::gib(8).human(), "8 GiB");
        assert_eq!(Bytes(1_649_267_441_664).human(), "1.5 TiB");
        assert_eq!(Bytes::gib(200).quantity(), "200Gi");
        assert_eq!(percent(1, 3), 33);
        assert_eq!(percent(5, 0), 0);
    }
}
