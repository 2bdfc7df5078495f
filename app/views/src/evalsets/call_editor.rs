//! The editor of an expected call: its tool, its arguments through the tool's form, and the recorded
//! response.

use api::{CaseChange, ExpectedCall, ToolView};
use json_text::JsonText;
use leptos::ev;
use leptos::prelude::*;
use schema_form::Form;

use super::case_editor::Editor;
use crate::evalsets::state::case_edits::CaseEdits;
use crate::shared::form::SchemaForm;
use app::state::browser;
use app::state::form::{FormState, use_form};
use app::state::value_form::use_any_form;

/// The call that is edited, as small as its handles.
#[derive(Clone, Copy)]
struct CallDraft {
    edits: CaseEdits,
    /// The call as it was opened.
    opened: StoredValue<ExpectedCall>,
    /// The typed name of the tool.
    name: RwSignal<String>,
    /// The tool whose form is drawn: the name once it is fully typed.
    tool: RwSignal<String>,
    /// The schema of the tool's arguments: `None` when the agent has no such tool, `Some(None)` when it
    /// takes no arguments.
    schema: Memo<Option<Option<JsonText>>>,
    /// The last drawn form of the arguments.
    arguments: StoredValue<Option<FormState>>,
    /// The initial value of the next form of the arguments.
    begins_with: StoredValue<JsonText>,
    /// Whether the call has a recorded response.
    has_response: RwSignal<bool>,
    response: FormState,
    /// Keeps forms alive until the editor closes: each takes over the input of the last one.
    owner: StoredValue<Option<Owner>>,
}

impl CallDraft {
    fn of(edits: CaseEdits, call: ExpectedCall) -> Self {
        let opened = StoredValue::new(call.clone());
        let ExpectedCall { tool, arguments, response } = call;
        let name = RwSignal::new(tool.clone());
        let tool = RwSignal::new(tool);
        let schema = Memo::new(move |_| {
            let tools = edits.tools.read();
            let tools = tools.as_ref()?.as_ref().ok()?;
            let found = tools.iter().find(|it| it.name.as_str() == tool.read().trim())?;
            Some(found.parameters.clone())
        });
        let empty = JsonText::from_value(&serde_json::json!({ "result": null }));
        let response_form = use_any_form(response.as_ref().unwrap_or(&empty));
        edits.add_form(response_form);
        Self {
            edits,
            opened,
            name,
            tool,
            schema,
            arguments: StoredValue::new(None),
            begins_with: StoredValue::new(arguments),
            has_response: RwSignal::new(response.is_some()),
            response: response_form,
            owner: StoredValue::new(Owner::current()),
        }
    }

    /// The form of the tool's arguments, with the input for the previous tool. Tracked.
    fn arguments_form(self) -> FormState {
        let before = self.arguments.get_value();
        // The inner value is `None` while the text of the last form is not JSON.
        let entered = before.map(|form| form.reading.read_untracked().json().cloned());
        if let Some(Some(entered)) = &entered {
            self.begins_with.set_value(entered.clone());
        }
        let schema = self.schema.get();
        let make = || {
            let value = self.begins_with.get_value();
            match schema {
                Some(Some(schema)) => use_form(Form::of_schema(&schema), Some(&value)),
                Some(None) => use_form(Form::no_arguments(), Some(&value)),
                None => use_any_form(&value),
            }
        };
        let form = match self.owner.get_value() {
            Some(owner) => owner.with(make),
            None => make(),
        };
        if let Some(before) = before.filter(|_| entered == Some(None)) {
            form.take_over(before);
        }
        self.edits.add_form(form);
        self.arguments.set_value(Some(form));
        form
    }

    /// Why the arguments are edited as JSON. Tracked.
    fn hint(self) -> Option<String> {
        let is_named = || !self.tool.read().trim().is_empty();
        match self.edits.tools.get() {
            Some(Err(error)) => {
                let error = error.to_string();
                let stop = if error.ends_with(['.', '!', '?']) { "" } else { "." };
                Some(format!("{error}{stop} Edit the arguments as JSON."))
            }
            Some(Ok(_)) if self.schema.get().is_none() && is_named() => {
                Some("The agent has no tool with this name. Edit the arguments as JSON.".to_owned())
            }
            _ => None,
        }
    }

