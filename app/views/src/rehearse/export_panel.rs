//! After the final response: the export and its receipt.

use api::{
    Actual, ApiError, CaseDownload, EvalSetContents, EvalSetSummary, ExportPreview, ExportReceipt,
    RecordedKind, RecordedRequest, SetId, UnmetCalls,
};
use json_text::JsonText;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use session::Unmet;

use crate::rehearse::state::export_preview::use_export_preview;
use crate::rehearse::state::workspace::{EXPORT, use_this_workspace};
use crate::shared::compare_dialog::CompareWithCase;
use crate::shared::give_again::{GivenAgain, use_giving_again};
use crate::shared::tokens::Tokens;
use crate::shared::value::{ValueBody, ValueTools};
use api::host::{case_file, list_eval_sets};
use app::components::code_text::with_code;
use app::components::copy_button::CopyButton;
use app::components::icon::{Glyph, Icon};
use app::components::raw_text::RawText;
use app::state::browser;
use app::state::case_address::{case_address, unescaped};
use app::state::excerpt::{visible_name, visible_text};
use app::state::preview::arguments;
use app::state::reading::use_reading;
use app::state::rehearsal::{Export, ExportFile, Restarted, last_part};
use app::state::times::counted;

/// How often the model tries what the person did.
const TRIES: u32 = 5;

/// The actions of a completed session.
#[component]
pub fn ExportPanel(
    /// The eval-set file that exports go to.
    eval_set_path: String,
) -> impl IntoView {
    let workspace = use_this_workspace();
    let rehearsal = workspace.rehearsal;
    let own = StoredValue::new(eval_set_path);
    let file = Signal::derive(move || {
        let chosen = rehearsal.export_file.read();
        let chosen = chosen.as_ref().map(|file| file.file_name().to_owned());
        chosen.unwrap_or_else(|| own.with_value(|path| last_part(path).to_owned()))
    });
    let path = move || {
        let chosen = rehearsal.export_file.get_untracked();
        chosen.map_or_else(|| own.get_value(), |file| file.name)
    };
    let body = move || match rehearsal.export.get() {
        Export::NotYet | Export::Writing => view! { <Summary file/> }.into_any(),
        Export::Written(receipt) => {
            let chosen = rehearsal.export_file.get_untracked().map(|file| file.set);
            let set = chosen.unwrap_or_else(|| SetId::from(rehearsal.agent()));
            view! { <ModelTries/> <Receipt receipt set=Some(set)/> }.into_any()
        }
        Export::Failed(error) => view! { <Fault error path=path()/> }.into_any(),
    };
    let label = move || match &*rehearsal.export.read() {
        Export::NotYet => format!("Export to {}", file.read()),
        Export::Writing => "Exporting…".to_owned(),
        Export::Written(_) => "Export again".to_owned(),
        Export::Failed(_) => "Retry".to_owned(),
    };
    // The case that was rehearsed again, if any.
    let query = use_query_map();
    let named = |name: &str| query.with_untracked(|query| query.get(name));
    let place = named("at").and_then(|at| at.parse().ok());
    let replayed = named("case").map(|eval_id| (unescaped(&eval_id), place));
    let set = named("set").map_or_else(|| SetId::from(rehearsal.agent()), SetId::new);
    let actual = Callback::new(move |()| Actual::Rehearsal(Box::new(rehearsal.export_request())));
    let is_written = move || matches!(&*rehearsal.export.read(), Export::Written(_));
    let is_writing = move || matches!(&*rehearsal.export.read(), Export::Writing);
    view! {
        <div class="export">
            <div class="panel-body">{body}</div>
            <footer class="panel-foot">
                <button type="button" class="button quiet" on:click=move |_| workspace.start_over()>
                    <Icon glyph=Glyph::Retry/>
                    "Rehearse again"
                </button>
                <button
                    type="button"
                    class="button quiet"
                    title="Write the user's next message"
                    on:click=move |_| workspace.continue_session()
                >
                    <Icon glyph=Glyph::User/>
                    "Continue"
                </button>
                <CompareWithCase set actual replayed/>
                <span class="grow"></span>
                <button
                    type="button"
                    id=EXPORT
                    class="button"
                    class:primary=move || !is_written()
                    aria-disabled=move || is_writing().to_string()
                    on:click=move |_| rehearsal.export()
                    // The key that sent the response may still be held.
                    on:keydown=move |event| if event.repeat() { event.prevent_default() }
                >
                    <Icon glyph=Glyph::Export/>
                    <span class="cut">{label}</span>
                    <kbd>"↵"</kbd>
                </button>
            </footer>
        </div>
    }
}

