//! What this page follows: pure book-keeping, so that a reconnect repeats exactly what is still wanted.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::Fault;
use model::live::{Frame, Span, Topic, Up, Value};

/// What came for a subscription.
pub(crate) enum News {
    /// Rows of a list.
    Rows(Frame),
    /// A whole value.
    Value(Value),
    /// It cannot be followed (any more).
    Refused(Fault),
}

/// Who takes the news.
pub(crate) type Sink = Arc<dyn Fn(News) + Send + Sync>;

struct Wish {
    topic: Topic,
    span: Span,
    sink: Sink,
}

/// All that is followed, by the number that the server knows it under.
#[derive(Default)]
pub(crate) struct Wishes {
    last: u32,
    open: BTreeMap<u32, Wish>,
}

impl Wishes {
    /// Follows `topic` from now on; returns its number and what to tell the server.
    pub(crate) fn open(&mut self, topic: Topic, span: Span, sink: Sink) -> (u32, Up) {
        self.last = self.last.wrapping_add(1);
        let up = Up::Open { sub: self.last, topic: topic.clone(), span };
        self.open.insert(self.last, Wish { topic, span, sink });
        (self.last, up)
    }

    /// Moves the window of `sub`; nothing to tell when it is there already.
    pub(crate) fn shift(&mut self, sub: u32, span: Span) -> Option<Up> {
        let wish = self.open.get_mut(&sub).filter(|wish| wish.span != span)?;
        wish.span = span;
        Some(Up::Move { sub, span })
    }

    /// Ends `sub`.
    pub(crate) fn close(&mut self, sub: u32) -> Option<Up> {
        self.open.remove(&sub).map(|_| Up::Close { sub })
    }

    /// What to tell a server that knows nothing yet.
    pub(crate) fn all(&self) -> Vec<Up> {
        let up = |(&sub, wish): (&u32, &Wish)| Up::Open { sub, topic: wish.topic.clone(), span: wish.span };
        self.open.iter().map(up).collect()
    }

    /// Who takes the news of `sub`; nobody when it has ended meanwhile.
    pub(crate) fn sink(&self, sub: u32) -> Option<Sink> {
        self.open.get(&sub).map(|wish| wish.sink.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nobody() -> Sink {
        Arc::new(|_| ())
    }

    #[test]
    fn after_a_reconnect_the_newest_windows_are_asked_for_again() {
        let mut wishes = Wishes::default();
        let (list, _) = wishes.open(Topic::Vms(Default::default()), Span { start: 0, len: 600 }, nobody());
        let (fleet, _) = wishes.open(Topic::Fleet, Span::default(), nobody());
        let span = Span { start: 1_200, len: 600 };
        assert_eq!(wishes.shift(list, span), Some(Up::Move { sub: list, span }));
        assert_eq!(wishes.shift(list, span), None);
        assert_eq!(wishes.close(fleet), Some(Up::Close { sub: fleet }));
        assert_eq!(wishes.all(), [Up::Open { sub: list, topic: Topic::Vms(Default::default()), span }]);
    }

    #[test]
    fn news_for_what_has_ended_goes_nowhere() {
        let mut wishes = Wishes::default();
        let (sub, _) = wishes.open(Topic::Fleet, Span::default(), nobody());
        wishes.close(sub);
        assert!(wishes.sink(sub).is_none());
        assert_eq!(wishes.close(sub), None);
    }
}
