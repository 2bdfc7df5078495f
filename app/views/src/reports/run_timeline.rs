//! What happened in the run of a case: the ledger as a list, with who answered each call.

use leptos::prelude::*;
use report_view::{EvalRun, TimelineEntry, timeline};

use crate::shared::tokens::Tokens;
use crate::shared::value::{ValueBody, ValueTools};
use app::state::excerpt::{visible_name, visible_text};
use app::state::preview::preview;
use app::state::reading::use_reading;
use app::state::times::{counted, grouped};

/// So many entries are drawn at first.
const FIRST: usize = 200;

/// As much of a value is drawn, in characters. The whole ledger is a click away.
const SHOWN: usize = 300;

/// The run of a case.
#[component]
pub(super) fn RunTimeline(
    /// The run.
    run: EvalRun,
) -> impl IntoView {
    let entries = StoredValue::new(timeline(&run.events));
    let all = entries.with_value(Vec::len);
    let shows_all = RwSignal::new(all <= FIRST);
    let shows_json = RwSignal::new(false);
    let summary = {
        let turns = counted(usize::try_from(run.turns).unwrap_or(usize::MAX), "turn", "turns");
        let ended = run.termination_reason.map(|reason| format!("ended by {reason}"));
        let code = run.code.map(|code| format!(" ({code})")).unwrap_or_default();
        let at_fault = run.at_fault.map(|who| format!("at fault: {}{code}", who.replace('_', " ")));
        let cost = run.cost.map(|cost| format!("cost {cost:.4}"));
        let parts = [Some(run.status.label().to_owned()), Some(turns), ended, at_fault, cost];
        visible_name(&parts.into_iter().flatten().collect::<Vec<_>>().join(" · "))
    };
    let events = StoredValue::new(run.events);
    let json = move || {
        shows_json.get().then(|| {
            let reading = events.with_value(use_reading);
            view! {
                <div class="report-json">
                    <ValueTools reading/>
                    <ValueBody reading label="Ledger as JSON"/>
                </div>
            }
        })
    };
    let rows = move || {
        let shown = if shows_all.get() { all } else { FIRST };
        entries.with_value(|entries| entries.iter().take(shown).map(row).collect_view())
    };
    view! {
        <section class="report-evidence" aria-label="Run">
            <header>
                <h3>"Run"</h3>
                <span class="quiet">{summary}</span>
                <button
                    type="button"
                    class="link"
                    aria-expanded=move || shows_json.get().to_string()
                    on:click=move |_| shows_json.update(|shows| *shows = !*shows)
                >
                    {move || if shows_json.get() { "Hide JSON" } else { "Show JSON" }}
                </button>
            </header>
            <ol class="run-timeline" aria-label="What happened">{rows}</ol>
            <Show when=move || !shows_all.get()>
                <p class="report-line">
                    <button type="button" class="link" on:click=move |_| shows_all.set(true)>
                        "Show all " {grouped(all)} " events"
                    </button>
                </p>
            </Show>
            {json}
        </section>
    }
}

fn row(entry: &TimelineEntry) -> AnyView {
    let TimelineEntry { at_ms, kind, who, what, from, text, value, .. } = entry.clone();
    let value = value.map(|value| view! { <code><Tokens tokens=preview(&value, SHOWN)/></code> });
    let text =
        text.map(|text| view! { <span class="said" dir="auto">{visible_text(&text)}</span> });
    let from = from.map(|from| view! { <span class="chip">{visible_name(&from)}</span> });
    let (who, what) = (visible_name(&who), visible_name(&what));
    view! {
        <li class=format!("of-{}", kind.name())>
            <time>{seconds(at_ms)}</time>
            <span class="who">{who}</span>
            <div>
                {(!what.is_empty()).then(|| view! { <span class="what">{what}</span> " " })}
                {from.map(|from| view! { {from} " " })}
                {text}
                {value}
            </div>
        </li>
    }
    .into_any()
}

/// `0.012 s`.
fn seconds(at_ms: u64) -> String {
    format!("{}.{:03} s", at_ms / 1000, at_ms % 1000)
}
