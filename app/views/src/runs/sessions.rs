//! The sessions of `adk web`, each of which opens as a run to fork.

use api::{AdkSession, AdkSessionList, RecordedRequest};
use leptos::prelude::*;

use super::head::{Began, number};
use crate::shared::give_again::{GivenAgain, use_giving_again};
use api::host::list_adk_sessions;
use app::state::excerpt::{visible_name, visible_text};
use app::state::times::counted;

/// So many sessions are shown at first.
const FIRST: usize = 5;

/// The sessions; nothing without any.
#[component]
pub(super) fn Sessions() -> impl IntoView {
    let list = LocalResource::new(list_adk_sessions);
    move || match list.get() {
        Some(Ok(list)) if !list.sessions.is_empty() || !list.faults.is_empty() => {
            view! { <Listed list/> }.into_any()
        }
        // Runs are there without them.
        _ => ().into_any(),
    }
}

#[component]
fn Listed(
    /// The sessions.
    list: AdkSessionList,
) -> impl IntoView {
    let AdkSessionList { sessions, faults } = list;
    let giving = use_giving_again();
    let all = sessions.len();
    let shows_all = RwSignal::new(all <= FIRST);
    let sessions = StoredValue::new(sessions);
    let row = move |session: AdkSession| {
        let AdkSession { agent, agent_name, session, updated, events, message } = session;
        let name = visible_name(&session);
        let message = match message.trim() {
            "" => "No text".to_owned(),
            message => visible_text(message),
        };
        let open = move |_| {
            let request =
                RecordedRequest::Session { agent: agent.clone(), session: session.clone() };
            giving.open(async move { Ok(request) });
        };
        view! {
            <tr>
                <th scope="row">
                    <button type="button" class="link" title=name aria-disabled=move || giving.is_sent().to_string() on:click=open>
                        {message}
                    </button>
                </th>
                <td>{visible_name(&agent_name)}</td>
                <td class="figure">{number(events)}</td>
                <td class="figure"><Began began=updated/></td>
            </tr>
        }
    };
    let rows = move || {
        let shown = if shows_all.get() { all } else { FIRST };
        sessions.with_value(|it| it.iter().take(shown).cloned().map(row).collect_view())
    };
    let faults = faults.into_iter().map(|fault| {
        view! { <p class="field-fault report-line">{visible_text(&fault)}</p> }
    });
    view! {
        <section class="runs-sessions" aria-label="Sessions of adk web">
            <h2 class="report-title">"Sessions of adk web"</h2>
            <p class="quiet">
                "Open a session to fork it. Its steps happen again as recorded: no model is asked, and no tool runs."
            </p>
            <GivenAgain giving/>
            {faults.collect_view()}
            <Show when=move || { all > 0 }>
                <table class="sets">
                    <thead>
                        <tr>
                            <th scope="col">"First message"</th>
                            <th scope="col">"Agent"</th>
                            <th scope="col" class="figure">"Events"</th>
                            <th scope="col" class="figure">"Last event"</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </Show>
            <Show when=move || !shows_all.get()>
                <p class="report-line">
                    <button type="button" class="link" on:click=move |_| shows_all.set(true)>
                        {format!("Show all {}", counted(all, "session", "sessions"))}
                    </button>
                </p>
            </Show>
        </section>
    }
}
