//! An eval set to read: its cases on the left, one of them beside it.

mod case_list;
mod case_steps;

use leptos::prelude::*;
use session::AgentId;

use crate::api::{ApiError, CaseList, CaseView, EvalSetContents, list_cases, read_case};
use crate::components::copy_button::CopyButton;
use crate::components::value::{ValueBody, ValueTools};
use crate::components::value_pane::Switch;
use crate::state::reading::use_reading;
use crate::state::times::{counted, size};
use case_list::CaseColumn;
use case_steps::CaseSteps;

/// How many cases are fetched at first and with each step.
const STEP: u64 = 200;

/// The set of an agent, and the case that the address names.
#[component]
pub fn EvalSetReader(
    /// The agent whose set it is.
    set: AgentId,
    /// The id of the case, once one is chosen.
    case: Memo<Option<String>>,
) -> impl IntoView {
    let searched = RwSignal::new(String::new());
    let most = RwSignal::new(STEP);
    let id = StoredValue::new(set);
    let cases =
        LocalResource::new(move || list_cases(id.get_value(), searched.get(), 0, most.get()));
    // What was listed last stays while the next is fetched.
    let listed = RwSignal::new(None::<Result<CaseList, ApiError>>);
    Effect::new(move |_| {
        if let Some(cases) = cases.get() {
            listed.set(Some(cases));
        }
    });
    let head = move || match listed.get() {
        Some(Ok(list)) => view! { <Head list/> }.into_any(),
        _ => view! { <header class="stage-head"><h1>"Eval set"</h1></header> }.into_any(),
    };
    let body = move || match listed.get() {
        None => view! { <p class="quiet veil">"Reading the eval set…"</p> }.into_any(),
        Some(Err(error)) => view! {
            <div class="sheet" role="alert">
                <p>{error.to_string()}</p>
                <p><a class="link" href="/evalsets">"See the eval sets"</a></p>
            </div>
        }
        .into_any(),
        Some(Ok(list)) if list.set.contents == EvalSetContents::Nothing => {
            view! { <NoFile list/> }.into_any()
        }
        Some(Ok(_)) => ().into_any(),
    };
    let is_listed = Memo::new(move |_| {
        listed.with(
            |list| matches!(list, Some(Ok(list)) if list.set.contents != EvalSetContents::Nothing),
        )
    });
    view! {
        {head}
        {body}
        <Show when=move || is_listed.get()>
            <div class="set-columns">
                <CaseColumn set=id.get_value() listed searched most case/>
                <section class="case" aria-label="Case">
                    <Chosen set=id.get_value() case listed/>
                </section>
            </div>
        </Show>
    }
}

#[component]
fn Head(
    /// The set.
    list: CaseList,
) -> impl IntoView {
    let CaseList { set, format, all, .. } = list;
    let name = set.path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let bytes = match set.contents {
        EvalSetContents::File { bytes } => Some(size(bytes)),
        _ => None,
    };
    let path = set.path.clone();
    let format = match format.as_str() {
        "adk" => "ADK",
        "adk-legacy" => "ADK, older list",
        "agentflow" => "AgentFlow",
        _ => "",
    };
    view! {
        <header class="stage-head">
            <h1>{name}</h1>
            {(!format.is_empty()).then(|| view! { <span class="chip">{format}</span> })}
            <span class="chip">{counted(usize::try_from(all).unwrap_or(usize::MAX), "case", "cases")}</span>
            {bytes.map(|bytes| view! { <span class="chip">{bytes}</span> })}
            <CopyButton what="the path" text=Callback::new(move |()| path.clone())/>
            <span class="grow"></span>
            <a class="button" href=format!("/rehearse/{}", set.agent)>"Rehearse " {set.agent_name}</a>
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
            <h2>"Nothing recorded yet"</h2>
            <p>"The first export of " {list.set.agent_name.clone()} " makes this file: " <code>{list.set.path.clone()}</code></p>
            <p><a class="button primary" href=format!("/rehearse/{}", list.set.agent)>"Rehearse it"</a></p>
        </div>
    }
}

/// The case that the address names.
#[component]
fn Chosen(
    /// The agent whose set it is.
    set: AgentId,
    /// The id of the case.
    case: Memo<Option<String>>,
    /// The cases, for the place of the chosen one among them.
    listed: RwSignal<Option<Result<CaseList, ApiError>>>,
) -> impl IntoView {
    let set = StoredValue::new(set);
    let place = move |eval_id: &str| {
        listed.with_untracked(|list| {
            let cases = &list.as_ref()?.as_ref().ok()?.cases;
            cases.iter().find(|case| case.eval_id == eval_id).map(|case| case.index)
        })
    };
    let read = LocalResource::new(move || {
        let wanted = case.get().map(|eval_id| (place(&eval_id).unwrap_or_default(), eval_id));
        async move {
            match wanted {
                Some((index, eval_id)) => Some(read_case(set.get_value(), eval_id, index).await),
                None => None,
            }
        }
    });
    move || match read.get() {
        None => view! { <p class="quiet veil">"Reading the case…"</p> }.into_any(),
        Some(None) => view! {
            <div class="empty centred">
                <p class="quiet">"Choose a case to read it step by step."</p>
            </div>
        }
        .into_any(),
        Some(Some(Err(error))) => {
            view! { <div class="empty centred" role="alert"><p>{error.to_string()}</p></div> }
                .into_any()
        }
        Some(Some(Ok(case))) => view! { <CaseReader case/> }.into_any(),
    }
}

/// One case, as steps or as its text.
#[component]
fn CaseReader(
    /// The case.
    case: CaseView,
) -> impl IntoView {
    let as_text = RwSignal::new(case.turns.is_empty());
    let whole = use_reading(&case.text);
    let id = case.eval_id.clone();
    let shown_id = if id.is_empty() { "A case without an id".to_owned() } else { id.clone() };
    let faults = case.faults.clone();
    let case = StoredValue::new(case);
    view! {
        <header class="toolbar">
            <h2 class="case-id">{shown_id}</h2>
            <CopyButton what="the id" text=Callback::new(move |()| id.clone())/>
            <span class="grow"></span>
            <Show when=move || as_text.get()>
                <ValueTools reading=whole/>
            </Show>
            <Switch on=as_text off_label="Steps" on_label="JSON" label="How the case is shown"/>
        </header>
        {(!faults.is_empty()).then(|| view! {
            <ul class="case-faults" role="alert">{faults.into_iter().map(|fault| view! { <li>{fault}</li> }).collect_view()}</ul>
        })}
        {move || {
            if as_text.get() {
                view! { <div class="raw-history"><ValueBody reading=whole label="The case as JSON"/></div> }.into_any()
            } else {
                view! { <CaseSteps case=case.get_value()/> }.into_any()
            }
        }}
    }
}
