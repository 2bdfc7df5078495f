//! An eval set to read: its cases on the left, one of them beside it.

mod against;
mod call_editor;
mod case_editor;
mod case_list;
mod case_steps;
mod set_list;
pub mod state;

pub use set_list::EvalSets;

use api::{
    Actual, ApiError, CaseChange, CaseList, CaseName, CaseOrder, CaseSummary, CaseView, CasesAsked,
    EvalSetContents, SetId,
};
use leptos::ev;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{query_signal_with_options, use_query_map};

use crate::evalsets::state::case_edits::{CaseEdits, Editing, HEADING_ID, UNDO_ID, use_case_edits};
use crate::shared::comparison::{COMPARISON_ID, Comparison, case_label};
use crate::shared::state::settled::use_settled;
use crate::shared::value::{ValueBody, ValueTools};
use crate::shared::value_pane::Switch;
use against::{Against, AgainstChooser, use_against};
use app::components::copy_button::CopyButton;
use app::server_functions::list_cases;
use app::state::browser;
use app::state::case_address::escaped;
use app::state::reading::use_reading;
use app::state::times::{counted, size};
use case_editor::{JsonEditor, ReloadButton, TextEditor};
use case_list::CaseColumn;
use case_steps::CaseSteps;

/// So many cases are on a page of the list.
const PAGE: u64 = 200;

/// Which page of the list is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListPage {
    /// The one that begins here.
    From(u64),
    /// The one that has the case that stands here in the file.
    Holding(u64),
}

/// The set of an agent, and the case that the address names.
#[component]
pub fn EvalSetReader(
    /// The set.
    set: SetId,
    /// The id of the case, once one is chosen.
    case: Memo<Option<String>>,
) -> impl IntoView {
    let searched = RwSignal::new(String::new());
    let page = RwSignal::new(ListPage::From(0));
    let wanted = use_settled(searched);
    let edits = use_case_edits(set.clone());
    let id = StoredValue::new(set);
    let in_place = NavigateOptions { replace: true, scroll: false, ..Default::default() };
    let (sort, set_sort) = query_signal_with_options::<String>("sort", in_place);
    let order = Memo::new(move |_| sort.get().map_or(CaseOrder::File, |it| CaseOrder::parse(&it)));
    let set_order = Callback::new(move |name| set_sort.set(name));
    let cases = LocalResource::new(move || {
        edits.revision.track();
        let (skipped, holding) = match page.get() {
            ListPage::From(skipped) => (skipped, None),
            ListPage::Holding(index) => (0, Some(index)),
        };
        let (searched, order) = (wanted.get(), order.get());
        list_cases(id.get_value(), CasesAsked { searched, order, skipped, most: PAGE, holding })
    });
    // Of what is searched or sorted otherwise the beginning is read first.
    Effect::new(move |was: Option<(String, CaseOrder)>| {
        let is = (wanted.get(), order.get());
        if was.is_some_and(|was| was != is) {
            page.set(ListPage::From(0));
        }
        is
    });
    // What was listed last stays while the next is fetched.
    let listed = Memo::new(move |last: Option<&Option<Result<CaseList, ApiError>>>| {
        cases.get().or_else(|| last.cloned().flatten())
    });
    let head = move || match listed.get() {
        Some(Ok(list)) => view! { <Head list/> }.into_any(),
        _ => view! { <header class="stage-head"><h1>"Eval set"</h1></header> }.into_any(),
    };
    let body = move || match listed.get() {
        None => view! { <p class="quiet veil">"Loading the eval set…"</p> }.into_any(),
        Some(Err(error)) => view! {
            <div class="sheet" role="alert">
                <p>{error.to_string()}</p>
                <p><a class="link" href="/evalsets">"View eval sets"</a></p>
            </div>
        }
        .into_any(),
        Some(Ok(list)) if list.set.contents == EvalSetContents::Nothing => {
            view! { <NoFile list/> }.into_any()
        }
        Some(Ok(_)) => ().into_any(),
    };
    let place = Memo::new(move |_| edits.place());
    let is_listed = Memo::new(move |_| {
        listed.with(
            |list| matches!(list, Some(Ok(list)) if list.set.contents != EvalSetContents::Nothing),
        )
    });
    // A link leads to its case in the list, too.
    Effect::new(move |was: Option<Option<u64>>| {
        let is = place.get().filter(|_| is_listed.get());
        if let Some(index) = is
            && was.flatten() != is
            && listed.with_untracked(|list| {
                let list = list.as_ref().and_then(|list| list.as_ref().ok());
                list.is_some_and(|list| !list.cases.iter().any(|case| case.index == index))
            })
        {
            page.set(ListPage::Holding(index));
        }
        is
    });
    view! {
        {head}
        {body}
        <Show when=move || is_listed.get()>
            <div class="set-columns">
                <CaseColumn set=id.get_value() listed searched order set_order page case place/>
                <section class="case" aria-label="Case">
                    <Chosen set=id.get_value() case listed edits/>
                </section>
            </div>
        </Show>
    }
}

