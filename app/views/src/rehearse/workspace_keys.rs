//! The keys of a rehearsal, and its commands in the palette.

use leptos::ev;
use leptos::prelude::*;
use session::SessionState;

use crate::rehearse::history::{TIMELINE, toggle_all_rows};
use crate::rehearse::state::replay::Replay;
use crate::rehearse::state::workspace::{Tab, Workspace};
use crate::shared::keys::{
    command, focus_filter, focus_response, focus_tools, listen, offer, search_instructions,
    tool_commands,
};
use app::state::browser;
use app::state::palette::Command;

/// Listens to the keys while `workspace` is shown; `replay` is the case that is rehearsed again in it.
pub fn listen_to_keys(workspace: Workspace, replay: Replay) {
    listen(move |event| press(workspace, replay, event));
}

/// Runs the key's action; false when it has none here.
fn press(workspace: Workspace, replay: Replay, event: &ev::KeyboardEvent) -> bool {
    let with_control = event.ctrl_key() || event.meta_key();
    let key = event.key();
    if with_control {
        if key == "Enter" {
            workspace.act();
        }
        return key == "Enter";
    }
    if event.alt_key() {
        return false;
    }
    if key == "Escape" {
        // Leaves a field first: it may contain the result that a call waits for. Outside of it, the
        // single keys below work again.
        if browser::is_typing() {
            return browser::leave_field();
        }
        let is_pending = workspace.rehearsal.session.read_untracked().pending().is_some();
        if is_pending {
            workspace.rehearsal.returns_focus.set(true);
            workspace.rehearsal.cancel();
        }
        return is_pending;
    }
    if browser::is_typing() {
        return false;
    }
    match key.to_lowercase().as_str() {
        "n" if replay.eval_id.read_untracked().is_some() => replay.fill_in(),
        "t" => go_to_tools(workspace),
        "h" => {
            browser::focus_first(TIMELINE, "[tabindex='0']");
        }
        "f" => go_to_response(workspace),
        "/" => {
            workspace.show(Tab::Call);
            focus_filter();
        }
        _ => return false,
    }
    true
}

fn go_to_tools(workspace: Workspace) {
    workspace.show(Tab::Call);
    workspace.code.and_then(|_| focus_tools());
}

fn go_to_response(workspace: Workspace) {
    workspace.show(Tab::Respond);
    workspace.code.and_then(|_| focus_response());
}

/// Offers the workspace's commands in the palette while it is shown.
pub fn offer_commands(workspace: Workspace) {
    offer(move || commands(workspace));
}

fn commands(workspace: Workspace) -> Vec<Command> {
    let mut commands = workspace
        .tools
        .with(|tools| tool_commands(tools, move |tool| workspace.choose_tool(tool.name.as_str())));
    let session = workspace.rehearsal.session.read();
    if session.state() != SessionState::Completed {
        commands.push(command("Final response", Some("F"), move || go_to_response(workspace)));
    } else {
        commands.push(command("Export", None, move || workspace.rehearsal.export()));
    }
    if session.pending().is_some() {
        commands.push(command("Cancel call", Some("Esc"), move || workspace.rehearsal.cancel()));
    }
    if !session.calls().is_empty() {
        let toggle = move || toggle_all_rows(workspace);
        commands.push(command("Expand or collapse all entries", None, toggle));
        let raw = move || workspace.shows_raw.update(|raw| *raw = !*raw);
        commands.push(command("Show history as JSON or entries", None, raw));
    }
    commands.push(search_instructions());
    let log = move || workspace.shows_log.update(|shown| *shown = !*shown);
    commands.push(command("Show or hide log", None, log));
    commands.push(command("Start over", None, move || workspace.start_over()));
    commands
}
