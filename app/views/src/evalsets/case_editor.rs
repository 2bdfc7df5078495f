//! What edits one thing of a case: a text, a call through the tool's own form, or JSON.

use api::{CaseChange, CaseStep, CaseView, ExpectedCall};
use json_text::JsonText;
use leptos::ev;
use leptos::prelude::*;
use schema_form::Form;

use crate::evalsets::state::case_edits::{CaseEdits, EDITOR_ID, Editing};
use crate::shared::form::SchemaForm;
use app::state::browser;
use app::state::form::{FormState, use_form};
use app::state::value_form::use_any_form;

/// The frame around an editor: what it holds, then Save and Cancel.
#[component]
fn Editor(
    /// The edits.
    edits: CaseEdits,
    /// What is edited, for those who hear the page.
    label: &'static str,
    /// Saves what was entered.
    save: Callback<()>,
    /// What stands in it.
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
            {move || edits.anew.get().map(|case| view! { <Anew edits case/> })}
            <footer>
                <span class="field-fault" role="alert">{move || edits.fault.get()}</span>
                <ReadAnew edits/>
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

/// Reads the case anew once it reads otherwise than what was to be changed.
#[component]
pub(super) fn ReadAnew(
    /// The edits.
    edits: CaseEdits,
) -> impl IntoView {
    view! {
        <Show when=move || edits.is_stale.get()>
            <button type="button" class="link" on:click=move |_| edits.read_anew()>"Reload"</button>
        </Show>
    }
}

/// What stands in the file by now in the place of what is edited.
#[component]
fn Anew(
    /// The edits.
    edits: CaseEdits,
    /// The case, read anew.
    case: CaseView,
) -> impl IntoView {
    let stands = edits.open.get_untracked().map(|open| now(open, &case));
    view! {
        <div class="note" role="status">
            {match stands {
                Some(Some(text)) => view! { "The file now contains: " <span class="case-anew">{text}</span> " Saving replaces it with your draft." }.into_any(),
                _ => view! { "The case is no longer in the file. Copy what you need, then cancel." }.into_any(),
            }}
        </div>
    }
}

/// The thing that is edited, as the case has it; none where the case has no such thing any more.
fn now(open: Editing, case: &CaseView) -> Option<String> {
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
    /// As it stands.
    text: String,
    /// How many rows it has at first.
    rows: u32,
    /// The change that a text means.
    change: Callback<String, CaseChange>,
    /// What is said once it is made.
    said: &'static str,
) -> impl IntoView {
    let entered = RwSignal::new(text.clone());
    let save = Callback::new(move |()| {
        let entered = entered.get_untracked();
        // What is as it was is no change.
        if entered == text {
            edits.edit(None);
        } else {
            edits.change(change.run(entered), said);
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

/// What is entered by a press counts as what is typed does.
fn touch_with(edits: CaseEdits, form: FormState) {
    Effect::new(move |_| {
        if form.is_edited() {
            edits.touch();
        }
    });
}

/// Edits a JSON value: the state, or the whole case.
#[component]
pub(super) fn JsonEditor(
    /// The edits.
    edits: CaseEdits,
    /// What it is.
    label: &'static str,
    /// As it stands.
    value: JsonText,
    /// The change that a value means.
    change: Callback<JsonText, CaseChange>,
    /// What is said once it is made.
    said: &'static str,
) -> impl IntoView {
    let form = use_any_form(&value);
    touch_with(edits, form);
    let save = Callback::new(move |()| {
        if let Some(value) = form.read() {
            edits.change(change.run(value), said);
        }
    });
    view! { <Editor edits label save><SchemaForm state=form id="case-json" label=label/></Editor> }
}

/// Edits a call: its tool, its arguments through the tool's form, and the response recorded.
#[component]
pub(super) fn CallEditor(
    /// The edits.
    edits: CaseEdits,
    /// The call as it stands.
    call: ExpectedCall,
    /// The change that a call means.
    change: Callback<ExpectedCall, CaseChange>,
    /// What is said once it is made.
    said: &'static str,
) -> impl IntoView {
    let was = StoredValue::new(call.clone());
    let ExpectedCall { tool, arguments, response } = call;
    let entered = RwSignal::new(tool.clone());
    // The form is that of the name once it is whole: half a name is no tool's.
    let tool = RwSignal::new(tool);
    let schema = Memo::new(move |_| {
        let tools = edits.tools.read();
        let tools = tools.as_ref()?.as_ref().ok()?;
        let found = tools.iter().find(|it| it.name.as_str() == tool.read().trim())?;
        Some(found.parameters.clone())
    });
    let arguments_form = StoredValue::new(None::<FormState>);
    let begin = StoredValue::new(arguments);
    let owner = StoredValue::new(Owner::current());
    let form = move || {
        if edits.tools.read().is_none() {
            return view! {
                <p class="starting" role="status">
                    <span class="pulse" aria-hidden="true"></span>
                    "Loading the agent's tools…"
                </p>
            }
            .into_any();
        }
        // Another tool's form begins with what was entered for this one, whether or not it is a value yet.
        let before = arguments_form.get_value();
        let entered = before.map(|form| form.reading.read_untracked().json().cloned());
        if let Some(Some(entered)) = &entered {
            begin.set_value(entered.clone());
        }
        let schema = schema.get();
        let make = || match schema {
            Some(Some(schema)) => use_form(Form::of_schema(&schema), Some(&begin.get_value())),
            Some(None) => use_form(Form::no_arguments(), Some(&begin.get_value())),
            None => use_any_form(&begin.get_value()),
        };
        // Forms live as long as the editor: the next one looks at what was entered in the last.
        let form = match owner.get_value() {
            Some(owner) => owner.with(make),
            None => make(),
        };
        if let Some(before) = before.filter(|_| entered == Some(None)) {
            form.take_over(before);
        }
        touch_with(edits, form);
        arguments_form.set_value(Some(form));
        view! { <SchemaForm state=form id="case-arguments" label="Arguments"/> }.into_any()
    };
    let hint = move || match edits.tools.get() {
        Some(Err(error)) => Some(format!("Edit the arguments as JSON: {error}")),
        Some(Ok(_)) if schema.get().is_none() && !tool.read().trim().is_empty() => {
            Some("The agent has no tool with this name. Edit the arguments as JSON.".to_owned())
        }
        _ => None,
    };
    let records = RwSignal::new(response.is_some());
    let empty = JsonText::from_value(&serde_json::json!({ "result": null }));
    let response_form = use_any_form(response.as_ref().unwrap_or(&empty));
    touch_with(edits, response_form);
    // Has the form of the name that was entered drawn; whether it was another's.
    let take_name = move || {
        // A field that goes with its editor tells of a last change.
        let Some(name) = entered.try_get_untracked() else { return false };
        let is_other = tool.try_get_untracked().is_some_and(|tool| tool != name);
        if is_other {
            tool.set(name);
        }
        is_other
    };
    let finish = move || {
        let Some(Some(form)) = arguments_form.try_get_value() else { return };
        let name = tool.get_untracked().trim().to_owned();
        if name.is_empty() {
            edits.fault.set(Some("Enter the name of the expected tool.".to_owned()));
            return;
        }
        let Some(arguments) = form.read() else { return };
        let response = match records.get_untracked() {
            true => match response_form.read() {
                Some(response) => Some(response),
                None => return,
            },
            false => None,
        };
        let now = ExpectedCall { tool: name, arguments, response };
        if was.with_value(|was| *was == now) {
            edits.edit(None);
        } else {
            edits.change(change.run(now), said);
        }
    };
    let save = Callback::new(move |()| {
        let is_known = || {
            let tools = edits.tools.read_untracked();
            !matches!(*tools, Some(Ok(_))) || schema.get_untracked().is_some()
        };
        if !take_name() {
            finish();
        } else if is_known() || entered.read_untracked().trim().is_empty() {
            browser::after_drawing(finish);
        } else {
            let told = "The agent has no tool with this name. Save again to keep it.";
            edits.fault.set(Some(told.to_owned()));
        }
    });
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" && !(event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            take_name();
        }
    };
    let names = move || {
        let tools = edits.tools.read();
        let tools = tools.as_ref().and_then(|tools| tools.as_ref().ok());
        let each = tools.into_iter().flatten();
        each.map(|tool| view! { <option value=tool.name.to_string()></option> }).collect_view()
    };
    view! {
        <Editor edits label="Expected call" save>
            <label class="case-field">
                <span>"Tool"</span>
                <input
                    class="input mono"
                    list="case-tools"
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=move || entered.get()
                    on:input=move |event| entered.set(event_target_value(&event))
                    on:change=move |_| { take_name(); }
                    on:keydown=on_key
                />
            </label>
            <datalist id="case-tools">{names}</datalist>
            {move || hint().map(|hint| view! { <p class="quiet">{hint}</p> })}
            {form}
            <label class="case-check">
                <input
                    type="checkbox"
                    prop:checked=move || records.get()
                    on:change=move |event| records.set(event_target_checked(&event))
                />
                "Response recorded"
            </label>
            <Show when=move || records.get()>
                <SchemaForm state=response_form id="case-response" label="Response"/>
            </Show>
        </Editor>
    }
}
