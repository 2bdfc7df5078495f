//! The editors of a case's texts and JSON values, and the frame of every editor.

use api::{CaseChange, CaseStep, CaseView};
use json_text::JsonText;
use leptos::ev;
use leptos::prelude::*;

use crate::evalsets::state::case_edits::{CaseEdits, EDITOR_ID, Editing};
use crate::shared::form::SchemaForm;
use app::state::excerpt::visible_text;
use app::state::value_form::use_any_form;

/// The frame of an editor: its fields, then Save and Cancel.
#[component]
pub(super) fn Editor(
    /// The edits.
    edits: CaseEdits,
    /// What is edited, for screen readers.
    label: &'static str,
    /// Saves what was entered.
    save: Callback<()>,
    /// The fields.
    children: Children,
) -> impl IntoView {
    let on_key = move |event: ev::KeyboardEvent| match event.key().as_str() {
        "Enter" if event.ctrl_key() || event.meta_key() => {
            event.prevent_default();
            event.stop_propagation();
            save.run(());
        }
        "Escape" => {
            event.stop_propagation();
            edits.edit(None);
        }
        _ => {}
    };
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        save.run(());
    };
    view! {
        <form
            class="case-editor"
            id=EDITOR_ID
            aria-label=label
            on:submit=submit
            on:keydown=on_key
            on:input=move |_| edits.touch()
            on:change=move |_| edits.touch()
        >
            {children()}
            {move || edits.reloaded.get().map(|case| view! { <ReloadedNote edits case/> })}
            <footer>
                <span class="field-fault" role="alert">{move || edits.fault.get()}</span>
                <ReloadButton edits/>
                <span class="grow"></span>
                <button type="button" class="button" on:click=move |_| edits.edit(None)>"Cancel" <kbd>"Esc"</kbd></button>
                <button type="submit" class="button primary" aria-disabled=move || edits.saving.get().to_string()>
                    {move || if edits.saving.get() { "Saving…" } else { "Save" }}
                    <kbd>"Ctrl ↵"</kbd>
                </button>
            </footer>
        </form>
    }
}

/// Reloads the case after a change was rejected because the file has another version.
#[component]
pub(super) fn ReloadButton(
    /// The edits.
    edits: CaseEdits,
) -> impl IntoView {
    view! {
        <Show when=move || edits.is_stale.get()>
            <button type="button" class="link" on:click=move |_| edits.reload()>"Reload"</button>
        </Show>
    }
}

/// Shows the current value in the file of what is edited.
#[component]
fn ReloadedNote(
    /// The edits.
    edits: CaseEdits,
    /// The case, reloaded.
    case: CaseView,
) -> impl IntoView {
    let current = edits.open.get_untracked().map(|open| value_in(open, &case));
    view! {
        <div class="note" role="status">
            {match current {
                Some(Some(text)) => view! { "The file now contains: " <span class="case-in-file">{visible_text(&text)}</span> " Saving replaces it with your draft." }.into_any(),
                _ => view! { "The case is no longer in the file. Copy what you need, then cancel." }.into_any(),
            }}
        </div>
    }
}

/// The value of `open` in the case; `None` when the case does not have it any more.
fn value_in(open: Editing, case: &CaseView) -> Option<String> {
    let turn = |turn: usize| case.turns.get(turn);
    let state = |state: &Option<JsonText>| {
        Some(state.as_ref().map_or_else(|| "none".to_owned(), JsonText::to_string))
    };
    match open {
        Editing::EvalId => Some(case.eval_id.clone()),
        Editing::Query(at) => Some(turn(at)?.query.clone()),
        Editing::Plan => turn(0)?.steps.iter().find_map(|step| match step {
            CaseStep::Plan(text) => Some(text.clone()),
            _ => None,
        }),
        Editing::Response(at) => {
            Some(turn(at)?.response.clone().unwrap_or_else(|| "no expected response".to_owned()))
        }
        Editing::Call { turn: at, call } => {
            let calls = turn(at)?.steps.iter().filter_map(|step| match step {
                CaseStep::Call { tool, arguments, .. } => Some(format!("{tool}({arguments})")),
                _ => None,
            });
            calls.into_iter().nth(call)
        }
        Editing::NewCall { turn: at, .. } => {
            let calls = turn(at)?.steps.iter().filter(|it| matches!(it, CaseStep::Call { .. }));
            Some(app::state::times::counted(calls.count(), "call", "calls"))
        }
        Editing::State => state(&case.state),
        Editing::FinalState => state(&case.final_state),
        Editing::Whole => Some(case.text.pretty()),
    }
}

/// Edits a text.
#[component]
pub(super) fn TextEditor(
    /// The edits.
    edits: CaseEdits,
    /// What it is.
    label: &'static str,
    /// The initial value.
    text: String,
    /// How many rows it has at first.
    rows: u32,
    /// The change that a text means.
    change: Callback<String, CaseChange>,
    /// The notice after the change.
    done: &'static str,
) -> impl IntoView {
    let entered = RwSignal::new(text.clone());
    let save = Callback::new(move |()| {
        let entered = entered.get_untracked();
        // An unchanged text is not saved.
        if entered == text {
            edits.edit(None);
        } else {
            edits.change(change.run(entered), done);
        }
    });
    let input = if rows == 1 {
        view! {
            <input
                class="input mono"
                aria-label=label
                prop:value=move || entered.get()
                on:input=move |event| entered.set(event_target_value(&event))
            />
        }
        .into_any()
    } else {
        view! {
            <textarea
                class="input prose"
                rows=rows.to_string()
                aria-label=label
                prop:value=move || entered.get()
                on:input=move |event| entered.set(event_target_value(&event))
            ></textarea>
        }
        .into_any()
    };
    view! { <Editor edits label save>{input}</Editor> }
}

/// Edits a JSON value: the state, or the whole case.
#[component]
pub(super) fn JsonEditor(
    /// The edits.
    edits: CaseEdits,
    /// What it is.
    label: &'static str,
    /// The initial value.
    value: JsonText,
    /// The change that a value means.
    change: Callback<JsonText, CaseChange>,
    /// The notice after the change.
    done: &'static str,
) -> impl IntoView {
    let form = use_any_form(&value);
    edits.add_form(form);
    let save = Callback::new(move |()| {
        if let Some(value) = form.read() {
            edits.change(change.run(value), done);
        }
    });
    view! { <Editor edits label save><SchemaForm state=form id="case-json" label=label/></Editor> }
}
