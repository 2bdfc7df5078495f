//! The time of a row: on the wall clock, or how long ago.

use jiff::Timestamp;
use leptos::prelude::*;

use app::state::browser;
use app::state::times;
use app::state::use_page;

/// The time of a row; its tooltip shows the other format.
#[component]
pub fn RowTime(
    /// When it happened.
    at: Timestamp,
) -> impl IntoView {
    let clock = use_page().clock;
    let (hours, minutes, seconds) = browser::wall_clock(at);
    let wall = format!("{hours:02}:{minutes:02}:{seconds:02}");
    let shown = {
        let wall = wall.clone();
        move || if clock.shows_ages.get() { times::ago(clock.since(at)) } else { wall.clone() }
    };
    let other =
        move || if clock.shows_ages.get() { wall.clone() } else { times::ago(clock.since(at)) };
    view! {
        <time class="time" datetime=at.to_string() title=other>{shown}</time>
    }
}
