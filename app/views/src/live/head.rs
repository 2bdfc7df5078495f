//! The head of a live session: its name, its state and its actions.

use leptos::prelude::*;

use super::name::NameButton;
use crate::live::state::workspace::{LiveWorkspace, Question};
use crate::shared::run_address::{run_address, run_of_session};
use app::components::copy_button::CopyButton;
use app::state::Link;
use app::state::excerpt::visible_name;
use app::state::times::elapsed;
use app::state::use_page;

/// The description, the chips, the buttons.
#[component]
pub(super) fn LiveHead(
    /// The workspace.
    workspace: LiveWorkspace,
) -> impl IntoView {
    let (clock, link) = (use_page().clock, use_page().connection.link);
    // Without the host it is not known whether the turn is still pending.
    let is_known = Memo::new(move |_| {
        !matches!(link.get(), Link::Reconnecting(_) | Link::LoggedOut | Link::Blocked)
    });
    let title = move || {
        workspace.summary.with(|summary| match summary.as_ref().map(|it| it.description.as_str()) {
            None | Some("") => "Live session".to_owned(),
            Some(description) => visible_name(description),
        })
    };
    let waiting = move || {
        workspace.summary.with(|summary| {
            let summary = summary.as_ref()?;
            let head = summary.head()?;
            if !is_known.get() {
                return Some(format!("{} waited", summary.depth));
            }
            let now = clock.now.get()?.as_millisecond();
            Some(format!("{} waiting · {}", summary.depth, elapsed(now - head.since_ms)))
        })
    };
    let is_disconnected = move || {
        workspace.summary.with(|summary| {
            summary.as_ref().and_then(|it| it.head()).is_some_and(|head| !head.is_awaited)
        })
    };
    let run = move || {
        let run = workspace.summary.with(|it| run_of_session(&it.as_ref()?.description))?;
        Some(view! { <a class="link" href=run_address(run)>"Run " {run}</a> })
    };
    view! {
        <leptos_meta::Title text=title/>
        <header class="page-head">
            <h1 title=title>{title}</h1>
            {move || match (waiting(), workspace.is_completed()) {
                (Some(waiting), _) => view! { <span class="chip" class:live=is_known>{waiting}</span> }.into_any(),
                (None, true) => view! { <span class="chip done">"completed"</span> }.into_any(),
                (None, false) => view! { <span class="chip">"no pending requests"</span> }.into_any(),
            }}
            <Show when=is_disconnected>
                <span class="chip warn" title="The agent is disconnected. It reconnects for the response.">"agent disconnected"</span>
            </Show>
            <CopyButton what="the session ID" shown="Copy ID" text=Callback::new(move |()| workspace.id.get_value().to_string())/>
            {run}
            <span class="grow"></span>
            <NameButton/>
            <button
                type="button"
                class="button quiet"
                aria-pressed=move || workspace.goes_on.get().to_string()
                title="Opens the next waiting session after a response, unless this one has another request"
                on:click=move |_| workspace.toggle_going_on()
            >
                "Open next session after response"
            </button>
            <button type="button" class="button" on:click=move |_| workspace.open_next()>
                "Next waiting session" <kbd>"Alt N"</kbd>
            </button>
            <Show when=move || !workspace.is_completed() && !workspace.is_deleted.get()>
                <button type="button" class="button" on:click=move |_| workspace.ask(Question::Complete)>
                    "Complete session"
                </button>
            </Show>
            <Show when=move || workspace.is_completed() && !workspace.is_deleted.get()>
                <button type="button" class="button" on:click=move |_| workspace.ask(Question::Delete)>
                    "Delete session"
                </button>
            </Show>
        </header>
    }
}
