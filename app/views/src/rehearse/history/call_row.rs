//! A call and its result in one row, which opens into both.

use api::SourceKind;
use jiff::Timestamp;
use json_text::JsonText;
use leptos::prelude::*;
use session::{AgentId, Answer, Call, CallId, Session, ToolCall, ToolError, ToolResult};

use super::pending_row::nested_class;
use super::time::RowTime;
use crate::rehearse::content_pane::{ContentPane, FoldedPane};
use crate::rehearse::state::workspace::use_this_workspace;
use crate::rehearse::stored_result_pane::StoredResultPane;
use crate::shared::tokens::Tokens;
use crate::shared::value_pane::ValuePane;
use app::components::copy_button::CopyButton;
use app::components::icon::{Glyph, Icon};
use app::state::browser;
use app::state::excerpt::{visible_name, visible_text};
use app::state::preview::arguments;
use app::state::reading::{ReadingKey, Readings};
use app::state::rows::{RowId, RowPart};
use app::state::times;
use app::state::tool_content::{result_preview, tool_content};
use app::state::use_page;

/// How many characters of the arguments and of the result the line shows.
const BUDGET: usize = 160;

/// How a call ended, as the row shows it: class, icon and label.
fn kind(answer: &Answer, is_broken: bool) -> (&'static str, Glyph, &'static str) {
    match answer {
        Answer::Output(_) if is_broken => {
            ("warned", Glyph::Warning, "Tool call with a result that violates the output schema")
        }
        Answer::Output(output) if output.result.is_warning() => {
            ("warned", Glyph::Warning, "Tool call that returned an error")
        }
        Answer::Output(_) => ("returned", Glyph::Tool, "Tool call"),
        Answer::Error(error) if error.error_type == ToolError::CANCELLED => {
            ("cancelled", Glyph::Stopped, "Canceled tool call")
        }
        Answer::Error(_) => ("failed", Glyph::Error, "Failed tool call"),
    }
}

/// One ended call.
#[component]
pub(super) fn CallRow(
    /// The row.
    row: RowId,
    /// The call's index among the ended calls.
    index: usize,
    /// The row that the arrow keys are at.
    current: RwSignal<usize>,
) -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let (call, agents) = rehearsal.session.with_untracked(|session| {
        let call = session.calls().get(index)?.clone();
        let agents = agents_of(session, &call.call);
        Some((call, agents))
    })?;
    let is_broken = rehearsal.broken.with_untracked(|all| all.contains_key(&call.call.call_id));
    let (class, glyph, label) = kind(&call.answer, is_broken);
    let open_rows = rehearsal.open_rows;
    let open = Memo::new(move |_| open_rows.read().has(row.position));
    let toggle = move |_| {
        current.set(row.position);
        open_rows.update(|open| open.toggle(row.position));
        browser::after_drawing(move || browser::reveal(&row.detail_id()));
    };
    let name = visible_name(call.call.tool_name.as_str());
    let given = arguments(&call.call.arguments, BUDGET);
    let duration_ms = call.answer.duration_ms();
    let duration = times::took(duration_ms);
    let at = call.call.timestamp;
    let ends_run = matches!(&call.answer, Answer::Error(error) if error.ends_run())
        && is_run_by_adk(&rehearsal.agent());
    // No arguments beside the result, or a result that needs the whole width.
    let is_stacked = is_long(&call.answer) || call.call.arguments.compact().as_str() == "{}";
    let outcome = outcome(&call.answer);
    let call = StoredValue::new(call);
    let class = nested_class(&format!("row {class}"), agents.len());
    Some(view! {
        <li class=class class:open=move || open.get()>
            <div class="line" on:click=toggle>
                <span class="number" aria-hidden="true">{row.position + 1}</span>
                <Icon glyph/>
                <button
                    type="button"
                    class="signature"
                    id=row.element_id()
                    tabindex=move || if current.get() == row.position { "0" } else { "-1" }
                    aria-expanded=move || open.get().to_string()
                    aria-controls=move || open.get().then(|| row.detail_id())
                >
                    <span class="unseen">{label} ": "</span>
                    {agents.into_iter().map(|agent| view! { <span class="by">{visible_name(&agent)} " › "</span> }).collect_view()}
                    <b>{name}</b>
                    <span class="given">"(" <Tokens tokens=given/> ")"</span>
                    <span class="arrow">" → "</span>
                    {outcome}
                </button>
                <span class="took">{duration}</span>
                <RowTime at/>
            </div>
            {ends_run.then(|| view! {
                <p class="would-end">
                    "google-adk would end the run here, because no plugin or callback handles the error."
                </p>
            })}
            <Logged at duration_ms/>
            <Show when=move || open.get()>
                <div class="detail" class:stacked=is_stacked id=row.detail_id()>
                    {call.with_value(|call| detail(call, rehearsal.session.read_untracked().id().clone(), rehearsal.readings))}
                </div>
            </Show>
        </li>
    })
}

