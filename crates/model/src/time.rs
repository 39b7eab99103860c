//! Moments and spans as the database and the wire carry them, and how people read them.
//!
//! No clock here: whoever shows an age passes the present in. Server and browser print the same text, so the zone is an
//! offset that the session carries, not the machine's.

use crate::Lang;
use jiff::{Timestamp, tz::Offset};
use serde::{Deserialize, Serialize};

/// Unix milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnixMs(pub i64);

impl UnixMs {
    /// From RFC 3339, as Kubernetes writes times.
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        text.parse::<Timestamp>().ok().map(|t| Self(t.as_millisecond()))
    }

    /// RFC 3339 in UTC with milliseconds.
    pub fn rfc3339(self) -> String {
        self.timestamp().map(|t| format!("{t:.3}")).unwrap_or_default()
    }

    /// Milliseconds from `earlier` to here; negative when `earlier` is later.
    pub fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// `14:03:22` at `offset_minutes` east of UTC.
    pub fn clock(self, offset_minutes: i32) -> String {
        self.format("%H:%M:%S", offset_minutes)
    }

    /// `2026-11-30 14:03:22` at `offset_minutes` east of UTC.
    pub fn date_time(self, offset_minutes: i32) -> String {
        self.format("%Y-%m-%d %H:%M:%S", offset_minutes)
    }

    /// `11-30 14:03` at `offset_minutes` east of UTC.
    pub fn short(self, offset_minutes: i32) -> String {
        self.format("%m-%d %H:%M", offset_minutes)
    }

    fn timestamp(self) -> Option<Timestamp> {
        Timestamp::from_millisecond(self.0).ok()
    }

    fn format(self, pattern: &str, offset_minutes: i32) -> String {
        let offset = Offset::from_seconds(offset_minutes.clamp(-24 * 60, 24 * 60) * 60).unwrap_or(Offset::UTC);
        self.timestamp().map(|t| offset.to_datetime(t).strftime(pattern).to_string()).unwrap_or_default()
    }
}

/// `3 秒前`, `5 分钟前`, `2 天前`: how long ago, in one unit, never negative.
pub fn ago(ms: i64, lang: Lang) -> String {
    let (n, zh, en) = unit(ms);
    match lang {
        Lang::Zh if n == 0 => "刚刚".into(),
        Lang::En if n == 0 => "just now".into(),
        Lang::Zh => format!("{n} {zh}前"),
        Lang::En => format!("{n} {en}{} ago", if n == 1 { "" } else { "s" }),
    }
}

/// `41 天`, `3 小时`: a length in one unit.
pub fn long(ms: i64, lang: Lang) -> String {
    let (n, zh, en) = unit(ms);
    match lang {
        Lang::Zh => format!("{n} {zh}"),
        Lang::En => format!("{n} {en}{}", if n == 1 { "" } else { "s" }),
    }
}

/// `3:42` or `1:02:03`: a running clock.
pub fn stopwatch(ms: i64) -> String {
    let s = ms.max(0) / 1000;
    let (h, m, s) = (s / 3600, s / 60 % 60, s % 60);
    if h > 0 { format!("{h}:{m:02}:{s:02}") } else { format!("{m}:{s:02}") }
}

/// `0.9 s`, `1 m 42 s`: how long a step took.
pub fn took(ms: i64) -> String {
    let ms = ms.max(0);
    match ms {
        0..10_000 => format!("{:.1} s", ms as f64 / 1000.0),
        10_000..60_000 => format!("{} s", ms / 1000),
        _ => format!("{} m {} s", ms / 60_000, ms / 1000 % 60),
    }
}

fn unit(ms: i64) -> (i64, &'static str, &'static str) {
    let s = ms.max(0) / 1000;
    match s {
        0..60 => (s, "秒", "second"),
        60..3600 => (s / 60, "分钟", "minute"),
        3600..172_800 => (s / 3600, "小时", "hour"),
        _ => (s / 86_400, "天", "day"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kubernetes_times_survive_a_round_trip() {
        let t = UnixMs::parse_rfc3339("2026-03-02T08:11:45Z").unwrap();
        assert_eq!(t.rfc3339(), "2026-03-02T08:11:45.000Z");
        assert_eq!(t.date_time(8 * 60), "2026-03-02 16:11:45");
        assert_eq!(UnixMs::parse_rfc3339("yesterday"), None);
    }

    #[test]
    fn ages_have_one_unit_and_are_never_negative() {
        assert_eq!(ago(-5, Lang::Zh), "刚刚");
        assert_eq!(ago(4_000, Lang::Zh), "4 秒前");
        assert_eq!(ago(61_000, Lang::En), "1 minute ago");
        assert_eq!(ago(41 * 86_400_000, Lang::Zh), "41 天前");
        assert_eq!(stopwatch(222_000), "3:42");
        assert_eq!(took(102_000), "1 m 42 s");
    }
}
