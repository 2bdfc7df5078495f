//! One event of a session on a line, which opens into its details.

use api::{LiveEventKind, LiveOutcome, LivePart, LiveRole, LiveRow, LiveValue};
use jiff::Timestamp;
use json_text::JsonText;
use leptos::html;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

use super::part::{Piece, kind};
use crate::live::state::steps::plain_text_of;
use crate::live::state::window::OpenRows;
use crate::live::state::workspace::use_this_live_workspace;
use crate::rehearse::history::RowTime;
use crate::shared::tokens::Tokens;
use api::host::read_live_rows;
use app::components::icon::{Glyph, Icon};
use app::state::base_path::{address, unresolved};
use app::state::browser;
use app::state::excerpt::{Lines, beginning, visible_name, written_out};
use app::state::preview::{arguments, preview};
use app::state::times;

/// How many characters of a value the line shows.
const BUDGET: usize = 140;
/// How much of a text the line shows, in bytes.
const WORDS: usize = 300;

/// One event; an empty line until it has been fetched.
#[component]
pub(super) fn EventRow(
    /// Its number.
    at: u64,
    /// The event, once it is fetched.
    row: Option<LiveRow>,
    /// The open rows.
    open_rows: RwSignal<OpenRows>,
    /// The row that the arrow keys are at.
    current: RwSignal<u64>,
) -> impl IntoView {
    let Some(row) = row else {
        return view! { <li class="row event"><div class="line"><span class="number" aria-hidden="true">{at}</span></div></li> }.into_any();
    };
    let open = Memo::new(move |_| open_rows.read().is_open(at));
    let (class, glyph) = look(&row.what);
    let by = row.by.as_deref().map(visible_name);
    let agent = visible_name(&row.agent);
    let time = Timestamp::from_millisecond(row.at_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    let took = match &row.what {
        LiveEventKind::ToolAnswered { duration_ms: Some(duration), .. } => {
            #[expect(clippy::cast_precision_loss, reason = "a tool's milliseconds fit an f64")]
            let duration = *duration as f64;
            times::took(duration)
        }
        _ => String::new(),
    };
    let detail_id = format!("event-{at}-detail");
    let controlled = detail_id.clone();
    let toggle = move |_| {
        current.set(at);
        open_rows.update(|rows| rows.toggle(at));
    };
    let line = line(&row);
    let row = StoredValue::new(row);
    view! {
        <li class=format!("row event {class}") class:open=move || open.get()>
            <div class="line" on:click=toggle>
                <span class="number" aria-hidden="true">{at}</span>
                <Icon glyph/>
                <button
                    type="button"
                    class="signature"
                    id=format!("event-{at}")
                    tabindex=move || if current.get() == at { "0" } else { "-1" }
                    aria-expanded=move || open.get().to_string()
                    aria-controls=move || open.get().then(|| controlled.clone())
                >
                    <span class="by-agent">{agent}</span>
                    " "
                    {line}
                </button>
                <span class="took">{by.unwrap_or(took)}</span>
                <RowTime at=time/>
            </div>
            <Show when=move || open.get()>
                <Detail id=detail_id.clone() at row=row.get_value() open_rows/>
            </Show>
        </li>
    }
    .into_any()
}

fn look(what: &LiveEventKind) -> (&'static str, Glyph) {
    match what {
        LiveEventKind::Asked { .. } => ("requested", Glyph::Question),
        LiveEventKind::Answered { .. } => ("answered", Glyph::Answer),
        LiveEventKind::Cancelled { .. } => ("cancelled", Glyph::Stopped),
        LiveEventKind::ToolAnswered { failed: true, .. } => ("failed", Glyph::Error),
        LiveEventKind::ToolAnswered { .. } => ("returned", Glyph::Tool),
        LiveEventKind::Ended { outcome: LiveOutcome::Completed, .. } => ("ended", Glyph::Check),
        LiveEventKind::Ended { outcome: LiveOutcome::Failed, .. } => ("failed", Glyph::Error),
        LiveEventKind::Ended { outcome: LiveOutcome::Cancelled, .. } => {
            ("cancelled", Glyph::Stopped)
        }
    }
}

fn line(row: &LiveRow) -> AnyView {
    match &row.what {
        LiveEventKind::Asked { last, more, role, .. } => {
            let words = match role {
                LiveRole::User => "request: ",
                LiveRole::Model => "request after ",
                LiveRole::Function => "request with ",
            };
            view! { <span class="quiet">{words}</span> {pieces(last, *more)} }.into_any()
        }
        LiveEventKind::Answered { parts, more } => {
            view! { <span class="arrow">"→ "</span> {pieces(parts, *more)} }.into_any()
        }
        LiveEventKind::Cancelled { reason } => {
            view! { "canceled" {(!reason.is_empty()).then(|| format!(": {}", one_line(reason)))} }
                .into_any()
        }
        LiveEventKind::ToolAnswered { tool, response, .. } => view! {
            <b>{visible_name(tool)}</b>
            <span class="arrow">" → "</span>
            {response_value(response.as_ref())}
        }
        .into_any(),
        LiveEventKind::Ended { outcome, message } => {
            let how = match outcome {
                LiveOutcome::Completed => "the run is complete",
                LiveOutcome::Failed => "the run failed",
                LiveOutcome::Cancelled => "the run was stopped",
            };
            view! { {how} {(!message.is_empty()).then(|| format!(": {}", one_line(message)))} }
                .into_any()
        }
    }
}

fn pieces(parts: &[LivePart], more: usize) -> AnyView {
    let piece = |(at, part): (usize, &LivePart)| {
        let between = (at > 0).then_some(" · ");
        let shown = match part {
            LivePart::Text(text) => one_line(text).into_any(),
            LivePart::Thought(text) => view! { <span class="quiet">{one_line(text)}</span> }.into_any(),
            LivePart::Call { name, args, .. } => view! {
                <b>{visible_name(name)}</b> "(" {args.as_ref().map(given)} ")"
            }
            .into_any(),
            LivePart::Response { name, response, .. } => view! {
                <b>{visible_name(name)}</b> <span class="arrow">" → "</span> {response_value(response.as_ref())}
            }
            .into_any(),
            LivePart::Data { .. } | LivePart::Other { .. } => {
                let one_line = plain_text_of(part).map(|(_, text)| format!(" {}", one_line(&text)));
                view! { <span class="ink-count">{kind(part)}</span> {one_line} }.into_any()
            }
        };
        view! { <span class="quiet">{between}</span> {shown} }
    };
    let more = (more > 0).then(|| view! { <span class="quiet">" · and "{more}" more"</span> });
    view! { {parts.iter().enumerate().map(piece).collect_view()} {more} }.into_any()
}

/// The beginning of a text on one line, its whitespace collapsed.
fn one_line(text: &str) -> String {
    let line = beginning(text, WORDS).split_whitespace().collect::<Vec<_>>().join(" ");
    written_out(&line, Lines::Escaped).into_owned()
}

fn words(text: &str) -> String {
    written_out(beginning(text, WORDS), Lines::Escaped).into_owned()
}

fn given(value: &LiveValue) -> AnyView {
    match value {
        LiveValue::Whole(value) => view! { <Tokens tokens=arguments(value, BUDGET)/> }.into_any(),
        LiveValue::Head { text, .. } => words(text).into_any(),
    }
}

/// What a tool returned, which may be nothing.
fn response_value(response: Option<&LiveValue>) -> AnyView {
    match response {
        Some(response) => short(response),
        None => view! { <span class="quiet">"nothing"</span> }.into_any(),
    }
}

fn short(value: &LiveValue) -> AnyView {
    match value {
        LiveValue::Whole(value) => view! { <Tokens tokens=preview(value, BUDGET)/> }.into_any(),
        LiveValue::Head { text, bytes } => view! {
            {words(text)} <span class="ink-count">" … " {times::size(*bytes)}</span>
        }
        .into_any(),
    }
}

/// The whole event. What was shortened for the line is fetched.
#[component]
fn Detail(
    /// Its id in the document.
    id: String,
    /// Its number.
    at: u64,
    /// The event as the line has it.
    row: LiveRow,
    /// Where its height is reported.
    open_rows: RwSignal<OpenRows>,
) -> impl IntoView {
    let workspace = use_this_live_workspace();
    let element = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        if let Some(element) = element.get() {
            browser::watch_height(&element, move |height| {
                // With the margins of the stylesheet.
                let is_other = open_rows
                    .try_update_untracked(|rows| rows.measured(at, height + 10.0))
                    .unwrap_or_default();
                if is_other {
                    open_rows.notify();
                }
            });
        }
    });
    let is_request = matches!(row.what, LiveEventKind::Asked { .. });
    let counts = match &row.what {
        LiveEventKind::Asked { contents, tools, .. } => Some(format!(
            "{} · {}",
            times::counted(usize::try_from(*contents).unwrap_or(usize::MAX), "message", "messages"),
            times::counted(usize::try_from(*tools).unwrap_or(usize::MAX), "tool", "tools"),
        )),
        _ => None,
    };
    let turn = row.turn.clone();
    let whole = LocalResource::new(move || async move {
        let read = read_live_rows(workspace.id.get_value(), at - 1, 1, true).await;
        read.ok().and_then(|rows| rows.into_iter().next())
    });
    let navigate = use_navigate();
    let see = move |_| {
        let address = address(&format!("/live/{}/{turn}", workspace.id.get_value()));
        navigate(&address, NavigateOptions { scroll: false, ..unresolved() });
        workspace.shows_events.set(false);
    };
    let see = StoredValue::new_local(see);
    let body = move || body(whole.get().flatten().unwrap_or_else(|| row.clone()));
    view! {
        <div class="event-detail" id=id node_ref=element>
            {body}
            <Show when=move || is_request>
                <p class="more">
                    {counts.clone()}
                    <button type="button" class="link" on:click=move |event| see.with_value(|see| see(event))>
                        "View full request"
                    </button>
                </p>
            </Show>
        </div>
    }
}

