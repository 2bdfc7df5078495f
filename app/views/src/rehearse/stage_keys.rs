//! The keys of a rehearsal, and its commands in the palette.

use leptos::ev;
use leptos::prelude::*;
use session::SessionState;

use crate::rehearse::history::{TIMELINE, toggle_all_rows};
use crate::rehearse::state::replay::Replay;
use crate::rehearse::state::stage::{Stage, Tab};
use crate::shared::keys::{
    command, focus_filter, focus_response, focus_tools, listen, offer, search_instructions,
    tool_commands,
};
use app::state::browser;
use app::state::palette::Command;

/// Listens to the keys while `stage` is shown; `replay` is the case that is played again on it.
pub fn listen_to_keys(stage: Stage, replay: Replay) {
    listen(move |event| press(stage, replay, event));
}

/// Does what the key means; false when it means nothing here.
fn press(stage: Stage, replay: Replay, event: &ev::KeyboardEvent) -> bool {
    let with_control = event.ctrl_key() || event.meta_key();
    let key = event.key();
    if with_control {
        if key == "Enter" {
            stage.act();
        }
        return key == "Enter";
    }
    if event.alt_key() {
        return false;
    }
    if key == "Escape" {
        // Out of a field first: what is typed there may be the result that a call waits for, and the
        // single keys below mean something again.
        if browser::is_typing() {
            return browser::leave_field();
        }
        let is_pending = stage.rehearsal.session.read_untracked().pending().is_some();
        if is_pending {
            stage.rehearsal.returns_focus.set(true);
            stage.rehearsal.cancel();
        }
        return is_pending;
    }
    if browser::is_typing() {
        return false;
    }
    match key.to_lowercase().as_str() {
        "n" if replay.eval_id.read_untracked().is_some() => replay.fill_in(),
        "t" => go_to_tools(stage),
        "h" => {
            browser::focus_first(TIMELINE, "[tabindex='0']");
        }
        "f" => go_to_response(stage),
        "/" => {
            stage.show(Tab::Call);
            focus_filter();
        }
        _ => return false,
    }
    true
}

fn go_to_tools(stage: Stage) {
    stage.show(Tab::Call);
    stage.code.and_then(|_| focus_tools());
}

fn go_to_response(stage: Stage) {
    stage.show(Tab::Respond);
    stage.code.and_then(|_| focus_response());
}

/// Offers the stage's commands in the palette while it is shown.
pub fn offer_commands(stage: Stage) {
    offer(move || commands(stage));
}

fn commands(stage: Stage) -> Vec<Command> {
    let mut commands = stage
        .tools
        .with(|tools| tool_commands(tools, move |tool| stage.choose_tool(tool.name.as_str())));
    let session = stage.rehearsal.session.read();
    if session.state() != SessionState::Completed {
        commands.push(command("Final response", Some("F"), move || go_to_response(stage)));
    } else {
        commands.push(command("Export", None, move || stage.rehearsal.export()));
    }
    if session.pending().is_some() {
        commands.push(command("Cancel call", Some("Esc"), move || stage.rehearsal.cancel()));
    }
    if !session.calls().is_empty() {
        let toggle = move || toggle_all_rows(stage);
        commands.push(command("Expand or collapse all entries", None, toggle));
        let raw = move || stage.shows_raw.update(|raw| *raw = !*raw);
        commands.push(command("Show history as JSON or entries", None, raw));
    }
    commands.push(search_instructions());
    let log = move || stage.shows_log.update(|shown| *shown = !*shown);
    commands.push(command("Show or hide log", None, log));
    commands.push(command("Start over", None, move || stage.start_over()));
    commands
}