/// Lets the agent's own model try what the person did, or opens the rehearsal to fork it.
#[component]
fn ModelTries() -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let giving = use_giving_again();
    let request = move || {
        let (export, agent) = (rehearsal.export_request(), rehearsal.agent());
        async move {
            let CaseDownload { text, .. } = case_file(export).await?;
            let text = JsonText::parse(&text);
            let text = text.map_err(|error| ApiError::NotExportable(error.to_string()))?;
            Ok(RecordedRequest::Case { agent, kind: RecordedKind::Rehearsal, text })
        }
    };
    let is_sent = move || giving.is_sent().to_string();
    view! {
        <section class="model-tries" aria-label="Model">
            <p>
                <button
                    type="button"
                    class="button"
                    title=format!("The agent's own model does the task {TRIES} times. Tools return what they returned here, and none runs.")
                    aria-disabled=is_sent
                    on:click=move |_| giving.let_try(request(), TRIES)
                >
                    "Let the model try"
                </button>
                " "
                <button
                    type="button"
                    class="button quiet"
                    title="Give the rehearsal again without a model, and fork it at a step"
                    aria-disabled=is_sent
                    on:click=move |_| giving.open(request())
                >
                    "Fork at a step"
                </button>
            </p>
            <GivenAgain giving/>
        </section>
    }
}

/// A summary of the trace, what a model could not repeat of it, and the case as it will be.
#[component]
fn Summary(
    /// The name of the file to export to.
    file: Signal<String>,
) -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let preview = use_export_preview(rehearsal);
    let (turns, calls) = rehearsal.session.with_untracked(|session| {
        let calls = session.calls().iter().filter(|made| made.call.within.is_none());
        (session.turns().len(), calls.count())
    });
    let contents = match turns {
        1 => format!("{} and a final response", counted(calls, "tool call", "tool calls")),
        _ => format!("{turns} turns and {}", counted(calls, "tool call", "tool calls")),
    };
    let unmet = Memo::new(move |_| match &*preview.read() {
        Some(Ok(preview)) => preview.unmet.clone(),
        _ => Vec::new(),
    });
    let differences = Memo::new(move |_| match &*preview.read() {
        Some(Ok(preview)) => preview.runner_differences.clone(),
        _ => Vec::new(),
    });
    let contents = StoredValue::new(contents);
    let headline = move || {
        let contents = contents.get_value();
        match &*preview.read() {
            None | Some(Err(ApiError::Transport(_) | ApiError::Stopping)) => {
                view! { "A trace with " {contents} "." }.into_any()
            }
            Some(Ok(_)) => view! {
                "A trace with " {contents} " can be exported as a case to " <code>{file}</code> "."
            }
            .into_any(),
            Some(Err(_)) => {
                view! { "A trace with " {contents} " cannot be exported as it is." }.into_any()
            }
        }
    };
    let case = move || match preview.get() {
        None => view! { <p class="quiet" role="status">"Loading the case…"</p> }.into_any(),
        Some(Err(error)) => view! { <Refusal error/> }.into_any(),
        Some(Ok(ExportPreview { case, is_whole, .. })) => {
            view! { <CaseText text=case is_whole label="The case to export"/> }.into_any()
        }
    };
    view! {
        <h2 class="panel-title"><Icon glyph=Glyph::Check/>"Session completed"</h2>
        <p>{headline}</p>
        <ModelTries/>
        {move || rehearsal.export_file.read().is_some().then(|| view! { <OtherFile/> })}
        <CaseId preview file/>
        <div class="case-fields"><Tags/> <Note/></div>
        <RestartNotes/>
        {move || view! { <RunnerDifferences differences=differences.get()/> }}
        <For each=move || unmet.get() key=Clone::clone children=|calls| view! { <UnmetChoice calls/> }/>
        <Contents/>
        <div class="case-head">
            <h3 class="panel-subtitle">"Case to export"</h3>
            <span class="grow"></span>
            <ToolResponses preview/>
        </div>
        {case}
    }
}

