//! The final response: the other choice of an active session.

use leptos::prelude::*;

use crate::rehearse::state::workspace::use_this_workspace;
use crate::shared::attention::Attention;
use crate::shared::form::{JsonPreview, SchemaForm};
use app::components::icon::{Glyph, Icon};

/// The field or the form of the final response.
#[component]
pub fn RespondPanel() -> impl IntoView {
    let workspace = use_this_workspace();
    let rehearsal = workspace.rehearsal;
    let entry = rehearsal.forms.response;
    let has_no_tools = move || rehearsal.view.read().is_some() && workspace.tools.read().is_empty();
    let field = move || match workspace.response_form() {
        Some(form) => {
            view! { <SchemaForm state=form id="response" label="Final response"/> }.into_any()
        }
        None => view! {
            <textarea
                id="response"
                class="input prose"
                rows="8"
                placeholder="Final response…"
                aria-label="Final response"
                aria-describedby="response-hint"
                aria-invalid=move || entry.is_missed.get().then_some("true")
                prop:value=move || entry.text.get()
                on:input=move |event| entry.write(event_target_value(&event))
            ></textarea>
        }
        .into_any(),
    };
    let is_active = move || rehearsal.session.read().query().is_some();
    let is_running = move || rehearsal.session.read().busy_with().is_some();
    let hint = move || {
        let held_up = rehearsal.held_up();
        if !is_active() {
            "Write the user message first".into_any()
        } else if let Some(reason) = held_up {
            reason.into_any()
        } else if entry.is_missed.get() {
            "Enter the final response.".into_any()
        } else {
            view! { <Attention form=workspace.response_form()/> }.into_any()
        }
    };
    let purpose = move || {
        match workspace.acted_as.get() {
        Some(call) => format!(
            "You act as {0}. Its final response becomes the result of the call.",
            call.tool_name
        ),
        None => "Sending it completes the session. You can then export the session, or continue it with another user message.".to_owned(),
    }
    };
    let is_faulty = move || {
        entry.is_missed.get()
            || workspace.response_form().is_some_and(|form| form.violation_count() != 0)
    };
    view! {
        <form
            class="respond"
            on:submit=move |event| {
                event.prevent_default();
                rehearsal.respond(untrack(|| workspace.response_form()));
            }
        >
            <div class="panel-body">
                <Show when=has_no_tools>
                    <p class="note">
                        <Icon glyph=Glyph::Answer/>
                        "This agent has no callable tools. Send the final response."
                    </p>
                </Show>
                <h2 class="panel-title">"Final response"</h2>
                <p class="quiet">{purpose}</p>
                {field}
            </div>
            {move || workspace.response_form().map(|form| view! { <div class="panel-preview"><JsonPreview state=form/></div> })}
            <footer class="panel-foot">
                <span class="hint" id="response-hint" role="status" class:bad=is_faulty>{hint}</span>
                <span class="grow"></span>
                <button
                    type="submit"
                    class="button primary"
                    aria-disabled=move || (!is_active() || is_running() || rehearsal.checking.get()).to_string()
                >
                    "Send response" <kbd>"Ctrl ↵"</kbd>
                </button>
            </footer>
        </form>
    }
}
