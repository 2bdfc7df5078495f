//! The command palette, opened by Ctrl K.

use api::{AgentStatus, AgentSummary};
use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use leptos_router::hooks::{use_location, use_navigate};

use app::components::dialog::Dialog;
use app::components::icon::{Glyph, Icon};
use app::state::base_path::{address, path_in, unresolved};
use app::state::palette::{Command, ranked};
use app::state::{Page, browser, use_page};

/// How many commands are shown at once.
const SHOWN: usize = 50;

/// The palette and its keyboard shortcut.
#[component]
pub fn CommandPalette() -> impl IntoView {
    let open = use_page().palette.open;
    Effect::new(move |_| {
        let handle = window_event_listener(ev::keydown, move |event| {
            if (event.ctrl_key() || event.meta_key()) && event.key().eq_ignore_ascii_case("k") {
                event.prevent_default();
                if open.get_untracked() || !browser::has_dialog() {
                    open.update(|open| *open = !*open);
                }
            }
        });
        on_cleanup(move || handle.remove());
    });
    let is_open = Memo::new(move |_| open.get());
    view! {
        <Dialog open=is_open on_close=move |()| open.set(false) label="Search or jump" class="palette">
            <Choices/>
        </Dialog>
    }
}

#[component]
fn Choices() -> impl IntoView {
    let page = use_page();
    let go = use_navigate();
    let path = use_location().pathname;
    let navigate: Navigate = StoredValue::new_local(Box::new(move |path| {
        if !page.unsaved.blocks_leaving() {
            go(&address(path), unresolved());
        }
    }));
    let typed = RwSignal::new(String::new());
    let chosen = RwSignal::new(0_usize);
    let input = NodeRef::<html::Input>::new();
    // Commands cannot be compared: each new list counts as changed.
    let matching = Memo::new_with_compare(
        move |_| matching(page, navigate, &typed.read(), path_in(&path.read())),
        |_, _| true,
    );
    Effect::new(move |_| {
        if let Some(input) = input.get() {
            browser::focus_element(&input);
        }
    });
    let run = move |command: Callback<()>| {
        // Before the palette closes, which drops its commands. A command that moves the focus does
        // so in the next frame, after the dialog has restored it.
        command.run(());
        page.palette.open.set(false);
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let last = matching.read_untracked().len().saturating_sub(1);
        let here = chosen.get_untracked();
        let to = match event.key().as_str() {
            "ArrowDown" => {
                if here >= last {
                    0
                } else {
                    here + 1
                }
            }
            "ArrowUp" => {
                if here == 0 {
                    last
                } else {
                    here - 1
                }
            }
            "Enter" => {
                event.prevent_default();
                let command = matching.with_untracked(|it| it.get(here).map(|it| it.run));
                if let Some(command) = command {
                    run(command);
                }
                return;
            }
            _ => return,
        };
        event.prevent_default();
        chosen.set(to);
        browser::reveal(&format!("command-{to}"));
    };
    let option = move |(row, command): (usize, Command)| {
        // The title shows a name that is too long for its line.
        let whole_name = command.name.clone();
        view! {
            <li
                id=format!("command-{row}")
                role="option"
                aria-selected=move || (chosen.get() == row).to_string()
                on:mousemove=move |_| chosen.set(row)
                on:click=move |_| run(command.run)
            >
                <span class="command-group">{command.group}</span>
                <span class="command-name" title=whole_name>{command.name}</span>
                <span class="command-note">{command.note}</span>
                {command.keys.map(|keys| view! { <kbd>{keys}</kbd> })}
            </li>
        }
    };
    view! {
        <div class="find">
            <Icon glyph=Glyph::Search/>
            <input
                node_ref=input
                type="text"
                role="combobox"
                autocomplete="off"
                spellcheck="false"
                aria-label="Search or jump"
                aria-expanded="true"
                aria-controls="commands"
                aria-activedescendant=move || {
                    (chosen.get() < matching.read().len()).then(|| format!("command-{}", chosen.get()))
                }
                placeholder="Agents, tools, actions…"
                prop:value=move || typed.get()
                on:input=move |event| {
                    typed.set(event_target_value(&event));
                    chosen.set(0);
                }
                on:keydown=on_key
            />
            <kbd>"Esc"</kbd>
        </div>
        <ul id="commands" role="listbox" aria-label="Commands">
            {move || matching.get().into_iter().enumerate().map(option).collect_view()}
        </ul>
        <Show when=move || matching.read().is_empty()>
            <p class="empty">"No results"</p>
        </Show>
    }
}