/// The reason why nothing can be exported, and what the person can do about it here.
#[component]
fn Refusal(
    /// The error.
    error: ApiError,
) -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let text = error.to_string();
    let leave_out = match error {
        ApiError::ResultsLost(lost) => {
            let calls = counted(lost.len(), "call", "calls");
            let leave_out = move |_| {
                rehearsal.leave_out_calls(lost.iter().map(|lost| lost.call_id.clone()));
            };
            Some(view! {
                <p>
                    <button type="button" class="button" on:click=leave_out>
                        "Leave out " {calls}
                    </button>
                </p>
            })
        }
        _ => None,
    };
    view! { <p class="field-fault" role="alert">{text}</p> {leave_out} }
}

/// What a model cannot repeat because something restarted in the middle of the session.
#[component]
fn RestartNotes() -> impl IntoView {
    let restarts = use_this_workspace().rehearsal.restarts;
    let note = move |of: Restarted, text: &'static str| {
        restarts.read().iter().any(|restart| restart.of == of).then(|| {
            view! { <div class="note unmet"><Icon glyph=Glyph::Warning/><p>{with_code(text)}</p></div> }
        })
    };
    let host = move || {
        note(
            Restarted::Host,
            "The session was reopened on the host, which reset its state, artifacts and active agent. `adk eval` does \
             not reset them, so later calls may return different results.",
        )
    };
    let restored = move || {
        note(
            Restarted::HostRestored,
            "The session was reopened on the host. State, conversation and active agent were restored, but artifacts \
             and the tools' memory were not. Calls that depend on those may return different results under \
             `adk eval`.",
        )
    };
    let process = move || {
        note(
            Restarted::Process,
            "The agent's process restarted during the session and read the agent's files again. If the files \
             changed, the trace mixes two versions of the agent.",
        )
    };
    view! { {host} {restored} {process} }
}

/// What google-adk's runner would do otherwise than the case has it; nothing without any.
#[component]
fn RunnerDifferences(
    /// The sentences.
    differences: Vec<String>,
) -> impl IntoView {
    let each = |text: String| {
        view! { <div class="note unmet"><Icon glyph=Glyph::Warning/><p>{with_code(&text)}</p></div> }
    };
    differences.into_iter().map(each).collect_view()
}

/// How results are written: each in an object, or as google-adk records them.
#[component]
fn ToolResponses(
    /// The case as it will be.
    preview: RwSignal<Option<Result<ExportPreview, ApiError>>>,
) -> impl IntoView {
    let chosen = use_this_workspace().rehearsal.adk_tool_responses;
    let is_adk = Memo::new(move |_| match &*preview.read() {
        Some(Ok(preview)) => preview.adk_tool_responses,
        _ => chosen.get().unwrap_or_default(),
    });
    let side = move |adk: bool, text: &'static str, about: &'static str| {
        view! {
            <button
                type="button"
                title=about
                aria-pressed=move || (is_adk.get() == adk).to_string()
                on:click=move |_| chosen.set(Some(adk))
            >
                {text}
            </button>
        }
    };
    view! {
        <span class="switch" role="group" aria-label="Tool results">
            {side(false, "{\"result\": …}", "Write every result as {\"result\": …}")}
            {side(true, "As google-adk", "Write an object as it is, and any other value as {\"result\": …}")}
        </span>
    }
}

