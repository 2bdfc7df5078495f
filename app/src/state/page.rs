//! [`Page`]: the state that all pages share, provided in the context.

use api::{AgentStatus, HostEvent};
use leptos::ev;
use leptos::prelude::*;

use crate::state::agents::{Agents, use_agents};
use crate::state::browser;
use crate::state::clock::{Clock, use_clock};
use crate::state::connection::{Connection, Watched, use_connection};
use crate::state::lazy_pages::{LazyPages, use_lazy_pages};
use crate::state::live::{Live, use_live};
use crate::state::log::{Logs, use_logs};
use crate::state::opened_reports::{OpenedReports, use_opened_reports};
use crate::state::palette::{Palette, use_palette};
use crate::state::rehearsals::{Rehearsals, use_rehearsals};
use crate::state::theme::{Theme, use_theme};
use crate::state::unsaved::{Unsaved, use_unsaved};

/// The page's shared state.
#[derive(Clone, Copy)]
pub struct Page {
    /// The registered agents.
    pub agents: Agents,
    /// The rehearsals of this page.
    pub rehearsals: Rehearsals,
    /// The live sessions.
    pub live: Live,
    /// The reports that were opened from the person's disk.
    pub opened_reports: OpenedReports,
    /// The connection to the host.
    pub connection: Connection,
    /// The output of the agents.
    pub logs: Logs,
    /// The time, updated each second.
    pub clock: Clock,
    /// The theme.
    pub theme: Theme,
    /// The command palette.
    pub palette: Palette,
    /// Unsaved input.
    pub unsaved: Unsaved,
    /// The parts of the code that are loaded on demand.
    pub lazy: LazyPages,
    /// The host's version, if it is not the version of this page.
    pub other_version: RwSignal<Option<String>>,
}

/// Creates the page's state and provides it in the context.
pub fn provide_page() -> Page {
    let agents = use_agents();
    let lazy = use_lazy_pages();
    let rehearsals = use_rehearsals(lazy.session);
    let logs = use_logs();
    let host = StoredValue::new(None::<String>);
    let other_version = RwSignal::new(None);
    let live = use_live();
    let sessions = rehearsals.watched();
    let watched = Memo::new(move |_| Watched { sessions: sessions.get(), live: live.watched() });
    let connection = use_connection(watched.into(), move |event| match event {
        HostEvent::Welcome { host: id, person, version } => {
            other_version.set((version != env!("CARGO_PKG_VERSION")).then_some(version));
            if is_another(person.as_deref()) {
                rehearsals.stop_keeping();
                browser::reload();
                return;
            }
            live.meet(person);
            let before = host.get_value();
            host.set_value(Some(id.clone()));
            if before.is_some_and(|before| before != id) {
                agents.fetch_again();
                if rehearsals.any() {
                    lazy.session.and_then(move |views| {
                        if let Ok(views) = views {
                            (views.host_restarted)(rehearsals);
                        }
                    });
                }
            }
        }
        HostEvent::AgentChanged(agent) => {
            if agent.status == AgentStatus::Ready {
                rehearsals.agent_is_ready(&agent.id);
            }
            agents.take_in(*agent);
        }
        HostEvent::AgentListChanged => agents.list_again(),
        HostEvent::Live(news) => live.take_in(*news),
        HostEvent::AgentLog { agent, lines } => logs.take_in(&agent, lines),
        HostEvent::Session(event) => lazy.session.and_then(move |views| {
            if let Ok(views) = views {
                (views.take_in)(rehearsals, &event);
            }
        }),
    });
    warn_before_leaving(rehearsals);
    Effect::new(|_| {
        browser::follow_typing();
        browser::catch_focus();
    });
    let page = Page {
        agents,
        rehearsals,
        live,
        opened_reports: use_opened_reports(),
        connection,
        logs,
        clock: use_clock(),
        theme: use_theme(),
        palette: use_palette(),
        unsaved: use_unsaved(),
        lazy,
        other_version,
    };
    provide_context(page);
    page
}

/// Whether another person was logged in in this tab before, whose rehearsals it keeps. Remembers the person.
fn is_another(person: Option<&str>) -> bool {
    const PERSON: &str = "rehearsal.person";
    let before = browser::tab_stored(PERSON);
    browser::tab_store(PERSON, person);
    before.is_some_and(|before| person != Some(&*before))
}

/// The page's state.
#[must_use]
pub fn use_page() -> Page {
    expect_context()
}

/// Closing the tab ends its sessions, and reloading it those that are too large to be kept: the browser asks first.
fn warn_before_leaving(rehearsals: Rehearsals) {
    Effect::new(move |listening: Option<()>| {
        if listening.is_none() {
            browser::watch_reload_keys();
            let handle = window_event_listener(ev::beforeunload, move |event| {
                let is_reloading = browser::is_reloading();
                let is_lost =
                    |it: Rehearsals| it.any_would_be_lost() || !is_reloading && it.any_under_way();
                if untrack(|| is_lost(rehearsals)) {
                    event.prevent_default();
                    event.set_return_value("A session is not exported and will be lost.");
                }
            });
            on_cleanup(move || handle.remove());
        }
    });
}