fn body(row: LiveRow) -> AnyView {
    let parts = match row.what {
        LiveEventKind::Asked { last, .. } => last,
        LiveEventKind::Answered { parts, .. } => parts,
        LiveEventKind::Cancelled { reason } => vec![LivePart::Text(reason)],
        LiveEventKind::Ended { message, .. } if message.is_empty() => Vec::new(),
        LiveEventKind::Ended { message, .. } => vec![LivePart::Text(message)],
        LiveEventKind::ToolAnswered { tool, response, .. } => {
            vec![LivePart::Response { id: None, name: tool, response }]
        }
    };
    if parts.is_empty() {
        return view! { <p class="quiet">"No details"</p> }.into_any();
    }
    parts
        .into_iter()
        .map(|part| {
            let title = kind(&part);
            let shown = title.clone();
            let is_plain = matches!(part, LivePart::Text(_));
            let part = match part {
                // Text that is JSON is shown as a value.
                LivePart::Text(text) if value_tree::is_more_than_text(&text) => LivePart::Other {
                    kind: "text".to_owned(),
                    value: LiveValue::Whole(JsonText::string(&text)),
                },
                part => part,
            };
            view! {
                <div class="pane" role="group" aria-label=title>
                    {(!is_plain).then(|| view! { <header><h3>{shown}</h3></header> })}
                    <Piece part/>
                </div>
            }
        })
        .collect_view()
        .into_any()
}