/// The field for the case's id, and a remedy if `adk eval` cannot select it.
#[component]
fn CaseId(
    /// The case as it will be.
    preview: RwSignal<Option<Result<ExportPreview, ApiError>>>,
    /// The name of the file to export to.
    file: Signal<String>,
) -> impl IntoView {
    let case_id = use_this_workspace().rehearsal.case_id;
    let ids = Memo::new(move |_| match &*preview.read() {
        Some(Ok(ExportPreview { eval_id, selectable_id, taken_id, .. })) => {
            Some((eval_id.clone(), selectable_id.clone(), taken_id.clone()))
        }
        _ => None,
    });
    let shown = move || case_id.get().or_else(|| Some(ids.get()?.0)).unwrap_or_default();
    let set = move |id: String| case_id.set((!id.trim().is_empty()).then_some(id));
    let taken = move || {
        let (written, _, taken) = ids.get()?;
        let taken = taken?;
        Some(view! {
            <p class="case-id-hint">
                <code>{file}</code> " already has a case " <code>{taken}</code> ". This one is written as "
                <code>{written}</code> "."
            </p>
        })
    };
    let remedy = move || {
        let selectable = ids.get()?.1?;
        let chosen = selectable.clone();
        Some(view! {
            <p class="case-id-hint">
                "An ID with a colon or comma cannot be selected with " <code>"adk eval FILE:ID"</code> ". "
                <button type="button" class="link" on:click=move |_| set(chosen.clone())>
                    "Use " {selectable}
                </button>
            </p>
        })
    };
    view! {
        <CaseField label="Case ID" id="case-id" hint="" shown=Signal::derive(shown) set=Callback::new(set)/>
        <div role="status">{taken} {remedy}</div>
    }
}

/// The field for the case's tags.
#[component]
fn Tags() -> impl IntoView {
    let tags = use_this_workspace().rehearsal.tags;
    let shown = move || tags.read().join(", ");
    let set = move |text: String| {
        let given = text.split(',').map(str::trim).filter(|tag| !tag.is_empty());
        tags.set(given.map(str::to_owned).collect());
    };
    view! {
        <CaseField
            label="Tags"
            id="case-tags"
            hint="one, another"
            shown=Signal::derive(shown)
            set=Callback::new(set)
        />
    }
}

/// A line of text about the case.
#[component]
fn CaseField(
    /// The label.
    label: &'static str,
    /// The field's id in the document.
    id: &'static str,
    /// What an empty field shows.
    hint: &'static str,
    /// The text.
    #[prop(into)]
    shown: Signal<String>,
    /// Takes the text once it is entered.
    set: Callback<String>,
) -> impl IntoView {
    // What is typed and not entered yet, which a reload keeps.
    let typed = RwSignal::new(String::new());
    use_this_workspace().rehearsal.forms.keep_text(format!("case.{id}"), typed);
    if !typed.read_untracked().is_empty() {
        set.run(typed.get_untracked());
        typed.set(String::new());
    }
    let enter = move |event| {
        set.run(event_target_value(&event));
        typed.set(String::new());
    };
    view! {
        <label class="case-id">
            <span>{label}</span>
            <input
                class="input"
                type="text"
                id=id
                autocomplete="off"
                spellcheck="false"
                placeholder=hint
                prop:value=shown
                on:input=move |event| typed.set(event_target_value(&event))
                on:change=enter
            />
        </label>
    }
}

/// The field for the case's note.
#[component]
fn Note() -> impl IntoView {
    let note = use_this_workspace().rehearsal.note;
    let set = Callback::new(move |text: String| note.set(text));
    view! { <CaseField label="Note" id="case-note" hint="Optional" shown=note set/> }
}

