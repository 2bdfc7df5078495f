//! Which sessions the list shows, and in which order.

use std::collections::HashSet;

use api::{LiveId, LiveSummary};
use app::state::times::counted;

/// What the list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// Sessions with a pending request, the longest waiting first.
    Waiting,
    /// Sessions with a lease or a draft of this person.
    Mine,
    /// Completed sessions.
    Completed,
    /// All sessions.
    All,
}

impl Show {
    /// All of them, in the order of their buttons.
    pub const EACH: [Self; 4] = [Self::Waiting, Self::Mine, Self::Completed, Self::All];

    /// The name in the address.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Mine => "mine",
            Self::Completed => "completed",
            Self::All => "all",
        }
    }

    /// The choice with this name in the address. The default is [`Self::Waiting`].
    #[must_use]
    pub fn of_name(name: Option<&str>) -> Self {
        let named = Self::EACH.into_iter().find(|it| Some(it.name()) == name);
        named.unwrap_or(Self::Waiting)
    }

    /// The label of its button.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Waiting => "Waiting",
            Self::Mine => "Mine",
            Self::Completed => "Completed",
            Self::All => "All",
        }
    }

    /// Whether the session is shown.
    #[must_use]
    pub fn fits(self, session: &LiveSummary, me: &Person) -> bool {
        match self {
            Self::Waiting => session.head().is_some(),
            Self::Mine => me.is_of(session),
            Self::Completed => session.is_completed,
            Self::All => true,
        }
    }

    /// Sorts the sessions that are shown.
    pub fn sort(self, sessions: &mut [LiveSummary]) {
        match self {
            Self::Waiting => sessions.sort_by_key(waits_since),
            _ => sessions.sort_by_key(|session| std::cmp::Reverse(session.created_ms)),
        }
    }
}

/// The person who reads the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    /// The name, if known.
    pub name: Option<String>,
    /// The sessions with a draft of the person.
    pub drafted: HashSet<LiveId>,
}

impl Person {
    fn is_of(&self, session: &LiveSummary) -> bool {
        let holder = session.lease.as_ref().map(|lease| &lease.holder);
        self.drafted.contains(&session.id) || holder.is_some() && holder == self.name.as_ref()
    }
}

/// Since when the head of the queue waits; without a queue, the largest number.
fn waits_since(session: &LiveSummary) -> i64 {
    session.head().map_or(i64::MAX, |head| head.since_ms)
}

/// How many of the sessions are shown.
#[must_use]
pub fn shown_of(shown: usize, all: usize) -> String {
    match shown == all {
        true => counted(all, "session", "sessions"),
        false => format!("{shown} of {}", counted(all, "session", "sessions")),
    }
}

/// The session to respond to next: the longest waiting one, except `current` and those that somebody
/// else responds to.
#[must_use]
pub fn next_waiting<'s>(
    sessions: impl IntoIterator<Item = &'s LiveSummary>,
    current: &LiveId,
    me: Option<&str>,
) -> Option<LiveId> {
    let is_free = |session: &LiveSummary| {
        session.lease.as_ref().is_none_or(|lease| Some(lease.holder.as_str()) == me)
    };
    let next = sessions
        .into_iter()
        .filter(|session| session.head().is_some() && session.id != *current && is_free(session));
    next.min_by_key(|session| waits_since(session)).map(|session| session.id.clone())
}

#[cfg(test)]
mod tests {
    use api::{LiveLease, LiveTurnId, WaitingTurn};

    use super::*;

    #[test]
    fn the_count_is_of_the_sessions_that_are_shown() {
        assert_eq!(shown_of(3, 3), "3 sessions");
        assert_eq!(shown_of(1, 1), "1 session");
        assert_eq!(shown_of(0, 12), "0 of 12 sessions");
        assert_eq!(shown_of(2, 1_000), format!("2 of {}", counted(1_000, "session", "sessions")));
    }

    fn session(id: &str, created_ms: i64, since_ms: Option<i64>) -> LiveSummary {
        let waiting = since_ms.into_iter().map(|since_ms| WaitingTurn {
            turn: LiveTurnId::new("turn"),
            agent: "agent".to_owned(),
            sequence: 1,
            since_ms,
            is_awaited: true,
        });
        let waiting: Vec<_> = waiting.collect();
        LiveSummary {
            id: LiveId::new(id),
            description: String::new(),
            created_ms,
            is_completed: false,
            events: 0,
            agents: Vec::new(),
            depth: waiting.len() as u64,
            waiting,
            lease: None,
        }
    }

    fn held(mut session: LiveSummary, by: &str) -> LiveSummary {
        session.lease = Some(LiveLease {
            turn: LiveTurnId::new("turn"),
            holder: by.to_owned(),
            until_ms: 0,
            is_offered: false,
        });
        session
    }

    fn ids(show: Show, me: &Person, all: &[LiveSummary]) -> Vec<String> {
        let mut shown: Vec<_> = all.iter().filter(|it| show.fits(it, me)).cloned().collect();
        show.sort(&mut shown);
        shown.into_iter().map(|it| it.id.to_string()).collect()
    }

    #[test]
    fn what_waits_longest_is_first_and_else_the_newest() {
        let completed = LiveSummary { is_completed: true, ..session("done", 4, None) };
        let all = [
            session("b", 1, Some(20)),
            session("a", 2, Some(10)),
            session("idle", 3, None),
            completed,
        ];
        let me = Person::default();
        assert_eq!(ids(Show::Waiting, &me, &all), ["a", "b"]);
        assert_eq!(ids(Show::All, &me, &all), ["done", "idle", "a", "b"]);
        assert_eq!(ids(Show::Completed, &me, &all), ["done"]);
    }

    #[test]
    fn a_lease_or_a_draft_makes_a_session_mine() {
        let all = [
            held(session("leased", 1, Some(1)), "Ann"),
            held(session("other", 2, Some(1)), "Bo"),
            session("drafted", 3, None),
            session("free", 4, Some(1)),
        ];
        let drafted = HashSet::from([LiveId::new("drafted")]);
        let me = Person { name: Some("Ann".to_owned()), drafted };
        assert_eq!(ids(Show::Mine, &me, &all), ["drafted", "leased"]);
        assert_eq!(ids(Show::Mine, &Person::default(), &all), [""; 0]);
    }

    #[test]
    fn the_next_one_waits_longest_and_nobody_else_is_at_it() {
        let all = [
            session("current", 1, Some(1)),
            held(session("held", 2, Some(2)), "Bo"),
            session("later", 3, Some(4)),
            held(session("mine", 4, Some(3)), "Ann"),
            session("idle", 5, None),
        ];
        let next = |current| next_waiting(&all, &LiveId::new(current), Some("Ann"));
        assert_eq!(next("current"), Some(LiveId::new("mine")));
        assert_eq!(next("mine"), Some(LiveId::new("current")));
        assert_eq!(next_waiting(&all[..1], &LiveId::new("current"), None), None);
    }

    #[test]
    fn the_address_names_the_choice() {
        for show in Show::EACH {
            assert_eq!(Show::of_name(Some(show.name())), show);
        }
        assert_eq!(Show::of_name(None), Show::Waiting);
        assert_eq!(Show::of_name(Some("nonsense")), Show::Waiting);
    }
}
