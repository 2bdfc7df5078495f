//! The lease of a turn: taken with the first keystroke, renewed by a heartbeat, released or handed over.

use std::time::Duration;

use api::ApiError;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::LiveWorkspace;
use crate::live::state::turn::{renews_lease, requests_lease};
use api::host::{hand_over_live_lease, release_live_lease, take_live_lease};
use app::state::browser;
use app::state::clock;
use app::state::live_draft::{LeaseRequest, remember_hold};

/// How often the lease is renewed while the person types. It lasts 30 s.
const HEARTBEAT: Duration = Duration::from_secs(8);

impl LiveWorkspace {
    /// Records input in the response, and takes the lease with the first one.
    pub fn touch(self) {
        let Some(draft) = self.draft.get_untracked() else { return };
        let idle_ms = browser::now().as_millisecond() - draft.touched_ms.get_value();
        let was_idle = requests_lease(draft.is_begun.get_untracked(), idle_ms);
        draft.touch();
        if was_idle {
            self.take_lease();
        }
    }

    /// Takes or renews the lease, when the turn is the head of the queue and the person has a name.
    pub fn take_lease(self) {
        if self.is_ahead.get_untracked() || !untrack(|| self.is_head()) {
            return;
        }
        let (Some(draft), Some(turn), Some(by)) = (
            self.draft.get_untracked(),
            self.shown.get_untracked(),
            self.live.name.get_untracked(),
        ) else {
            return;
        };
        let lease = draft.lease.get_value();
        remember_hold(&turn, Some(&lease));
        let place = self.place(turn);
        if draft.lease_request.get_untracked() == LeaseRequest::Unasked {
            draft.lease_request.set(LeaseRequest::Asked);
        }
        spawn_local(async move {
            // The next heartbeat repeats a lost request.
            let request = match take_live_lease(place, lease, by).await {
                Ok(()) => LeaseRequest::Asked,
                Err(ApiError::LeaseHeld(_)) => LeaseRequest::Refused,
                Err(_) => return,
            };
            // The page may be gone.
            let _ = draft.lease_request.try_set(request);
        });
    }

    /// Renews the lease while the person types, and takes it when a turn with a draft becomes the head.
    pub(super) fn keep_lease(self) {
        // A timer, which runs in the browser only.
        Effect::new(move |started: Option<()>| {
            if started.is_none() {
                clock::every(HEARTBEAT, move || {
                    let Some(draft) = self.draft.get_untracked() else { return };
                    let since = browser::now().as_millisecond() - draft.touched_ms.get_value();
                    if renews_lease(draft.is_begun.get_untracked(), since) {
                        self.take_lease();
                    }
                });
            }
        });
        let is_head = Memo::new(move |_| self.is_head());
        // A request to the host.
        Effect::new(move |_| {
            let has_begun = self.draft.get().is_some_and(|draft| draft.is_begun.get());
            if is_head.get() && !self.is_ahead.get() && has_begun && self.live.name.read().is_some()
            {
                self.take_lease();
            }
        });
    }

    /// Releases the lease. The draft stays.
    pub fn release(self) {
        let (Some(draft), Some(turn)) = (self.draft.get_untracked(), self.shown.get_untracked())
        else {
            return;
        };
        draft.touched_ms.set_value(0);
        remember_hold(&turn, None);
        let (place, lease) = (self.place(turn), draft.lease.get_value());
        spawn_local(async move {
            let _ = release_live_lease(place, lease).await;
        });
    }

    /// Offers the lease to a person by name.
    pub fn hand_over(self, to: String) {
        let (Some(draft), Some(turn)) = (self.draft.get_untracked(), self.shown.get_untracked())
        else {
            return;
        };
        draft.touched_ms.set_value(0);
        remember_hold(&turn, None);
        let (place, lease) = (self.place(turn), draft.lease.get_value());
        spawn_local(async move {
            match hand_over_live_lease(place, lease, to.clone()).await {
                Ok(()) => self.announcement.set(format!("Lease offered to {to}.")),
                Err(error) => self.show_error(&error),
            }
        });
    }
}
