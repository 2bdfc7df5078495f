//! The events of a session: only the rows in sight are drawn, and fetched a window at a time, so that
//! a session of 100,000 events opens as one of ten does.

use std::collections::{HashMap, HashSet};

use api::LiveRow;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::event_row::EventRow;
use crate::live::state::window::Rows;
use crate::live::state::workspace::use_this_live_workspace;
use app::components::icon::{Glyph, Icon};
use app::server_functions::read_live_rows;
use app::state::Link;
use app::state::browser;
use app::state::use_page;

/// How many events are fetched at once.
const CHUNK: u64 = 100;
/// How high the view is taken to be until it has been measured, in pixels.
const VIEW: f64 = 600.0;
/// How near to the end, in pixels, counts as reading along.
const NEAR_THE_END: f64 = 40.0;

/// The events that this page has, by the number of their chunk.
#[derive(Clone, Copy)]
struct Chunks {
    read: StoredValue<HashMap<u64, Vec<LiveRow>>>,
    under_way: StoredValue<HashSet<u64>>,
    revision: RwSignal<u32>,
    fault: RwSignal<Option<String>>,
}

impl Chunks {
    /// Fetches the chunk if it is not there as far as it goes.
    fn want(self, session: &api::LiveId, chunk: u64, count: u64) {
        let wanted = count.saturating_sub(chunk * CHUNK).min(CHUNK);
        let has = self.read.with_value(|read| read.get(&chunk).map_or(0, |rows| rows.len() as u64));
        let is_under_way = self.under_way.with_value(|it| it.contains(&chunk));
        if has >= wanted || is_under_way {
            return;
        }
        self.under_way.update_value(|it| {
            it.insert(chunk);
        });
        let session = session.clone();
        spawn_local(async move {
            let rows = read_live_rows(session, chunk * CHUNK, CHUNK, false).await;
            // The timeline may be gone.
            self.under_way.try_update_value(|it| it.remove(&chunk));
            match rows {
                Ok(rows) => {
                    let has_grown = rows.len() as u64 > has;
                    self.read.try_update_value(|read| read.insert(chunk, rows));
                    self.fault.try_set(None);
                    // Events that came meanwhile are wanted next.
                    if has_grown {
                        self.revision.try_update(|it| *it = it.wrapping_add(1));
                    }
                }
                Err(error) => drop(self.fault.try_set(Some(error.to_string()))),
            }
        });
    }

    fn get(self, sequence: u64) -> Option<LiveRow> {
        let place = sequence - 1;
        let within = usize::try_from(place % CHUNK).unwrap_or_default();
        self.read.with_value(|read| read.get(&(place / CHUNK))?.get(within).cloned())
    }
}

/// The events.
#[component]
pub(super) fn Timeline() -> impl IntoView {
    let workspace = use_this_live_workspace();
    let link = use_page().connection.link;
    let chunks = Chunks {
        read: StoredValue::new(HashMap::new()),
        under_way: StoredValue::new(HashSet::new()),
        revision: RwSignal::new(0),
        fault: RwSignal::new(None),
    };
    let count =
        Memo::new(move |_| workspace.summary.with(|it| it.as_ref().map_or(0, |it| it.events)));
    let rows = RwSignal::new(Rows::new(count.get_untracked()));
    let list = NodeRef::<html::Div>::new();
    let scrolled = RwSignal::new(0.0_f64);
    let height = RwSignal::new(VIEW);
    let current = RwSignal::new(count.get_untracked().max(1));
    let reads_along = StoredValue::new(true);
    let unseen = RwSignal::new(0_u64);
    let window = Memo::new(move |_| rows.with(|rows| rows.window(scrolled.get(), height.get())));
    let look = move || {
        if let Some(list) = list.get_untracked() {
            let (top, seen) = (f64::from(list.scroll_top()), f64::from(list.client_height()));
            scrolled.set(top);
            height.set(if seen > 0.0 { seen } else { VIEW });
            let is_near = f64::from(list.scroll_height()) - top - seen <= NEAR_THE_END;
            reads_along.set_value(is_near);
            if is_near {
                unseen.set(0);
            }
        }
    };
    let to_the_end = move || {
        if let Some(list) = list.get_untracked() {
            list.set_scroll_top(list.scroll_height());
        }
        look();
    };
    Effect::new(move |_| {
        if list.get().is_some() {
            browser::after_drawing(to_the_end);
        }
    });
    Effect::new(move |before: Option<u64>| {
        let now = count.get();
        let grown = before.map_or(0, |before| now.saturating_sub(before));
        if rows.read_untracked().count != now {
            rows.update(|rows| rows.count = now);
        }
        if reads_along.get_value() {
            browser::after_drawing(to_the_end);
        } else if grown > 0 {
            unseen.update(|unseen| *unseen += grown);
        }
        now
    });
    // Fetch what is in sight, also again after a lost connection.
    Effect::new(move |_| {
        chunks.revision.track();
        let window = window.get();
        let (count, _) = (count.get(), link.get() == Link::Connected);
        if window.last >= window.first {
            let session = workspace.id.get_value();
            for chunk in (window.first - 1) / CHUNK..=(window.last - 1) / CHUNK {
                chunks.want(&session, chunk, count);
            }
        }
    });
    let drawn = move || {
        chunks.revision.track();
        let window = window.get();
        let known = (window.first..=window.last).map(|at| (at, chunks.get(at)));
        known.collect::<Vec<_>>()
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let last = count.get_untracked().max(1);
        let here = current.get_untracked();
        let page = 15;
        let to = match event.key().as_str() {
            _ if browser::is_typing() => return,
            "ArrowDown" | "j" => (here + 1).min(last),
            "ArrowUp" | "k" => here.saturating_sub(1).max(1),
            "PageDown" => (here + page).min(last),
            "PageUp" => here.saturating_sub(page).max(1),
            "Home" => 1,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        current.set(to);
        if let Some(list) = list.get_untracked() {
            let (top, bottom) = rows.with_untracked(|rows| (rows.top(to), rows.top(to + 1)));
            let (from, seen) = (f64::from(list.scroll_top()), f64::from(list.client_height()));
            if top < from {
                list.set_scroll_top(pixels(top));
            } else if bottom > from + seen {
                list.set_scroll_top(pixels(bottom - seen));
            }
            look();
        }
        browser::after_drawing(move || browser::focus(&format!("event-{to}")));
    };
    view! {
        <div class="timeline events" node_ref=list on:scroll=move |_| look() on:keydown=on_key>
            <div role="none" style:height=move || format!("{}px", window.read().above)></div>
            <ol aria-label="Events">
                <For each=drawn key=|(at, row)| (*at, row.is_some()) let((at, row))>
                    <EventRow at row rows current/>
                </For>
            </ol>
            <div role="none" style:height=move || format!("{}px", window.read().below)></div>
            {move || chunks.fault.get().map(|fault| view! { <p class="field-fault veil" role="alert">{fault}</p> })}
            <Show when=move || count.get() == 0>
                <p class="next">"No events yet. The agent's first request appears here."</p>
            </Show>
        </div>
        <Show when=move || { unseen.get() > 0 }>
            <button type="button" class="button new-entries" on:click=move |_| to_the_end()>
                <Icon glyph=Glyph::Down/>
                {move || format!("{} new", unseen.get())}
            </button>
        </Show>
    }
}

/// Places on a screen are far from the ends of an `i32`.
#[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates")]
fn pixels(place: f64) -> i32 {
    place as i32
}
