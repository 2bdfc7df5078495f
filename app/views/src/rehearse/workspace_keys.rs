//! The keys of a rehearsal, and its commands in the palette.

use leptos::ev;
use leptos::prelude::*;
use session::{PendingPhase, SessionState};

use crate::rehearse::history::{QUESTION, TIMELINE, WANTED, toggle_all_rows};
use crate::rehearse::state::replay::Replay;
use crate::rehearse::state::workspace::{Tab, Workspace};
use crate::shared::keys::{
    command, focus_filter, focus_response, focus_tools, listen, offer, search_instructions,
    tool_commands,
};
use crate::shared::shortcuts::{FORM, Group, ROWS};
use app::state::browser;
use app::state::palette::Command;
use app::state::rehearsal::{Action, Rehearsal};

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
    if browser::is_typing() {
        // Whoever goes on to another field presses it too, and must not end a call by that.
        return key == "Escape" && browser::leave_field();
    }
    if key == "Escape" {
        if untrack(|| esc_cancels(workspace.rehearsal)) {
            workspace.rehearsal.returns_focus.set(true);
            workspace.perform(Action::Cancel);
            return true;
        }
        return browser::focused_id().starts_with("row-") && browser::leave_field();
    }
    match key.to_lowercase().as_str() {
        "n" if replay.eval_id.read_untracked().is_some() => replay.fill_in(),
        "t" => go_to_tools(workspace),
        "h" => {
            // The row, and not a value in it.
            let _ = browser::focus_first(TIMELINE, "[id^='row-'][tabindex='0']")
                || browser::focus_first(TIMELINE, "[tabindex='0']");
        }
        "f" => go_to_response(workspace),
        "r" => return browser::focus_form(WANTED) || browser::focus_form(QUESTION),
        "/" => {
            workspace.show(Tab::Call);
            focus_filter();
        }
        _ => return false,
    }
    true
}

/// Whether Esc outside of a field cancels the call under way, as its button says: it runs, and does not wait for the
/// person. Tracked.
pub fn esc_cancels(rehearsal: Rehearsal) -> bool {
    let session = rehearsal.session.read();
    // While the person acts as an agent, only what it calls: Esc must not end it.
    match session.busy_with().map(|pending| &pending.phase) {
        None
        | Some(PendingPhase::AwaitingResult { .. } | PendingPhase::AwaitingConfirmation { .. }) => {
            false
        }
        Some(_) => rehearsal.questions.read().is_empty(),
    }
}

pub fn go_to_tools(workspace: Workspace) {
    workspace.show(Tab::Call);
    workspace.code.and_then(|_| focus_tools());
}

pub fn go_to_response(workspace: Workspace) {
    workspace.show(Tab::Respond);
    workspace.code.and_then(|_| focus_response());
}

/// The keys of a rehearsal.
pub const SHORTCUTS: &[Group] = &[
    (
        "Rehearsal",
        &[
            ("Ctrl ↵", "Next step: start, run or send"),
            ("↵", "Export, after the final response"),
            ("T", "Call a tool"),
            ("/", "Filter tools"),
            ("F", "Final response"),
            ("H", "History"),
            ("N", "Fill in the next step of the rehearsed case"),
            ("Esc", "Leave the field or row; outside of a field, cancel a call that runs"),
            ("R", "What a call waits for: its result, confirmation or answer"),
            ("Y", "Confirm the call"),
            ("N", "Deny the call"),
            ("P", "Act as the called agent"),
        ],
    ),
    ROWS,
    FORM,
];

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
        commands.push(command("Export", None, move || workspace.perform(Action::Export)));
    }
    if session.pending().is_some() {
        let cancel = move || workspace.perform(Action::Cancel);
        let key = esc_cancels(workspace.rehearsal).then_some("Esc");
        commands.push(command("Cancel call", key, cancel));
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