/// The names of the agents that the person acted as when they made the call, outermost first.
fn agents_of(session: &Session, call: &ToolCall) -> Vec<String> {
    let mut agents = Vec::new();
    let mut within = call.within.as_ref();
    while let Some(call_id) = within {
        let ended = session.calls().iter().map(|made| &made.call);
        let mut all = ended.chain(session.all_pending().iter().map(|pending| &pending.call));
        let Some(outer) = all.find(|call| call.call_id == *call_id) else { break };
        agents.insert(0, outer.tool_name.to_string());
        within = outer.within.as_ref();
    }
    agents
}

/// Whether google-adk runs the agent's tools.
fn is_run_by_adk(agent: &AgentId) -> bool {
    let found = untrack(|| use_page().agents.find_fetched(agent));
    found.is_some_and(|agent| agent.source == SourceKind::AdkPython)
}

/// The warnings that the agent logged during the call, such as those of ADK; nothing without any.
#[component]
fn Logged(
    /// When the call began.
    at: Timestamp,
    /// How long it took.
    duration_ms: f64,
) -> impl IntoView {
    let logs = use_page().logs;
    let agent = use_this_workspace().rehearsal.agent();
    #[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates")]
    let ended_ms = at.as_millisecond().saturating_add(duration_ms.ceil() as i64);
    let warnings = Memo::new(move |_| logs.warnings(&agent, at.as_millisecond(), ended_ms));
    move || {
        let warnings = warnings.get();
        (!warnings.is_empty()).then(|| {
            let line = |warning: String| {
                view! { <li><Icon glyph=Glyph::Warning/> <span>{first_line(&warning)}</span></li> }
            };
            view! { <ul class="logged" aria-label="Logged during the call">{warnings.into_iter().map(line).collect_view()}</ul> }
        })
    }
}

/// Whether the result needs the whole width.
fn is_long(answer: &Answer) -> bool {
    const LONG: usize = 1_500;
    match answer {
        Answer::Output(output) => match &output.result {
            ToolResult::Whole(result) => result.byte_len() > LONG,
            ToolResult::Stored(_) => true,
        },
        Answer::Error(error) => error.traceback.is_some() || error.error_message.len() > LONG,
    }
}

fn outcome(answer: &Answer) -> AnyView {
    match answer {
        Answer::Output(output) => match &output.result {
            ToolResult::Whole(result) => view! {
                <span class="outcome"><Tokens tokens=result_preview(result, BUDGET)/></span>
            }
            .into_any(),
            ToolResult::Stored(stored) => {
                view! { <span class="ink-count">{times::size(stored.bytes)} " stored on the host"</span> }.into_any()
            }
        },
        Answer::Error(error) => view! {
            <span class="outcome">{titled(&error.error_type, &first_line(&error.error_message))}</span>
        }
        .into_any(),
    }
}

/// An error on a line: its type and its message, if any.
fn titled(error_type: &str, message: &str) -> String {
    let error_type = visible_name(error_type);
    if message.is_empty() { error_type } else { format!("{error_type}: {message}") }
}

fn first_line(message: &str) -> String {
    use app::state::excerpt::{Lines, beginning, written_out};
    written_out(beginning(message, 300), Lines::Escaped).into_owned()
}

fn detail(call: &Call, session: session::SessionId, readings: Readings) -> AnyView {
    let answer = match &call.answer {
        Answer::Output(output) => match &output.result {
            ToolResult::Whole(result) => whole(result, &output.call_id, readings),
            ToolResult::Stored(stored) => {
                view! { <StoredResultPane session call_id=output.call_id.clone() stored=stored.clone() readings/> }
                    .into_any()
            }
        },
        Answer::Error(error) => failed(error, readings),
    };
    let arguments =
        readings.of(ReadingKey::Arguments(call.call.call_id.clone()), &call.call.arguments);
    view! {
        <ValuePane title="Arguments" what="the arguments" reading=arguments/>
        <div class="with-violation">
            <SchemaViolations call_id=call.call.call_id.clone()/>
            {answer}
        </div>
        <RowFoot call=call.clone()/>
    }
    .into_any()
}