/// Every entry of the session that can be left out, and whether the case has it: whole turns, calls and
/// final responses.
#[component]
fn Contents() -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let (turns, calls) = (rehearsal.left_out_turns, rehearsal.left_out);
    let session = rehearsal.session.get_untracked();
    let count = session.turns().len();
    let rows = session.turns().into_iter().enumerate().map(|(number, turn)| {
        let has_turn = Signal::derive(move || !turns.read().contains(&number));
        let is_only = move || turns.read().len() + 1 == count && has_turn.get();
        let query = view! { <span class="cut">"User: " {visible_text(&turn.query.content)}</span> };
        let whole = entry(query.into_any(), has_turn, Signal::derive(is_only), move || {
            turns.update(|all| toggle(all, number));
        });
        let made = session.calls().get(turn.calls).unwrap_or_default().iter();
        let made = made.filter(|made| made.call.within.is_none()).map(|made| {
            let call = made.call.clone();
            let id = StoredValue::new(call.call_id);
            let reason = made.unmet();
            // By the choice for all calls of the kind.
            let is_left_out = move || reason.is_some_and(|reason| rehearsal.leaves_out(reason));
            let has_it = move || {
                has_turn.get() && !is_left_out() && !calls.read().contains(&id.read_value())
            };
            let signature = view! {
                <span class="signature">
                    <b>{visible_name(call.tool_name.as_str())}</b>
                    "(" <Tokens tokens=arguments(&call.arguments, 80)/> ")"
                </span>
            };
            let is_fixed = Signal::derive(move || !has_turn.get() || is_left_out());
            entry(signature.into_any(), Signal::derive(has_it), is_fixed, move || {
                calls.update(|all| toggle(all, id.get_value()));
            })
        });
        let made = made.collect_view();
        let responses = rehearsal.left_out_responses;
        let has_it = move || has_turn.get() && !responses.read().contains(&number);
        let text = turn.final_response.map(|response| response.content.clone());
        let text = view! { <span class="cut">"Final response: " {text.as_deref().map(visible_text)}</span> };
        let without_turn = Signal::derive(move || !has_turn.get());
        let response = entry(text.into_any(), Signal::derive(has_it), without_turn, move || {
            responses.update(|all| toggle(all, number));
        });
        view! { {whole} <li><ul>{made} {response}</ul></li> }
    });
    let rows = rows.collect_view();
    view! {
        <details class="case-contents">
            <summary>"Contents of the case"</summary>
            <p class="quiet">"Clear a user message to leave out its whole turn."</p>
            <ul>{rows}</ul>
        </details>
    }
}

/// An entry that is left out or kept by a checkbox.
fn entry(
    shown: AnyView,
    is_kept: Signal<bool>,
    is_fixed: Signal<bool>,
    toggle: impl Fn() + 'static,
) -> AnyView {
    view! {
        <li>
            <label>
                <input
                    type="checkbox"
                    prop:checked=is_kept
                    disabled=is_fixed
                    on:change=move |_| toggle()
                />
                {shown}
            </label>
        </li>
    }
    .into_any()
}

/// Removes `item` from `all`, or adds it.
fn toggle<T: PartialEq>(all: &mut Vec<T>, item: T) {
    match all.iter().position(|other| *other == item) {
        Some(at) => drop(all.remove(at)),
        None => all.push(item),
    }
}

/// Calls that a model could not repeat, and whether they are kept.
#[component]
fn UnmetChoice(
    /// The calls.
    calls: UnmetCalls,
) -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let reason = calls.reason;
    let side = move |leaves_out: bool, text: &'static str| {
        view! {
            <button
                type="button"
                aria-pressed=move || (rehearsal.leaves_out(reason) == leaves_out).to_string()
                on:click=move |_| rehearsal.set_leaves_out(reason, leaves_out)
            >
                {text}
            </button>
        }
    };
    view! {
        <div class="note unmet">
            <Icon glyph=Glyph::Warning/>
            <p><code>{visible_name(&tools_text(&calls.tools))}</code> " " {with_code(unmet_text(reason, calls.tools.len()))}</p>
            <span class="switch" role="group" aria-label=unmet_label(reason)>
                {side(false, "Keep")} {side(true, "Leave out")}
            </span>
        </div>
    }
}