    /// Draws the form of the typed name. Returns whether that is another tool.
    fn take_name(self) -> bool {
        // A field that is removed with its editor reports one last change.
        let Some(name) = self.name.try_get_untracked() else { return false };
        let is_other = self.tool.try_get_untracked().is_some_and(|tool| tool != name);
        if is_other {
            self.tool.set(name);
        }
        is_other
    }

    /// Whether the agent has the tool, or its tools are not known.
    fn is_known(self) -> bool {
        let tools = self.edits.tools.read_untracked();
        !matches!(*tools, Some(Ok(_))) || self.schema.get_untracked().is_some()
    }

    /// The entered call; `None` while a part is missing or invalid, which is then shown.
    fn entered(self) -> Option<ExpectedCall> {
        let form = self.arguments.try_get_value()??;
        let tool = self.tool.get_untracked().trim().to_owned();
        if tool.is_empty() {
            self.edits.fault.set(Some("Enter the name of the expected tool.".to_owned()));
            return None;
        }
        let arguments = form.read()?;
        let response =
            if self.has_response.get_untracked() { Some(self.response.read()?) } else { None };
        Some(ExpectedCall { tool, arguments, response })
    }

    /// Saves the call. The form of a newly named tool is drawn first, so that it checks the arguments.
    fn save(self, save: impl Fn(ExpectedCall) + 'static) {
        let finish = move || {
            let Some(call) = self.entered() else { return };
            if self.opened.with_value(|opened| *opened == call) {
                self.edits.edit(None);
            } else {
                save(call);
            }
        };
        if !self.take_name() {
            finish();
        } else if self.is_known() || self.name.read_untracked().trim().is_empty() {
            browser::after_drawing(finish);
        } else {
            let warning = "The agent has no tool with this name. Save again to keep it.";
            self.edits.fault.set(Some(warning.to_owned()));
        }
    }
}

/// Edits a call: its tool, its arguments through the tool's form, and the recorded response.
#[component]
pub(super) fn CallEditor(
    /// The edits.
    edits: CaseEdits,
    /// The call to edit.
    call: ExpectedCall,
    /// The change of the case that a call means.
    change: Callback<ExpectedCall, CaseChange>,
    /// The notice once the call is saved.
    done: &'static str,
) -> impl IntoView {
    let draft = CallDraft::of(edits, call);
    let save = Callback::new(move |()| {
        draft.save(move |call| edits.change(change.run(call), done));
    });
    view! {
        <Editor edits label="Expected call" save>
            <ToolName draft/>
            {move || draft.hint().map(|hint| view! { <p class="quiet">{hint}</p> })}
            {move || arguments(draft)}
            <label class="case-check">
                <input
                    type="checkbox"
                    prop:checked=move || draft.has_response.get()
                    on:change=move |event| draft.has_response.set(event_target_checked(&event))
                />
                "Response recorded"
            </label>
            <Show when=move || draft.has_response.get()>
                <SchemaForm state=draft.response id="case-response" label="Response"/>
            </Show>
        </Editor>
    }
}

/// The form of the arguments, once the agent's tools are loaded.
fn arguments(draft: CallDraft) -> AnyView {
    if draft.edits.tools.read().is_none() {
        return view! {
            <p class="starting" role="status">
                <span class="pulse" aria-hidden="true"></span>
                "Loading the agent's tools…"
            </p>
        }
        .into_any();
    }
    let form = draft.arguments_form();
    view! { <SchemaForm state=form id="case-arguments" label="Arguments"/> }.into_any()
}

/// The name of the tool, completed from the agent's tools.
#[component]
fn ToolName(
    /// The call.
    draft: CallDraft,
) -> impl IntoView {
    let on_key = move |event: ev::KeyboardEvent| {
        if event.key() == "Enter" && !(event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            draft.take_name();
        }
    };
    let option = |tool: &ToolView| view! { <option value=tool.name.to_string()></option> };
    let options = move || {
        let tools = draft.edits.tools.read();
        let tools = tools.as_ref().and_then(|tools| tools.as_ref().ok());
        tools.into_iter().flatten().map(option).collect_view()
    };
    view! {
        <label class="case-field">
            <span>"Tool"</span>
            <input
                class="input mono"
                list="case-tools"
                autocomplete="off"
                spellcheck="false"
                prop:value=move || draft.name.get()
                on:input=move |event| draft.name.set(event_target_value(&event))
                on:change=move |_| {
                    draft.take_name();
                }
                on:keydown=on_key
            />
        </label>
        <datalist id="case-tools">{options}</datalist>
    }
}
