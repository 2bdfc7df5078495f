//! The session to respond to after this one.

use api::{ApiError, LiveId, LiveTurnId};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::LiveWorkspace;
use crate::live::state::list::next_waiting;
use api::host::list_live_sessions;
use app::state::browser;

/// The storage key of whether the next waiting session is opened after a response.
pub(super) const GOES_ON: &str = "rehearsal.goes-on";

impl LiveWorkspace {
    /// Opens the session that waits longest, or shows that none waits.
    pub fn open_next(self) {
        self.go_to_next(true);
    }

    /// Opens the next session after a response, if the person has chosen so, unless this one has
    /// another request or the person has typed ahead of it.
    pub(super) fn go_on(self, answered: &LiveTurnId) {
        let is_pending = self.summary.with_untracked(|summary| {
            let waiting = summary.iter().flat_map(|summary| &summary.waiting);
            waiting.into_iter().any(|turn| turn.turn != *answered)
        });
        if self.goes_on.get_untracked() && !is_pending && !self.is_typed_in() {
            self.go_to_next(false);
        }
    }

    /// Whether the person has typed in the draft that is shown.
    pub(super) fn is_typed_in(self) -> bool {
        self.draft.get_untracked().is_some_and(|draft| draft.is_begun.get_untracked())
    }

    /// Chooses whether the next waiting session is opened after a response.
    pub fn toggle_going_on(self) {
        self.goes_on.update(|goes_on| *goes_on = !*goes_on);
        browser::store(GOES_ON, self.goes_on.get_untracked().then_some("on"));
    }

    fn go_to_next(self, is_asked: bool) {
        spawn_local(async move {
            let next = self.next().await;
            if self.is_gone() {
                return;
            }
            match next {
                Ok(Some(_)) if !is_asked && self.is_typed_in() => {}
                Ok(Some(next)) => {
                    self.navigate.with_value(|navigate| navigate(format!("/live/{next}"), false));
                }
                Ok(None) if is_asked => {
                    self.notice.set(Some("No other session is waiting for a response.".to_owned()));
                }
                Ok(None) => {}
                Err(error) => self.notice.set(Some(error.to_string())),
            }
        });
    }

    async fn next(self) -> Result<Option<LiveId>, ApiError> {
        let (mut all, mut before) = (Vec::new(), None);
        loop {
            let page = list_live_sessions(String::new(), before).await?;
            all.extend(page.sessions);
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        let me = self.live.name.get_untracked();
        Ok(next_waiting(&all, &self.id.get_value(), me.as_deref()))
    }
}
