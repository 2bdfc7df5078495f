//! The keys of a rehearsal, and its commands in the palette.

use leptos::ev;
use leptos::prelude::*;
use session::SessionState;

use crate::components::history::toggle_all_rows;
use crate::components::instructions::SEARCH;
use crate::components::tool_catalogue::FILTER;
use crate::state::catalogue::first_line;
use crate::state::palette::Command;
use crate::state::replay::Replay;
use crate::state::stage::{Stage, Tab};
use crate::state::{browser, use_page};

/// Listens to the keys while `stage` is shown; `replay` is the case that is played again on it.
pub fn listen_to_keys(stage: Stage, replay: Replay) {
    Effect::new(move |_| {
        let handle = window_event_listener(ev::keydown, move |event| {
            if !browser::has_dialog() && !event.default_prevented() && press(stage, replay, &event)
            {
                event.prevent_default();
            }
        });
        on_cleanup(move || handle.remove());
    });
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
        let is_pending = stage.rehearsal.session.read_untracked().pending().is_some();
        if is_pending {
            stage.rehearsal.returns_focus.set(true);
            stage.rehearsal.cancel();
        }
        // Out of a field, so that the single keys below mean something.
        return is_pending || browser::is_typing() && browser::leave_field();
    }
    if browser::is_typing() {
        return false;
    }
    match key.to_lowercase().as_str() {
        "n" if replay.eval_id.read_untracked().is_some() => replay.fill_in(),
        "t" => go_to_tools(stage),
        "f" => go_to_response(stage),
        "/" => {
            stage.show(Tab::Call);
            once_shown(|| browser::focus(FILTER));
        }
        _ => return false,
    }
    true
}

/// Runs `then` once another side of the panel is drawn: the address changes in the next frame, the
/// panel after it.
fn once_shown(then: impl FnOnce() -> bool + 'static) {
    browser::after_drawing(move || browser::after_drawing(then));
}

fn go_to_tools(stage: Stage) {
    stage.show(Tab::Call);
    once_shown(|| browser::focus_form("tool-form") || browser::focus(FILTER));
}

fn go_to_response(stage: Stage) {
    stage.show(Tab::Respond);
    once_shown(|| browser::focus_form("response"));
}

/// Offers the stage's commands in the palette while it is shown.
pub fn offer_commands(stage: Stage) {
    let palette = use_page().palette;
    Effect::new(move |_| palette.offer(commands(stage)));
    on_cleanup(move || palette.offer(Vec::new()));
}

fn commands(stage: Stage) -> Vec<Command> {
    let command = |name: &str, keys: Option<&'static str>, run: Callback<()>| Command {
        group: "Do",
        name: name.to_owned(),
        note: String::new(),
        keys,
        run,
    };
    let mut commands: Vec<Command> = stage.tools.with(|tools| {
        tools
            .iter()
            .map(|tool| {
                let name = tool.name.to_string();
                Command {
                    group: "Tool",
                    name: name.clone(),
                    note: first_line(&tool.description),
                    keys: None,
                    run: Callback::new(move |()| {
                        stage.choose_tool(&name);
                        once_shown(|| browser::focus_form("tool-form"));
                    }),
                }
            })
            .collect()
    });
    let session = stage.rehearsal.session.read();
    if session.state() != SessionState::Completed {
        let respond = Callback::new(move |()| go_to_response(stage));
        commands.push(command("Final response", Some("F"), respond));
    } else {
        commands.push(command("Export", None, Callback::new(move |()| stage.rehearsal.export())));
    }
    if session.pending().is_some() {
        let cancel = Callback::new(move |()| stage.rehearsal.cancel());
        commands.push(command("Cancel the call", Some("Esc"), cancel));
    }
    if !session.calls().is_empty() {
        let toggle = Callback::new(move |()| toggle_all_rows(stage));
        commands.push(command("Expand or collapse all rows", None, toggle));
        let raw = Callback::new(move |()| stage.shows_raw.update(|raw| *raw = !*raw));
        commands.push(command("History as JSON or rows", None, raw));
    }
    let search = Callback::new(|()| {
        browser::focus(SEARCH);
    });
    commands.push(command("Search the instructions", None, search));
    let log = Callback::new(move |()| stage.shows_log.update(|shown| *shown = !*shown));
    commands.push(command("Show or hide the log", None, log));
    commands.push(command("Start over", None, Callback::new(move |()| stage.start_over())));
    commands
}
