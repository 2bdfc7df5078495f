//! [`Live`]: the live sessions that this page has loaded, the person's name, and whether the person
//! wants notifications about new requests.

use std::collections::{HashMap, HashSet};

use api::{LiveId, LiveSummary, LiveTurnId, LiveUpdate, LiveWatch};
use leptos::prelude::*;

use crate::state::base_path::address;
use crate::state::browser;
use crate::state::document_login::login_in_document;
use crate::state::live_draft::{Drafts, use_drafts};

/// The storage key of the person's name.
const NAME: &str = "rehearsal.name";
/// The storage key of whether the person wants notifications.
const ALERTS: &str = "rehearsal.alerts";

/// A turn that has waited for less time is new, in milliseconds.
const FRESH_MS: i64 = 60_000;

/// How the page notifies the person about new requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alerts {
    /// Not at all.
    Off,
    /// By the title and by notifications.
    On,
    /// By the title only: the browser does not allow notifications.
    TitleOnly,
}

/// Whether the host knows the person's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Greeting {
    /// The page has not read the document yet.
    Awaited,
    /// The host has no login: the person enters a name.
    Anybody,
    /// The person is logged in under the name that the host knows.
    LoggedIn,
}

/// The live sessions as all pages share them.
#[derive(Clone, Copy)]
pub struct Live {
    known: RwSignal<HashMap<LiveId, LiveSummary>>,
    /// The number of waiting turns of all sessions, as last reported.
    pub waiting: RwSignal<u64>,
    /// Incremented when the list must be fetched again.
    pub behind: RwSignal<u32>,
    /// The sessions of which the host has reported that they are deleted.
    pub deleted: RwSignal<HashSet<LiveId>>,
    /// The sessions that changed since the list was fetched, in order of change.
    pub changed: RwSignal<Vec<LiveId>>,
    lists: RwSignal<u32>,
    shown: RwSignal<Vec<LiveId>>,
    /// The person's display name.
    pub name: RwSignal<Option<String>>,
    /// Whether the name is that of a login.
    pub greeting: RwSignal<Greeting>,
    /// How the page notifies the person.
    pub alerts: RwSignal<Alerts>,
    /// The person's drafts, one per turn.
    pub drafts: Drafts,
    announced: StoredValue<HashSet<LiveTurnId>>,
}

/// No sessions yet. The browser then reads the name and the alerts from its storage.
#[must_use]
pub fn use_live() -> Live {
    let name = RwSignal::new(None);
    let live = Live {
        known: RwSignal::new(HashMap::new()),
        waiting: RwSignal::new(0),
        behind: RwSignal::new(0),
        deleted: RwSignal::new(HashSet::new()),
        changed: RwSignal::new(Vec::new()),
        lists: RwSignal::new(0),
        shown: RwSignal::new(Vec::new()),
        name,
        greeting: RwSignal::new(Greeting::Awaited),
        alerts: RwSignal::new(Alerts::Off),
        drafts: use_drafts(name),
        announced: StoredValue::new(HashSet::new()),
    };
    Effect::new(move |_| {
        live.name.set(browser::stored(NAME));
        live.meet(login_in_document());
        if browser::stored(ALERTS).is_some() {
            let allowed = browser::may_notify();
            live.alerts.set(if allowed { Alerts::On } else { Alerts::TitleOnly });
        }
    });
    live
}

/// The name that the person last entered in this browser. The host itself knows the name of a
/// login.
#[must_use]
pub fn known_name() -> Option<String> {
    browser::stored(NAME)
}

impl Live {
    /// The sessions that the host is to send news of. Tracked.
    #[must_use]
    pub fn watched(self) -> LiveWatch {
        LiveWatch {
            all: self.lists.get() > 0 || self.alerts.get() != Alerts::Off,
            sessions: self.shown.get(),
        }
    }

    /// Watches every session until the current owner is cleaned up.
    pub fn watch_all(self) {
        self.lists.update(|lists| *lists += 1);
        on_cleanup(move || {
            self.lists.try_update(|lists| *lists = lists.saturating_sub(1));
        });
    }

    /// Watches a session until the current owner is cleaned up. The session may be watched twice
    /// while one page replaces another.
    pub fn watch(self, id: LiveId) {
        self.shown.update(|shown| shown.push(id.clone()));
        on_cleanup(move || {
            self.shown.try_update(|shown| {
                if let Some(at) = shown.iter().position(|it| *it == id) {
                    shown.remove(at);
                }
            });
        });
    }

    /// The summary of a session, if it is loaded. Tracked.
    #[must_use]
    pub fn of(self, id: &LiveId) -> Option<LiveSummary> {
        self.known.read().get(id).cloned()
    }

    /// Stores the summary of a session.
    pub fn learn(self, summary: LiveSummary) {
        if self.known.read_untracked().get(&summary.id) != Some(&summary) {
            self.known.update(|known| {
                known.insert(summary.id.clone(), summary);
            });
        }
    }

    /// Stores the summaries of sessions.
    pub fn learn_all(self, summaries: Vec<LiveSummary>) {
        self.known.update(|known| {
            known.extend(summaries.into_iter().map(|summary| (summary.id.clone(), summary)));
        });
    }

