//! The form that starts a run in which the person acts as the model of every agent, through the agent's runner.

use api::host::act_through_runner;
use api::{ActRequest, ActedTools, ApiError};
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::{use_navigate, use_query_map};
use leptos_router::params::ParamsMap;
use session::AgentId;

use crate::shared::keys::send_by_key;
use app::state::base_path::{address, unresolved};
use app::state::browser;
use app::state::excerpt::{visible_name, visible_text};

/// The id of the form in the document.
const FORM: &str = "act-form";

/// What tools can do, for people.
const TOOLS: [(ActedTools, &str); 3] = [
    (ActedTools::Real, "Tools run, with all their effects"),
    (ActedTools::Sealed, "Tools run, and can change the session only"),
    (ActedTools::Person, "I say what tools return"),
];

/// Whether the address names an agent to act as. Tracked.
pub(super) fn is_asked(query: Memo<ParamsMap>) -> bool {
    query.with(|query| query.get("act").is_some_and(|agent| !agent.is_empty()))
}

/// The form for the agent that the address names; `None` if it names none.
pub(super) fn form() -> Option<AnyView> {
    let query = use_query_map();
    let named = move |name: &'static str| query.with(|query| query.get(name));
    let agent = Memo::new(move |_| named("act").filter(|agent| !agent.is_empty()));
    untrack(|| agent.get())?;
    let form = move || {
        let agent = agent.get()?;
        let message = untrack(|| named("message")).unwrap_or_default();
        Some(view! { <ActForm agent message/> })
    };
    Some(form.into_any())
}

#[component]
fn ActForm(
    /// The id of the agent.
    agent: String,
    /// The message of the user, as it is entered already.
    message: String,
) -> impl IntoView {
    let message = RwSignal::new(message);
    let tools = RwSignal::new(ActedTools::Real);
    let is_sent = RwSignal::new(false);
    let error = RwSignal::new(None::<String>);
    let go = StoredValue::new_local(use_navigate());
    let name = visible_name(&agent);
    let agent = StoredValue::new(AgentId::from_display_name(&agent));
    let start = move || {
        if is_sent.get_untracked() {
            return;
        }
        let message = message.get_untracked();
        if message.trim().is_empty() {
            error.set(Some("Enter the user message.".to_owned()));
            browser::focus_first_in(FORM);
            return;
        }
        is_sent.set(true);
        error.set(None);
        let (agent, tools) = (agent.get_value(), tools.get_untracked());
        spawn_local(async move {
            let request = ActRequest { agent, message, state: None, tools };
            let started: Result<i64, ApiError> = act_through_runner(request).await;
            if is_sent.try_set(false).is_some() {
                return;
            }
            match started {
                Ok(_) => go.with_value(|go| go(&address("/live"), unresolved())),
                Err(refused) => error.set(Some(refused.to_string())),
            }
        });
    };
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        start();
    };
    let choice = move |(used, label): (ActedTools, &'static str)| {
        view! {
            <label>
                <input
                    type="radio"
                    name="act-tools"
                    prop:checked=move || tools.get() == used
                    on:change=move |_| tools.set(used)
                />
                {label}
            </label>
        }
    };
    browser::after_drawing(|| browser::focus_first_in(FORM));
    view! {
        <section class="runs-act" aria-label="Act through the runner">
            <h2 class="report-title">"Act as " {name} " through its runner"</h2>
            <p class="quiet">
                "google-adk runs the agent with all its sub-agents, callbacks and plugins. You respond in Live in place of every model, and as the user once a turn has ended."
            </p>
            <form class="fork-form" id=FORM on:submit=submit on:keydown=send_by_key(start)>
                <label class="fork-field">
                    <span>"User message"</span>
                    <textarea
                        class="input prose"
                        rows="3"
                        prop:value=move || message.get()
                        on:input=move |event| message.set(event_target_value(&event))
                    ></textarea>
                </label>
                <fieldset class="fork-choice">
                    <legend class="unseen">"Tools"</legend>
                    {TOOLS.map(choice).into_iter().collect_view()}
                </fieldset>
                <footer class="fork-actions">
                    <button type="submit" class="button primary" aria-disabled=move || is_sent.get().to_string()>
                        {move || if is_sent.get() { "Starting…" } else { "Start" }} " " <kbd>"Ctrl ↵"</kbd>
                    </button>
                    <a class="button quiet" href=address("/runs")>"Cancel"</a>
                    <span class="field-fault" role="alert">{move || error.get().map(|error| visible_text(&error))}</span>
                </footer>
            </form>
        </section>
    }
}
