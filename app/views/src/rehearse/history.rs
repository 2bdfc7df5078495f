//! The history: one row for each entry, in order of time.

mod call_row;
mod pending_row;
mod question_card;
mod text_row;
mod time;

use json_text::JsonText;
use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use session::{PendingPhase, SessionState};

use crate::rehearse::query_panel::QueryPanel;
use crate::rehearse::replay_strip::ReplayStrip;
use crate::rehearse::state::replay::Replay;
use crate::rehearse::state::workspace::{Workspace, use_this_workspace};
use crate::shared::value::{ValueBody, ValueTools};
use crate::shared::value_pane::Switch;
use app::components::copy_button::CopyButton;
use app::components::icon::{Glyph, Icon};
use app::components::loading::LazyView;
use app::state::browser;
use app::state::lazy_pages::SessionViews;
use app::state::reading::ReadingKey;
use app::state::rehearsal::{Restart, Restarted};
use app::state::rows::{RowId, RowKind, rows};
use app::state::times::{counted, size};
use app::state::use_page;

use call_row::CallRow;
use pending_row::PendingRow;
use question_card::OldestQuestion;
use text_row::TextRow;

pub use pending_row::WANTED;
pub use question_card::QUESTION;
pub use time::RowTime;

/// The distance from the end, in pixels, up to which new entries scroll into sight.
const NEAR_THE_END: i32 = 40;

/// What an entry of the list takes at least, in pixels.
const LOWEST: i32 = 20;

/// The class of the list of entries, and the one while there is room for all of them in full.
const ENTRIES: &str = "timeline";
const WITH_ROOM: &str = "timeline roomy";

/// The id of the list of entries in the document.
pub const TIMELINE: &str = "timeline";

