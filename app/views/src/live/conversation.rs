//! The conversation that the model would get in a turn, and the response to it.

use std::sync::Arc;

use api::{
    ApiError, LiveContent, LiveEventKind, LiveOutcome, LivePart, LiveRole, LiveTurn, LiveTurnId,
};
use leptos::html;
use leptos::prelude::*;

use super::part::{Piece, kind};
use crate::live::state::heights::Heights;
use crate::live::state::steps::{ConversationStep, steps as steps_of};
use crate::live::state::window::Window;
use crate::live::state::workspace::{LiveWorkspace, use_this_live_workspace};
use crate::shared::steps::{Called, CalledStep, TextStep, text_step};
use app::components::icon::{Glyph, Icon};
use app::components::loading::Loading;
use app::state::browser;
use app::state::excerpt::{visible_name, visible_text};
use app::state::live_ending::Ending;

/// The assumed height of the view until it is measured, in pixels.
const VIEW: f64 = 600.0;
/// The distance from the end, in pixels, up to which the end stays in sight.
const NEAR_THE_END: f64 = 40.0;

/// The steps of one turn, which do not change.
#[derive(Debug, Clone)]
struct Steps {
    turn: LiveTurnId,
    steps: Arc<Vec<ConversationStep>>,
}

impl PartialEq for Steps {
    fn eq(&self, other: &Self) -> bool {
        self.turn == other.turn
    }
}

/// The state of the list, as small as its handles.
#[derive(Clone, Copy)]
struct Messages {
    workspace: LiveWorkspace,
    steps: Memo<Option<Steps>>,
    list: NodeRef<html::Div>,
    rows: NodeRef<html::Ol>,
    heights: RwSignal<Heights>,
    scrolled: RwSignal<f64>,
    height: RwSignal<f64>,
    window: Memo<Window>,
    /// Whether the end is in sight, as it is at first: the last message is the one to respond to.
    is_at_end: StoredValue<bool>,
    /// The height of all rows, in pixels, to tell a change of it from a scroll of the reader.
    whole: StoredValue<i32>,
}

fn use_messages() -> Messages {
    let workspace = use_this_live_workspace();
    let steps = Memo::new(move |before: Option<&Option<Steps>>| {
        let before = before.cloned().flatten();
        workspace.turn.with(|turn| {
            let turn = turn.as_ref()?;
            let known = before.filter(|before| before.turn == turn.turn);
            Some(known.unwrap_or_else(|| Steps {
                turn: turn.turn.clone(),
                steps: Arc::new(steps_of(&turn.contents)),
            }))
        })
    });
    let heights = RwSignal::new(Heights::default());
    let (scrolled, height) = (RwSignal::new(f64::MAX), RwSignal::new(VIEW));
    Messages {
        workspace,
        steps,
        list: NodeRef::new(),
        rows: NodeRef::new(),
        heights,
        scrolled,
        height,
        window: Memo::new(move |_| heights.with(|it| it.window(scrolled.get(), height.get()))),
        is_at_end: StoredValue::new(true),
        whole: StoredValue::new(0),
    }
}

impl Messages {
    /// Begins each turn at its end.
    fn begin_at_end(self) {
        Effect::new(move |_| {
            let count = self.steps.with(|it| it.as_ref().map_or(0, |it| it.steps.len()));
            self.is_at_end.set_value(true);
            self.scrolled.set(f64::MAX);
            self.heights.set(Heights::of(count));
        });
        Effect::new(move |_| {
            if let (Some(list), Some(rows)) = (self.list.get(), self.rows.get()) {
                browser::watch_height(&list, move |_| self.keep_end());
                browser::watch_height(&rows, move |_| self.measure_rows());
            }
        });
        Effect::new(move |_| {
            self.window.track();
            browser::after_drawing(move || self.measure_rows());
        });
    }

    fn keep_end(self) {
        if let Some(list) = self.list.try_get_untracked().flatten() {
            if self.is_at_end.get_value() {
                list.set_scroll_top(list.scroll_height());
            }
            self.whole.set_value(list.scroll_height());
        }
        self.measure();
    }

