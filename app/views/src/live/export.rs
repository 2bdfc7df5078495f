//! After a session: exports its runs, or selected turns of them, as a case in an eval set.

use std::collections::BTreeSet;

use api::{Actual, AnsweredTurn, ApiError, ExportReceipt, LiveExportPlan, LiveRun, SetId};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::live::state::workspace::use_this_live_workspace;
use crate::rehearse::export_panel::Receipt;
use crate::shared::compare_dialog::CompareWithCase;
use api::host::{export_live_session, plan_live_export};
use app::components::icon::{Glyph, Icon};
use app::components::loading::Loading;
use app::state::excerpt::{visible_name, visible_text};
use app::state::rehearsal::last_part;
use app::state::times::counted;

/// How far the export is.
#[derive(Debug, Clone, PartialEq)]
enum Export {
    NotYet,
    Writing,
    Written(ExportReceipt),
    Failed(ApiError),
}

/// What can be exported, and the button.
#[component]
pub(super) fn ExportColumn() -> impl IntoView {
    let workspace = use_this_live_workspace();
    let plan = LocalResource::new(move || plan_live_export(workspace.id.get_value()));
    let draw = |plan: LiveExportPlan| match plan.runs.iter().all(|run| run.turns.is_empty()) {
        true => view! {
            <div class="empty centred">
                <p>"Session completed"</p>
                <p class="quiet">"No request has a response, so there is nothing to export."</p>
            </div>
        }
        .into_any(),
        false => view! { <Plan plan/> }.into_any(),
    };
    view! { <Loading arrived=move || plan.get() meanwhile="Loading recorded runs…" draw/> }
}

#[component]
fn Plan(
    /// The runs, and the file.
    plan: LiveExportPlan,
) -> impl IntoView {
    let workspace = use_this_live_workspace();
    let LiveExportPlan { mut runs, path, agent } = plan;
    runs.retain(|run| !run.turns.is_empty());
    let file = last_part(&path).to_owned();
    let chosen = RwSignal::new(runs.iter().flat_map(answers).collect::<BTreeSet<u64>>());
    let export = RwSignal::new(Export::NotYet);
    let is_writing = move || *export.read() == Export::Writing;
    let write = move || {
        let is_deleted = workspace.is_deleted.get_untracked();
        if is_writing() || is_deleted || chosen.read_untracked().is_empty() {
            return;
        }
        export.set(Export::Writing);
        let wanted = chosen.get_untracked().into_iter().collect();
        let by = workspace.live.name.get_untracked();
        spawn_local(async move {
            let written = export_live_session(workspace.id.get_value(), wanted, by).await;
            export.try_set(match written {
                Ok(receipt) => Export::Written(receipt),
                Err(error) => Export::Failed(error),
            });
        });
    };
    let runs = StoredValue::new(runs);
    let body = move || {
        match export.get() {
        Export::NotYet | Export::Failed(_) if workspace.is_deleted.get() => view! {
            <h2 class="panel-title bad"><Icon glyph=Glyph::Error/>"Session deleted"</h2>
            <p>"A deleted session cannot be exported."</p>
        }
        .into_any(),
        Export::NotYet | Export::Writing => {
            view! { <Runs runs=runs.get_value() chosen/> }.into_any()
        }
        Export::Written(receipt) => view! { <Receipt receipt set=None/> }.into_any(),
        Export::Failed(error) => view! {
            <h2 class="panel-title bad"><Icon glyph=Glyph::Error/>"Not exported"</h2>
            <p role="alert">{error.to_string()}</p>
            <p class="quiet">"The file and the session are unchanged. Fix the problem, then retry."</p>
        }
        .into_any(),
    }
    };
    let is_written = move || matches!(&*export.read(), Export::Written(_));
    let label = Memo::new(move |_| match &*export.read() {
        Export::NotYet => format!("Export to {file}"),
        Export::Writing => "Exporting…".to_owned(),
        Export::Written(_) => "Export again".to_owned(),
        Export::Failed(_) => "Retry".to_owned(),
    });
    view! {
        <form class="export" on:submit=move |event| {
            event.prevent_default();
            write();
        }>
            <div class="panel-body">
                {body}
                <Show when=move || !is_written()><p class="quiet path">"File: " <code>{path.clone()}</code></p></Show>
            </div>
            <footer class="panel-foot">
                <Show when=is_written>
                    <button type="button" class="button quiet" on:click=move |_| export.set(Export::NotYet)>"Choose responses"</button>
                </Show>
                {agent.map(|agent| {
                    let actual = Callback::new(move |()| Actual::Live {
                        session: workspace.id.get_value(),
                        turns: chosen.get_untracked().into_iter().collect(),
                    });
                    view! { <CompareWithCase set=SetId::from(agent) actual/> }
                })}
                <span class="grow"></span>
                <Show when=move || !workspace.is_deleted.get()>
                    <button
                        type="submit"
                        id="export"
                        class="button"
                        class:primary=move || !is_written()
                        aria-disabled=move || (is_writing() || chosen.read().is_empty()).to_string()
                    >
                        <span class="cut" title=move || label.get()>{move || label.get()}</span>
                        <kbd>"Ctrl ↵"</kbd>
                    </button>
                </Show>
            </footer>
        </form>
    }
}

