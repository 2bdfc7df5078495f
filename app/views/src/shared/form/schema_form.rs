//! [`SchemaForm`]: the whole form, with its switch between widgets and JSON text.

use leptos::ev;
use leptos::prelude::*;
use schema_form::{Diagnostic, Edit, FieldKind, Path};

use super::field_handle::FieldHandle;
use super::json_area::JsonArea;
use super::paste::{PasteBox, take_pastes};
use super::row::{faults, members, row};
use crate::shared::keys::{focus_now, once_shown};
use app::components::icon::{Glyph, Icon};
use app::state::browser;
use app::state::form::FormState;
use app::state::times::counted;

/// Draws the form that `state` fills in.
#[component]
pub fn SchemaForm(
    /// The form and what is entered.
    state: FormState,
    /// The prefix of the ids in the document, unique on the page.
    id: &'static str,
    /// The group's name for assistive technology.
    label: &'static str,
    /// Whether arguments pasted on the page, with no field in focus, are this form's. Default: no.
    #[prop(optional)]
    takes_pastes: bool,
) -> impl IntoView {
    state.is_drawn_as(id);
    let root = FieldHandle { state, id, slot: state.form().root().clone(), path: Path::root() };
    let takes_json_only = matches!(root.field().kind, FieldKind::Json(_));
    let is_object = matches!(root.field().kind, FieldKind::Object(_)) && !state.form().is_empty();
    let is_json = Memo::new(move |_| state.is_json() || takes_json_only);
    let (is_pasting, typed) = (RwSignal::new(false), RwSignal::new(String::new()));
    if takes_pastes && is_object {
        take_pastes(state);
    }
    view! {
        <div
            class="schema-form"
            id=id
            role="group"
            aria-label=label
            on:keydown=move |event| undo_by_key(state, &event)
        >
            <div class="schema-form-head">
                <span class="form-notice" role="status">{move || state.notice.get()}</span>
                <UndoButton state/>
                {is_object.then(|| view! { <PasteButton id is_pasting/> })}
                <ModeSwitch state id is_json has_form=!takes_json_only/>
            </div>
            <Show when=move || is_pasting.get()>
                <PasteBox state id=paste_id(id) open=is_pasting typed/>
            </Show>
            {move || if is_json.get() {
                view! { <JsonArea place=root.clone() rows=8/> }.into_any()
            } else {
                widgets(&root)
            }}
            <SchemaWarnings state/>
        </div>
    }
}

/// The form's fields.
fn widgets(root: &FieldHandle) -> AnyView {
    if root.state.form().is_empty() {
        view! { <p class="no-arguments">"No arguments"</p> }.into_any()
    } else if let FieldKind::Object(_) = root.field().kind {
        // A violation of the whole object belongs to none of its fields.
        view! {
            <div class="form-faults" id=root.input_id() tabindex="-1">{faults(root)}</div>
            {members(root)}
        }
        .into_any()
    } else {
        row(root, root.field().title.as_deref().unwrap_or("value"))
    }
}

/// Undoes the last edit by Ctrl Z, except where the input with the focus undoes typing itself.
fn undo_by_key(state: FormState, event: &ev::KeyboardEvent) {
    let is_undo = (event.ctrl_key() || event.meta_key())
        && !event.shift_key()
        && !event.alt_key()
        && event.key().eq_ignore_ascii_case("z");
    let is_of_input = || state.was_typing() && browser::is_in_text();
    if is_undo && !is_of_input() && state.undo() {
        event.prevent_default();
    }
}

/// Undoes the last edit, while there is one.
#[component]
fn UndoButton(
    /// The form.
    state: FormState,
) -> impl IntoView {
    move || {
        let what = state.undoable()?;
        let undo = move |_| {
            state.undo();
        };
        Some(view! {
            <button type="button" class="link undo" title="Ctrl Z" on:click=undo>
                <Icon glyph=Glyph::Retry/>
                "Undo "
                {what}
            </button>
        })
    }
}

/// The id of the box that takes pasted arguments, of the form drawn as `id`.
fn paste_id(id: &str) -> String {
    format!("{id}-paste")
}

/// Opens and closes the box that takes pasted arguments.
#[component]
fn PasteButton(
    /// The prefix of the form's ids in the document.
    id: &'static str,
    /// Whether the box is open.
    is_pasting: RwSignal<bool>,
) -> impl IntoView {
    let toggle = move |_| {
        is_pasting.update(|is_pasting| *is_pasting = !*is_pasting);
        browser::after_drawing(move || browser::focus(&paste_id(id)));
    };
    view! {
        <button
            type="button"
            class="link"
            id=format!("{}-button", paste_id(id))
            aria-expanded=move || is_pasting.get().to_string()
            on:click=toggle
        >
            "Paste…"
        </button>
    }
}

/// Switches between widgets and JSON text.
#[component]
fn ModeSwitch(
    /// The form.
    state: FormState,
    /// The form's id in the document.
    id: &'static str,
    /// Whether it is shown as JSON text.
    is_json: Memo<bool>,
    /// Whether the schema has widgets.
    has_form: bool,
) -> impl IntoView {
    let switch = move |edit: Edit| {
        move |_| {
            state.edit(&Path::root(), edit.clone());
            // What is typed next goes into the form instead of being a shortcut.
            focus_now(move || browser::focus_form(id));
            once_shown(move || browser::focus_past_kind(id));
        }
    };
    view! {
        <span class="switch" role="group" aria-label="Edit as">
            <button
                type="button"
                aria-pressed=move || (!is_json.get()).to_string()
                disabled=!has_form
                title=(!has_form).then_some("This schema has no form")
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
    }
}

/// Lists the parts of the schema that the form does not cover; nothing if it covers all.
#[component]
fn SchemaWarnings(
    /// The form.
    state: FormState,
) -> impl IntoView {
    let warnings = RwSignal::new(Vec::new());
    // Reading a large schema takes longer than drawing its visible fields.
    request_idle_callback(move || {
        // The form may be closed before the browser is idle.
        if state.is_there() {
            warnings.set(state.form().diagnostics().to_vec());
        }
    });
    let item = |it: Diagnostic| {
        view! { <li><code>{it.pointer}</code> " " {it.reason.to_string()}</li> }
    };
    move || {
        let warnings = warnings.get();
        (!warnings.is_empty()).then(|| {
            view! {
                <details class="odd">
                    <summary>{counted(warnings.len(), "schema warning", "schema warnings")}</summary>
                    <ul>{warnings.into_iter().map(item).collect_view()}</ul>
                </details>
            }
        })
    }
}
