//! What happened in a run: the user on the right, the agent and its tools on the left, durations to scale, and the
//! steps at which the run can fork.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use json_text::JsonText;
use leptos::prelude::*;
use report_view::TimelineEntry;

use super::state::ledger::{BATCH, Ledger, Place};
use crate::shared::tokens::Tokens;
use crate::shared::value_pane::ValuePane;
use app::state::browser;
use app::state::excerpt::{beginning, visible_name, visible_text};
use app::state::preview::preview;
use app::state::reading::use_reading;
use app::state::times::{counted, took};

/// As much of a value is drawn until it is opened, in characters.
const SHOWN: usize = 300;
/// As much of a text is drawn until it is opened, in bytes.
const TEXT: usize = 600;

/// The timeline, as small as its handles.
#[derive(Clone, Copy)]
pub(super) struct LedgerState {
    /// What happened.
    pub(super) ledger: StoredValue<Arc<Ledger>>,
    /// The step at which the fork panel is open.
    pub(super) fork: Memo<Option<usize>>,
    /// The address of the fork panel for a step.
    pub(super) address: Callback<Option<usize>, String>,
    /// The step that the arrow keys are at.
    pub(super) current: RwSignal<usize>,
    /// The entries that are drawn.
    drawn: RwSignal<Range<usize>>,
    /// The entries that are opened.
    open: RwSignal<HashSet<usize>>,
}

/// The timeline of `ledger`.
pub(super) fn use_ledger(
    ledger: Ledger,
    fork: Memo<Option<usize>>,
    address: Callback<Option<usize>, String>,
) -> LedgerState {
    let at = fork.get_untracked();
    LedgerState {
        current: RwSignal::new(at.unwrap_or(1)),
        drawn: RwSignal::new(ledger.first_drawn(at)),
        ledger: StoredValue::new(Arc::new(ledger)),
        fork,
        address,
        open: RwSignal::new(HashSet::new()),
    }
}

/// The id of a step's button in the document.
pub(super) fn step_id(step: usize) -> String {
    format!("step-{step}")
}

impl LedgerState {
    fn count(self) -> usize {
        self.ledger.with_value(|ledger| ledger.entries.len())
    }

    /// How many steps there are.
    pub(super) fn steps(self) -> usize {
        self.ledger.with_value(|ledger| ledger.steps())
    }

    /// Draws the entry of a step, and moves the focus to its button.
    pub(super) fn go_to(self, step: usize) {
        self.show(step);
        if !browser::focus(&step_id(step)) {
            browser::after_drawing(move || browser::focus(&step_id(step)));
        }
    }

    /// Draws the entry of a step.
    pub(super) fn show(self, step: usize) {
        self.current.set(step);
        let drawn = self.drawn.get_untracked();
        let with = self.ledger.with_value(|ledger| ledger.drawn_with(&drawn, step));
        if with != drawn {
            self.drawn.set(with);
        }
    }
}

/// The entries.
#[component]
pub(super) fn Timeline(
    /// The timeline.
    state: LedgerState,
) -> impl IntoView {
    let count = state.count();
    let drawn = state.drawn;
    let earlier = move || drawn.read().start;
    let later = move || count - drawn.read().end.min(count);
    let rows = move || {
        let range = drawn.get();
        state.ledger.with_value(|ledger| {
            let entries = ledger.entries.get(range.clone()).unwrap_or_default();
            range.zip(entries.iter().cloned()).collect::<Vec<_>>()
        })
    };
    view! {
        <Show when=move || { earlier() > 0 }>
            <p class="report-line">
                <button type="button" class="link" on:click=move |_| drawn.update(|it| it.start = it.start.saturating_sub(BATCH))>
                    {move || format!("Show earlier, {} above", counted(earlier(), "event", "events"))}
                </button>
            </p>
        </Show>
        <ol class="ledger" aria-label="What happened">
            <For each=rows key=|(at, _)| *at let((at, entry))>
                <Entry state at entry/>
            </For>
        </ol>
        <Show when=move || { later() > 0 }>
            <p class="report-line">
                <button type="button" class="link" on:click=move |_| drawn.update(|it| it.end = (it.end + BATCH).min(count))>
                    {move || format!("Show more, {} below", counted(later(), "event", "events"))}
                </button>
            </p>
        </Show>
        <Show when=move || count == 0>
            <p class="empty">"The ledger of this result has no events"</p>
        </Show>
    }
}

