//! After the final response: the export and its receipt.

use api::{Actual, ApiError, ExportReceipt, SetId};
use json_text::JsonText;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use session::{AgentId, Answer};

use crate::rehearse::state::workspace::use_this_workspace;
use crate::shared::compare_dialog::CompareWithCase;
use crate::shared::value::{ValueBody, ValueTools};
use app::components::copy_button::CopyButton;
use app::components::icon::{Glyph, Icon};
use app::components::raw_text::RawText;
use app::state::case_address::{case_address, unescaped};
use app::state::reading::use_reading;
use app::state::rehearsal::Export;
use app::state::times::counted;

/// The last part of `path`.
#[must_use]
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The actions of a completed session.
#[component]
pub fn ExportPanel(
    /// The eval-set file that exports go to.
    eval_set_path: String,
) -> impl IntoView {
    let workspace = use_this_workspace();
    let rehearsal = workspace.rehearsal;
    let file = file_name(&eval_set_path).to_owned();
    let path = StoredValue::new(eval_set_path);
    let body = move || match rehearsal.export.get() {
        Export::NotYet | Export::Writing => view! { <Summary/> }.into_any(),
        Export::Written(receipt) => {
            view! { <Receipt receipt agent=Some(rehearsal.agent())/> }.into_any()
        }
        Export::Failed(error) => view! { <Fault error path=path.get_value()/> }.into_any(),
    };
    let label = move || match &*rehearsal.export.read() {
        Export::NotYet => format!("Export to {file}"),
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
    let actual = Callback::new(move |()| Actual::Rehearsal(rehearsal.export_request()));
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
                <CompareWithCase set actual replayed/>
                <span class="grow"></span>
                <button
                    type="button"
                    id="export"
                    class="button"
                    class:primary=move || !is_written()
                    aria-disabled=move || is_writing().to_string()
                    on:click=move |_| rehearsal.export()
                >
                    <Icon glyph=Glyph::Export/>
                    <span class="cut">{label}</span>
                    <kbd>"Ctrl ↵"</kbd>
                </button>
            </footer>
        </div>
    }
}

/// A summary of the trace.
#[component]
fn Summary() -> impl IntoView {
    let session = use_this_workspace().rehearsal.session;
    let calls = session.with_untracked(|session| session.calls().len());
    let failed = session.with_untracked(|session| {
        session.calls().iter().filter(|call| matches!(call.answer, Answer::Error(_))).count()
    });
    view! {
        <h2 class="panel-title"><Icon glyph=Glyph::Check/>"Session complete"</h2>
        <p>
            "A trace with " {counted(calls, "tool call", "tool calls")}
            {(failed > 0).then(|| format!(", {failed} of them failed,"))}
            " and a final response can be exported as a case to the agent's eval set."
        </p>
        <p class="quiet">"It is kept only in this tab until you export it."</p>
    }
}

/// The exported case, and where it was written.
#[component]
pub fn Receipt(
    /// The receipt.
    receipt: ExportReceipt,
    /// The registered agent of the eval set, if any.
    agent: Option<AgentId>,
) -> impl IntoView {
    let ExportReceipt { path, eval_id, cases, preview, preview_is_whole, already_there, created } =
        receipt;
    let title = if already_there {
        "Already exported. Nothing was added."
    } else if created {
        "Exported into a new eval set"
    } else {
        "Exported"
    };
    let address = agent.map(|agent| case_address(agent.as_str(), &eval_id, None));
    // The beginning of a long case is not JSON.
    let body = match JsonText::parse(&preview) {
        Ok(case) if preview_is_whole => {
            let reading = use_reading(&case);
            view! {
                <div class="content-value">
                    <ValueTools reading/>
                    <ValueBody reading label="The exported case"/>
                </div>
            }
            .into_any()
        }
        _ => view! { <RawText text=preview label="The exported case"/> }.into_any(),
    };
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
        <h3 class="panel-subtitle">
            {if preview_is_whole { "Exported case" } else { "Beginning of the exported case" }}
        </h3>
        {body}
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
    let path = match &error {
        ApiError::Export { path, .. } => path.clone(),
        _ => path,
    };
    view! {
        <h2 class="panel-title bad"><Icon glyph=Glyph::Error/>"Not exported"</h2>
        <p role="alert">{error.to_string()}</p>
        <dl class="facts receipt"><dt>"file"</dt><dd class="path"><FilePath path/></dd></dl>
        <p class="quiet">"The file and the session are unchanged. Fix the problem, then retry."</p>
    }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn the_file_name_is_the_last_part_of_a_path() {
        assert_eq!(file_name("evals/home.evalset.json"), "home.evalset.json");
        assert_eq!(file_name(r"C:\evals\home.json"), "home.json");
        assert_eq!(file_name("home.json"), "home.json");
    }
}
