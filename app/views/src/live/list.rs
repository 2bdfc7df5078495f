//! The list of live sessions: what waits comes first, the host keeps it up to date, and only the rows
//! in sight are drawn.

use api::ApiError;
use leptos::prelude::*;

use super::list_rows::Rows;
use super::list_state::{Listed, use_listed};
use crate::live::state::list::{Show, shown_of};
use crate::shared::keys::{listen, offer};
use crate::shared::shortcuts::{Group, Shortcuts};
use app::components::copy_button::CopyButton;
use app::components::filter_box::FilterBox;
use app::components::icon::{Glyph, Icon};
use app::components::loading::Loading;
use app::state::base_path::base_path;
use app::state::browser;
use app::state::draft_cleanup::delete_old_drafts;
use app::state::live::Alerts;
use app::state::times::counted;
use app::state::use_page;

/// The code that connects an agent.
const LINES: &str = "from rehearsal_adk import RehearsalPlugin\n\nrunner = Runner(..., plugins=[RehearsalPlugin()])";

/// The keys of the list.
const SHORTCUTS: &[Group] = &[(
    "Live sessions",
    &[
        ("↓ J", "Next session"),
        ("↑ K", "Previous session"),
        ("Home", "First session"),
        ("End", "Last session"),
        ("↵", "Open the session"),
    ],
)];

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
    let live = use_page().live;
    let listed = use_listed();
    live.watch_all();
    // Local storage: old drafts are removed.
    Effect::new(move |_| delete_old_drafts(live));
    listen(move |event| listed.press(event));
    offer(Vec::new);
    // Changes only with the kind of list, so that the table stays when sessions are added.
    let arrived = Memo::new(move |_| {
        let has_sessions = listed.all.with(|all| all.as_ref().map(|all| !all.is_empty()));
        let shown = has_sessions.map(|has_sessions| match has_sessions {
            true => Shown::Sessions,
            false if listed.searched.read().trim().is_empty() => Shown::NoSessions,
            false => Shown::NoMatches,
        });
        shown.map(Ok::<_, ApiError>).or_else(|| listed.fault.get().map(Err))
    });
    let draw = move |shown| match shown {
        Shown::Sessions => view! { <Rows listed/> }.into_any(),
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
            <FilterBox
                searched=listed.searched
                placeholder="Search"
                label="Search descriptions and agents"
                to_list=Callback::new(move |()| listed.enter())
            />
        </header>
        <Filters listed/>
        <Loading arrived=move || arrived.get() meanwhile="Loading sessions…" draw/>
        <Shortcuts groups=SHORTCUTS/>
    }
}

/// Which sessions are shown, how many there are of each kind, and which are new.
#[component]
fn Filters(
    /// The list.
    listed: Listed,
) -> impl IntoView {
    let filter = move |show: Show| {
        let count = Memo::new(move |_| listed.count(show));
        view! {
            <button
                type="button"
                aria-pressed=move || (listed.show.get() == show).to_string()
                on:click=move |_| listed.choose(show)
            >
                {show.label()} " " <span class="ink-count">{count}</span>
            </button>
        }
    };
    let total = move || listed.all.with(|all| all.as_ref().map(Vec::len));
    let figure = move || shown_of(listed.count(listed.show.get()), total().unwrap_or_default());
    let unseen = move || listed.unseen.read().len();
    view! {
        <Show when=move || total().is_some()>
            <div class="live-filters">
                <span class="switch" role="group" aria-label="Show">
                    {Show::EACH.into_iter().map(filter).collect_view()}
                </span>
                <Show when=move || unseen() != 0>
                    <button type="button" class="button" on:click=move |_| listed.sort()>
                        <Icon glyph=Glyph::Retry/>
                        {move || counted(unseen(), "new session", "new sessions")}
                    </button>
                </Show>
                <span class="grow"></span>
                <span class="quiet">{figure}</span>
                <span class="unseen" role="status">{move || listed.announcement.get()}</span>
            </div>
        </Show>
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
            "Shows the number of pending requests in the title and, if the browser permits it, a notification"
        }
        Alerts::On => "The title and notifications show pending requests. Click to turn off.",
        Alerts::TitleOnly => {
            "The browser blocks notifications for this page. The title shows pending requests. Click to turn off."
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

/// The command that installs the plugin from the host at the address `host`.
fn plugin_install(host: &str, needs_token: bool) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let host = match needs_token.then(|| host.split_once("://")).flatten() {
        Some((scheme, host)) => format!("{scheme}://token:TOKEN@{host}"),
        None => host.to_owned(),
    };
    format!("pip install {host}/python/rehearsal_adk-{version}-py3-none-any.whl")
}

/// The environment variables that lead the plugin to the host at the address `host`.
fn plugin_settings(host: &str, needs_token: bool) -> String {
    let token = if needs_token { "\nexport REHEARSAL_TOKEN=TOKEN" } else { "" };
    format!("export REHEARSAL_SERVER_URL={host}{token}")
}

#[component]
fn NoSessions() -> impl IntoView {
    let live = use_page().live;
    let host = browser::origin() + &base_path();
    let has_login = Memo::new(move |_| live.logged_in().is_some());
    let settings = {
        let host = host.clone();
        Memo::new(move |_| plugin_settings(&host, has_login.get()))
    };
    let install = Memo::new(move |_| plugin_install(&host, has_login.get()));
    view! {
        <div class="empty centred">
            <h2>"No live sessions yet"</h2>
            <p>"Add the plugin to an ADK runner to send its model calls here:"</p>
            <pre class="raw connect">{LINES}</pre>
            <p class="choices">
                <CopyButton what="the code" shown="Copy code" text=Callback::new(|()| LINES.to_owned())/>
            </p>
            <p class="quiet">"Install it where the agent runs:"</p>
            <pre class="raw connect">{install}</pre>
            <p class="choices">
                <CopyButton what="the command" shown="Copy command" text=Callback::new(move |()| install.get_untracked())/>
            </p>
            <p class="quiet">"Start the agent with the address of this host:"</p>
            <pre class="raw connect">{settings}</pre>
            <p class="choices">
                <CopyButton what="the settings" shown="Copy settings" text=Callback::new(move |()| settings.get_untracked())/>
            </p>
        </div>
    }
}
