//! Which turn is shown: the head of the queue, the one that the address names, or the one that the person
//! is responding to.

use api::LiveTurnId;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::LiveWorkspace;
use crate::live::state::turn::{Choice, closed_with_draft};
use crate::shared::keys::focus_panel;
use api::host::read_live_turn;
use app::state::live_draft::Draft;

impl LiveWorkspace {
    /// Shows the head of the queue, unless the address names a turn or the person is responding to
    /// another.
    pub(super) fn follow_queue(self) {
        // The choice depends on the turn that is shown, and `show_head` shows another.
        Effect::new(move |_| {
            let (named, head) = (self.named.get(), self.head());
            let now = self.shown.get_untracked();
            let choice = Choice {
                named,
                head,
                is_busy: now.as_ref().is_some_and(|turn| {
                    self.live.drafts.has_begun(turn) && !self.is_rejected(turn)
                }),
                is_greeted: now.is_some() || self.live.is_greeted(),
                shown: now.clone(),
            };
            let next = choice.next(|| self.closed_turn_with_draft());
            if next != now {
                self.shown.set(next);
            }
        });
        // A session without pending turns opens with its events. The person may switch afterwards.
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
        // Requests the turn from the host.
        Effect::new(move |before: Option<Option<LiveTurnId>>| {
            let shown = self.shown.get();
            // Read again once it has a response.
            closed.get();
            if before.as_ref() != Some(&shown) {
                self.turn.set(None);
                self.turn_fault.set(None);
                self.notice.set(None);
                if before.is_some_and(|before| before.is_some()) && shown.is_some() {
                    self.announcement.set("The next request is ready.".to_owned());
                    self.shows_events.set(false);
                }
            }
            self.read_turn();
            shown
        });
        // The draft of another login in this tab is not shown. `show_head` loads the draft again.
        let greeted = Memo::new(move |_| self.shown.get().filter(|_| self.live.is_greeted()));
        Effect::new(move |_| {
            let shown = greeted.get();
            let is_head = untrack(|| self.is_head());
            // The person may be typing in the filter for the next call.
            if !self.is_ahead.get_untracked() {
                self.filter.set(String::new());
            }
            self.show_draft(shown.as_ref().map(|turn| {
                if is_head {
                    return self.live.drafts.adopt_next(&self.id.get_value(), turn);
                }
                self.draft_of(turn)
            }));
        });
        // The results of the turn's tools and the end of its run arrive after the response.
        let events_after = Memo::new(move |_| {
            let may_follow = self.turn.with(|turn| {
                turn.as_ref().is_some_and(|it| it.closed.is_some() && it.ended.is_none())
            });
            self.summary.with(|it| it.as_ref().filter(|_| may_follow).map(|it| it.events))
        });
        // Requests the turn from the host.
        Effect::new(move |before: Option<Option<u64>>| {
            let now = events_after.get();
            if now.is_some() && before.is_some_and(|before| before != now) {
                self.read_turn();
            }
            now
        });
    }

    /// The turn of this session that was closed while the person had a draft for it, before the page was
    /// loaded. Tracked.
    fn closed_turn_with_draft(self) -> Option<LiveTurnId> {
        let (id, me) = (self.id.get_value(), self.live.name.get());
        let drafts = self.live.drafts.kept();
        self.summary.with(|summary| {
            let waiting = summary.as_ref().map(|summary| summary.waiting.as_slice());
            closed_with_draft(drafts, &id, me.as_deref(), waiting)
        })
    }

    /// Shows the draft of the shown turn. The form is not drawn again for the draft that it shows, so
    /// that the person goes on typing.
    pub(super) fn show_draft(self, draft: Option<Draft>) {
        self.is_ahead.set(false);
        let before = self.draft.get_untracked();
        if !draft.zip(before).is_some_and(|(draft, before)| draft.is(before)) {
            self.draft.set(draft);
        }
    }

    /// Shows the draft for the next request: what the person types from now on is not part of this
    /// turn's response.
    pub(super) fn show_next_draft(self) {
        let side = untrack(|| self.side());
        self.draft.set(Some(self.live.drafts.next_of(&self.id.get_value(), side)));
        self.is_ahead.set(true);
        self.filter.set(String::new());
        focus_panel();
    }

    pub(super) fn draft_of(self, turn: &LiveTurnId) -> Draft {
        self.live.drafts.of(&self.id.get_value(), turn)
    }

    /// Requests the shown turn from the host.
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

    /// Shows the head of the queue in place of the shown turn.
    pub fn show_head(self) {
        if self.is_ahead.get_untracked() && self.named.read_untracked().is_some() {
            let path = format!("/live/{}", self.id.get_value());
            self.navigate.with_value(|navigate| navigate(path, true));
            return;
        }
        let head = untrack(|| self.head());
        let shown = self.shown.get_untracked();
        // The turn stays until the queue has another head.
        match head {
            Some(head)
                if Some(&head) != shown.as_ref() && self.named.read_untracked().is_none() =>
            {
                self.shown.set(Some(head));
            }
            _ if self.is_ahead.get_untracked() => {}
            _ => self.draft.set(shown.as_ref().map(|turn| self.draft_of(turn))),
        }
    }

    /// Discards the draft of the shown turn and shows the head of the queue.
    pub fn discard_draft(self) {
        if self.is_ahead.get_untracked() {
            self.live.drafts.discard_next(&self.id.get_value());
            self.is_ahead.set(false);
        } else if let Some(turn) = self.shown.get_untracked() {
            self.live.drafts.forget(&turn);
        }
        self.notice.set(None);
        self.show_head();
    }
}
