//! Events of several objects → one list, newest first.

use super::clean::{self, MAX_LINE, MAX_NAME};
use crate::api::Text;
use crate::api::core::Event;
use crate::api::meta::time;
use model::UnixMs;
use model::vm::EventLine;

/// Events that a page shows.
const MAX_EVENTS: usize = 200;

/// One event; whichever of the four times is set last counts.
pub(crate) fn of(event: &Event<'_>) -> EventLine {
    let text = |text: Option<&Text<'_>>, max| clean::text(text.map_or("", |t| t), max);
    let series = event.series.as_ref();
    let times = [
        series.and_then(|s| time(s.last_observed_time.as_ref())),
        time(event.last_timestamp.as_ref()),
        time(event.event_time.as_ref()),
        time(event.first_timestamp.as_ref()),
    ];
    let about = event.involved_object.as_ref();
    let (kind, name) = (about.and_then(|a| a.kind.as_ref()), about.and_then(|a| a.name.as_ref()));
    EventLine {
        at: times.into_iter().flatten().max().unwrap_or(UnixMs(0)),
        is_warning: event.kind.as_deref() == Some("Warning"),
        reason: text(event.reason.as_ref(), 128),
        message: text(event.message.as_ref(), 4 * MAX_LINE),
        about: format!("{}/{}", text(kind, 64), text(name, MAX_NAME)),
        count: series.and_then(|s| s.count).or(event.count).unwrap_or(1).max(1),
    }
}

/// Newest first, doubles taken out, bounded.
pub(crate) fn merged(mut events: Vec<EventLine>) -> Vec<EventLine> {
    events.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.about.cmp(&b.about)).then_with(|| a.message.cmp(&b.message)));
    events.dedup();
    events.truncate(MAX_EVENTS);
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_four_times_counts() {
        let json = r#"{"type":"Warning","reason":"FailedScheduling","message":"0/3\nnodes","count":3,"firstTimestamp":"2026-03-02T08:00:00Z",
            "lastTimestamp":"2026-03-02T08:05:00Z","involvedObject":{"kind":"Pod","name":"virt-launcher-web-01-x2k"}}"#;
        let line = of(&serde_json::from_str(json).unwrap());
        assert_eq!((line.at.rfc3339().as_str(), line.count, line.is_warning), ("2026-03-02T08:05:00.000Z", 3, true));
        assert_eq!((line.message.as_str(), line.about.as_str()), ("0/3 nodes", "Pod/virt-launcher-web-01-x2k"));
    }

    #[test]
    fn newest_first_without_doubles() {
        let line = |at| EventLine {
            at: UnixMs(at),
            is_warning: false,
            reason: String::new(),
            message: String::new(),
            about: String::new(),
            count: 1,
        };
        let at: Vec<i64> = merged(vec![line(1), line(3), line(1), line(2)]).iter().map(|e| e.at.0).collect();
        assert_eq!(at, [3, 2, 1]);
    }
}
