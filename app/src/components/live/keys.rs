//! The keys of a live session, and its commands in the palette.

use leptos::ev;
use leptos::prelude::*;

use crate::components::instructions::SEARCH;
use crate::state::catalogue::first_line;
use crate::state::live_draft::Side;
use crate::state::live_stage::{FILTER, LiveStage, Question};
use crate::state::palette::Command;
use crate::state::{browser, use_page};

/// Listens to the keys while the session is shown.
pub(super) fn listen_to_keys(stage: LiveStage) {
    Effect::new(move |_| {
        let handle = window_event_listener(ev::keydown, move |event| {
            if !browser::has_dialog() && !event.default_prevented() && press(stage, &event) {
                event.prevent_default();
            }
        });
        on_cleanup(move || handle.remove());
    });
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
            once_shown(|| browser::focus(FILTER));
        }
        _ => return false,
    }
    true
}

fn once_shown(then: impl FnOnce() -> bool + 'static) {
    browser::after_drawing(move || browser::after_drawing(then));
}

fn to_tools(stage: LiveStage) {
    stage.show(Side::Call);
    once_shown(|| browser::focus_form("tool-form") || browser::focus(FILTER));
}

fn to_text(stage: LiveStage) {
    stage.show(Side::Text);
    once_shown(|| browser::focus_form("response"));
}

/// Offers the session's commands in the palette while it is shown.
pub(super) fn offer_commands(stage: LiveStage) {
    let palette = use_page().palette;
    Effect::new(move |_| palette.offer(commands(stage)));
    on_cleanup(move || palette.offer(Vec::new()));
}

fn commands(stage: LiveStage) -> Vec<Command> {
    let command = |name: &str, keys: Option<&'static str>, run: Callback<()>| Command {
        group: "Do",
        name: name.to_owned(),
        note: String::new(),
        keys,
        run,
    };
    let mut commands = Vec::new();
    if stage.ahead() == Some(0) {
        commands.extend(stage.tools().into_iter().map(|tool| Command {
            group: "Tool",
            name: tool.name.to_string(),
            note: first_line(&tool.description),
            keys: None,
            run: Callback::new(move |()| {
                stage.choose(&tool.name);
                once_shown(|| browser::focus_form("tool-form"));
            }),
        }));
        let text = Callback::new(move |()| to_text(stage));
        commands.push(command("Answer in text", Some("F"), text));
        let send = Callback::new(move |()| stage.send());
        commands.push(command("Send the answer", Some("Ctrl ↵"), send));
        let cancel = Callback::new(move |()| stage.question.set(Some(Question::Cancel)));
        commands.push(command("Cancel the turn", None, cancel));
    }
    if !stage.is_completed() {
        let complete = Callback::new(move |()| stage.question.set(Some(Question::Complete)));
        commands.push(command("Complete the session", None, complete));
    }
    let events = Callback::new(move |()| stage.shows_events.update(|shown| *shown = !*shown));
    commands.push(command("Conversation or session", None, events));
    let search = Callback::new(|()| {
        browser::focus(SEARCH);
    });
    commands.push(command("Search the instructions", None, search));
    commands
}
