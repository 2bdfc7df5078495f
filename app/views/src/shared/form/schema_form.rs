//! [`SchemaForm`]: the whole form, with its switch between widgets and JSON text.

use leptos::ev;
use leptos::prelude::*;
use schema_form::{Diagnostic, Edit, FieldKind, Path};

use super::json_area::JsonArea;
use super::paste::{PasteBox, take_pastes};
use super::place::Place;
use super::row::{faults, members, row};
use app::components::icon::{Glyph, Icon};
use app::state::browser;
use app::state::form::FormState;

/// Draws the form that `state` fills in.
#[component]
pub fn SchemaForm(
    /// The form and what is entered.
    state: FormState,
    /// The prefix of the ids in the document, unique on the page.
    id: &'static str,
    /// What is entered, for those who hear the page.
    label: &'static str,
    /// Whether arguments pasted on the page, with no field in focus, are this form's. Default: no.
    #[prop(optional)]
    takes_pastes: bool,
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
    let is_object = matches!(root.field().kind, FieldKind::Object(_)) && !form.is_empty();
    let pasting = RwSignal::new(false);
    let paste_id = format!("{id}-paste");
    let paste_button = format!("{paste_id}-button");
    if takes_pastes && is_object {
        take_pastes(state);
    }
    let focus = paste_id.clone();
    let open_paste = move |_| {
        pasting.update(|pasting| *pasting = !*pasting);
        let focus = focus.clone();
        browser::after_drawing(move || browser::focus(&focus));
    };
    let undo_key = move |event: ev::KeyboardEvent| {
        let is_undo = (event.ctrl_key() || event.meta_key())
            && !event.shift_key()
            && !event.alt_key()
            && event.key().eq_ignore_ascii_case("z");
        // Typing is taken back by its own input, where that has the focus.
        let is_taken_back = || state.was_typing() && browser::is_in_text();
        if is_undo && !is_taken_back() && state.undo() {
            event.prevent_default();
        }
    };
    // Looking at the whole of a large schema takes longer than showing what is in sight.
    let odd = RwSignal::new(Vec::new());
    let looked_at = form.clone();
    request_idle_callback(move || {
        odd.try_set(looked_at.diagnostics().to_vec());
    });
    let oddities = move || {
        let odd = odd.get();
        let title = match odd.len() {
            0 => return None,
            1 => "1 schema warning".to_owned(),
            count => format!("{count} schema warnings"),
        };
        let each = |it: Diagnostic| {
            view! { <li><code>{it.pointer}</code> " " {it.reason.to_string()}</li> }
        };
        Some(view! {
            <details class="odd">
                <summary>{title}</summary>
                <ul>{odd.into_iter().map(each).collect_view()}</ul>
            </details>
        })
    };
    let body = move || {
        if is_json.get() {
            view! { <JsonArea place=root.clone() rows=8/> }.into_any()
        } else if form.is_empty() {
            view! { <p class="no-arguments">"No arguments"</p> }.into_any()
        } else if let FieldKind::Object(_) = root.field().kind {
            // What is wrong with the whole has no field of its own to stand at.
            view! {
                <div class="form-faults" id=root.input_id() tabindex="-1">{faults(&root)}</div>
                {members(&root)}
            }
            .into_any()
        } else {
            row(&root, root.field().title.as_deref().unwrap_or("value"))
        }
    };
    view! {
        <div class="schema-form" id=id role="group" aria-label=label on:keydown=undo_key>
            <div class="schema-form-head" class:unseen=takes_json_only>
                <span class="form-notice" role="status">{move || state.notice.get()}</span>
                {move || state.undoable().map(|what| view! {
                    <button
                        type="button"
                        class="link undo"
                        title="Ctrl Z"
                        on:click=move |_| {
                            state.undo();
                        }
                    >
                        <Icon glyph=Glyph::Retry/>
                        "Undo " {what}
                    </button>
                })}
                {is_object.then(|| view! {
                    <button
                        type="button"
                        class="link"
                        id=paste_button
                        aria-expanded=move || pasting.get().to_string()
                        on:click=open_paste
                    >
                        "Paste…"
                    </button>
                })}
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
            <Show when=move || pasting.get()>
                <PasteBox state id=paste_id.clone() open=pasting/>
            </Show>
            {body}
            {oddities}
        </div>
    }
}
