//! The start of a turn: the person writes the user message.

use api::host::act_through_runner;
use api::{ActRequest, ActedTools, ExportRequest};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

use crate::rehearse::state::workspace::{Workspace, use_this_workspace};
use app::components::icon::{Glyph, Icon};
use app::components::loading::LazyView;
use app::state::base_path::{address, unresolved};
use app::state::lazy_pages::SessionViews;
use app::state::rehearsal::Action;
use app::state::{browser, typed_ahead};

/// A run through the agent's runner that is being started. Copies share its signals.
#[derive(Clone, Copy)]
struct Acting {
    is_sent: RwSignal<bool>,
    fault: RwSignal<Option<String>>,
    go: StoredValue<Go, LocalStorage>,
}

type Go = std::sync::Arc<dyn Fn(&str, NavigateOptions)>;

/// Nothing is started yet.
fn use_acting() -> Acting {
    let go: Go = std::sync::Arc::new(use_navigate());
    Acting {
        is_sent: RwSignal::new(false),
        fault: RwSignal::new(None),
        go: StoredValue::new_local(go),
    }
}

impl Acting {
    /// Starts a run with the message that is entered, and goes to the live sessions, where the person is asked.
    fn act(self, workspace: Workspace) {
        let rehearsal = workspace.rehearsal;
        let message = rehearsal.forms.query.text.get_untracked();
        if self.is_sent.get_untracked() || !workspace.is_ready() {
            return;
        }
        if message.trim().is_empty() {
            rehearsal.forms.query.is_missed.set(true);
            browser::focus("query");
            return;
        }
        self.is_sent.set(true);
        self.fault.set(None);
        let ExportRequest { agent, state, .. } = rehearsal.export_request();
        let request = ActRequest { agent, message, state, tools: ActedTools::Real };
        spawn_local(async move {
            let started = act_through_runner(request).await;
            // The page may be gone.
            if self.is_sent.try_set(false).is_some() {
                return;
            }
            match started {
                Ok(_) => self.go.with_value(|go| go(&address("/live"), unresolved())),
                Err(error) => self.fault.set(Some(error.to_string())),
            }
        });
    }
}

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
    let acting = use_acting();
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
                   <span class="field-fault" id="query-fault" role="status">{fault} {move || acting.fault.get()}</span>
                   <span class="grow"></span>
                   <Show when=is_next>
                       <button type="button" class="button quiet" on:click=move |_| workspace.perform(Action::CancelContinue)>
                           "Back to export"
                       </button>
                   </Show>
    <Show when=move || !is_next() && workspace.query_source().is_none()>
                       <button
                           type="button"
                           class="button quiet"
                           title="Run the agent as google-adk does: you respond in place of its models in Live, and its tools run"
                           aria-disabled=move || (acting.is_sent.get() || !workspace.is_ready()).to_string()
                           on:click=move |_| acting.act(workspace)
                       >
                           "Act through the runner"
                       </button>
                   </Show>
                   <button type="submit" class="button primary" aria-disabled=move || (rehearsal.checking.get() || !workspace.is_ready()).to_string()>
                       {label} " " <kbd>"Ctrl ↵"</kbd>
                   </button>
               </footer>
           </form>
       }
}
