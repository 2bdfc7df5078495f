//! The list of live sessions: newest first, searched, and kept up to date by the host.

use api::{ApiError, LiveId, LiveSummary};
use jiff::Timestamp;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::shared::filter_box::FilterBox;
use app::components::copy_button::CopyButton;
use app::components::icon::{Glyph, Icon};
use app::components::loading::Loading;
use app::server_functions::list_live_sessions;
use app::state::Link;
use app::state::draft_cleanup::delete_old_drafts;
use app::state::excerpt::{Lines, written_out};
use app::state::live::{Alerts, Live};
use app::state::times::{ago, elapsed};
use app::state::use_page;

/// The code that connects an agent.
const LINES: &str = "from rehearsal_adk import RehearsalPlugin\n\nrunner = Runner(..., plugins=[RehearsalPlugin()])";

/// How many agents of a session are named; the tooltip names all.
const MOST_NAMES: usize = 4;

/// The list as it was fetched.
#[derive(Clone, Copy)]
struct Listed {
    live: Live,
    searched: RwSignal<String>,
    ids: RwSignal<Option<Vec<LiveId>>>,
    next: RwSignal<Option<i64>>,
    fault: RwSignal<Option<ApiError>>,
    is_fetching: RwSignal<bool>,
}

impl Listed {
    /// Fetches the first page of the list, or with `more` the next one.
    fn fetch(self, more: bool) {
        let search = self.searched.get_untracked();
        let before = if more { self.next.get_untracked() } else { None };
        self.is_fetching.set(true);
        spawn_local(async move {
            let listed = list_live_sessions(search.clone(), before).await;
            // The person may have searched for something else, or be on another page.
            if self.searched.try_get_untracked() != Some(search) {
                return;
            }
            self.is_fetching.try_set(false);
            match listed {
                Ok(listed) => {
                    let new: Vec<LiveId> = listed.sessions.iter().map(|it| it.id.clone()).collect();
                    listed.sessions.into_iter().for_each(|summary| self.live.learn(summary));
                    self.fault.try_set(None);
                    self.next.try_set(listed.next);
                    self.ids.try_update(|ids| match ids {
                        Some(ids) if more => ids.extend(new),
                        _ => *ids = Some(new),
                    });
                }
                Err(error) => drop(self.fault.try_set(Some(error))),
            }
        });
    }

    /// Puts sessions that are new since the list was fetched above it.
    fn add_new(self, changed: &[LiveId]) {
        if !self.searched.read_untracked().trim().is_empty() {
            return;
        }
        let known = self.ids.get_untracked().unwrap_or_default();
        let mut new: Vec<LiveSummary> = changed
            .iter()
            .filter(|id| !known.contains(id))
            .filter_map(|id| untrack(|| self.live.of(id)))
            .collect();
        // An older session that changed is on a later page.
        let newest = known.first().and_then(|id| untrack(|| self.live.of(id)));
        new.retain(|it| newest.as_ref().is_none_or(|newest| it.created_ms >= newest.created_ms));
        if !new.is_empty() {
            new.sort_by_key(|summary| std::cmp::Reverse(summary.created_ms));
            let new: Vec<LiveId> = new.into_iter().map(|summary| summary.id).collect();
            self.ids.update(|ids| {
                let before = ids.take().unwrap_or_default();
                *ids = Some(new.into_iter().chain(before).collect());
            });
        }
    }
}

/// What a loaded list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Sessions,
    NoSessions,
    /// None that match the search.
    NoMatches,
}

/// The list.
#[component]
pub fn LiveSessions() -> impl IntoView {
    let page = use_page();
    let live = page.live;
    let listed = Listed {
        live,
        searched: RwSignal::new(String::new()),
        ids: RwSignal::new(None),
        next: RwSignal::new(None),
        fault: RwSignal::new(None),
        is_fetching: RwSignal::new(false),
    };
    live.watch_all();
    // Local storage: old drafts are removed.
    Effect::new(move |_| delete_old_drafts(live));
    // Requests the list: at first, at each search, when the host reports too many changes, and after a
    // lost connection.
    let is_there = Memo::new(move |_| page.connection.link.get() == Link::Connected);
    Effect::new(move |_| {
        listed.searched.track();
        live.behind.track();
        is_there.get();
        listed.fetch(false);
    });
    // Adds to the fetched list, which a changed session alone does not determine.
    Effect::new(move |_| {
        let changed = live.changed.get();
        if !changed.is_empty() {
            listed.add_new(&changed);
            live.changed.update_untracked(Vec::clear);
        }
    });
    // Changes only with the kind of list, so that the table stays when sessions are added.
    let arrived = Memo::new(move |_| {
        let has_sessions = listed.ids.with(|ids| ids.as_ref().map(|ids| !ids.is_empty()));
        let shown = has_sessions.map(|has_sessions| match has_sessions {
            true => Shown::Sessions,
            false if listed.searched.read().trim().is_empty() => Shown::NoSessions,
            false => Shown::NoMatches,
        });
        shown.map(Ok).or_else(|| listed.fault.get().map(Err))
    });
    let draw = move |shown| match shown {
        Shown::Sessions => view! { <Sessions listed/> }.into_any(),
        Shown::NoSessions => view! { <NoSessions/> }.into_any(),
        Shown::NoMatches => view! { <p class="quiet">"No matching sessions"</p> }.into_any(),
    };
    view! {
        <header class="sheet-head live-head">
            <div>
                <h1>"Live sessions"</h1>
                <p class="quiet">"Agents that run elsewhere send their model calls here, and you respond."</p>
            </div>
            <span class="grow"></span>
            <AlertButton/>
            <FilterBox searched=listed.searched placeholder="Search" label="Search descriptions and agents"/>
        </header>
        <Loading arrived=move || arrived.get() meanwhile="Loading sessions…" draw/>
    }
}