/// Navigates to a path of the app.
type Navigate = StoredValue<Box<dyn Fn(&str)>, LocalStorage>;

/// The commands that `typed` matches, best first. At `path`, the page of an agent, that agent is reloaded rather
/// than another.
fn matching(page: Page, navigate: Navigate, typed: &str, path: &str) -> Vec<Command> {
    let agents = page.agents.list_fetched().unwrap_or_default();
    let (current, others): (Vec<_>, Vec<_>) = agents
        .iter()
        .cloned()
        .partition(|agent| path.strip_prefix("/rehearse/") == Some(agent.id.as_str()));
    let preferred = current.first().map(|agent| reload(page, agent.clone()).name);
    let reloads = current.into_iter().chain(others).map(|agent| reload(page, agent)).collect();
    let commands = every_command(page, navigate, agents, reloads);
    let names: Vec<String> =
        commands.iter().map(|it| format!("{} {}", it.name, it.group)).collect();
    let preferred = commands.iter().position(|it| Some(&it.name) == preferred.as_ref());
    let mut best = ranked(typed, &names, preferred);
    // A name that was typed as it is comes before any that matches better by its letters.
    let is_exact = |place: &usize| commands[*place].name.eq_ignore_ascii_case(typed.trim());
    if let Some(at) = best.iter().position(is_exact) {
        best[..=at].rotate_right(1);
    }
    best.into_iter().take(SHOWN).filter_map(|place| commands.get(place).cloned()).collect()
}

fn reload(page: Page, agent: AgentSummary) -> Command {
    Command {
        group: "Actions",
        name: format!("Reload {}", agent.name),
        note: String::new(),
        keys: None,
        run: Callback::new(move |()| page.agents.reload(agent.clone())),
    }
}

fn every_command(
    page: Page,
    navigate: Navigate,
    agents: Vec<AgentSummary>,
    reloads: Vec<Command>,
) -> Vec<Command> {
    let mut commands = page.palette.offered();
    commands.extend(agents.into_iter().map(|agent| {
        let path = format!("/rehearse/{}", agent.id);
        let note = match agent.status {
            AgentStatus::Ready => agent.source.label().to_owned(),
            AgentStatus::Starting => "starting".to_owned(),
            AgentStatus::Faulted(_) => "cannot be loaded".to_owned(),
        };
        Command {
            group: "Agent",
            name: agent.name,
            note,
            keys: None,
            run: Callback::new(move |()| {
                navigate.with_value(|go| go(&path));
            }),
        }
    }));
    commands.push(Command {
        group: "Go to",
        name: "All agents".to_owned(),
        note: String::new(),
        keys: None,
        run: Callback::new(move |()| navigate.with_value(|go| go("/"))),
    });
    let pages = [
        ("Live sessions", "/live"),
        ("Eval sets", "/evalsets"),
        ("Runs", "/runs"),
        ("Reports", "/reports"),
    ];
    commands.extend(pages.map(|(name, path)| Command {
        group: "Go to",
        name: name.to_owned(),
        note: String::new(),
        keys: None,
        run: Callback::new(move |()| navigate.with_value(|go| go(path))),
    }));
    commands.extend(reloads);
    commands.push(Command {
        group: "Actions",
        name: "Switch theme".to_owned(),
        note: format!("now {}", page.theme.choice.get_untracked().label()),
        keys: None,
        run: Callback::new(move |()| page.theme.choose(page.theme.choice.get_untracked().next())),
    });
    commands
}
