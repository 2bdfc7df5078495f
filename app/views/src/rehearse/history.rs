//! The history: one row for each thing that happened, in order of time.

mod call_row;
mod pending_row;
mod question_card;
mod text_row;
mod time;

use json_text::JsonText;
use leptos::html;
use leptos::prelude::*;
use session::{PendingPhase, SessionState};

use crate::rehearse::query_panel::QueryPanel;
use crate::rehearse::replay_strip::ReplayStrip;
use crate::rehearse::state::replay::Replay;
use crate::rehearse::state::workspace::use_this_workspace;
use crate::shared::value::{ValueBody, ValueTools};
use crate::shared::value_pane::Switch;
use app::components::copy_button::CopyButton;
use app::components::icon::{Glyph, Icon};
use app::components::loading::LazyView;
use app::lazy_pages::SessionViews;
use app::state::browser;
use app::state::reading::ReadingKey;
use app::state::rows::{RowId, RowKind, rows};
use app::state::times::{counted, size};
use app::state::use_page;

use call_row::CallRow;
use pending_row::PendingRow;
use question_card::OldestQuestion;
use text_row::TextRow;

pub use time::RowTime;

/// How near to the end, in pixels, counts as reading along.
const NEAR_THE_END: i32 = 40;

/// The id of the rows' list.
pub const TIMELINE: &str = "timeline";

/// The middle column: the history with its toolbar, and the log below when it is shown.
#[component]
pub fn History(
    /// The case that is played again, if the address names one.
    replay: Replay,
) -> impl IntoView {
    let workspace = use_this_workspace();
    let awaits_query = Memo::new(move |_| {
        workspace.rehearsal.session.read().state() == SessionState::AwaitingQuery
    });
    let body = move || {
        if workspace.shows_raw.get() {
            let draw = |views: SessionViews| (views.raw_history)();
            view! { <LazyView part=workspace.code meanwhile="Opening…" draw/> }.into_any()
        } else if awaits_query.get() {
            view! { <div class="timeline"><QueryPanel/></div> }.into_any()
        } else {
            let draw = |views: SessionViews| (views.timeline)();
            view! { <LazyView part=workspace.code meanwhile="Opening…" draw/> }.into_any()
        }
    };
    view! {
        <section class="middle" aria-label="History">
            <Toolbar/>
            <ReplayStrip replay/>
            {body}
            <Show when=move || workspace.shows_log.get()>
                <LazyView part=workspace.code meanwhile="Opening…" draw=|views| (views.log)()/>
            </Show>
        </section>
    }
}

#[component]
fn Toolbar() -> impl IntoView {
    let workspace = use_this_workspace();
    let open_rows = workspace.rehearsal.open_rows;
    let clock = use_page().clock;
    let all = move || workspace.rehearsal.session.with(rows);
    let has_rows = move || workspace.rehearsal.session.read().query().is_some();
    let toggle_all = move |_| toggle_all_rows(workspace);
    view! {
        <div class="toolbar">
            <h2>"History"</h2>
            <Show when=has_rows>
                <span class="quiet">{move || counted(all().len(), "entry", "entries")}</span>
                <span class="grow"></span>
                <Show when=move || !workspace.rehearsal.session.read().calls().is_empty()>
                    <button type="button" class="button quiet" on:click=toggle_all>
                        {move || if open_rows.read().any() { "Collapse all" } else { "Expand all" }}
                    </button>
                </Show>
                <Switch on=clock.shows_ages off_label="Time" on_label="Age" label="Time format"/>
                <Switch on=workspace.shows_raw off_label="Entries" on_label="JSON" label="History view"/>
            </Show>
        </div>
    }
}

/// Opens every row, or closes all when one is open.
pub fn toggle_all_rows(workspace: crate::rehearse::state::workspace::Workspace) {
    let all = workspace.rehearsal.session.with_untracked(rows);
    workspace.rehearsal.open_rows.update(|open| {
        if open.any() {
            open.close_all();
        } else {
            open.open_all(&all);
        }
    });
}

/// The history as one value, which goes on while it is read.
#[component]
pub fn RawHistory() -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let history = Memo::new(move |_| {
        let history = rehearsal.session.read().history();
        // Entries are our own types with string keys: they always serialise.
        JsonText::serialize(&history).unwrap_or_else(|_| JsonText::null())
    });
    let reading = rehearsal.readings.of(ReadingKey::History, &history.get_untracked());
    Effect::new(move |_| reading.take_in(&history.read()));
    view! {
        <div class="raw-history">
            <header>
                <span class="quiet">{move || size(history.read().byte_len() as u64)}</span>
                <span class="grow"></span>
                <ValueTools reading/>
                <CopyButton what="the history" text=Callback::new(move |()| reading.value().pretty())/>
            </header>
            <ValueBody reading label="History as JSON"/>
        </div>
    }
}

