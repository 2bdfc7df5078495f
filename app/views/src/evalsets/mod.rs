//! An eval set to read: its cases on the left, one of them beside it.

mod call_editor;
mod case_editor;
mod case_list;
mod case_reader;
mod case_steps;
mod chosen_case;
mod comparison_picker;
mod comparison_target;
mod set_list;
pub mod state;

pub use set_list::EvalSets;

use api::{ApiError, CaseList, EvalSetContents, SetId};
use leptos::prelude::*;

use crate::evalsets::state::case_edits::use_case_edits;
use crate::evalsets::state::case_list::use_case_list;
use app::components::copy_button::CopyButton;
use app::components::loading::Loading;
use app::state::base_path::address;
use app::state::excerpt::visible_name;
use app::state::times::{counted, size};
use case_list::CaseColumn;
use chosen_case::ChosenCase;

/// The set of an agent, and the case that the address names.
#[component]
pub fn EvalSetReader(
    /// The set.
    set: SetId,
    /// The id of the case, once one is chosen.
    case: Memo<Option<String>>,
) -> impl IntoView {
    let edits = use_case_edits(set.clone());
    let list = use_case_list(set.clone(), edits.revision);
    let id = StoredValue::new(set);
    let head = move || match list.listed.get() {
        Some(Ok(list)) => view! { <Head list/> }.into_any(),
        _ => view! { <header class="page-head"><h1>"Eval set"</h1></header> }.into_any(),
    };
    let draw_error = |error: ApiError| {
        view! {
            <div class="sheet" role="alert">
                <p>{error.to_string()}</p>
                <p><a class="link" href=address("/evalsets")>"View eval sets"</a></p>
            </div>
        }
        .into_any()
    };
    let draw = |list: CaseList| match list.set.contents {
        EvalSetContents::Nothing => view! { <NoFile list/> }.into_any(),
        _ => ().into_any(),
    };
    let place = Memo::new(move |_| edits.place());
    let has_file = Memo::new(move |_| list.has_file());
    list.follow(place);
    view! {
        {head}
        <Loading arrived=move || list.listed.get() meanwhile="Loading the eval set…" draw draw_error/>
        <Show when=move || has_file.get()>
            <div class="set-columns">
                <CaseColumn set=id.get_value() list case place/>
                <section class="case" aria-label="Case">
                    <ChosenCase set=id.get_value() case list edits/>
                </section>
            </div>
        </Show>
    }
}

/// The display name of a format.
fn format_name(format: &str) -> &'static str {
    match format {
        "adk" => "ADK",
        "adk-legacy" => "ADK, legacy list",
        "agentflow" => "AgentFlow",
        _ => "",
    }
}

#[component]
fn Head(
    /// The set.
    list: CaseList,
) -> impl IntoView {
    let CaseList { set, format, all, fault, .. } = list;
    let name = visible_name(&set.name);
    let bytes = match set.contents {
        EvalSetContents::File { bytes, .. } => Some(size(bytes)),
        _ => None,
    };
    let path = set.path.clone();
    let format = format_name(&format);
    view! {
        <header class="page-head">
            <h1>{name}</h1>
            {(!format.is_empty()).then(|| view! { <span class="chip">{format}</span> })}
            <span class="chip">
                {counted(usize::try_from(all).unwrap_or(usize::MAX), "case", "cases")}
                // The total is not known.
                {fault.is_some().then_some(" read")}
            </span>
            {bytes.map(|bytes| view! { <span class="chip">{bytes}</span> })}
            <CopyButton what="the path" text=Callback::new(move |()| path.clone())/>
            <span class="grow"></span>
            {set.agent.map(|agent| view! {
                <a class="button" href=address(&format!("/rehearse/{agent}"))>"Rehearse " {visible_name(&set.agent_name)}</a>
            })}
        </header>
    }
}

#[component]
fn NoFile(
    /// The set.
    list: CaseList,
) -> impl IntoView {
    view! {
        <div class="empty centred">
            <h2>"No cases yet"</h2>
            <p>"The first export from " {list.set.agent_name.clone()} " creates this file: " <code>{list.set.path.clone()}</code></p>
            {list.set.agent.map(|agent| view! {
                <p><a class="button primary" href=address(&format!("/rehearse/{agent}"))>"Rehearse"</a></p>
            })}
        </div>
    }
}