#[component]
fn AlertButton() -> impl IntoView {
    let live = use_page().live;
    let label = move || match live.alerts.get() {
        Alerts::Off => "Notify me",
        Alerts::On => "Notifications on",
        Alerts::TitleOnly => "Title notifications on",
    };
    let title = move || match live.alerts.get() {
        Alerts::Off => {
            "Shows the number of pending turns in the title and, if the browser permits it, a notification"
        }
        Alerts::On => "The title and notifications show pending turns. Click to turn off.",
        Alerts::TitleOnly => {
            "The browser blocks notifications for this page. The title shows pending turns. Click to turn off."
        }
    };
    view! {
        <button
            type="button"
            class="button"
            aria-pressed=move || (live.alerts.get() != Alerts::Off).to_string()
            title=title
            on:click=move |_| live.toggle_alerts()
        >
            <Icon glyph=Glyph::Bell/>
            {label}
        </button>
    }
}

#[component]
fn NoSessions() -> impl IntoView {
    view! {
        <div class="empty centred">
            <h2>"No live sessions yet"</h2>
            <p>"Add the plugin to an ADK runner to send its model calls here:"</p>
            <pre class="raw connect">{LINES}</pre>
            <p class="choices">
                <CopyButton what="the code" shown="Copy code" text=Callback::new(|()| LINES.to_owned())/>
            </p>
            <p class="quiet"><code>"pip install ./python"</code> " installs it. Set the host with " <code>"REHEARSAL_SERVER_URL"</code> ". The default is this machine."</p>
        </div>
    }
}

#[component]
fn Sessions(
    /// The list.
    listed: Listed,
) -> impl IntoView {
    view! {
        <table class="sets live-list">
            <thead>
                <tr>
                    <th scope="col">"Session"</th>
                    <th scope="col">"Agents"</th>
                    <th scope="col" class="figure">"Waiting"</th>
                    <th scope="col" class="figure">"Queue"</th>
                    <th scope="col" class="figure">"Events"</th>
                    <th scope="col">"Status"</th>
                    <th scope="col" class="figure">"Opened"</th>
                </tr>
            </thead>
            <tbody>
                <For each=move || listed.ids.get().unwrap_or_default() key=|id| id.clone() let:id>
                    <Session id/>
                </For>
            </tbody>
        </table>
        <Show when=move || listed.next.read().is_some()>
            <p class="more">
                <button type="button" class="link" on:click=move |_| listed.fetch(true)>
                    {move || if listed.is_fetching.get() { "Loading…" } else { "Show older sessions" }}
                </button>
            </p>
        </Show>
    }
}

#[component]
fn Session(
    /// The session.
    id: LiveId,
) -> impl IntoView {
    let page = use_page();
    let (live, clock) = (page.live, page.clock);
    let address = format!("/live/{id}");
    let short: String = id.as_str().chars().take(8).collect();
    let summary = Memo::new(move |_| live.of(&id));
    let session_name =
        move || summary.with(|it| it.as_ref().map(|it| it.description.clone())).unwrap_or_default();
    let name = move || match session_name() {
        text if text.is_empty() => "No description".to_owned(),
        text => written_out(&text, Lines::Escaped).into_owned(),
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
            let all = names.join(", ");
            names.truncate(MOST_NAMES);
            let (waiting, others): (Vec<&str>, Vec<&str>) = names.into_iter().partition(waits);
            let joint = (!waiting.is_empty() && !others.is_empty()).then_some(", ");
            Some(view! {
                <span title=all>
                    {waiting.join(", ")}
                    {joint}
                    <span class="quiet">
                        {others.join(", ")}
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
    let status = move || {
        summary.with(|it| {
            let summary = it.as_ref()?;
            Some(match (&summary.lease, summary.head(), summary.is_completed) {
                (Some(lease), Some(_), _) => {
                    view! { <span class="chip">{format!("{} is responding", lease.holder)}</span> }
                        .into_any()
                }
                (None, Some(head), _) if head.is_awaited => {
                    view! { <span class="chip live">"waiting for a response"</span> }.into_any()
                }
                (None, Some(_), _) => {
                    view! { <span class="chip warn">"waiting, agent disconnected"</span> }
                        .into_any()
                }
                (_, None, true) => view! { <span class="chip done">"completed"</span> }.into_any(),
                (_, None, false) => view! { <span class="chip">"active"</span> }.into_any(),
            })
        })
    };
    let opened = move || {
        let at = summary.with(|it| it.as_ref().map(|it| it.created_ms))?;
        let at = Timestamp::from_millisecond(at).ok()?;
        Some(ago(clock.since(at)))
    };
    view! {
        <tr class:waits=move || number(|it| it.depth) != 0>
            <th scope="row">
                <a href=address>{name}</a>
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
