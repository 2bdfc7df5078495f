//! One case with its actions, as steps or as its JSON text.

use api::{CaseChange, CaseName, CaseStep, CaseView, RecordedKind, RecordedRequest, SetId};
use leptos::prelude::*;

use super::case_editor::{JsonEditor, ReloadButton, TextEditor};
use super::case_steps::CaseSteps;
use super::comparison_picker::ComparisonPicker;
use crate::evalsets::state::case_edits::{CaseEdits, Editing, HEADING_ID};
use crate::evalsets::state::case_list::CaseListState;
use crate::shared::comparison::case_label;
use crate::shared::give_again::{GivenAgain, use_giving_again};
use crate::shared::keys::listen;
use crate::shared::value::{ValueBody, ValueTools};
use crate::shared::value_pane::Switch;
use app::components::copy_button::CopyButton;
use app::state::base_path::address;
use app::state::browser;
use app::state::case_address::escaped;
use app::state::excerpt::{visible_name, visible_text};
use app::state::reading::use_reading;

/// One case, as steps or as its text.
#[component]
pub(super) fn CaseReader(
    /// The set.
    set: SetId,
    /// The case.
    case: CaseView,
    /// What changes it.
    edits: CaseEdits,
    /// The cases of the set.
    list: CaseListState,
    /// Called with the case to compare with.
    compare: Callback<Option<CaseName>>,
    /// Whether it is of ADK's older list, which is read only.
    is_older: bool,
) -> impl IntoView {
    let has_steps = !case.turns.is_empty();
    // A case without steps is always shown as text.
    let is_text = Signal::derive(move || !has_steps || edits.as_text.get());
    let whole = use_reading(&case.text);
    let id = case.eval_id.clone();
    let shown_id = match id.as_str() {
        "" => "Case without an ID".to_owned(),
        id => case_label(id, edits.repeats().then_some(case.index)),
    };
    let name = case.name.as_deref().map(visible_name);
    let note = case.note.as_deref().map(visible_text);
    let faults: Vec<String> = case.faults.iter().map(|it| visible_text(it)).collect();
    let rehearse = rehearse_address(&set, &case, edits.repeats());
    let cases = Memo::new(move |_| list.with_list(|list| list.cases.clone()).unwrap_or_default());
    let own = case.index;
    let own_id = id.clone();
    let giving = use_giving_again();
    let fork = StoredValue::new(fork_request(&case));
    let can_fork = fork.with_value(Option::is_some);
    let fork = move || {
        let request = fork.get_value();
        request.map(|request| giving.open(async move { Ok(request) })).is_some()
    };
    listen(move |event| {
        let is_plain = !event.ctrl_key() && !event.meta_key() && !event.alt_key();
        event.key() == "b" && is_plain && !browser::is_typing() && fork()
    });
    let picker = view! { <ComparisonPicker set cases own own_id on_choose=compare/> };
    let (copied, renamed) = (id.clone(), id);
    let case = StoredValue::new(case);
    let changes = (!is_older).then_some(edits);
    let fault = move || edits.fault.get().filter(|_| edits.open.read().is_none());
    let rename = move || {
        (edits.open.get() == Some(Editing::EvalId)).then(|| {
            let change = Callback::new(CaseChange::EvalId);
            view! { <TextEditor edits label="Case ID" text=renamed.clone() rows=1 change done="Case renamed."/> }
        })
    };
    let body = move || {
        if !is_text.get() {
            return view! { <CaseSteps case=case.get_value() edits=changes/> }.into_any();
        }
        if edits.open.get() == Some(Editing::Whole) {
            let change = Callback::new(CaseChange::Whole);
            let value = case.with_value(|case| case.text.clone());
            return view! { <div class="raw-history"><JsonEditor edits label="Case as JSON" value change done="Case changed."/></div> }.into_any();
        }
        view! { <div class="raw-history"><ValueBody reading=whole label="Case as JSON"/></div> }
            .into_any()
    };
    view! {
        <header class="toolbar">
            <h2 class="case-id" id=HEADING_ID tabindex="-1">{shown_id}</h2>
            <CopyButton what="the ID" text=Callback::new(move |()| copied.clone())/>
            {name.map(|name| view! { <span class="case-name quiet" title=name>{name.clone()}</span> })}
            <span class="grow"></span>
            <Show when=move || is_text.get()>
                <ValueTools reading=whole/>
                {changes.map(|edits| view! {
                    <button type="button" class="button quiet" data-leaves="" id=Editing::Whole.opener() on:click=move |_| edits.edit(Some(Editing::Whole))>"Edit"</button>
                })}
            </Show>
            {changes.map(|edits| view! { <WholeCaseActions edits/> })}
            {picker}
            {rehearse.map(|rehearse| view! { <a class="button" href=rehearse>"Open as a rehearsal"</a> })}
            {can_fork.then(|| view! {
                <button
                    type="button"
                    class="button"
                    title="Give the case again without the model, and fork it at a step"
                    aria-disabled=move || giving.is_sent().to_string()
                    on:click=move |_| { fork(); }
                >
                    "Fork " <kbd>"B"</kbd>
                </button>
            })}
            {has_steps.then(|| view! {
                <span data-leaves="">
                    <Switch on=edits.as_text off_label="Steps" on_label="JSON" label="Case view"/>
                </span>
            })}
        </header>
        <GivenAgain giving/>
        {is_older.then(|| view! {
            <p class="note">"Cases in ADK's legacy lists are read-only. Use " <code>"rehearsal evalset convert"</code> " to create an editable file."</p>
        })}
        {note.map(|note| view! { <p class="case-note">{note}</p> })}
        {rename}
        {move || fault().map(|fault| view! { <p class="case-faults" role="alert">{visible_text(&fault)} " " <ReloadButton edits/></p> })}
        {(!faults.is_empty()).then(|| view! {
            <ul class="case-faults" role="alert">{faults.into_iter().map(|fault| view! { <li>{fault}</li> }).collect_view()}</ul>
        })}
        {body}
    }
}

