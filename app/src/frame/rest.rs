//! Asking the server while somebody types: once the typing rests, and not at each key.

use std::time::Duration;

use leptos::prelude::*;

/// How long the typing of a form must rest before the form is examined.
pub(crate) const FORM_REST: Duration = Duration::from_millis(350);

/// Calls `then` with what `value` is once it has not changed for `rest`, for as long as the caller's owner lives; `None` is
/// nothing to ask about. In the browser only.
pub(crate) fn when_it_rests<T: 'static>(
    rest: Duration,
    value: impl Fn() -> Option<T> + Send + Sync + 'static,
    then: impl Fn(T) + Copy + Send + Sync + 'static,
) {
    let timer: StoredValue<Option<TimeoutHandle>> = StoredValue::new(None);
    let stop = move || {
        if let Some(Some(old)) = timer.try_update_value(Option::take) {
            old.clear()
        }
    };
    on_cleanup(stop);
    Effect::new(move |_| {
        let value = value();
        stop();
        if let Some(value) = value {
            timer.set_value(set_timeout_with_handle(move || then(value), rest).ok());
        }
    });
}
