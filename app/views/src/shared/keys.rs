//! The keys and the palette's commands that a rehearsal and a live session share.

use api::ToolView;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::shared::state::catalog::first_line;
use crate::shared::tool_catalog::FILTER;
use app::state::browser;
use app::state::excerpt::visible_name;
use app::state::palette::Command;
use app::state::use_page;

/// The id of the instructions' search field in the document.
pub const INSTRUCTION_SEARCH: &str = "instruction-search";

/// Listens to the keys while the current owner lives. `press` runs a key's action, and returns false
/// when it has none. `?` opens the list of shortcuts.
pub fn listen(press: impl Fn(&ev::KeyboardEvent) -> bool + Copy + 'static) {
    let shows_shortcuts = use_page().palette.shows_shortcuts;
    Effect::new(move |_| {
        let handle = window_event_listener(ev::keydown, move |event| {
            if browser::has_dialog() || event.default_prevented() {
                return;
            }
            let is_of_list = event.key() == "?" && !browser::is_typing();
            if is_of_list {
                shows_shortcuts.set(true);
            }
            if is_of_list || press(&event) {
                event.prevent_default();
            }
        });
        on_cleanup(move || handle.remove());
    });
}

/// A handler of a form's keys that sends it by Ctrl Enter, in place of the page's next step.
pub fn send_by_key(send: impl Fn() + 'static) -> impl Fn(ev::KeyboardEvent) + 'static {
    move |event| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            send();
        }
    }
}

/// Offers commands in the palette while the current owner lives.
pub fn offer(commands: impl Fn() -> Vec<Command> + Send + Sync + 'static) {
    let palette = use_page().palette;
    palette.offer(Callback::new(move |()| {
        let show = move || palette.shows_shortcuts.set(true);
        let mut commands = commands();
        commands.push(command("Show keyboard shortcuts", Some("?"), show));
        commands
    }));
}

/// Runs `then` once another side of the panel is drawn: the state changes in the next frame, the panel in
/// the one after it.
pub fn once_shown(then: impl FnOnce() -> bool + 'static) {
    browser::after_drawing(move || browser::after_drawing(then));
}

/// Moves the focus before the next key arrives, so that no typed letter is lost: effects run before the
/// browser dispatches another event. An open dialog, such as the palette, restores the focus when it
/// closes.
pub fn focus_now(focus: impl Fn() -> bool + 'static) {
    if browser::has_dialog() {
        return once_shown(focus);
    }
    spawn_local(async move {
        browser::next_microtask().await;
        if !focus() {
            once_shown(focus);
        }
    });
}

/// Focuses the form of the tool that was just chosen.
pub fn focus_chosen_tool() {
    focus_now(|| browser::focus_form("tool-form"));
}

/// Focuses the form of the chosen tool, else the tool filter.
pub fn focus_tools() {
    focus_now(|| browser::focus_form("tool-form") || browser::focus(FILTER));
}

/// Focuses the tool filter.
pub fn focus_filter() {
    focus_now(|| browser::focus(FILTER));
}

/// Focuses the text or the form of the response.
pub fn focus_response() {
    focus_now(|| browser::focus_form("response"));
}

/// Focuses the response or the form of the chosen tool, whichever is shown, else the tool filter; false
/// when none is shown.
pub fn focus_shown() -> bool {
    browser::focus_form("response") || browser::focus_form("tool-form") || browser::focus(FILTER)
}

/// Focuses the form on the right.
pub fn focus_panel() {
    focus_now(focus_shown);
}

/// A command of the palette.
pub fn command(
    name: &str,
    keys: Option<&'static str>,
    run: impl Fn() + Send + Sync + 'static,
) -> Command {
    Command {
        group: "Actions",
        name: name.to_owned(),
        note: String::new(),
        keys,
        run: Callback::new(move |()| run()),
    }
}

/// The command that focuses the search of the instructions.
pub fn search_instructions() -> Command {
    command("Search instructions", None, || {
        browser::focus(INSTRUCTION_SEARCH);
    })
}

/// A command for each tool, which chooses it and focuses its form.
pub fn tool_commands(
    tools: &[ToolView],
    choose: impl Fn(&ToolView) + Copy + Send + Sync + 'static,
) -> Vec<Command> {
    let command = |tool: &ToolView| {
        let chosen = tool.clone();
        Command {
            group: "Tool",
            name: visible_name(tool.name.as_str()),
            note: first_line(&tool.description),
            keys: None,
            run: Callback::new(move |()| {
                choose(&chosen);
                once_shown(|| browser::focus_form("tool-form"));
            }),
        }
    };
    tools.iter().map(command).collect()
}
