//! The case that the address names: read, edited, or compared with another.

use api::{Actual, CaseName, CaseView, SetId};
use leptos::ev;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::case_editor::ReloadButton;
use super::case_reader::CaseReader;
use super::comparison_picker::PICKER_ID;
use super::comparison_target::{ComparisonTarget, use_comparison_target};
use crate::evalsets::state::case_edits::{CaseEdits, UNDO_ID};
use crate::evalsets::state::case_list::CaseListState;
use crate::shared::comparison::{COMPARISON_ID, Comparison};
use app::state::browser;
use app::state::excerpt::visible_text;

/// The case that the address names.
#[component]
pub(super) fn ChosenCase(
    /// The set.
    set: SetId,
    /// The id of the case.
    case: Memo<Option<String>>,
    /// The cases of the set.
    list: CaseListState,
    /// What changes the case.
    edits: CaseEdits,
) -> impl IntoView {
    read_named_case(case, list, edits);
    listen_to_window(edits);
    let target = use_comparison_target(set.clone());
    move_focus_with(target);
    let is_older =
        Memo::new(move |_| list.with_list(|list| list.format == "adk-legacy").unwrap_or_default());
    // An open case shows the fault itself.
    let fault = move || {
        let is_read =
            matches!(edits.case.read().as_ref(), Some(Ok(_))) && target.case.read().is_none();
        let fault = edits.fault.get().filter(|_| !is_read);
        fault.map(|fault| {
            view! { <p class="case-faults" role="alert">{visible_text(&fault)} " " <ReloadButton edits/></p> }
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
    let shown = move |case: CaseView| {
        let at = edits.repeats().then_some(case.index);
        let expected = CaseName { set: set.clone(), eval_id: case.eval_id.clone(), at };
        match target.case.get() {
            Some(actual) => view! {
                <Comparison
                    expected
                    actual=Actual::Case(actual)
                    revision=edits.revision
                    close=Callback::new(move |()| target.choose.run(None))
                />
            }
            .into_any(),
            None => {
                let is_older = is_older.get();
                let compare = Callback::new(move |chosen| {
                    if !edits.blocks_leaving() {
                        target.choose.run(chosen);
                    }
                });
                view! { <CaseReader set=set.clone() case edits list compare is_older/> }.into_any()
            }
        }
    };
    let body = move || {
        match edits.case.get() {
        None if case.read().is_some() => {
            view! { <p class="quiet veil">"Loading the case…"</p> }.into_any()
        }
        None if list.with_list(|list| list.all) == Some(0) => ().into_any(),
        None => view! {
            <div class="empty centred">
                <p class="quiet">"Choose a case to view its steps."</p>
            </div>
        }
        .into_any(),
        Some(Err(error)) => {
            view! { <div class="empty centred" role="alert"><p>{visible_text(&error.to_string())}</p></div> }
                .into_any()
        }
        Some(Ok(case)) => shown(case),
    }
    };
    view! {
        {undo}
        {fault}
        {body}
    }
}

/// Reads the case that the address names, and the next one when the address changes.
fn read_named_case(case: Memo<Option<String>>, list: CaseListState, edits: CaseEdits) {
    let query = use_query_map();
    // In the address only when other cases share the id.
    let at = Memo::new(move |_| query.read().get("at").and_then(|at| at.parse::<u64>().ok()));
    // Requests the case from the host.
    Effect::new(move |_| {
        let (eval_id, at) = (case.get(), at.get());
        let (index, repeats) = match eval_id.as_deref().and_then(|id| list.position_of(id, at)) {
            // The address does not name one of several: the first in the file, which need not be on
            // the listed page.
            Some((_, true)) if at.is_none() => (0, true),
            Some(listed) => listed,
            None => (at.unwrap_or_default(), at.is_some()),
        };
        edits.read(eval_id, index, repeats);
    });
}

/// Undoes by Ctrl Z, and asks before the window is closed with unsaved changes.
fn listen_to_window(edits: CaseEdits) {
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
}

/// Moves the focus into the comparison when it opens, and back to the menu when it closes.
fn move_focus_with(target: ComparisonTarget) {
    Effect::new(move |was: Option<bool>| {
        let is = target.case.read().is_some();
        if was.is_some_and(|was| was != is) {
            let to = if is { COMPARISON_ID } else { PICKER_ID };
            browser::after_drawing(move || browser::after_drawing(move || browser::focus(to)));
        }
        is
    });
}
