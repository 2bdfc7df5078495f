//! The opening of a session: the person first plays the user.

use leptos::prelude::*;

use crate::components::form::{JsonPreview, SchemaForm};
use crate::components::icon::{Glyph, Icon};
use crate::state::stage::use_this_stage;

/// Where the user's query is written.
#[component]
pub fn QueryPanel() -> impl IntoView {
    let stage = use_this_stage();
    let rehearsal = stage.rehearsal;
    let entry = rehearsal.forms.query;
    let field = move || {
        match stage.query_form() {
        None if rehearsal.fault.read().is_some() => view! {
            <p class="starting">"The agent cannot be rehearsed until it loads: the reason stands above."</p>
        }
        .into_any(),
        // Whether text will do is known once the agent has started.
        None if !stage.is_ready() => view! {
            <p class="starting" role="status">
                <span class="pulse" aria-hidden="true"></span>
                "Starting the agent: its instructions and tools come in a moment…"
            </p>
        }
        .into_any(),
        Some(form) => {
            view! {
                <SchemaForm state=form id="query" label="The user's query"/>
                <JsonPreview state=form/>
            }
            .into_any()
        }
        None => view! {
            <textarea
                id="query"
                class="input prose"
                rows="4"
                placeholder="Make the office comfortable for tonight…"
                aria-label="The user's query"
                aria-describedby="query-fault"
                aria-invalid=move || entry.is_missed.get().then_some("true")
                prop:value=move || entry.text.get()
                on:input=move |event| entry.write(event_target_value(&event))
            ></textarea>
        }
        .into_any(),
    }
    };
    let fault = move || match stage.query_form() {
        Some(form) => mend(form.to_mend()),
        None if entry.is_missed.get() => "Write what the user asks".to_owned(),
        None => String::new(),
    };
    view! {
        <form
            class="opening"
            on:submit=move |event| {
                event.prevent_default();
                stage.act();
            }
        >
            <h2><Icon glyph=Glyph::User/>"What does the user ask?"</h2>
            <p class="quiet">
                "You play the user first, then the agent: read its instructions, call its tools, and answer."
            </p>
            {field}
            <footer>
                <span class="field-fault" id="query-fault" role="status">{fault}</span>
                <span class="grow"></span>
                <button type="submit" class="button primary" aria-disabled=move || (rehearsal.checking.get() || !stage.is_ready()).to_string()>
                    "Start the session" <kbd>"Ctrl ↵"</kbd>
                </button>
            </footer>
        </form>
    }
}

/// How many fields are to mend; nothing when none is.
pub(super) fn mend(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "1 field to mend".to_owned(),
        count => format!("{count} fields to mend"),
    }
}
