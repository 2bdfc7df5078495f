//! Which turn is shown: the head of the queue, the one that the address names, or the one that the person
//! is busy with.

use api::LiveTurnId;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::LiveWorkspace;
use crate::live::state::turn::{Choice, closed_with_draft};
use app::server_functions::read_live_turn;
use app::state::live_draft::Draft;

impl LiveWorkspace {
    /// Shows the head of the queue, unless the address names a turn or the person is busy with another.
    pub(super) fn follow_the_queue(self) {
        Effect::new(move |_| {
            let (named, head) = (self.named.get(), self.head());
            let now = self.shown.get_untracked();
            let choice = Choice {
                named,
                head,
                is_busy: now.as_ref().is_some_and(|turn| self.live.drafts.has_begun(turn)),
                is_greeted: now.is_some() || self.live.is_greeted(),
                shown: now.clone(),
            };
            let next = choice.next(|| self.left_over());
            if next != now {
                self.shown.set(next);
            }
        });
        // A session in which nothing waits shows its events.
        Effect::new(move |decided: Option<bool>| {
            if decided == Some(true) {
                return true;
            }
            let Some(summary) = self.summary.get() else { return false };
            if summary.waiting.is_empty() && self.named.get_untracked().is_none() {
                self.shows_events.set(true);
            }
            true
        });
        let closed = Memo::new(move |_| self.ahead().is_none());
        Effect::new(move |before: Option<Option<LiveTurnId>>| {
            let shown = self.shown.get();
            // Read again once it has its answer.
            closed.get();
            if before.as_ref() != Some(&shown) {
                self.turn.set(None);
                self.turn_fault.set(None);
                self.notice.set(None);
                self.filter.set(String::new());
                if before.is_some_and(|before| before.is_some()) && shown.is_some() {
                    self.announcement.set("The next turn is ready.".to_owned());
                    self.shows_events.set(false);
                }
            }
            self.read_turn();
            shown
        });
        // Nobody is given what somebody else began in this tab.
        Effect::new(move |_| {
            let shown = self.shown.get().filter(|_| self.live.is_greeted());
            self.draft.set(shown.as_ref().map(|turn| self.draft_of(turn)));
        });
        // Its tools' results and the end of its run arrive after the response.
        let announcement = Memo::new(move |_| {
            let may_follow = self.turn.with(|turn| {
                turn.as_ref().is_some_and(|it| it.closed.is_some() && it.ended.is_none())
            });
            self.summary.with(|it| it.as_ref().filter(|_| may_follow).map(|it| it.events))
        });
        Effect::new(move |before: Option<Option<u64>>| {
            let now = announcement.get();
            if now.is_some() && before.is_some_and(|before| before != now) {
                self.read_turn();
            }
            now
        });
    }

    /// The turn of this session that was closed while the person had a draft for it, before the page was
    /// loaded. Tracked.
    fn left_over(self) -> Option<LiveTurnId> {
        let (id, me) = (self.id.get_value(), self.live.name.get());
        let drafts = self.live.drafts.kept();
        self.summary.with(|summary| {
            let waiting = summary.as_ref().map(|summary| summary.waiting.as_slice());
            closed_with_draft(drafts, &id, me.as_deref(), waiting)
        })
    }

    fn draft_of(self, turn: &LiveTurnId) -> Draft {
        self.live.drafts.of(&self.id.get_value(), turn)
    }

    /// Asks the host what the model would see.
    pub fn read_turn(self) {
        let Some(wanted) = self.shown.get_untracked() else { return };
        let place = self.place(wanted.clone());
        spawn_local(async move {
            let read = read_live_turn(place).await;
            if self.shown.try_get_untracked().flatten() != Some(wanted) {
                return;
            }
            match read {
                Ok(turn) => {
                    self.turn_fault.try_set(None);
                    if self.turn.read_untracked().as_ref() != Some(&turn) {
                        self.turn.try_set(Some(turn));
                    }
                }
                Err(error) => {
                    self.turn_fault.try_set(Some(error));
                }
            }
        });
    }

    /// Shows the head of the queue, whatever was shown.
    pub fn go_on(self) {
        let head = untrack(|| self.head());
        let shown = self.shown.get_untracked();
        // Soon the queue says what comes next; until then the turn stays as it is.
        match head {
            Some(head)
                if Some(&head) != shown.as_ref() && self.named.read_untracked().is_none() =>
            {
                self.shown.set(Some(head));
            }
            _ => self.draft.set(shown.as_ref().map(|turn| self.draft_of(turn))),
        }
    }

    /// Gives up what was typed in the shown turn and shows the head of the queue.
    pub fn put_away(self) {
        if let Some(turn) = self.shown.get_untracked() {
            self.live.drafts.forget(&turn);
        }
        self.notice.set(None);
        self.go_on();
    }
}
