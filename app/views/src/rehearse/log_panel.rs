//! The output of the agent, below the history.

use leptos::html;
use leptos::prelude::*;

use crate::rehearse::state::workspace::use_this_workspace;
use app::components::icon::{Glyph, Icon};
use app::state::browser;
use app::state::excerpt::{Lines, beginning, written_out};
use app::state::times::counted;
use app::state::use_page;

/// The log of the rehearsed agent.
#[component]
pub fn LogPanel() -> impl IntoView {
    let workspace = use_this_workspace();
    let logs = use_page().logs;
    let agent = workspace.rehearsal.agent();
    let list = NodeRef::<html::Ol>::new();
    // Requests the log from the host.
    Effect::new({
        let agent = agent.clone();
        move |_| logs.read(agent.clone())
    });
    let lines = Memo::new(move |_| logs.of(&agent));
    // Scrolls to the newest line.
    Effect::new(move |_| {
        lines.track();
        browser::after_drawing(move || {
            if let Some(list) = list.try_get_untracked().flatten() {
                list.set_scroll_top(list.scroll_height());
            }
        });
    });
    let time = |at_ms: i64| {
        let at = jiff::Timestamp::from_millisecond(at_ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let (hours, minutes, seconds) = browser::wall_clock(at);
        format!("{hours:02}:{minutes:02}:{seconds:02}")
    };
    view! {
        <section class="log" aria-label="Log">
            <header class="toolbar">
                <h2>"Log"</h2>
                <span class="quiet">{move || counted(lines.read().len(), "line", "lines")}</span>
                <span class="field-fault">{move || logs.fault.get().map(|fault| fault.to_string())}</span>
                <span class="grow"></span>
                <button type="button" class="button quiet" on:click=move |_| workspace.shows_log.set(false)>
                    <Icon glyph=Glyph::Close/>
                    "Close"
                </button>
            </header>
            <Show when=move || lines.read().is_empty()>
                <p class="empty">"No output yet"</p>
            </Show>
            <ol node_ref=list tabindex="0" aria-label="Lines">
                <For each=move || lines.get() key=|line| line.number let:line>
                    <li class:by-host=line.by_host>
                        <time>{time(line.at_ms)}</time>
                        <span>{written_out(beginning(&line.text, 2_000), Lines::Escaped).into_owned()}</span>
                    </li>
                </For>
            </ol>
        </section>
    }
}
