//! The keys of a live session, and its commands in the palette.

use leptos::ev;
use leptos::prelude::*;

use crate::live::state::stage::{LiveStage, Question};
use crate::shared::keys::{
    command, focus_filter, focus_response, focus_tools, listen, offer, search_instructions,
    tool_commands,
};
use app::state::browser;
use app::state::live_draft::Side;
use app::state::palette::Command;

/// Listens to the keys while the session is shown.
pub(super) fn listen_to_keys(stage: LiveStage) {
    listen(move |event| press(stage, event));
}

fn press(stage: LiveStage, event: &ev::KeyboardEvent) -> bool {
    let key = event.key();
    if event.ctrl_key() || event.meta_key() {
        if key == "Enter" {
            if untrack(|| stage.ahead()) == Some(0) {
                stage.send();
            } else {
                browser::press("export");
            }
        }
        return key == "Enter";
    }
    if event.alt_key() {
        return false;
    }
    if key == "Escape" {
        return browser::is_typing() && browser::leave_field();
    }
    if browser::is_typing() {
        return false;
    }
    match key.to_lowercase().as_str() {
        "t" => to_tools(stage),
        "f" => to_text(stage),
        "/" => {
            stage.show(Side::Call);
            focus_filter();
        }
        _ => return false,
    }
    true
}

fn to_tools(stage: LiveStage) {
    stage.show(Side::Call);
    focus_tools();
}

fn to_text(stage: LiveStage) {
    stage.show(Side::Text);
    focus_response();
}

/// Offers the session's commands in the palette while it is shown.
pub(super) fn offer_commands(stage: LiveStage) {
    offer(move || commands(stage));
}

fn commands(stage: LiveStage) -> Vec<Command> {
    let asks = |question| move || stage.question.set(Some(question));
    let mut commands = Vec::new();
    if stage.ahead() == Some(0) {
        commands = tool_commands(&stage.tools(), move |tool| stage.choose(&tool.name));
        commands.push(command("Respond with text", Some("F"), move || to_text(stage)));
        commands.push(command("Send answer", Some("Ctrl ↵"), move || stage.send()));
        commands.push(command("Cancel turn", None, asks(Question::Cancel)));
    }
    if !stage.is_completed() {
        commands.push(command("Complete session", None, asks(Question::Complete)));
    }
    let events = move || stage.shows_events.update(|shown| *shown = !*shown);
    commands.push(command("Switch between conversation and session", None, events));
    commands.push(search_instructions());
    commands
}