/// The violations of the tool's output schema; nothing without any.
#[component]
fn SchemaViolations(
    /// The call that was answered.
    call_id: CallId,
) -> impl IntoView {
    /// How many violations are listed.
    const NAMED: usize = 5;
    let rehearsal = use_this_workspace().rehearsal;
    let broken = rehearsal.broken.with_untracked(|all| all.get(&call_id).cloned())?;
    let more = broken.len().saturating_sub(NAMED);
    let places = broken.into_iter().take(NAMED).map(|message| {
        let place = match message.pointer.as_str() {
            "" => "result".to_owned(),
            pointer => pointer.to_owned(),
        };
        view! { <li><code>{visible_name(&place)}</code> " " {visible_text(&message.text)}</li> }
    });
    Some(view! {
        <div class="schema-violation" role="note" aria-label="The result violates the tool's output schema">
            <Icon glyph=Glyph::Warning/>
            <div>
                <p>
                    "The structured content violates the tool's output schema. The result is kept unchanged. Clients that validate it reject it."
                </p>
                <ul>
                    {places.collect_view()}
                    {(more > 0).then(|| view! { <li>{format!("and {more} more")}</li> })}
                </ul>
            </div>
        </div>
    })
}

/// A whole result; for an MCP tool, its content and then the object that the model gets.
fn whole(result: &JsonText, call_id: &CallId, readings: Readings) -> AnyView {
    let reading = readings.of(ReadingKey::Result(call_id.clone()), result);
    match tool_content(result) {
        None => view! { <ValuePane title="Result" what="the result" reading/> }.into_any(),
        Some(content) => view! {
            <div class="mcp-answer">
                <ContentPane content call_id=call_id.clone()/>
                <FoldedPane title="As sent to the model" what="the result" reading call_id=call_id.clone()/>
            </div>
        }
        .into_any(),
    }
}

/// The error, with the content that an MCP tool sent with it.
fn failed(error: &ToolError, readings: Readings) -> AnyView {
    let sent = error.traceback.as_deref().and_then(|sent| JsonText::parse(sent).ok());
    let Some((content, sent)) = sent.and_then(|sent| Some((tool_content(&sent)?, sent))) else {
        return view! { <ErrorPane error=error.clone()/> }.into_any();
    };
    let call_id = error.call_id.clone();
    let reading = readings.of(ReadingKey::Result(call_id.clone()), &sent);
    view! {
        <div class="mcp-answer">
            <ErrorPane error=ToolError { traceback: None, ..error.clone() }/>
            <ContentPane content call_id=call_id.clone()/>
            <FoldedPane title="As received" what="the result" reading call_id/>
        </div>
    }
    .into_any()
}

/// The error, with a traceback that can be shown.
#[component]
fn ErrorPane(
    /// The error.
    error: ToolError,
) -> impl IntoView {
    use app::components::raw_text::RawText;
    let open_parts = use_this_workspace().rehearsal.open_parts;
    let call_id = StoredValue::new(error.call_id.clone());
    let shown = Memo::new(move |_| {
        call_id.with_value(|call_id| open_parts.read().has(call_id, RowPart::Traceback))
    });
    let traceback = StoredValue::new(error.traceback.clone());
    let copied = match &error.traceback {
        Some(traceback) => traceback.clone(),
        None => format!("{}: {}", error.error_type, error.error_message),
    };
    let toggle = move |_| {
        call_id.with_value(|call_id| {
            open_parts.update(|open| open.toggle(call_id, RowPart::Traceback));
        });
    };
    view! {
        <div class="pane" role="group" aria-label="Error">
            <header>
                <h3>"Error"</h3>
                <span class="grow"></span>
                <CopyButton what="the error" text=Callback::new(move |()| copied.clone())/>
            </header>
            <p class="error-type">{visible_name(&error.error_type)}</p>
            <p class="error-message">{visible_text(&error.error_message)}</p>
            {traceback.with_value(Option::is_some).then(|| view! {
                <button type="button" class="link" aria-expanded=move || shown.get().to_string() on:click=toggle>
                    {move || if shown.get() { "Hide the traceback" } else { "Show the traceback" }}
                </button>
                <Show when=move || shown.get()>
                    <RawText text=traceback.get_value().unwrap_or_default() label="Traceback"/>
                </Show>
            })}
        </div>
    }
}

/// The call's id, and the row as JSON to copy.
#[component]
fn RowFoot(
    /// The call.
    call: Call,
) -> impl IntoView {
    let id = call.call.call_id.to_string();
    let text = move |()| {
        let answer = match &call.answer {
            Answer::Output(output) => session::HistoryEntry::ToolOutput(output.clone()),
            Answer::Error(error) => session::HistoryEntry::ToolError(error.clone()),
        };
        let entries = [session::HistoryEntry::ToolCall(call.call.clone()), answer];
        json_text::JsonText::serialize(&entries).map(|text| text.pretty()).unwrap_or_default()
    };
    view! {
        <footer class="row-foot">
            <span>"call " <code>{id}</code></span>
            <span class="grow"></span>
            <CopyButton what="the entry as JSON" text=Callback::new(text)/>
        </footer>
    }
}
