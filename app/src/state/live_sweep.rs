//! The drafts of live answers that nobody needs any more, swept out of the browser's storage.
//!
//! A draft is needed for as long as its turn waits, and until it is put away where somebody else
//! closed the turn: it is offered when the session is shown. It goes when the person closed the turn
//! themselves, when its session has been gone for [`FOREIGN_MS`], when it has lain for
//! [`LONGEST_MS`], and when more than [`MOST`] are kept.

use std::collections::BTreeMap;

use api::{ApiError, LiveId, LivePlace};
use leptos::task::spawn_local;

use crate::server_functions::{read_live_session, read_live_turn};
use crate::state::browser;
use crate::state::live::Live;
use crate::state::live_draft::{Drafts, Kept};

/// So many drafts are kept, those that were typed in last.
const MOST: usize = 200;
/// How long a draft lies after the last key, in milliseconds: thirty days.
const LONGEST_MS: i64 = 30 * 24 * 60 * 60 * 1_000;
/// How long a draft lies whose session the host does not know, in milliseconds: a week. Another
/// project's host may serve at this address today, and the draft's own tomorrow.
const FOREIGN_MS: i64 = 7 * 24 * 60 * 60 * 1_000;
/// Of so many sessions the host is asked each time the page is loaded.
const SESSIONS_ASKED: usize = 20;

/// What the host says of the turn of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Standing {
    /// It waits.
    Waits,
    /// It is closed, by this one where a person did.
    Closed(Option<String>),
}

/// Sweeps once for as long as the page lives.
pub fn sweep(live: Live) {
    let drafts = live.drafts;
    if !drafts.is_first_sweep() {
        return;
    }
    let kept = drafts.kept();
    let now = browser::now().as_millisecond();
    let outlived = outlived(&kept, now);
    outlived.iter().for_each(|kept| drafts.discard(kept));
    let mut of_session = BTreeMap::<LiveId, Vec<Kept>>::new();
    for kept in newest_first(kept) {
        if let Some(session) = kept.session.clone().filter(|_| !outlived.contains(&kept)) {
            of_session.entry(session).or_default().push(kept);
        }
    }
    spawn_local(async move {
        for (session, kept) in of_session.into_iter().take(SESSIONS_ASKED) {
            sweep_session(live, drafts, session, kept, now).await;
        }
    });
}

async fn sweep_session(live: Live, drafts: Drafts, session: LiveId, kept: Vec<Kept>, now_ms: i64) {
    let summary = match read_live_session(session.clone()).await {
        Ok(summary) => summary,
        Err(ApiError::UnknownLiveSession { .. }) => {
            kept.iter()
                .filter(|kept| has_lain(kept, now_ms, FOREIGN_MS))
                .filter(|kept| !drafts.is_typed_in(&kept.turn))
                .for_each(|kept| drafts.discard(kept));
            return;
        }
        // The host does not answer: another time.
        Err(_) => return,
    };
    for kept in kept {
        let turn = &kept.turn;
        if summary.waiting.iter().any(|waiting| waiting.turn == *turn) {
            continue;
        }
        let place = LivePlace { session: session.clone(), turn: turn.clone() };
        let Ok(read) = read_live_turn(place).await else { continue };
        let standing = read.closed.map_or(Standing::Waits, |row| Standing::Closed(row.by));
        // A name that anybody may give is no proof: two people may be called the same.
        let me = live.logged_in_untracked();
        // What is typed meanwhile is no old draft.
        let may_go = !is_needed(&standing, me.as_deref()) && kept.may_be_of(me.as_deref());
        if may_go && !drafts.is_typed_in(turn) {
            drafts.discard(&kept);
        }
    }
}

/// Whether what was typed may still be wanted: whoever closed the turn themselves has sent it.
fn is_needed(standing: &Standing, me: Option<&str>) -> bool {
    match standing {
        Standing::Waits => true,
        Standing::Closed(by) => by.is_none() || by.as_deref() != me,
    }
}

/// The drafts that go whatever the host says: those that have lain too long, and those that are too
/// many.
fn outlived(kept: &[Kept], now_ms: i64) -> Vec<Kept> {
    let newest = newest_first(kept.to_vec()).into_iter().enumerate();
    let outlived =
        newest.filter(|(place, kept)| *place >= MOST || has_lain(kept, now_ms, LONGEST_MS));
    outlived.map(|(_, kept)| kept).collect()
}

fn has_lain(kept: &Kept, now_ms: i64, for_ms: i64) -> bool {
    now_ms.saturating_sub(kept.typed_ms) > for_ms
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
        Kept { key, turn, by: None, session: None, typed_ms }
    }

    #[test]
    fn old_and_excess_drafts_are_removed() {
        let now = 100 * LONGEST_MS;
        let old = kept("old", now - LONGEST_MS - 1);
        let mut all: Vec<Kept> =
            (0_i64..250).map(|number| kept(&number.to_string(), now - number)).collect();
        all.insert(7, old);
        let gone = outlived(&all, now);
        assert_eq!(gone.len(), 51);
        let goes = |turn: &str| gone.iter().any(|kept| kept.key == turn);
        assert!(goes("old") && goes("200") && !goes("199"));
        assert_eq!(outlived(&all[..5], now), []);
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
        let closed = |by: &str| Standing::Closed(Some(by.to_owned()));
        assert!(is_needed(&Standing::Waits, Some("ada")));
        assert!(is_needed(&closed("bob"), Some("ada")));
        assert!(is_needed(&Standing::Closed(None), Some("ada")));
        assert!(is_needed(&Standing::Closed(None), None));
        assert!(!is_needed(&closed("ada"), Some("ada")));
    }
}
