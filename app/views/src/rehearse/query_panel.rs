//! The start of a turn: the person writes the user message.

use leptos::prelude::*;

use crate::rehearse::state::workspace::use_this_workspace;
use app::components::icon::{Glyph, Icon};
use app::components::loading::LazyView;
use app::state::base_path::address;
use app::state::lazy_pages::SessionViews;
use app::state::rehearsal::Action;
use app::state::{browser, typed_ahead};

/// The field or the form of the user message.
#[component]
pub fn QueryPanel() -> impl IntoView {
    let workspace = use_this_workspace();
    let rehearsal = workspace.rehearsal;
    let entry = rehearsal.forms.query;
    let field = move || {
        match workspace.query_source() {
        None if rehearsal.fault.read().is_some() => view! {
            <p class="starting">"The agent cannot be rehearsed until it loads. See the reason above."</p>
        }
        .into_any(),
        // Whether the message is a text or a form is known once the agent has started.
        None if !workspace.is_ready() => view! {
            <p class="starting" role="status">
                <span class="pulse" aria-hidden="true"></span>
                "Starting the agent…"
            </p>
        }
        .into_any(),
        Some(source) => {
            let draw = move |views: SessionViews| {
                browser::after_drawing(|| browser::nothing_is_focused() && typed_ahead::focus_form("query"));
                (views.query_form)(rehearsal.forms, &source)
            };
            view! { <LazyView part=workspace.code meanwhile="Opening…" draw/> }.into_any()
        }
        None => view! {
            <textarea
                id="query"
                class="input prose"
                rows="4"
                placeholder="Make the office comfortable for tonight…"
                aria-label="User message"
                aria-describedby="query-fault"
                aria-invalid=move || entry.is_missed.get().then_some("true")
                prop:value=move || entry.text.get()
                on:input=move |event| {
                    entry.write(event_target_value(&event));
                    workspace.code.fetch();
                }
            ></textarea>
        }
        .into_any(),
    }
    };
    let fault = move || match workspace.query_source() {
        Some(source) => {
            let views = workspace.code.views().and_then(Result::ok);
            views.map(|views| (views.attention)(rehearsal.forms, &source)).into_any()
        }
        None if entry.is_missed.get() => "Enter the user message.".into_any(),
        None => ().into_any(),
    };
    let is_next = move || rehearsal.session.read().past_turns() > 0;
    let about = move || match is_next() {
        true => "Write the user's next message. State, artifacts and history are kept.",
        false => "First write the user's message. Then act as the agent: call tools and respond.",
    };
    let runner = move || {
        let (agent, message) = (rehearsal.agent(), entry.text.get());
        address(&format!("/runs?act={agent}&message={}", browser::in_address(&message)))
    };
    let label = move || if is_next() { "Send message" } else { "Start session" };
    view! {
           <form
               class="opening"
               on:submit=move |event| {
                   event.prevent_default();
                   workspace.act();
               }
           >
               <h2><Icon glyph=Glyph::User/>"User message"</h2>
               <p class="quiet">{about}</p>
               {field}
               <footer>
                   <span class="field-fault" id="query-fault" role="status">{fault}</span>
                   <span class="grow"></span>
                   <Show when=is_next>
                       <button type="button" class="button quiet" on:click=move |_| workspace.perform(Action::CancelContinue)>
                           "Back to export"
                       </button>
                   </Show>
    <Show when=move || !is_next() && workspace.query_source().is_none()>
                       <a
                           class="button quiet"
                           href=runner
                           title="Run the agent as google-adk does, and respond in Live in place of its models"
                       >
                           "Act through the runner"
                       </a>
                   </Show>
                   <button type="submit" class="button primary" aria-disabled=move || (rehearsal.checking.get() || !workspace.is_ready()).to_string()>
                       {label} " " <kbd>"Ctrl ↵"</kbd>
                   </button>
               </footer>
           </form>
       }
}