    /// Takes over how far the list is scrolled and how high it is.
    fn measure(self) {
        if let Some(list) = self.list.try_get_untracked().flatten() {
            let (top, seen) = (f64::from(list.scroll_top()), f64::from(list.client_height()));
            self.scrolled.set(top);
            self.height.set(if seen > 0.0 { seen } else { VIEW });
        }
    }

    /// The reader or the browser has scrolled.
    fn take_scroll(self) {
        if let Some(list) = self.list.try_get_untracked().flatten() {
            let whole = list.scroll_height();
            let is_near =
                f64::from(whole - list.scroll_top() - list.client_height()) <= NEAR_THE_END;
            if is_near || whole == self.whole.get_value() {
                self.is_at_end.set_value(is_near);
            }
            self.whole.set_value(whole);
        }
        self.measure();
    }

    /// The rows to draw: number and step. Tracked.
    fn drawn(self) -> Vec<(u64, LiveTurnId)> {
        let Some(Steps { turn, steps }) = self.steps.get() else { return Vec::new() };
        let window = self.window.get();
        let last = window.last.min(steps.len() as u64);
        (window.first..=last).map(|row| (row, turn.clone())).collect()
    }

    fn row(self, row: u64) -> AnyView {
        let at = usize::try_from(row).unwrap_or(usize::MAX);
        let step = self.steps.with_untracked(|steps| {
            steps.as_ref().and_then(|it| it.steps.get(at.checked_sub(1)?).cloned())
        });
        step.map(|step| step_row(at, step, "No response")).into_any()
    }

    /// Takes over the heights of the drawn rows.
    fn measure_rows(self) {
        let Some(rows) = self.rows.try_get_untracked().flatten() else { return };
        let Some(window) = self.window.try_get_untracked() else { return };
        let count = usize::try_from((window.last + 1).saturating_sub(window.first));
        let drawn = browser::heights_within(&rows, count.unwrap_or_default());
        let is_other = self.heights.try_update_untracked(|heights| {
            let numbered = (window.first..).zip(drawn);
            numbered
                .fold(false, |is_other, (row, height)| heights.measured(row, height) || is_other)
        });
        if is_other == Some(true) {
            self.heights.notify();
        }
        self.keep_end();
    }
}

/// The shown turn's conversation, of which only the messages in sight are drawn.
#[component]
pub(super) fn Conversation() -> impl IntoView {
    let workspace = use_this_live_workspace();
    let messages = use_messages();
    messages.begin_at_end();
    let is_read = Memo::new(move |_| messages.steps.read().is_some());
    let arrived = move || {
        let fault = move || workspace.turn_fault.get().map(Err);
        is_read.get().then_some(Ok(())).or_else(fault)
    };
    let draw = move |()| view! { <List messages/> }.into_any();
    let draw_error = |_: ApiError| {
        view! { <div class="empty centred"><p>"The conversation cannot be shown because the request cannot be read."</p></div> }
            .into_any()
    };
    let has_turn =
        Memo::new(move |_| workspace.turn.read().is_some() || workspace.shown.read().is_some());
    move || match has_turn.get() {
        true => {
            view! { <Loading arrived meanwhile="Loading the request…" draw draw_error/> }.into_any()
        }
        false => view! {
            <div class="empty centred">
                <p>"No pending requests"</p>
                <p class="quiet">"The agent's next request appears here."</p>
            </div>
        }
        .into_any(),
    }
}

#[component]
fn List(
    /// The list.
    messages: Messages,
) -> impl IntoView {
    let window = messages.window;
    let count = move || messages.steps.with(|it| it.as_ref().map_or(0, |it| it.steps.len()));
    let is_empty = move || count() == 0;
    let ends_here = move || window.read().last >= count() as u64;
    let ending = move || {
        messages.workspace.turn.with(|turn| turn.as_ref().map(|turn| after(turn, untrack(count))))
    };
    view! {
        <div
            class="timeline spoken"
            tabindex="0"
            role="group"
            aria-label="Messages"
            node_ref=messages.list
            on:scroll=move |_| messages.take_scroll()
        >
            <div role="none" style:height=move || format!("{}px", window.read().above)></div>
            <ol aria-label="Conversation" node_ref=messages.rows>
                <Show when=is_empty>
                    <li class="next"><p>"The conversation is empty. The model gets only the instructions."</p></li>
                </Show>
                <For each=move || messages.drawn() key=|row| row.clone() let((row, _turn))>
                    {messages.row(row)}
                </For>
                <Show when=ends_here>{ending}</Show>
            </ol>
            <div role="none" style:height=move || format!("{}px", window.read().below)></div>
        </div>
    }
}

