//! Deletes drafts of live responses that are no longer needed from the browser's storage.
//!
//! A draft is needed while its turn waits. If another person closed the turn, it is needed until
//! the person discards it on the session's page. A draft is deleted when the person closed the
//! turn, when the host has not known its session for `FOREIGN_MS`, when it is older than
//! `LONGEST_MS`, and when there are more than `MOST`.

use std::collections::BTreeMap;

use api::{ApiError, LiveId, LivePlace};
use leptos::task::spawn_local;

use crate::state::browser;
use crate::state::live::Live;
use crate::state::live_draft::{Drafts, Kept};
use api::host::{read_live_session, read_live_turn};

/// The number of drafts that are kept: the newest.
const MOST: usize = 200;
/// How long a draft is kept after the last key, in milliseconds: thirty days.
const LONGEST_MS: i64 = 30 * 24 * 60 * 60 * 1_000;
/// How long a draft is kept if the host does not know its session, in milliseconds: a week. Another
/// project's host may use this address for a time.
const FOREIGN_MS: i64 = 7 * 24 * 60 * 60 * 1_000;
/// The number of sessions that are requested from the host each time the page is loaded.
const SESSIONS_ASKED: usize = 20;

/// The state of a draft's turn on the host.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TurnStatus {
    /// The turn waits for a response.
    Waits,
    /// The turn is closed, by this person if by one.
    Closed(Option<String>),
}

/// Deletes the drafts that are no longer needed, once for each loaded page.
pub fn delete_old_drafts(live: Live) {
    let drafts = live.drafts;
    if !drafts.is_first_cleanup() {
        return;
    }
    let kept = drafts.kept();
    let now = browser::now().as_millisecond();
    let expired = expired(&kept, now);
    expired.iter().for_each(|kept| drafts.discard(kept));
    let mut of_session = BTreeMap::<LiveId, Vec<Kept>>::new();
    for kept in newest_first(kept) {
        if !expired.contains(&kept) {
            of_session.entry(kept.session.clone()).or_default().push(kept);
        }
    }
    spawn_local(async move {
        for (session, kept) in of_session.into_iter().take(SESSIONS_ASKED) {
            check_session(live, drafts, session, kept, now).await;
        }
    });
}

async fn check_session(live: Live, drafts: Drafts, session: LiveId, kept: Vec<Kept>, now_ms: i64) {
    let summary = match read_live_session(session.clone()).await {
        Ok(summary) => summary,
        Err(ApiError::UnknownLiveSession(_)) => {
            kept.iter()
                .filter(|kept| is_older(kept, now_ms, FOREIGN_MS))
                .filter(|kept| !drafts.is_typed_in(&kept.turn))
                .for_each(|kept| drafts.discard(kept));
            return;
        }
        // The host does not respond: the next page load tries again.
        Err(_) => return,
    };
    for kept in kept {
        let turn = &kept.turn;
        if kept.is_ahead() || summary.waiting.iter().any(|waiting| waiting.turn == *turn) {
            continue;
        }
        let place = LivePlace { session: session.clone(), turn: turn.clone() };
        let Ok(read) = read_live_turn(place).await else { continue };
        let status = read.closed.map_or(TurnStatus::Waits, |row| TurnStatus::Closed(row.by));
        // Only the name of a login identifies a person: without one, two people may have the same
        // name.
        let me = live.logged_in_untracked();
        // The person may have typed in it since the page was loaded.
        let may_go = !is_needed(&status, me.as_deref()) && kept.may_be_of(me.as_deref());
        if may_go && !drafts.is_typed_in(turn) {
            drafts.discard(&kept);
        }
    }
}

/// Whether the draft may still be needed: the person who closed the turn has sent theirs.
fn is_needed(status: &TurnStatus, me: Option<&str>) -> bool {
    match status {
        TurnStatus::Waits => true,
        TurnStatus::Closed(by) => by.is_none() || by.as_deref() != me,
    }
}

/// The drafts that are deleted whatever the state of their turn: those that are too old or too
/// many.
fn expired(kept: &[Kept], now_ms: i64) -> Vec<Kept> {
    let newest = newest_first(kept.to_vec()).into_iter().enumerate();
    let expired =
        newest.filter(|(place, kept)| *place >= MOST || is_older(kept, now_ms, LONGEST_MS));
    expired.map(|(_, kept)| kept).collect()
}

fn is_older(kept: &Kept, now_ms: i64, age_ms: i64) -> bool {
    now_ms.saturating_sub(kept.typed_ms) > age_ms
}

fn newest_first(mut kept: Vec<Kept>) -> Vec<Kept> {
    kept.sort_by_key(|kept| std::cmp::Reverse(kept.typed_ms));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::LiveTurnId;

    fn kept(turn: &str, typed_ms: i64) -> Kept {
        let (key, turn) = (turn.to_owned(), LiveTurnId::new(turn));
        Kept { key, turn, by: None, session: LiveId::new("s"), typed_ms }
    }

    #[test]
    fn old_and_excess_drafts_are_removed() {
        let now = 100 * LONGEST_MS;
        let old = kept("old", now - LONGEST_MS - 1);
        let mut all: Vec<Kept> =
            (0_i64..250).map(|number| kept(&number.to_string(), now - number)).collect();
        all.insert(7, old);
        let gone = expired(&all, now);
        assert_eq!(gone.len(), 51);
        let goes = |turn: &str| gone.iter().any(|kept| kept.key == turn);
        assert!(goes("old") && goes("200") && !goes("199"));
        assert_eq!(expired(&all[..5], now), []);
    }

    #[test]
    fn a_draft_belongs_to_the_person_who_typed_it() {
        let of = |by: Option<&str>| Kept { by: by.map(str::to_owned), ..kept("a", 0) };
        assert!(of(Some("ada")).may_be_of(Some("ada")));
        assert!(!of(Some("ada")).may_be_of(Some("bob")) && !of(Some("ada")).may_be_of(None));
        assert!(of(None).may_be_of(Some("bob")) && of(None).may_be_of(None));
    }

    #[test]
    fn a_draft_of_a_turn_closed_by_another_is_kept() {
        let closed = |by: &str| TurnStatus::Closed(Some(by.to_owned()));
        assert!(is_needed(&TurnStatus::Waits, Some("ada")));
        assert!(is_needed(&closed("bob"), Some("ada")));
        assert!(is_needed(&TurnStatus::Closed(None), Some("ada")));
        assert!(is_needed(&TurnStatus::Closed(None), None));
        assert!(!is_needed(&closed("ada"), Some("ada")));
    }
}
