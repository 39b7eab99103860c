//! Who looks and when, faintly over the screen: a photograph of it says whose it is.

use leptos::prelude::*;

use crate::frame::{use_session, use_zone};

/// Columns and rows of the mark over a picture of 1440 by 900.
const GRID: (u32, u32) = (5, 5);

/// The mark.
#[component]
pub(super) fn Watermark() -> impl IntoView {
    let session = use_session();
    let Some(me) = &session.me else { return ().into_any() };
    let number = me.number.as_deref().unwrap_or(&me.login);
    let who = if me.name == number { number.to_owned() } else { format!("{} {number}", me.name) };
    let text = format!("{who} · {}", use_zone().full(session.now).chars().take(16).collect::<String>());
    let place = |at: u32| {
        let (column, row) = (at % GRID.0, at / GRID.0);
        let (x, y) = (i64::from(column) * 340 - 60 + i64::from(row % 2) * 170, 90 + i64::from(row) * 180);
        view! { <text transform=format!("translate({x} {y}) rotate(-20)")>{text.clone()}</text> }
    };
    view! {
        <svg class="watermark" viewBox="0 0 1440 900" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
            {(0..GRID.0 * GRID.1).map(place).collect_view()}
        </svg>
    }
    .into_any()
}