/// What followed the request: its response, the results of the tools, the end of the run.
fn after(turn: &LiveTurn, count: usize) -> AnyView {
    let agent = visible_name(&turn.agent);
    let closed = turn.closed.clone().map(|row| match row.what {
        LiveEventKind::Answered { parts, .. } => {
            let by = row.by.as_deref().map_or_else(|| "Someone".to_owned(), visible_name);
            let answer = [
                LiveContent { role: LiveRole::Model, parts },
                LiveContent { role: LiveRole::Function, parts: turn.results.clone() },
            ];
            let rows = steps_of(&answer).into_iter().enumerate();
            let rows = rows.map(|(at, step)| step_row(count + at + 1, step, "The response is in the session's events."));
            view! {
                <li class="turn">{by} " responded for " {agent}</li>
                {rows.collect_view()}
            }
            .into_any()
        }
        LiveEventKind::Cancelled { reason } => {
            let by = row.by.map(|by| format!("Canceled by {}", visible_name(&by))).unwrap_or_else(|| "Canceled by the agent".to_owned());
            view! {
                <li class="turn">{by}</li>
                {spoken(count + 1, "row", Glyph::Stopped, "Reason", if reason.is_empty() { "No reason".to_owned() } else { reason })}
            }
            .into_any()
        }
        _ => ().into_any(),
    });
    let ended = turn.ended.as_ref().and_then(Ending::of).map(|ending| {
        let failed = ending.message.clone().filter(|_| ending.outcome == LiveOutcome::Failed);
        view! {
            <li class="turn" class:bad=failed.is_some()>{ending.description()}</li>
            {failed.map(|message| view! { <li class="row failed"><p class="run-fault">{visible_text(&message)}</p></li> })}
        }
    });
    view! { {closed} {ended} }.into_any()
}

fn spoken(number: usize, class: &'static str, glyph: Glyph, who: &str, text: String) -> AnyView {
    text_step(TextStep { number, class, glyph, who: who.to_owned(), text }, ().into_any())
}

/// The word with its first letter in upper case.
fn titled(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn piece_glyph(part: &LivePart) -> Glyph {
    match part {
        LivePart::Data { .. } => Glyph::File,
        LivePart::Response { .. } => Glyph::Tool,
        _ => Glyph::Answer,
    }
}

fn step_row(number: usize, step: ConversationStep, none: &'static str) -> AnyView {
    match step {
        ConversationStep::Message(LiveRole::User, text) => {
            spoken(number, "row asked", Glyph::User, "User", text)
        }
        ConversationStep::Message(LiveRole::Model, text) => {
            spoken(number, "row answered", Glyph::Answer, "Model", text)
        }
        ConversationStep::Message(LiveRole::Function, text) => {
            spoken(number, "row", Glyph::Tool, "Tools", text)
        }
        ConversationStep::VendorMessage(who, text) => {
            spoken(number, "row", Glyph::User, &titled(&who), text)
        }
        ConversationStep::Thought(text) => {
            spoken(number, "row thought", Glyph::Answer, "Model, thinking", text)
        }
        ConversationStep::Call { name, args, response } => {
            let author = String::new();
            let call = Called { author, tool: name, arguments: args, response };
            view! { <CalledStep number call none/> }.into_any()
        }
        ConversationStep::Piece(_, part) => view! {
            <li class="row">
                <div class="line">
                    <span class="number" aria-hidden="true">{number}</span>
                    <Icon glyph=piece_glyph(&part)/>
                    <div class="message"><span class="speaker">{kind(&part)}</span><Piece part/></div>
                </div>
            </li>
        }
        .into_any(),
    }
}