/// What gives the case again; `None` where no agent can, or it has no recorded turn.
fn fork_request(case: &CaseView) -> Option<RecordedRequest> {
    let has_plan =
        |turn: &api::CaseTurn| turn.steps.iter().any(|it| matches!(it, CaseStep::Plan(_)));
    let is_recorded = !case.turns.is_empty() && !case.turns.iter().any(has_plan);
    let agent = case.agent.clone().filter(|_| is_recorded && !case.eval_id.is_empty())?;
    Some(RecordedRequest::Case { agent, kind: RecordedKind::Case, text: case.text.clone() })
}

/// The address at which the agent rehearses the case; `None` when no agent can. `repeats` is whether
/// other cases share its id.
fn rehearse_address(set: &SetId, case: &CaseView, repeats: bool) -> Option<String> {
    let has_id_and_steps = !case.eval_id.is_empty() && !case.turns.is_empty();
    let agent = case.agent.as_ref().filter(|_| has_id_and_steps)?;
    let at = if repeats { format!("&at={}", case.index) } else { String::new() };
    let id = browser::in_address(&escaped(&case.eval_id));
    let address = address(&format!("/rehearse/{agent}?case={id}{at}"));
    // An agent's own set is its default.
    Some(match agent.as_str() == set.as_str() {
        true => address,
        false => format!("{address}&set={}", browser::in_address(set.as_str())),
    })
}

/// The buttons that change the case as a whole.
#[component]
fn WholeCaseActions(
    /// The edits.
    edits: CaseEdits,
) -> impl IntoView {
    view! {
        <button type="button" class="button quiet" data-leaves="" id=Editing::EvalId.opener() on:click=move |_| edits.edit(Some(Editing::EvalId))>"Rename"</button>
        <button type="button" class="button quiet" data-leaves="" id="case-duplicate" on:click=move |_| edits.duplicate()>"Duplicate"</button>
        <button type="button" class="button quiet" data-leaves="" on:click=move |_| edits.remove()>"Delete"</button>
    }
}