#[component]
fn Entry(
    /// The timeline.
    state: LedgerState,
    /// Its place among the entries, from 0.
    at: usize,
    /// What happened.
    entry: TimelineEntry,
) -> impl IntoView {
    let TimelineEntry { at_ms, took_ms, kind, who, what, from, text, value, .. } = entry;
    let (steps, part) = state
        .ledger
        .with_value(|ledger| (ledger.steps_at(at), took_ms.map(|took| ledger.part(took))));
    let place = Memo::new(move |_| {
        let step = state.fork.get()?;
        Some(state.ledger.with_value(|ledger| ledger.place(at, step)))
    });
    let is_result = from.is_some() && what == "returns";
    let class = format!("of-{}", kind.name());
    let from = from.filter(|from| !from.is_empty());
    let source = from.clone().filter(|_| is_result).unwrap_or_default();
    let from = from.map(|from| {
        view! { <span class="chip" title="Source">{visible_name(&from)}</span> }
    });
    let (who, what) = (visible_name(&who), visible_name(&what));
    let numbers = steps.iter().map(|step| view! { <span>{*step}</span> }).collect_view();
    let buttons = steps.iter().map(|step| fork_button(state, *step)).collect_view();
    let bar = took_ms.zip(part).map(|(took_ms, part)| duration(took_ms, part));
    view! {
        <li
            class=class
            class:is-result=is_result
            class:from-real={source == "real tool"}
            class:given=move || place.get() == Some(Place::Given)
            class:moved=move || place.get() == Some(Place::Move)
            class:after=move || place.get() == Some(Place::After)
            class:has-step=!steps.is_empty()
        >
            <span class="ledger-step" title="Step">{numbers}</span>
            <time>{seconds(at_ms)}</time>
            <div class="ledger-body">
                <div class="ledger-said">
                    <span class="ledger-who">{who}</span>
                    {(!what.is_empty()).then(|| view! { " " <span class="ledger-what">{what}</span> })}
                    {from.map(|from| view! { " " {from} })}
                    {text.map(|text| said(state, at, text))}
                    {value.map(|value| given(state, at, value))}
                </div>
            </div>
            <span class="ledger-took">{bar}</span>
            <span class="ledger-fork">{buttons}</span>
        </li>
    }
}

/// The link that opens the fork panel at a step.
fn fork_button(state: LedgerState, step: usize) -> AnyView {
    let is_open = Memo::new(move |_| state.fork.get() == Some(step));
    let href = move || state.address.run(Some(step));
    view! {
        <a
            class="link"
            id=step_id(step)
            href=href
            aria-label=format!("Fork from here, step {step}")
            aria-current=move || is_open.get().then_some("true")
            tabindex=move || if state.current.get() == step { "0" } else { "-1" }
            on:focus=move |_| state.current.set(step)
        >
            "Fork from here"
        </a>
    }
    .into_any()
}

/// A duration as a bar, whose length is a `part` of the longest.
fn duration(took_ms: u64, part: f64) -> AnyView {
    #[expect(clippy::cast_precision_loss, reason = "no run takes 2^53 milliseconds")]
    let text = took(took_ms as f64);
    view! {
        <span class="ledger-bar" aria-hidden="true"><i style:width=format!("{:.1}%", part * 100.0)></i></span>
        <span class="ledger-time">{text}</span>
    }
    .into_any()
}

/// What somebody said; a long text is drawn in parts.
fn said(state: LedgerState, at: usize, text: String) -> AnyView {
    let is_long = text.len() > TEXT;
    let is_open = Memo::new(move |_| !is_long || state.open.read().contains(&at));
    let text = StoredValue::new(text);
    let shown = move || {
        text.with_value(|text| {
            visible_text(if is_open.get() { text } else { beginning(text, TEXT) })
        })
    };
    view! {
        <p class="said" dir="auto">{shown}</p>
        {is_long.then(|| toggle(state, at, "text"))}
    }
    .into_any()
}

/// A value; a long one is drawn in parts.
fn given(state: LedgerState, at: usize, value: JsonText) -> AnyView {
    let is_long = value.byte_len() > SHOWN;
    let is_open = Memo::new(move |_| is_long && state.open.read().contains(&at));
    let value = StoredValue::new(value);
    let shown = move || match is_open.get() {
        false => {
            let tokens = value.with_value(|value| preview(value, SHOWN));
            view! { <code class="ledger-value"><Tokens tokens/></code> }.into_any()
        }
        true => {
            let reading = value.with_value(use_reading);
            view! { <div class="ledger-open"><ValuePane title="Value" what="the value" reading/></div> }.into_any()
        }
    };
    view! {
        {shown}
        {is_long.then(|| toggle(state, at, "value"))}
    }
    .into_any()
}

/// The button that opens the long value or text of an entry.
fn toggle(state: LedgerState, at: usize, what: &'static str) -> AnyView {
    let is_open = Memo::new(move |_| state.open.read().contains(&at));
    let press = move |_| {
        state.open.update(|open| {
            if !open.remove(&at) {
                open.insert(at);
            }
        });
    };
    view! {
        <button type="button" class="link" aria-expanded=move || is_open.get().to_string() on:click=press>
            {move || if is_open.get() { format!("Fold {what}") } else { format!("Show whole {what}") }}
        </button>
    }
    .into_any()
}

/// `0.012 s`.
fn seconds(at_ms: u64) -> String {
    format!("{}.{:03} s", at_ms / 1000, at_ms % 1000)
}
