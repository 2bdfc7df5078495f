//! The events of a session: only the rows in sight are drawn, and fetched in chunks, so that a session
//! of 100,000 events opens as fast as one of ten.

use std::collections::{HashMap, HashSet};

use api::{LiveId, LiveRow};
use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::event_row::EventRow;
use crate::live::state::window::{OpenRows, Window};
use crate::live::state::workspace::use_this_live_workspace;
use api::host::read_live_rows;
use app::components::icon::{Glyph, Icon};
use app::state::Link;
use app::state::browser;
use app::state::use_page;

/// How many events are fetched at once.
const CHUNK: u64 = 100;
/// How many rows the page keys move by.
const PAGE: u64 = 15;
/// The assumed height of the view until it is measured, in pixels.
const VIEW: f64 = 600.0;
/// The distance from the end, in pixels, up to which new events scroll into sight.
const NEAR_THE_END: f64 = 40.0;

/// The fetched events, by the number of their chunk.
#[derive(Clone, Copy)]
struct Chunks {
    read: StoredValue<HashMap<u64, Vec<LiveRow>>>,
    under_way: StoredValue<HashSet<u64>>,
    revision: RwSignal<u32>,
    fault: RwSignal<Option<String>>,
}

impl Chunks {
    /// Fetches the chunk, unless all of its events are here.
    fn want(self, session: &LiveId, chunk: u64, count: u64) {
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
            // The timeline may have been closed.
            self.under_way.try_update_value(|it| it.remove(&chunk));
            match rows {
                Ok(rows) => {
                    let has_grown = rows.len() as u64 > has;
                    self.read.try_update_value(|read| read.insert(chunk, rows));
                    self.fault.try_set(None);
                    // Fetches the events that arrived meanwhile.
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

/// The state of the timeline, as small as its handles.
#[derive(Clone, Copy)]
struct EventList {
    session: StoredValue<LiveId>,
    chunks: Chunks,
    /// How many events the session has.
    count: Memo<u64>,
    open: RwSignal<OpenRows>,
    list: NodeRef<html::Div>,
    scrolled: RwSignal<f64>,
    height: RwSignal<f64>,
    window: Memo<Window>,
    /// The row that the arrow keys are at.
    current: RwSignal<u64>,
    /// Whether the end of the list is in sight.
    reads_along: StoredValue<bool>,
    /// How many events arrived below what is in sight.
    unseen: RwSignal<u64>,
}

fn use_event_list() -> EventList {
    let workspace = use_this_live_workspace();
    let chunks = Chunks {
        read: StoredValue::new(HashMap::new()),
        under_way: StoredValue::new(HashSet::new()),
        revision: RwSignal::new(0),
        fault: RwSignal::new(None),
    };
    let count =
        Memo::new(move |_| workspace.summary.with(|it| it.as_ref().map_or(0, |it| it.events)));
    let open = RwSignal::new(OpenRows::default());
    let (scrolled, height) = (RwSignal::new(0.0_f64), RwSignal::new(VIEW));
    let window = Memo::new(move |_| {
        open.with(|open| open.window(count.get(), scrolled.get(), height.get()))
    });
    EventList {
        session: workspace.id,
        chunks,
        count,
        open,
        list: NodeRef::new(),
        scrolled,
        height,
        window,
        current: RwSignal::new(count.get_untracked().max(1)),
        reads_along: StoredValue::new(true),
        unseen: RwSignal::new(0),
    }
}

impl EventList {
    /// Takes over how far the list is scrolled and how high it is.
    fn measure(self) {
        if let Some(list) = self.list.try_get_untracked().flatten() {
            let (top, seen) = (f64::from(list.scroll_top()), f64::from(list.client_height()));
            self.scrolled.set(top);
            self.height.set(if seen > 0.0 { seen } else { VIEW });
            let is_near = f64::from(list.scroll_height()) - top - seen <= NEAR_THE_END;
            self.reads_along.set_value(is_near);
            if is_near {
                self.unseen.set(0);
            }
        }
    }

    fn scroll_to_end(self) {
        if let Some(list) = self.list.try_get_untracked().flatten() {
            list.set_scroll_top(list.scroll_height());
        }
        self.measure();
    }

    /// Scrolls to the end when the list opens and when events arrive, unless the reader has scrolled
    /// up: then the new events are counted.
    fn follow_new_events(self) {
        Effect::new(move |_| {
            if self.list.get().is_some() {
                browser::after_drawing(move || self.scroll_to_end());
            }
        });
        Effect::new(move |before: Option<u64>| {
            let now = self.count.get();
            let grown = before.map_or(0, |before| now.saturating_sub(before));
            if self.reads_along.get_value() {
                browser::after_drawing(move || self.scroll_to_end());
            } else if grown > 0 {
                self.unseen.update(|unseen| *unseen += grown);
            }
            now
        });
    }

    /// Fetches what is in sight, also again after a lost connection.
    fn fetch_visible(self) {
        let link = use_page().connection.link;
        Effect::new(move |_| {
            self.chunks.revision.track();
            let window = self.window.get();
            let (count, _) = (self.count.get(), link.get() == Link::Connected);
            if window.last >= window.first {
                let session = self.session.get_value();
                for chunk in (window.first - 1) / CHUNK..=(window.last - 1) / CHUNK {
                    self.chunks.want(&session, chunk, count);
                }
            }
        });
    }

    /// The rows to draw: number, and the event once it is fetched. Tracked.
    fn drawn(self) -> Vec<(u64, Option<LiveRow>)> {
        self.chunks.revision.track();
        let window = self.window.get();
        (window.first..=window.last).map(|at| (at, self.chunks.get(at))).collect()
    }

    /// Moves from row to row by the keyboard.
    fn press(self, event: &ev::KeyboardEvent) {
        let last = self.count.get_untracked().max(1);
        let here = self.current.get_untracked();
        let to = match event.key().as_str() {
            _ if browser::is_typing() => return,
            "ArrowDown" | "j" => (here + 1).min(last),
            "ArrowUp" | "k" => here.saturating_sub(1).max(1),
            "PageDown" => (here + PAGE).min(last),
            "PageUp" => here.saturating_sub(PAGE).max(1),
            "Home" => 1,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        self.current.set(to);
        self.reveal(to);
        browser::after_drawing(move || browser::focus(&format!("event-{to}")));
    }

    /// Scrolls the row into sight.
    fn reveal(self, row: u64) {
        if let Some(list) = self.list.try_get_untracked().flatten() {
            let (top, bottom) = self.open.with_untracked(|open| (open.top(row), open.top(row + 1)));
            let (from, seen) = (f64::from(list.scroll_top()), f64::from(list.client_height()));
            if top < from {
                list.set_scroll_top(pixels(top));
            } else if bottom > from + seen {
                list.set_scroll_top(pixels(bottom - seen));
            }
            self.measure();
        }
    }
}

/// The events.
#[component]
pub(super) fn Timeline() -> impl IntoView {
    let events = use_event_list();
    events.follow_new_events();
    events.fetch_visible();
    let EventList { window, count, unseen, .. } = events;
    view! {
        <div
            class="timeline events"
            node_ref=events.list
            on:scroll=move |_| events.measure()
            on:keydown=move |event| events.press(&event)
        >
            <div role="none" style:height=move || format!("{}px", window.read().above)></div>
            <ol aria-label="Events">
                <For each=move || events.drawn() key=|(at, row)| (*at, row.is_some()) let((at, row))>
                    <EventRow at row open_rows=events.open current=events.current/>
                </For>
            </ol>
            <div role="none" style:height=move || format!("{}px", window.read().below)></div>
            {move || events.chunks.fault.get().map(|fault| view! { <p class="field-fault veil" role="alert">{fault}</p> })}
            <Show when=move || count.get() == 0>
                <p class="next">"No events yet. The agent's first request appears here."</p>
            </Show>
        </div>
        <Show when=move || { unseen.get() > 0 }>
            <button type="button" class="button new-entries" on:click=move |_| events.scroll_to_end()>
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
