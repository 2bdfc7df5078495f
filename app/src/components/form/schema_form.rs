//! [`SchemaForm`]: the whole form, with its switch between widgets and JSON text.

use leptos::prelude::*;
use schema_form::{Edit, FieldKind, Path};

use super::json_area::JsonArea;
use super::place::Place;
use super::row::{members, row};
use super::state::FormState;

/// Draws the form that `state` fills in.
#[component]
pub fn SchemaForm(
    /// The form and what is entered.
    state: FormState,
    /// The prefix of the ids in the document, unique on the page.
    id: &'static str,
    /// What is entered, for those who hear the page.
    label: &'static str,
) -> impl IntoView {
    let form = state.form();
    state.is_drawn_as(id);
    let root = Place { state, id, slot: form.root().clone(), path: Path::root() };
    let takes_json_only = matches!(root.field().kind, FieldKind::Json(_));
    let is_json = Memo::new(move |_| state.is_json() || takes_json_only);
    let switch = move |edit: Edit| {
        move |_| {
            state.edit(&Path::root(), edit.clone());
        }
    };
    let diagnostics: Vec<_> = form
        .diagnostics()
        .iter()
        .map(|diagnostic| view! { <li><code>{diagnostic.pointer.clone()}</code> " " {diagnostic.reason.to_string()}</li> })
        .collect();
    let oddities = match diagnostics.len() {
        1 => "1 oddity in the schema".to_owned(),
        count => format!("{count} oddities in the schema"),
    };
    let body = move || {
        if is_json.get() {
            view! { <JsonArea place=root.clone() rows=8/> }.into_any()
        } else if form.is_empty() {
            view! { <p class="no-arguments">"Takes no arguments."</p> }.into_any()
        } else if let FieldKind::Object(_) = root.field().kind {
            members(&root)
        } else {
            row(&root, root.field().title.clone().unwrap_or_else(|| "value".to_owned()).into_any())
        }
    };
    view! {
        <div class="schema-form" id=id role="group" aria-label=label>
            <div class="schema-form-head" class:unseen=takes_json_only>
                <span class="switch" role="group" aria-label="Edit as">
                    <button
                        type="button"
                        aria-pressed=move || (!is_json.get()).to_string()
                        on:click=switch(Edit::AsWidgets)
                    >
                        "Form"
                    </button>
                    <button
                        type="button"
                        aria-pressed=move || is_json.get().to_string()
                        on:click=switch(Edit::AsJson)
                    >
                        "JSON"
                    </button>
                </span>
            </div>
            {body}
            {(!diagnostics.is_empty()).then(|| view! {
                <details class="odd">
                    <summary>{oddities}</summary>
                    <ul>{diagnostics}</ul>
                </details>
            })}
        </div>
    }
}
