//! The rows of the list of live sessions, of one height.

use api::{LiveId, LiveSummary};
use jiff::Timestamp;
use leptos::html;
use leptos::prelude::*;

use super::list_state::{Listed, row_id};
use crate::live::state::list::Show as Shown;
use app::state::base_path::address;
use app::state::browser;
use app::state::excerpt::visible_name;
use app::state::times::{ago, elapsed};
use app::state::use_page;

/// How many agents of a session are named; the tooltip names all.
const MOST_NAMES: usize = 4;

/// The table, of which only the rows in sight are drawn.
#[component]
pub(super) fn Rows(
    /// The list.
    listed: Listed,
) -> impl IntoView {
    let frame = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        if let Some(frame) = frame.get() {
            listed.frame.set(Some(frame.clone()));
            browser::watch_height(&frame, move |_| listed.measure());
            // The arrow keys and Enter work at once.
            browser::after_drawing(move || {
                if browser::nothing_is_focused() {
                    browser::focus(&row_id(listed.current.get_untracked()));
                }
            });
        }
    });
    let drawn = move || {
        let window = listed.window.get();
        let rows = listed.rows.read();
        let numbers = window.first..=window.last;
        let row = |at: u64| {
            let at = usize::try_from(at).ok()?.checked_sub(1)?;
            Some((at, rows.get(at)?.clone()))
        };
        numbers.filter_map(row).collect::<Vec<_>>()
    };
    let none = move || match listed.show.get() {
        Shown::Waiting => "No requests are waiting",
        Shown::Mine => "You hold no lease and have no draft",
        Shown::Completed => "No completed sessions",
        Shown::All => "No sessions",
    };
    view! {
        <div class="live-rows" node_ref=frame on:scroll=move |_| listed.measure()>
            <table class="sets live-list" aria-rowcount=move || (listed.rows.read().len() + 1).to_string()>
                <thead>
                    <tr>
                        <th scope="col">"Session"</th>
                        <th scope="col" class="agent-names">"Agents"</th>
                        <th scope="col" class="figure">"Waiting"</th>
                        <th scope="col" class="figure">"Queue"</th>
                        <th scope="col" class="figure">"Events"</th>
                        <th scope="col" class="status">"Status"</th>
                        <th scope="col" class="figure">"Opened"</th>
                    </tr>
                </thead>
                <tbody>
                    <tr role="none" class="space" style:height=move || format!("{}px", listed.window.read().above)></tr>
                    <For each=drawn key=|(at, id)| (*at, id.clone()) let((at, id))>
                        <Session at id listed/>
                    </For>
                    <tr role="none" class="space" style:height=move || format!("{}px", listed.window.read().below)></tr>
                </tbody>
            </table>
            <Show when=move || listed.rows.read().is_empty()><p class="empty">{none}</p></Show>
        </div>
    }
}

#[component]
fn Session(
    /// Its row, from 0.
    at: usize,
    /// The session.
    id: LiveId,
    /// The list.
    listed: Listed,
) -> impl IntoView {
    let page = use_page();
    let (live, clock) = (page.live, page.clock);
    let address = address(&format!("/live/{id}"));
    let short: String = id.as_str().chars().take(8).collect();
    let summary = Memo::new(move |_| live.of(&id));
    let session_name =
        move || summary.with(|it| it.as_ref().map(|it| it.description.clone())).unwrap_or_default();
    let name = move || match session_name() {
        text if text.is_empty() => "No description".to_owned(),
        text => visible_name(&text),
    };
    let agents = move || {
        summary.with(|it| {
            let summary = it.as_ref()?;
            let waits = |name: &&str| summary.waiting.iter().any(|turn| turn.agent == *name);
            let waiting = summary.waiting.iter().map(|turn| turn.agent.as_str());
            let all = waiting.chain(summary.agents.iter().map(String::as_str));
            let mut names: Vec<&str> = Vec::new();
            for name in all {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            let rest = names.len().saturating_sub(MOST_NAMES);
            let all = visible_name(&names.join(", "));
            names.truncate(MOST_NAMES);
            let (waiting, others): (Vec<&str>, Vec<&str>) = names.into_iter().partition(waits);
            let joint = (!waiting.is_empty() && !others.is_empty()).then_some(", ");
            Some(view! {
                <span title=all>
                    {visible_name(&waiting.join(", "))}
                    {joint}
                    <span class="quiet">
                        {visible_name(&others.join(", "))}
                        {(rest > 0).then(|| format!(" and {rest} more"))}
                    </span>
                </span>
            })
        })
    };
    let waits = move || {
        let since = summary.with(|it| it.as_ref()?.head().map(|head| head.since_ms))?;
        Some(elapsed(clock.now.get()?.as_millisecond() - since))
    };
    let number = move |of: fn(&LiveSummary) -> u64| {
        summary.with(|it| it.as_ref().map(of).unwrap_or_default())
    };
    let depth = move || match number(|it| it.depth) {
        0 => "–".to_owned(),
        depth => depth.to_string(),
    };
    let status = move || summary.with(|it| it.as_ref().map(status));
    let opened = move || {
        let at = summary.with(|it| it.as_ref().map(|it| it.created_ms))?;
        let at = Timestamp::from_millisecond(at).ok()?;
        Some(ago(clock.since(at)))
    };
    view! {
        <tr class:waits=move || number(|it| it.depth) != 0 aria-rowindex=(at + 2).to_string()>
            <th scope="row">
                <a
                    href=address
                    id=row_id(at)
                    title=name
                    tabindex=move || if listed.current.get() == at { "0" } else { "-1" }
                    on:focus=move |_| listed.current.set(at)
                >
                    {name}
                </a>
                " "
                <code class="quiet">{short}</code>
            </th>
            <td class="mono">{agents}</td>
            <td class="figure">{waits}</td>
            <td class="figure">{depth}</td>
            <td class="figure">{move || number(|it| it.events)}</td>
            <td>{status}</td>
            <td class="figure quiet">{opened}</td>
        </tr>
    }
}

/// Who responds, or what the session waits for.
fn status(summary: &LiveSummary) -> AnyView {
    match (&summary.lease, summary.head(), summary.is_completed) {
        (Some(lease), Some(_), _) => {
            view! { <span class="chip">{format!("{} is responding", visible_name(&lease.holder))}</span> }
                .into_any()
        }
        (None, Some(head), _) if head.is_awaited => {
            view! { <span class="chip live">"waiting for a response"</span> }.into_any()
        }
        (None, Some(_), _) => {
            view! { <span class="chip warn">"waiting, agent disconnected"</span> }.into_any()
        }
        (_, None, true) => view! { <span class="chip done">"completed"</span> }.into_any(),
        (_, None, false) => view! { <span class="chip">"active"</span> }.into_any(),
    }
}