#[component]
fn Runs(
    /// The runs.
    runs: Vec<LiveRun>,
    /// The responses of the turns that are exported, by event.
    chosen: RwSignal<BTreeSet<u64>>,
) -> impl IntoView {
    let count = runs.len();
    view! {
        <h2 class="panel-title"><Icon glyph=Glyph::Check/>"Session completed"</h2>
        <p>
            {if count == 1 {
                "The run becomes a case in the eval set, with the user message, the calls and the final response."
            } else {
                "Each selected run becomes a turn of one case, with the user message, the calls and the final response."
            }}
        </p>
        <ul class="runs" aria-label="Runs">
            {runs.into_iter().map(|run| view! { <Run run chosen/> }).collect_view()}
        </ul>
    }
}

#[component]
fn Run(
    /// The run.
    run: LiveRun,
    /// The responses of the turns that are exported, by event.
    chosen: RwSignal<BTreeSet<u64>>,
) -> impl IntoView {
    let all: BTreeSet<u64> = answers(&run).collect();
    let LiveRun { agent, query, turns, left_out, later_user_messages } = run;
    let count = all.len();
    let all = StoredValue::new(all);
    let taken = Memo::new(move |_| chosen.read().intersection(&*all.read_value()).count());
    let is_whole = move || taken.get() == count;
    let is_part = move || taken.get() > 0 && !is_whole();
    let toggle = move |_| {
        let take = !is_whole();
        chosen.update(|chosen| {
            for answer in &*all.read_value() {
                if take {
                    chosen.insert(*answer)
                } else {
                    chosen.remove(answer)
                };
            }
        });
    };
    let calls: Vec<(u64, usize)> =
        turns.iter().map(|turn| (turn.answer, turn.calls.len())).collect();
    let chosen_calls = Memo::new(move |_| {
        let chosen = chosen.read();
        let taken = calls.iter().filter(|(answer, _)| chosen.contains(answer));
        taken.map(|(_, calls)| *calls).sum::<usize>()
    });
    let ends: Vec<(u64, bool)> = turns.iter().map(|turn| (turn.answer, turn.ends)).collect();
    let is_ended = Memo::new(move |_| {
        let chosen = chosen.read();
        ends.iter().rfind(|(answer, _)| chosen.contains(answer)).is_some_and(|(_, ends)| *ends)
    });
    let last = turns.last().map(|turn| turn.answer);
    let ending = move || {
        if taken.get() == 0 {
            None
        } else if last.is_some_and(|last| !chosen.read().contains(&last)) {
            Some(" · without its last response")
        } else {
            (!is_ended.get()).then_some(" · without a final response")
        }
    };
    let answered = move || match taken.get() {
        taken if taken == count => counted(count, "response", "responses"),
        taken => format!("{taken} of {}", counted(count, "response", "responses")),
    };
    let calls = move || counted(chosen_calls.get(), "call", "calls");
    let query = match query.as_str() {
        "" => "No user message".to_owned(),
        query => visible_text(query),
    };
    let shown_agent = visible_name(&agent);
    let list = (count > 1).then(|| {
        let one = |turn| view! { <Turn turn agent=agent.clone() chosen/> };
        view! {
            <details class="run-turns">
                <summary>"Choose responses"</summary>
                <ul aria-label="Responses">{turns.into_iter().map(one).collect_view()}</ul>
            </details>
        }
    });
    view! {
        <li>
            <label>
                <input
                    type="checkbox"
                    prop:checked=is_whole
                    prop:indeterminate=is_part
                    on:change=toggle
                />
                <span class="run">
                    <span class="run-query">{query}</span>
                    <span class="quiet">
                        <b>{shown_agent}</b> " · " {answered} " · " {calls}
                        {ending}
                        {(!left_out.is_empty()).then(|| format!(
                            " · not exported: {}", visible_text(&left_out.join(", "))
                        ))}
                        {(later_user_messages > 0).then(|| format!(
                            " · later user messages not exported: {later_user_messages}"
                        ))}
                    </span>
                </span>
            </label>
            {list}
        </li>
    }
}

/// One response of a run, with the calls in it.
#[component]
fn Turn(
    /// The turn.
    turn: AnsweredTurn,
    /// The agent of the user message; another agent is named.
    agent: String,
    /// The responses of the turns that are exported, by event.
    chosen: RwSignal<BTreeSet<u64>>,
) -> impl IntoView {
    let answer = turn.answer;
    let toggle = move |_| {
        chosen.update(|chosen| {
            if !chosen.remove(&answer) {
                chosen.insert(answer);
            }
        });
    };
    let calls: Vec<String> =
        turn.calls.iter().map(|name| format!("{}()", visible_name(name))).collect();
    view! {
        <li>
            <label>
                <input type="checkbox" prop:checked=move || chosen.read().contains(&answer) on:change=toggle/>
                <span class="run-turn">
                    {(turn.agent != agent).then(|| view! { <b>{visible_name(&turn.agent)}</b> " " })}
                    {(!calls.is_empty()).then(|| view! { <code>{calls.join(" ")}</code> " " })}
                    {visible_text(&turn.text)}
                </span>
            </label>
        </li>
    }
}

/// The events of a run's responses, which identify its turns.
fn answers(run: &LiveRun) -> impl Iterator<Item = u64> {
    run.turns.iter().map(|turn| turn.answer)
}