/// A format by its name for people.
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
    let name = set.name.clone();
    let bytes = match set.contents {
        EvalSetContents::File { bytes, .. } => Some(size(bytes)),
        _ => None,
    };
    let path = set.path.clone();
    let format = format_name(&format);
    view! {
        <header class="stage-head">
            <h1>{name}</h1>
            {(!format.is_empty()).then(|| view! { <span class="chip">{format}</span> })}
            <span class="chip">
                {counted(usize::try_from(all).unwrap_or(usize::MAX), "case", "cases")}
                // How many there would be is not known.
                {fault.is_some().then_some(" read")}
            </span>
            {bytes.map(|bytes| view! { <span class="chip">{bytes}</span> })}
            <CopyButton what="the path" text=Callback::new(move |()| path.clone())/>
            <span class="grow"></span>
            {set.agent.map(|agent| view! {
                <a class="button" href=format!("/rehearse/{agent}")>"Rehearse " {set.agent_name}</a>
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
                <p><a class="button primary" href=format!("/rehearse/{agent}")>"Rehearse"</a></p>
            })}
        </div>
    }
}

/// The case that the address names.
#[component]
fn Chosen(
    /// The set.
    set: SetId,
    /// The id of the case.
    case: Memo<Option<String>>,
    /// The cases, for the place of the chosen one among them.
    listed: Memo<Option<Result<CaseList, ApiError>>>,
    /// What changes it.
    edits: CaseEdits,
) -> impl IntoView {
    let listed_as = move |eval_id: &str, at: Option<u64>| {
        listed.with_untracked(|list| {
            let cases = &list.as_ref()?.as_ref().ok()?.cases;
            let is_it = |case: &&CaseSummary| {
                case.eval_id == eval_id && at.is_none_or(|at| case.index == at)
            };
            cases.iter().find(is_it).map(|case| (case.index, case.repeats))
        })
    };
    let query = use_query_map();
    // Where the address has it, others have the id, too.
    let at = Memo::new(move |_| query.read().get("at").and_then(|at| at.parse::<u64>().ok()));
    Effect::new(move |_| {
        let (eval_id, at) = (case.get(), at.get());
        let (index, repeats) = match eval_id.as_deref().and_then(|id| listed_as(id, at)) {
            // Which of several is not said: the first in the file, which need not be on the list.
            Some((_, true)) if at.is_none() => (0, true),
            Some(listed) => listed,
            None => (at.unwrap_or_default(), at.is_some()),
        };
        edits.read(eval_id, index, repeats);
    });
    let undo_key = window_event_listener(ev::keydown, move |event| {
        let is_undo = (event.ctrl_key() || event.meta_key())
            && !event.shift_key()
            && !event.alt_key()
            && event.key().eq_ignore_ascii_case("z");
        if is_undo && !browser::is_typing() && !event.default_prevented() && edits.undo() {
            event.prevent_default();
        }
    });
    let leaving = window_event_listener(ev::beforeunload, move |event| {
        if edits.is_unsaved() {
            event.prevent_default();
            event.set_return_value("You have unsaved changes.");
        }
    });
    on_cleanup(move || {
        undo_key.remove();
        leaving.remove();
    });
    let Against { case: against, choose } = use_against(set.clone());
    let is_older = Memo::new(move |_| {
        listed.with(|list| matches!(list, Some(Ok(list)) if list.format == "adk-legacy"))
    });
    // Into the comparison and out of it the focus goes along.
    Effect::new(move |was: Option<bool>| {
        let is = against.read().is_some();
        if was.is_some_and(|was| was != is) {
            let to = if is { COMPARISON_ID } else { against::CHOOSER_ID };
            browser::after_drawing(move || browser::after_drawing(move || browser::focus(to)));
        }
        is
    });
    // An open case shows the fault itself.
    let fault = move || {
        let is_read = matches!(edits.case.read().as_ref(), Some(Ok(_))) && against.read().is_none();
        let fault = edits.fault.get().filter(|_| !is_read);
        fault.map(|fault| {
            view! { <p class="case-faults" role="alert">{fault} " " <ReloadButton edits/></p> }
        })
    };
    let undo = move || {
        edits.undoable().map(|done| {
            view! {
                <p class="case-done" role="status">
                    {done}
                    " "
                    <button type="button" class="link" id=UNDO_ID title="Ctrl Z" on:click=move |_| { edits.undo(); }>"Undo"</button>
                </p>
            }
        })
    };
    let body = move || match edits.case.get() {
        None if case.read().is_some() => {
            view! { <p class="quiet veil">"Loading the case…"</p> }.into_any()
        }
        None if listed.with(|list| matches!(list, Some(Ok(list)) if list.all == 0)) => {
            ().into_any()
        }
        None => view! {
            <div class="empty centred">
                <p class="quiet">"Choose a case to view its steps."</p>
            </div>
        }
        .into_any(),
        Some(Err(error)) => {
            view! { <div class="empty centred" role="alert"><p>{error.to_string()}</p></div> }
                .into_any()
        }
        Some(Ok(case)) => {
            let set = set.clone();
            let at = edits.repeats().then_some(case.index);
            let own = CaseName { set: set.clone(), eval_id: case.eval_id.clone(), at };
            match against.get() {
                Some(actual) => view! {
                    <Comparison
                        expected=own
                        actual=Actual::Case(actual)
                        revision=edits.revision
                        close=Callback::new(move |()| choose.run(None))
                    />
                }
                .into_any(),
                None => {
                    let is_older = is_older.get();
                    let compare = Callback::new(move |chosen| {
                        if !edits.holds_the_reader() {
                            choose.run(chosen);
                        }
                    });
                    view! { <CaseReader set case edits listed compare is_older/> }.into_any()
                }
            }
        }
    };
    view! {
        {undo}
        {fault}
        {body}
    }
}

