//! [`Live`]: the live sessions that this page knows of, who the person is, and whether they want to
//! be called when an agent asks.

use std::collections::{HashMap, HashSet};

use api::{LiveId, LiveSummary, LiveTurnId, LiveUpdate, LiveWatch};
use leptos::prelude::*;

use crate::state::browser;
use crate::state::live_draft::{Drafts, use_drafts};

/// Where the person's name is remembered.
const NAME: &str = "rehearsal.name";
/// Where it is remembered that the person wants to be called.
const ALERTS: &str = "rehearsal.alerts";

/// A turn that has waited less long has just come, in milliseconds.
const FRESH_MS: i64 = 60_000;

/// Whether the page calls the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alerts {
    /// Nobody asked for it.
    Off,
    /// With the title and with notifications.
    On,
    /// With the title alone: the browser does not allow notifications.
    TitleOnly,
}

/// What the host says of who the person is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Greeting {
    /// Nothing yet.
    Awaited,
    /// It asks nobody: the person says their own name.
    Anybody,
    /// They are logged in, under the name that the host knows.
    LoggedIn,
}

/// The live sessions as the whole page shares them.
#[derive(Clone, Copy)]
pub struct Live {
    known: RwSignal<HashMap<LiveId, LiveSummary>>,
    /// How many turns wait, of all sessions, as far as this page knows.
    pub waiting: RwSignal<u64>,
    /// Counts the times that the list must be fetched again.
    pub behind: RwSignal<u32>,
    /// Sessions that changed since the list was fetched, in the order of their change.
    pub changed: RwSignal<Vec<LiveId>>,
    lists: RwSignal<u32>,
    shown: RwSignal<Vec<LiveId>>,
    /// The person's display name.
    pub name: RwSignal<Option<String>>,
    /// Whether the name is the host's to say.
    pub greeting: RwSignal<Greeting>,
    /// Whether the page calls the person.
    pub alerts: RwSignal<Alerts>,
    /// What the person is answering, turn by turn.
    pub drafts: Drafts,
    announced: StoredValue<HashSet<LiveTurnId>>,
}

/// Nothing known yet. The name and the wish to be called are read once the page is in a browser.
#[must_use]
pub fn use_live() -> Live {
    let name = RwSignal::new(None);
    let live = Live {
        known: RwSignal::new(HashMap::new()),
        waiting: RwSignal::new(0),
        behind: RwSignal::new(0),
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
        if browser::stored(ALERTS).is_some() {
            let allowed = browser::may_notify();
            live.alerts.set(if allowed { Alerts::On } else { Alerts::TitleOnly });
        }
    });
    live
}

/// The name under which the person was last known here. Who has logged in is known to the host.
#[must_use]
pub fn known_name() -> Option<String> {
    browser::stored(NAME)
}

impl Live {
    /// The news that the host is asked to send. Tracked.
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

    /// Watches a session until the current owner is cleaned up. A page that is left may go after the
    /// next one came, so that the same session may be here twice.
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

    /// What is known of a session. Tracked.
    #[must_use]
    pub fn of(self, id: &LiveId) -> Option<LiveSummary> {
        self.known.read().get(id).cloned()
    }

    /// Takes in how a session stands.
    pub fn learn(self, summary: LiveSummary) {
        if self.known.read_untracked().get(&summary.id) != Some(&summary) {
            self.known.update(|known| {
                known.insert(summary.id.clone(), summary);
            });
        }
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
        if news.more {
            self.behind.update(|times| *times = times.wrapping_add(1));
        }
    }

    /// The number that stands before the title, for a person who wants to be called. Tracked.
    #[must_use]
    pub fn badge(self) -> Option<u64> {
        (self.alerts.get() != Alerts::Off).then(|| self.waiting.get()).filter(|count| *count > 0)
    }

    /// Takes in who is logged in here, as the host says at the beginning of a connection.
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

    /// The name under which the person is logged in. Tracked.
    #[must_use]
    pub fn logged_in(self) -> Option<String> {
        (self.greeting.get() == Greeting::LoggedIn).then(|| self.name.get()).flatten()
    }

    /// The same, not tracked; none once the page's part is gone.
    #[must_use]
    pub fn logged_in_untracked(self) -> Option<String> {
        let is_logged_in = self.greeting.try_get_untracked() == Some(Greeting::LoggedIn);
        is_logged_in.then(|| self.name.try_get_untracked().flatten()).flatten()
    }

    /// Whether the person is to say who they are. Tracked.
    #[must_use]
    pub fn is_nameless(self) -> bool {
        self.greeting.get() == Greeting::Anybody && self.name.read().is_none()
    }

    /// The same, not tracked.
    #[must_use]
    pub fn is_nameless_untracked(self) -> bool {
        untrack(|| self.is_nameless())
    }

    /// Remembers who the person is; false for a name that cannot be one.
    pub fn is_called(self, name: &str) -> bool {
        let name = name.trim();
        let fits = (1..=100).contains(&name.chars().count()) && !name.chars().any(char::is_control);
        if fits {
            browser::store(NAME, Some(name));
            self.name.set(Some(name.to_owned()));
        }
        fits
    }

    /// The person wants to be called, or no longer. Only a press of a button may ask the browser.
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

    /// Notifies of a turn that came up, once, unless the person looks at the page or somebody is at the
    /// turn. One that has waited for long came up before this page was there.
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
            let title = format!("{} waits for a response", head.agent);
            let body = match summary.description.as_str() {
                "" => "Live session",
                description => description,
            };
            browser::notify(&title, body, &format!("/live/{}", summary.id));
        }
    }
}
