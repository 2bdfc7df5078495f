//! One live session: the model's input on the left, the conversation or the events in the middle, the
//! response on the right.

use api::{LiveId, LiveTurnId};
use leptos::prelude::*;

use super::conversation::Conversation;
use super::dialogs::Dialogs;
use super::head::LiveHead;
use super::keys::{SHORTCUTS, listen_to_keys, offer_commands};
use super::request::Request;
use super::response::ResponseColumn;
use super::timeline::Timeline;
use crate::live::state::workspace::{LiveWorkspace, use_live_workspace};
use crate::shared::columns::{left_separator, resize_columns, right_separator};
use crate::shared::shortcuts::Shortcuts;
use crate::shared::value_pane::Switch;
use app::components::icon::{Glyph, Icon};
use app::state::base_path::address;
use app::state::times::counted;

/// The session, or why it cannot be shown.
#[component]
pub fn LiveSession(
    /// The session.
    session: LiveId,
    /// The turn that the address names.
    turn: Memo<Option<LiveTurnId>>,
) -> impl IntoView {
    let workspace = use_live_workspace(session, turn);
    provide_context(workspace);
    let is_known = Memo::new(move |_| workspace.summary.read().is_some());
    let wait = move || match workspace.fault.get() {
        Some(error) => view! {
            <div class="sheet" role="alert">
                <h1>"Session cannot be shown"</h1>
                <p>{error.to_string()}</p>
                <p><a class="link" href=address("/live")>"View live sessions"</a></p>
            </div>
        }
        .into_any(),
        None => view! { <p class="quiet veil">"Opening the session…"</p> }.into_any(),
    };
    // A session that was shown once stays on the page, even when a later request for it fails: input
    // would be lost otherwise.
    move || match is_known.get() {
        true => view! { <Shown workspace/> }.into_any(),
        false => wait().into_any(),
    }
}

#[component]
fn Shown(
    /// The workspace.
    workspace: LiveWorkspace,
) -> impl IntoView {
    listen_to_keys(workspace);
    offer_commands(workspace);
    resize_columns();
    let middle = move || match workspace.shows_events.get() {
        true => view! { <Timeline/> }.into_any(),
        false => view! { <Conversation/> }.into_any(),
    };
    view! {
        <LiveHead workspace/>
        <div class="columns">
            <section class="left" tabindex="-1" aria-label="Model input"><Request/></section>
            {left_separator()}
            <section class="middle" tabindex="-1" aria-label="The session">
                <Toolbar/>
                <Deleted/>
                <Notice/>
                {middle}
            </section>
            {right_separator()}
            <section class="right" tabindex="-1" aria-label="Response"><ResponseColumn/></section>
        </div>
        <Dialogs/>
        <Shortcuts groups=SHORTCUTS/>
        <p class="unseen" role="status" aria-live="polite">{move || workspace.announcement.get()}</p>
    }
}

#[component]
fn Toolbar() -> impl IntoView {
    let workspace = crate::live::state::workspace::use_this_live_workspace();
    let summary = move || {
        if workspace.shows_events.get() {
            let events = workspace.summary.with(|it| it.as_ref().map_or(0, |it| it.events));
            return counted(usize::try_from(events).unwrap_or(usize::MAX), "event", "events");
        }
        let of = |turn: &api::LiveTurn| {
            format!("{} sees {}", turn.agent, counted(turn.contents.len(), "message", "messages"))
        };
        workspace.turn.with(|turn| turn.as_ref().map(of).unwrap_or_default())
    };
    view! {
        <div class="toolbar">
            <h2>{move || if workspace.shows_events.get() { "Session" } else { "Conversation" }}</h2>
            <span class="quiet">{summary}</span>
            <span class="grow"></span>
            <Switch on=workspace.shows_events off_label="Conversation" on_label="Session" label="View"/>
        </div>
    }
}

/// Reports that the session on the page is deleted.
#[component]
fn Deleted() -> impl IntoView {
    let workspace = crate::live::state::workspace::use_this_live_workspace();
    view! {
        <Show when=move || workspace.is_deleted.get()>
            <div class="notices">
                <div class="notice" role="alert">
                    <Icon glyph=Glyph::Warning/>
                    <p>"This session was deleted. The page shows what it last received, and a response cannot be sent."</p>
                    <a class="button" href=address("/live")>"View live sessions"</a>
                </div>
            </div>
        </Show>
    }
}

#[component]
fn Notice() -> impl IntoView {
    let workspace = crate::live::state::workspace::use_this_live_workspace();
    move || {
        workspace.notice.get().map(|notice| view! {
            <div class="notices">
                <div class="notice" role="alert">
                    <Icon glyph=Glyph::Warning/>
                    <p>{notice}</p>
                    <button type="button" class="button quiet" on:click=move |_| workspace.notice.set(None)>"Dismiss"</button>
                </div>
            </div>
        })
    }
}