/// One case, as steps or as its text.
#[component]
fn CaseReader(
    /// The set.
    set: SetId,
    /// The case.
    case: CaseView,
    /// What changes it.
    edits: CaseEdits,
    /// The cases of the set.
    listed: Memo<Option<Result<CaseList, ApiError>>>,
    /// Called with the case to compare with.
    compare: Callback<Option<CaseName>>,
    /// Whether it is of ADK's older list, which is read only.
    is_older: bool,
) -> impl IntoView {
    let has_steps = !case.turns.is_empty();
    let as_text = RwSignal::new(!has_steps || edits.as_text.get_value());
    // A case without steps is read as text whatever the reader likes.
    Effect::new(move |_| {
        let is_text = as_text.get();
        if has_steps {
            edits.as_text.set_value(is_text);
        }
    });
    let whole = use_reading(&case.text);
    let id = case.eval_id.clone();
    let shown_id = match id.as_str() {
        "" => "Case without an ID".to_owned(),
        id => case_label(id, edits.repeats().then_some(case.index)),
    };
    let name = case.name.clone();
    let faults = case.faults.clone();
    let agent = case.agent.clone().filter(|_| !id.is_empty() && !case.turns.is_empty());
    let rehearse = agent.map(|agent| {
        let at = if edits.repeats() { format!("&at={}", case.index) } else { String::new() };
        let address = format!("/rehearse/{agent}?case={}{at}", browser::in_address(&escaped(&id)));
        // Of its own set an agent knows by itself.
        match agent.as_str() == set.as_str() {
            true => address,
            false => format!("{address}&set={}", browser::in_address(set.as_str())),
        }
    });
    let cases = Memo::new(move |_| {
        listed.with(|list| {
            let cases = list.as_ref().and_then(|list| list.as_ref().ok());
            cases.map(|list| list.cases.clone()).unwrap_or_default()
        })
    });
    let own = case.index;
    let own_id = id.clone();
    let chooser = view! { <AgainstChooser set cases own own_id on_choose=compare/> };
    let (copied, renamed) = (id.clone(), id);
    let case = StoredValue::new(case);
    let changes = (!is_older).then_some(edits);
    let fault = move || edits.fault.get().filter(|_| edits.open.read().is_none());
    let actions = changes.map(|edits| {
        view! {
            <button type="button" class="button quiet" data-leaves="" id=Editing::EvalId.opener() on:click=move |_| edits.edit(Some(Editing::EvalId))>"Rename"</button>
            <button type="button" class="button quiet" data-leaves="" id="case-duplicate" on:click=move |_| edits.duplicate()>"Duplicate"</button>
            <button type="button" class="button quiet" data-leaves="" on:click=move |_| edits.remove()>"Delete"</button>
        }
    });
    let rename = move || {
        (edits.open.get() == Some(Editing::EvalId)).then(|| {
            let change = Callback::new(CaseChange::EvalId);
            view! { <TextEditor edits label="Case ID" text=renamed.clone() rows=1 change done="Case renamed."/> }
        })
    };
    let body = move || {
        if !as_text.get() {
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
            <Show when=move || as_text.get()>
                <ValueTools reading=whole/>
                {changes.map(|edits| view! {
                    <button type="button" class="button quiet" data-leaves="" id=Editing::Whole.opener() on:click=move |_| edits.edit(Some(Editing::Whole))>"Edit"</button>
                })}
            </Show>
            {actions}
            {chooser}
            {rehearse.map(|rehearse| view! { <a class="button" href=rehearse>"Open as a rehearsal"</a> })}
            <span data-leaves="">
                <Switch on=as_text off_label="Steps" on_label="JSON" label="Case view"/>
            </span>
        </header>
        {is_older.then(|| view! {
            <p class="note">"Cases in ADK's legacy lists are read-only. Use " <code>"rehearsal evalset convert"</code> " to create an editable file."</p>
        })}
        {rename}
        {move || fault().map(|fault| view! { <p class="case-faults" role="alert">{fault} " " <ReloadButton edits/></p> })}
        {(!faults.is_empty()).then(|| view! {
            <ul class="case-faults" role="alert">{faults.into_iter().map(|fault| view! { <li>{fault}</li> }).collect_view()}</ul>
        })}
        {body}
    }
}
