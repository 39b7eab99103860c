//! What programs need of the machine's memory, as the kernel counts it (`proc_pid_smaps(5)`).

use std::fmt;
use std::iter::Sum;

/// Memory of one program or several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Memory {
    /// All pages that are there; one shared by two programs counts twice.
    rss_kib: u64,
    /// A shared page counts in equal parts.
    pss_kib: u64,
}

impl Memory {
    /// That of a process; nothing when it is gone.
    pub(super) fn of(pid: u32) -> Self {
        // A process that ended between two looks has no memory.
        std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).map(|text| Self::read(&text)).unwrap_or_default()
    }

    fn read(text: &str) -> Self {
        let field = |name: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(name));
            value.and_then(|value| value.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
        };
        Self { rss_kib: field("Rss:"), pss_kib: field("Pss:") }
    }
}

impl Sum for Memory {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |a, b| Self { rss_kib: a.rss_kib + b.rss_kib, pss_kib: a.pss_kib + b.pss_kib })
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} MiB resident ({} MiB with shared pages counted once)", self.rss_kib / 1024, self.pss_kib / 1024)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_words_are_read() {
        let text = "00400000-7ff ---p 00000000 00:00 0 [rollup]\nRss:               10240 kB\nPss:                2048 kB\nPss_Dirty:  7 kB\n";
        let one = Memory::read(text);
        assert_eq!(
            [one, one].into_iter().sum::<Memory>().to_string(),
            "20 MiB resident (4 MiB with shared pages counted once)"
        );
        assert_eq!(Memory::read(""), Memory::default());
    }
}