/// The middle column: the history with its toolbar, and the log below when it is shown.
#[component]
pub fn History(
    /// The case that is rehearsed again, if the address names one.
    replay: Replay,
) -> impl IntoView {
    let workspace = use_this_workspace();
    let awaits_query = Memo::new(move |_| {
        let session = workspace.rehearsal.session.read();
        session.state() == SessionState::AwaitingQuery && session.past_turns() == 0
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
        <section class="middle" tabindex="-1" aria-label="History">
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
    let has_rows = move || workspace.rehearsal.session.read().started_at().is_some();
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
pub fn toggle_all_rows(workspace: Workspace) {
    let all = workspace.rehearsal.session.with_untracked(rows);
    workspace.rehearsal.open_rows.update(|open| {
        if open.any() {
            open.close_all();
        } else {
            open.open_all(&all);
        }
    });
}

/// The history as JSON, which grows while it is read.
#[component]
pub fn RawHistory() -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let history = Memo::new(move |_| {
        let history = rehearsal.session.read().history();
        // Entries are our own types with string keys: they always serialize.
        JsonText::serialize(&history).unwrap_or_else(|_| JsonText::null())
    });
    let reading = rehearsal.readings.of(ReadingKey::History, &history.get_untracked());
    // The reading keeps what is expanded and searched while the history grows.
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

/// Marks a restart after so many rows.
#[component]
fn RestartMark(rows: usize) -> impl IntoView {
    let restarts = use_this_workspace().rehearsal.restarts;
    let restart = Memo::new(move |_| {
        let restarts = restarts.read();
        restarts.iter().find(|restart| restart.rows == rows).cloned()
    });
    move || {
        let Restart { of, lost, .. } = restart.get()?;
        let text = match of {
            Restarted::Host => {
                "The session was reopened on the host at this point. Its state, artifacts and active agent are reset, and the agent was reloaded."
            }
            Restarted::HostRestored => {
                "The session was reopened on the host at this point. State, conversation and active agent are restored. The tools' memory is reset, and the agent was reloaded."
            }
            Restarted::Process => {
                "The agent's process ended at this point. A new process read the agent's files again and continued the session. State and artifacts are kept."
            }
        };
        let artifacts =
            (!lost.is_empty()).then(|| format!(" Lost artifacts: {}.", lost.join(", ")));
        Some(view! {
            <li class="restart">
                <Icon glyph=Glyph::Warning/>
                {text}
                {artifacts}
            </li>
        })
    }
}

/// The state of the list of entries, as small as its handles.
#[derive(Clone, Copy)]
struct HistoryList {
    workspace: Workspace,
    rows: Memo<Vec<RowId>>,
    list: NodeRef<html::Ol>,
    /// The height of the list, to tell a resize from a scroll of the reader.
    height: StoredValue<i32>,
    /// Whether the end of the list is in sight.
    reads_along: RwSignal<bool>,
    /// How many entries arrived below what is in sight.
    unseen: RwSignal<usize>,
    /// The row that the arrow keys are at.
    current: RwSignal<usize>,
}

fn use_history_list() -> HistoryList {
    let workspace = use_this_workspace();
    let session = workspace.rehearsal.session;
    HistoryList {
        workspace,
        rows: Memo::new(move |_| session.with(rows)),
        list: NodeRef::new(),
        height: StoredValue::new(0),
        reads_along: RwSignal::new(true),
        unseen: RwSignal::new(0),
        current: RwSignal::new(0),
    }
}

impl HistoryList {
    fn scroll_to_end(self) {
        // A late report of the browser may come when the rows are gone.
        if let Some(list) = self.list.try_get_untracked().flatten() {
            list.set_scroll_top(list.scroll_height());
        }
        self.unseen.try_set(0);
    }

    /// Takes over whether the reader has scrolled to the end.
    fn take_scroll(self) {
        let Some(list) = self.list.try_get_untracked().flatten() else { return };
        // The list was resized, not scrolled by the reader.
        if self.height.try_get_value() != Some(list.client_height()) {
            return;
        }
        let below = list.scroll_height() - list.scroll_top() - list.client_height();
        self.reads_along.set(below <= NEAR_THE_END);
        if below <= NEAR_THE_END {
            self.unseen.set(0);
        }
    }

    /// Keeps the end in sight when the log opens below or the window becomes smaller.
    fn follow_resizes(self) {
        Effect::new(move |_| {
            if let Some(list) = self.list.get() {
                let watched = list.clone();
                browser::watch_height(&list, move |_| {
                    self.height.try_set_value(watched.client_height());
                    self.fit_lines();
                    if self.reads_along.try_get_untracked() == Some(true) {
                        self.scroll_to_end();
                    }
                });
            }
        });
    }

    /// Lets each call take the lines that it needs while all entries fit, and one line otherwise.
    fn fit_lines(self) {
        let Some(list) = self.list.try_get_untracked().flatten() else { return };
        // A long history is not laid out for this.
        let entries = i32::try_from(list.child_element_count()).unwrap_or(i32::MAX);
        if entries.saturating_mul(LOWEST) <= list.client_height() {
            list.set_class_name(WITH_ROOM);
            if list.scroll_height() <= list.client_height() {
                return;
            }
        }
        list.set_class_name(ENTRIES);
    }

    /// Fits the lines to the entries there are. A row that the reader opens moves no other: only
    /// the room that one leaves is used at once.
    fn follow_room(self) {
        let open_rows = self.workspace.rehearsal.open_rows;
        Effect::new(move |_| {
            self.rows.track();
            browser::after_drawing(move || self.fit_lines());
        });
        Effect::new(move |_| {
            open_rows.track();
            browser::after_drawing(move || {
                let list = self.list.try_get_untracked().flatten();
                if list.is_some_and(|list| list.class_name() == ENTRIES) {
                    self.fit_lines();
                }
            });
        });
    }

    /// Scrolls to new entries and moves the focus to them, unless the reader is elsewhere: then the
    /// entries are counted.
    fn follow_entries(self) {
        let session = self.workspace.rehearsal.session;
        Effect::new(move |before: Option<(usize, usize)>| {
            let count = self.rows.read().len();
            let ended = session.read().calls().len();
            let phase = session.read().busy_with().map(|pending| pending.phase.clone());
            let grown = before.is_some_and(|(before, _)| count > before);
            let has_ended = before.is_some_and(|(_, before)| ended > before);
            // A call that the reader starts is shown, even when they have scrolled up.
            let starts = grown && phase == Some(PendingPhase::Running);
            // The Tab key leads to the newest row, unless another row has the focus.
            if (grown || before.is_none()) && !browser::focused_id().starts_with("row-") {
                self.current.set(count.saturating_sub(1));
            }
            if self.reads_along.get_untracked() || starts {
                browser::after_drawing(move || self.scroll_to_end());
            } else if grown || has_ended {
                self.unseen.update(|unseen| *unseen += 1);
            }
            if phase.is_none() && before.is_some() {
                self.return_focus(count);
            }
            (count, ended)
        });
    }

    /// Moves the focus to the row that replaces the pending call, when its pressed button had the focus.
    fn return_focus(self, count: usize) {
        let returns_focus = self.workspace.rehearsal.returns_focus;
        browser::after_drawing(move || {
            if returns_focus.get_untracked() && browser::nothing_is_focused() {
                browser::focus(&format!("row-{}", count.saturating_sub(1)));
            }
            returns_focus.set(false);
        });
    }

    /// Moves from row to row by the keyboard.
    fn press(self, event: &ev::KeyboardEvent) {
        let last = self.rows.read_untracked().len().saturating_sub(1);
        let here = self.current.get_untracked();
        let to = match event.key().as_str() {
            _ if browser::is_typing() => return,
            "ArrowDown" | "j" => (here + 1).min(last),
            "ArrowUp" | "k" => here.saturating_sub(1),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        self.current.set(to);
        browser::focus(&format!("row-{to}"));
    }
}

/// The entries. New ones scroll into sight unless the reader has scrolled up.
#[component]
pub fn Timeline() -> impl IntoView {
    let history = use_history_list();
    history.follow_resizes();
    history.follow_room();
    history.follow_entries();
    let HistoryList { workspace, current, unseen, .. } = history;
    let session = workspace.rehearsal.session;
    let awaits_next = Memo::new(move |_| session.read().state() == SessionState::AwaitingQuery);
    let draw = move |row: RowId| {
        let entry = match row.kind {
            RowKind::Query(_) | RowKind::Response(_) => view! { <TextRow row current/> }.into_any(),
            RowKind::Call(index) => view! { <CallRow row index current/> }.into_any(),
            RowKind::Pending(depth) => view! { <PendingRow row depth current/> }.into_any(),
        };
        view! { {entry} <RestartMark rows=row.position + 1/> }.into_any()
    };
    view! {
        <div class="timeline-frame">
        <ol
            class=ENTRIES
            id=TIMELINE
            node_ref=history.list
            on:scroll=move |_| history.take_scroll()
            on:keydown=move |event| history.press(&event)
        >
            <For each=move || history.rows.get() key=|row| *row children=draw/>
            <OldestQuestion/>
            <NextStep workspace/>
            <Show when=move || awaits_next.get()>
                <li><QueryPanel/></li>
            </Show>
        </ol>
        <Show when=move || { unseen.get() > 0 }>
            <button type="button" class="button new-entries" on:click=move |_| history.scroll_to_end()>
                <Icon glyph=Glyph::Down/>
                {move || counted(unseen.get(), "new entry", "new entries")}
            </button>
        </Show>
        </div>
    }
}

/// What the person does first in a new session.
#[component]
fn NextStep(
    /// The workspace.
    workspace: Workspace,
) -> impl IntoView {
    let next = move || match workspace.rehearsal.view.read().is_some()
        && workspace.tools.read().is_empty()
    {
        true => "Send the final response.",
        false => "Call a tool, or send the final response.",
    };
    let is_waiting = move || {
        let session = workspace.rehearsal.session.read();
        session.state() == SessionState::Active
            && session.pending().is_none()
            && session.calls_of_turn().is_empty()
    };
    view! {
        <Show when=is_waiting>
            <li class="next">
                <p>"You are the agent. " {next}</p>
            </li>
        </Show>
    }
}
