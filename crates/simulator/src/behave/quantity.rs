//! Kubernetes quantities: `500m`, `8Gi`, `1e3`.
//!
//! Source: apimachinery `pkg/api/resource/quantity.go`. Bytes round up, as the API server does.

use serde_json::Value;

/// Bytes of a memory or storage quantity.
pub(crate) fn bytes(text: &str) -> Option<u64> {
    let (value, scale) = split(text)?;
    Some((value * scale).ceil() as u64)
}

/// A quantity as a number, which may be negative; of a string or a plain number.
pub(crate) fn amount_of(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| split(value.as_str()?).map(|(value, scale)| value * scale))
}

/// Millicores of a CPU quantity.
pub(crate) fn millicores(text: &str) -> Option<u64> {
    let (value, scale) = split(text)?;
    Some((value * scale * 1000.0).ceil() as u64)
}

/// Bytes of a value that may be a string or a plain number.
pub(crate) fn bytes_of(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| bytes(value.as_str()?))
}

/// Millicores of a value that may be a string or a plain number.
pub(crate) fn millicores_of(value: &Value) -> Option<u64> {
    match value.as_f64() {
        Some(cores) => Some((cores * 1000.0).ceil() as u64),
        None => millicores(value.as_str()?),
    }
}

/// Millicores as a quantity: whole cores without a suffix.
pub(crate) fn cpu_text(millicores: u64) -> String {
    if millicores.is_multiple_of(1000) { (millicores / 1000).to_string() } else { format!("{millicores}m") }
}

/// Bytes with the greatest binary suffix that divides them.
pub(crate) fn bytes_text(bytes: u64) -> String {
    for (suffix, unit) in [("Gi", 1u64 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10)] {
        if bytes > 0 && bytes.is_multiple_of(unit) {
            return format!("{}{suffix}", bytes / unit);
        }
    }
    bytes.to_string()
}

fn split(text: &str) -> Option<(f64, f64)> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+'))).unwrap_or(text.len());
    let (digits, suffix) = text.split_at(end);
    let value: f64 = digits.parse().ok()?;
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
        "Ki" => 1024.0,
        "Mi" => 1024.0 * 1024.0,
        "Gi" => 1024.0 * 1024.0 * 1024.0,
        "Ti" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        "Pi" => 1024.0 * 1024.0 * 1024.0 * 1024.0 * 1024.0,
        exponent if exponent.starts_with(['e', 'E']) => 10f64.powi(exponent[1..].parse().ok()?),
        _ => return None,
    };
    Some((value, scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_read_as_the_api_server_reads_them() {
        for (text, expected) in [
            ("8Gi", Some(8 << 30)),
            ("500M", Some(500_000_000)),
            ("1e3", Some(1000)),
            ("0.5Ki", Some(512)),
            ("x", None),
        ] {
            assert_eq!(bytes(text), expected, "{text}");
        }
        assert_eq!(millicores("4"), Some(4000));
        assert_eq!(millicores("250m"), Some(250));
        assert_eq!(bytes_text(8 << 30), "8Gi");
        assert_eq!(cpu_text(1500), "1500m");
    }
}