/// The tools, each once, with how often it was called.
fn tools_text(tools: &[String]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for tool in tools {
        match counts.iter_mut().find(|(name, _)| name == tool) {
            Some((_, count)) => *count += 1,
            None => counts.push((tool, 1)),
        }
    }
    let named = counts.into_iter().map(|(name, count)| match count {
        1 => name.to_owned(),
        _ => format!("{name} ×{count}"),
    });
    named.collect::<Vec<_>>().join(", ")
}

fn unmet_label(reason: Unmet) -> &'static str {
    match reason {
        Unmet::Failed => "Failed calls",
        Unmet::Cancelled => "Canceled calls",
        Unmet::Interrupted => "Interrupted calls",
        Unmet::Waited => "Calls that waited for you",
    }
}

/// What follows the names of so many calls.
fn unmet_text(reason: Unmet, calls: usize) -> &'static str {
    match reason {
        Unmet::Failed => {
            "failed. google-adk ends the run when a tool raises an exception, so a case with later \
             steps fails in `adk eval`."
        }
        Unmet::Cancelled if calls == 1 => {
            "was canceled. A model cannot cancel a call, so in `adk eval` the tool runs to completion."
        }
        Unmet::Cancelled => {
            "were canceled. A model cannot cancel a call, so in `adk eval` each of them runs to completion."
        }
        Unmet::Interrupted if calls == 1 => {
            "ended when its process exited. In `adk eval` the tool runs to completion."
        }
        Unmet::Interrupted => {
            "ended when their process exited. In `adk eval` each of them runs to completion."
        }
        Unmet::Waited => {
            "waited for you. google-adk ends the run there, so a case with later steps fails in `adk eval`."
        }
    }
}

/// The text of a case, as a value if it is whole.
#[component]
fn CaseText(
    /// The text.
    text: String,
    /// Whether it is the whole case. The beginning of a long case is not JSON.
    is_whole: bool,
    /// The accessible name.
    label: &'static str,
) -> impl IntoView {
    match JsonText::parse(&text) {
        Ok(case) if is_whole => {
            let reading = use_reading(&case);
            view! {
                <div class="content-value">
                    <ValueTools reading/>
                    <ValueBody reading label/>
                </div>
            }
            .into_any()
        }
        _ => view! { <RawText text label/> }.into_any(),
    }
}

/// The exported case, and where it was written.
#[component]
pub fn Receipt(
    /// The receipt.
    receipt: ExportReceipt,
    /// The eval set, if the page lists it.
    set: Option<SetId>,
) -> impl IntoView {
    let ExportReceipt {
        path,
        eval_id,
        cases,
        preview,
        preview_is_whole,
        already_there,
        created,
        runner_differences,
    } = receipt;
    let title = if already_there {
        "Already exported. Nothing was added."
    } else if created {
        "Exported into a new eval set"
    } else {
        "Exported"
    };
    let address = set.map(|set| case_address(set.as_str(), &eval_id, None));
    let copied = path.clone();
    let id = eval_id.clone();
    view! {
        <h2 class="panel-title" class:good=!already_there><Icon glyph=Glyph::Check/>{title}</h2>
        <dl class="facts receipt">
            <dt>"file"</dt>
            <dd class="path">
                <FilePath path/>
                <CopyButton what="the path" text=Callback::new(move |()| copied.clone())/>
            </dd>
            <dt>"eval_id"</dt>
            <dd class="path">
                {eval_id}
                <CopyButton what="the ID" text=Callback::new(move |()| id.clone())/>
            </dd>
            <dt>"cases"</dt>
            <dd>{cases} {address.map(|address| view! { " · " <a class="link" href=address>"Open in eval set"</a> })}</dd>
        </dl>
        <RunnerDifferences differences=runner_differences/>
        <h3 class="panel-subtitle">
            {if preview_is_whole { "Exported case" } else { "Beginning of the exported case" }}
        </h3>
        <CaseText text=preview is_whole=preview_is_whole label="The exported case"/>
    }
}

