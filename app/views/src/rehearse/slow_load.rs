//! An agent that takes long to load: its last output, and Stop.

use leptos::prelude::*;
use session::AgentId;

use app::state::{Page, use_page};

/// The number of lines of output.
const LAST_LINES: usize = 6;

/// [`SlowLoad`] for the list of agents.
pub(crate) fn slow_load(agent: AgentId) -> AnyView {
    view! { <SlowLoad agent/> }.into_any()
}

/// The last output of an agent that takes long to load, and Stop.
#[component]
pub fn SlowLoad(
    /// The agent.
    agent: AgentId,
) -> impl IntoView {
    let Page { agents, logs, .. } = use_page();
    let id = agent.clone();
    // Requests the log from the host.
    Effect::new({
        let agent = agent.clone();
        move |_| logs.read(agent.clone())
    });
    let lines = move || {
        let lines = logs.of(&agent);
        let last = lines[lines.len().saturating_sub(LAST_LINES)..].iter();
        let last: Vec<&str> = last.map(|line| line.text.as_str()).collect();
        match last.is_empty() {
            true => "No output yet".to_owned(),
            false => last.join("\n"),
        }
    };
    view! {
        <div class="slow-load">
            <p role="status">"Still loading. Last output:"</p>
            <pre class="raw">{lines}</pre>
            <button type="button" class="button" on:click=move |_| agents.stop_loading(id.clone())>"Stop"</button>
        </div>
    }
}