    /// Reads the sessions that are loaded. Tracked.
    pub fn with<T>(self, read: impl FnOnce(&HashMap<LiveId, LiveSummary>) -> T) -> T {
        self.known.with(read)
    }

    /// Applies the host's news.
    pub fn take_in(self, news: LiveUpdate) {
        if let Some(waiting) = news.waiting {
            self.waiting.set(waiting);
        }
        for summary in news.sessions {
            self.call(&summary);
            let id = summary.id.clone();
            self.learn(summary);
            if self.lists.get_untracked() > 0 {
                self.changed.update(|changed| {
                    changed.retain(|other| *other != id);
                    changed.push(id);
                });
            }
        }
        if !news.deleted.is_empty() {
            self.deleted.update(|deleted| deleted.extend(news.deleted));
        }
        if news.more {
            self.behind.update(|times| *times = times.wrapping_add(1));
        }
    }

    /// The number of waiting turns for the title, if the person wants alerts. Tracked.
    #[must_use]
    pub fn badge(self) -> Option<u64> {
        (self.alerts.get() != Alerts::Off).then(|| self.waiting.get()).filter(|count| *count > 0)
    }

    /// Stores the name of the login, which is in the document, and which the host sends when the connection begins.
    pub fn meet(self, person: Option<String>) {
        match person {
            Some(name) => {
                self.name.set(Some(name));
                self.greeting.set(Greeting::LoggedIn);
            }
            None => {
                if self.greeting.get_untracked() == Greeting::LoggedIn {
                    self.name.set(browser::stored(NAME));
                }
                self.greeting.set(Greeting::Anybody);
            }
        }
    }

    /// Whether the host has reported who is logged in, or that it has no login. Tracked.
    #[must_use]
    pub fn is_greeted(self) -> bool {
        self.greeting.get() != Greeting::Awaited
    }

    /// The name of the login. Tracked.
    #[must_use]
    pub fn logged_in(self) -> Option<String> {
        (self.greeting.get() == Greeting::LoggedIn).then(|| self.name.get()).flatten()
    }

    /// The same, untracked; `None` once the signals are disposed.
    #[must_use]
    pub fn logged_in_untracked(self) -> Option<String> {
        let is_logged_in = self.greeting.try_get_untracked() == Some(Greeting::LoggedIn);
        is_logged_in.then(|| self.name.try_get_untracked().flatten()).flatten()
    }

    /// Whether the person has to enter a name. Tracked.
    #[must_use]
    pub fn is_nameless(self) -> bool {
        self.greeting.get() == Greeting::Anybody && self.name.read().is_none()
    }

    /// The same, untracked.
    #[must_use]
    pub fn is_nameless_untracked(self) -> bool {
        untrack(|| self.is_nameless())
    }

    /// Stores the person's name; false if it is invalid.
    pub fn is_called(self, name: &str) -> bool {
        let name = name.trim();
        let fits = (1..=100).contains(&name.chars().count()) && !name.chars().any(char::is_control);
        if fits {
            browser::store(NAME, Some(name));
            self.name.set(Some(name.to_owned()));
        }
        fits
    }

    /// Turns alerts on or off. For a button's event handler, where the browser allows asking for
    /// permission.
    pub fn toggle_alerts(self) {
        if self.alerts.get_untracked() != Alerts::Off {
            browser::store(ALERTS, None);
            self.alerts.set(Alerts::Off);
            return;
        }
        browser::store(ALERTS, Some("on"));
        self.alerts.set(Alerts::TitleOnly);
        leptos::task::spawn_local(async move {
            if browser::ask_to_notify().await && self.alerts.get_untracked() != Alerts::Off {
                self.alerts.set(Alerts::On);
            }
        });
    }

    /// Notifies the person once about a new turn at the head of a queue, unless they look at the
    /// page or somebody else holds the lease. A turn that has waited longer came before the page
    /// was opened.
    fn call(self, summary: &LiveSummary) {
        let Some(head) = summary.head() else { return };
        let is_new = self
            .announced
            .try_update_value(|announced| announced.insert(head.turn.clone()))
            .unwrap_or_default();
        let is_fresh = browser::now().as_millisecond() - head.since_ms < FRESH_MS;
        let was_another = self.known.with_untracked(|known| {
            let before = known.get(&summary.id);
            before.is_some_and(|it| it.head().is_none_or(|before| before.turn != head.turn))
        });
        let is_held = summary.lease.as_ref().is_some_and(|lease| {
            lease.turn == head.turn && self.name.read_untracked().as_ref() != Some(&lease.holder)
        });
        if is_new
            && (is_fresh || was_another)
            && !is_held
            && self.alerts.get_untracked() == Alerts::On
            && browser::is_out_of_sight()
        {
            let title = format!("{} is waiting for a response", head.agent);
            let body = match summary.description.as_str() {
                "" => "Live session",
                description => description,
            };
            browser::notify(&title, body, &address(&format!("/live/{}", summary.id)));
        }
    }
}