/// Where the host was restarted after so many calls: what the tools answer from here on does not
/// follow from what they did before.
#[component]
fn Restart(calls: usize) -> impl IntoView {
    let restarts = use_this_workspace().rehearsal.restarts;
    view! {
        <Show when=move || restarts.read().contains(&calls)>
            <li class="restart">
                <Icon glyph=Glyph::Warning/>
                "The host restarted this session here. Tool state is reset."
            </li>
        </Show>
    }
}

/// The rows. New ones scroll into sight unless the reader has scrolled up.
#[component]
pub fn Timeline() -> impl IntoView {
    let workspace = use_this_workspace();
    let session = workspace.rehearsal.session;
    let all = Memo::new(move |_| session.with(rows));
    let list = NodeRef::<html::Ol>::new();
    let reads_along = RwSignal::new(true);
    let unseen = RwSignal::new(0_usize);
    let current = RwSignal::new(0_usize);

    let to_the_end = move || {
        // What the browser reports late may come when the rows are gone.
        if let Some(list) = list.try_get_untracked().flatten() {
            list.set_scroll_top(list.scroll_height());
        }
        unseen.try_set(0);
    };
    let height = StoredValue::new(0);
    let on_scroll = move |_| {
        let Some(list) = list.try_get_untracked().flatten() else { return };
        // The list became higher or lower, which is not the reader's doing.
        if height.try_get_value() != Some(list.client_height()) {
            return;
        }
        let below = list.scroll_height() - list.scroll_top() - list.client_height();
        reads_along.set(below <= NEAR_THE_END);
        if below <= NEAR_THE_END {
            unseen.set(0);
        }
    };
    // With the log opened below, or a smaller window, whoever read along still does.
    Effect::new(move |_| {
        if let Some(list) = list.get() {
            let watched = list.clone();
            browser::watch_height(&list, move |_| {
                height.try_set_value(watched.client_height());
                if reads_along.try_get_untracked() == Some(true) {
                    to_the_end();
                }
            });
        }
    });
    Effect::new(move |before: Option<(usize, usize)>| {
        let count = all.read().len();
        let ended = session.read().calls().len();
        let phase = session.read().pending().map(|pending| pending.phase.clone());
        let grown = before.is_some_and(|(before, _)| count > before);
        let has_ended = before.is_some_and(|(_, before)| ended > before);
        // Whoever starts a call wants to see it, wherever they were reading.
        let starts = grown && phase == Some(PendingPhase::Running);
        // The newest row is the way in for the keyboard, unless somebody is on another.
        if (grown || before.is_none()) && !browser::focused_id().starts_with("row-") {
            current.set(count.saturating_sub(1));
        }
        if reads_along.get_untracked() || starts {
            browser::after_drawing(to_the_end);
        } else if grown || has_ended {
            unseen.update(|unseen| *unseen += 1);
        }
        // A pressed Cancel or Confirm leaves with its row: the focus goes to the row in its place.
        if phase.is_none() && before.is_some() {
            browser::after_drawing(move || {
                if workspace.rehearsal.returns_focus.get_untracked()
                    && browser::nothing_is_focused()
                {
                    browser::focus(&format!("row-{}", count.saturating_sub(1)));
                }
                workspace.rehearsal.returns_focus.set(false);
            });
        }
        (count, ended)
    });
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let last = all.read_untracked().len().saturating_sub(1);
        let here = current.get_untracked();
        let to = match event.key().as_str() {
            _ if browser::is_typing() => return,
            "ArrowDown" | "j" => (here + 1).min(last),
            "ArrowUp" | "k" => here.saturating_sub(1),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        current.set(to);
        browser::focus(&format!("row-{to}"));
    };
    let draw = move |row: RowId| match row.kind {
        RowKind::Query | RowKind::Response => view! { <TextRow row current/> }.into_any(),
        RowKind::Call(index) => {
            view! { <CallRow row index current/> <Restart calls=index + 1/> }.into_any()
        }
        RowKind::Pending => view! { <PendingRow row current/> }.into_any(),
    };
    let next = move || match workspace.rehearsal.view.read().is_some()
        && workspace.tools.read().is_empty()
    {
        true => "Send the final response.",
        false => "Call a tool, or send the final response.",
    };
    let is_waiting = move || {
        let session = session.read();
        session.state() == SessionState::Active
            && session.pending().is_none()
            && session.calls().is_empty()
    };
    view! {
        <div class="timeline-frame">
        <ol class="timeline" id=TIMELINE node_ref=list on:scroll=on_scroll on:keydown=on_key>
            <For each=move || all.get() key=|row| *row children=draw/>
            <OldestQuestion/>
            <Show when=is_waiting>
                <li class="next">
                    <p>"You are the agent. " {next}</p>
                </li>
            </Show>
        </ol>
        <Show when=move || { unseen.get() > 0 }>
            <button type="button" class="button new-entries" on:click=move |_| to_the_end()>
                <Icon glyph=Glyph::Down/>
                {move || counted(unseen.get(), "new entry", "new entries")}
            </button>
        </Show>
        </div>
    }
}