/// A path that breaks between its folders and not within their names.
#[component]
fn FilePath(
    /// The path.
    path: String,
) -> impl IntoView {
    let part = |part: &str| view! { {part.to_owned()}<wbr/> };
    view! { <span>{path.split_inclusive(['/', '\\']).map(part).collect_view()}</span> }
}

/// Why the export failed.
#[component]
fn Fault(
    /// The error.
    error: ApiError,
    /// The file as the configuration gives it.
    path: String,
) -> impl IntoView {
    let title = view! { <h2 class="panel-title bad"><Icon glyph=Glyph::Error/>"Not exported"</h2> };
    if matches!(error, ApiError::ResultsLost(_) | ApiError::PartOfWorkflow(_)) {
        // No file would take the case.
        return view! { {title} <Refusal error/> }.into_any();
    }
    let path = match &error {
        ApiError::Export { path, .. } => path.clone(),
        _ => path,
    };
    // Without the host there are no other files, and nobody makes the case.
    let is_without_host = matches!(error, ApiError::Transport(_) | ApiError::Stopping);
    let remedy = match is_without_host {
        true => "The session is kept in this tab. Export again when the host is connected.",
        false => {
            "The file and the session are unchanged. Fix the problem, then retry. Or choose another file, or download the case."
        }
    };
    view! {
        {title}
        <p role="alert">{error.to_string()}</p>
        <dl class="facts receipt"><dt>"file"</dt><dd class="path"><FilePath path/></dd></dl>
        <p class="quiet">{remedy}</p>
        {(!is_without_host).then(|| view! { <OtherFile/><Download/> })}
    }
    .into_any()
}

/// The id of the field for the file in the document.
const EXPORT_FILE: &str = "export-file";

/// A choice of the file to export to, among the eval sets that the page lists.
#[component]
fn OtherFile() -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let sets = LocalResource::new(list_eval_sets);
    let own = SetId::from(rehearsal.agent());
    let chosen = rehearsal.export_file;
    let options = move || {
        let Some(Ok(list)) = sets.get() else { return Vec::new() };
        let writable =
            |set: &EvalSetSummary| !matches!(set.contents, EvalSetContents::Unreadable(_));
        list.sets.into_iter().filter(writable).collect()
    };
    let choose = move |set: &str| {
        let Some(Ok(list)) = sets.get_untracked() else { return };
        if let Some(found) = list.sets.into_iter().find(|it| it.set.as_str() == set) {
            let file = ExportFile { set: found.set, name: found.name };
            rehearsal.export_to(file);
            // The panel shows the case for this file now, with this field.
            browser::after_drawing(|| browser::focus(EXPORT_FILE));
        }
    };
    let option = move |set: EvalSetSummary| {
        let is_chosen = chosen.get_untracked().map_or_else(|| own.clone(), |it| it.set) == set.set;
        view! { <option value=set.set.to_string() selected=is_chosen title=set.path>{set.name}</option> }
    };
    view! {
        <label class="case-id">
            <span>"File"</span>
            <select
                class="input"
                id=EXPORT_FILE
                on:change=move |event| choose(&event_target_value(&event))
            >
                {move || options().into_iter().map(option.clone()).collect_view()}
            </select>
        </label>
    }
}

/// A link that saves the case as a file of its own.
#[component]
fn Download() -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let file = LocalResource::new(move || case_file(rehearsal.export_request()));
    let link = move || {
        let CaseDownload { name, text } = file.get()?.ok()?;
        let url = format!("data:application/json,{}", browser::percent_encoded(&text));
        // `external`: the router would take it for a page.
        Some(view! { <a class="button" href=url download=name rel="external">"Download case"</a> })
    };
    view! { <p>{link}</p> }
}

#[cfg(test)]
mod tests {
    use super::tools_text;

    #[test]
    fn a_tool_that_was_called_again_is_listed_once() {
        let tools = ["pay", "open", "pay"].map(str::to_owned);
        assert_eq!(tools_text(&tools), "pay ×2, open");
    }
}
