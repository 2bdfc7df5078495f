//! [`Waits`]: the calls of one run that wait for a user.
//!
//! The framework does not pause at long-running tools. So the wrapper of a tool waits within the call, and the
//! session stops polling the run once nothing but such waits is left.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use eval::subject::PendingCall;
use json_text::JsonText;
use serde_json::{Map, Value};
use tokio::sync::{Notify, oneshot};

/// The calls of one run that wait for a user, and what else is under way.
#[derive(Default)]
pub(crate) struct Waits {
    inner: Mutex<Inner>,
    changed: Notify,
}

#[derive(Default)]
struct Inner {
    /// The number of tools and models that work.
    working: usize,
    waiting: Vec<Waiting>,
    /// The ids of calls that users responded to.
    responded: HashSet<String>,
    /// Changes of the state that the invocation under way does not know yet.
    unseen_changes: HashMap<String, Value>,
    /// Those that it was given, until its event shows them.
    given_changes: HashMap<String, Value>,
}

struct Waiting {
    call: PendingCall,
    reply: oneshot::Sender<JsonText>,
}

/// A tool or a model that works, until it is dropped.
pub(crate) struct Work(Arc<Waits>);

impl Drop for Work {
    fn drop(&mut self) {
        self.0.lock().working -= 1;
        self.0.changed.notify_one();
    }
}

impl Waits {
    /// Notes that a tool or a model works.
    pub(crate) fn work(self: &Arc<Self>) -> Work {
        self.lock().working += 1;
        Work(Arc::clone(self))
    }

    /// Waits for the response to a call; `None` if the session is gone.
    pub(crate) async fn response(&self, call: PendingCall) -> Option<JsonText> {
        let (reply, replied) = oneshot::channel();
        self.lock().waiting.push(Waiting { call, reply });
        self.changed.notify_one();
        replied.await.ok()
    }

    /// Waits until calls wait and nothing else is under way, and returns the calls.
    pub(crate) async fn only_waiting(&self) -> Vec<PendingCall> {
        loop {
            {
                let mut inner = self.lock();
                // A call is given up at its tool's timeout.
                inner.waiting.retain(|waiting| !waiting.reply.is_closed());
                if inner.working == 0 && !inner.waiting.is_empty() {
                    return inner.waiting.iter().map(|waiting| waiting.call.clone()).collect();
                }
            }
            self.changed.notified().await;
        }
    }

    /// Gives a call its response. A call that does not wait is passed over.
    pub(crate) fn respond(&self, call_id: &str, response: JsonText) {
        let inner = &mut *self.lock();
        if let Some(at) = inner.waiting.iter().position(|one| one.call.call_id == call_id) {
            inner.responded.insert(call_id.to_owned());
            // The call may have been given up meanwhile, at the tool's timeout.
            let _ = inner.waiting.remove(at).reply.send(response);
        }
    }

    /// Whether a user responded to this call.
    pub(crate) fn was_responded(&self, call_id: &str) -> bool {
        self.lock().responded.contains(call_id)
    }

    /// Notes changes of the state that the invocation under way must learn.
    pub(crate) fn change(&self, changes: Map<String, Value>) {
        self.lock().unseen_changes.extend(changes);
    }

    /// Takes those changes, for the event of a tool's result.
    pub(crate) fn take_changes(&self) -> HashMap<String, Value> {
        let inner = &mut *self.lock();
        let changes = std::mem::take(&mut inner.unseen_changes);
        inner.given_changes.extend(changes.clone());
        changes
    }

    /// Whether a change in an event is one of the user's, which the ledger has already.
    pub(crate) fn is_users(&self, key: &str, value: &Value) -> bool {
        let given = &mut self.lock().given_changes;
        let is_users = given.get(key) == Some(value);
        if is_users {
            given.remove(key);
        }
        is_users
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
