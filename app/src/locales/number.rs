//! Numbers as people read them in sentences.

/// `12,431`.
pub(crate) fn grouped(n: impl Into<u64>) -> String {
    let digits = n.into().to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 node`, `12 nodes`.
pub(crate) fn count(n: impl Into<u64>, noun: &str) -> String {
    let n = n.into();
    format!("{} {noun}{}", grouped(n), if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        for (n, text) in [(0_u32, "0"), (999, "999"), (1_000, "1,000"), (2_318_404, "2,318,404")] {
            assert_eq!(grouped(n), text);
        }
        assert_eq!((count(1_u32, "VM"), count(0_u32, "VM")), ("1 VM".into(), "0 VMs".into()));
    }
}
