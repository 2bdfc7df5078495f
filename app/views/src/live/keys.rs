//! The keys of a live session, and its commands in the palette.

use leptos::ev;
use leptos::prelude::*;

use crate::live::state::workspace::{LiveWorkspace, Question};
use crate::shared::keys::{
    command, focus_filter, focus_response, focus_tools, listen, offer, search_instructions,
    tool_commands,
};
use crate::shared::shortcuts::{FORM, Group, ROWS};
use app::state::browser;
use app::state::live_draft::Side;
use app::state::palette::Command;

/// Listens to the keys while the session is shown.
pub(super) fn listen_to_keys(workspace: LiveWorkspace) {
    listen(move |event| press(workspace, event));
}

fn press(workspace: LiveWorkspace, event: &ev::KeyboardEvent) -> bool {
    let key = event.key();
    if event.ctrl_key() || event.meta_key() {
        if key == "Enter" {
            if untrack(|| {
                workspace.ahead() == Some(0)
                    || workspace.is_ahead.get()
                    || workspace.closing().is_some()
            }) {
                workspace.send();
            } else {
                browser::press("export");
            }
        }
        return key == "Enter";
    }
    if event.alt_key() {
        // The key by its place: with Alt it may type another letter.
        let is_next = event.code() == "KeyN";
        if is_next {
            workspace.open_next();
        }
        return is_next;
    }
    if key == "Escape" {
        let is_left = browser::is_typing() || browser::focused_id().starts_with("event-");
        return is_left && browser::leave_field();
    }
    if browser::is_typing() {
        return false;
    }
    match key.to_lowercase().as_str() {
        "t" => to_tools(workspace),
        "f" => to_text(workspace),
        "/" => {
            workspace.show(Side::Call);
            focus_filter();
        }
        _ => return false,
    }
    true
}

/// The keys of a live session.
pub(super) const SHORTCUTS: &[Group] = &[
    (
        "Live session",
        &[
            ("Ctrl ↵", "Send the response, or export"),
            ("Alt N", "Next waiting session"),
            ("T", "Call tools"),
            ("/", "Filter tools"),
            ("F", "Respond with text"),
            ("Esc", "Leave the field or row"),
        ],
    ),
    ROWS,
    FORM,
];

fn to_tools(workspace: LiveWorkspace) {
    workspace.show(Side::Call);
    focus_tools();
}

fn to_text(workspace: LiveWorkspace) {
    workspace.show(Side::Text);
    focus_response();
}

/// Offers the session's commands in the palette while it is shown.
pub(super) fn offer_commands(workspace: LiveWorkspace) {
    offer(move || commands(workspace));
}

fn commands(workspace: LiveWorkspace) -> Vec<Command> {
    let asks = |question| move || workspace.ask(question);
    let mut commands = Vec::new();
    if workspace.ahead() == Some(0) {
        commands = tool_commands(&workspace.tools(), move |tool| workspace.choose(&tool.name));
        commands.push(command("Respond with text", Some("F"), move || to_text(workspace)));
        commands.push(command("Send response", Some("Ctrl ↵"), move || workspace.send()));
        commands.push(command("Cancel request", None, asks(Question::Cancel)));
    }
    if !workspace.is_completed() {
        commands.push(command("Complete session", None, asks(Question::Complete)));
    }
    commands.push(command("Next waiting session", Some("Alt N"), move || workspace.open_next()));
    let events = move || workspace.shows_events.update(|shown| *shown = !*shown);
    commands.push(command("Switch between conversation and session", None, events));
    commands.push(search_instructions());
    commands
}
