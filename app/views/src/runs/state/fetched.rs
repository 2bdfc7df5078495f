//! [`Fetched`]: a value of the host that is read again while it changes.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use api::ApiError;
use leptos::prelude::*;
use leptos::task::spawn_local;

use app::state::clock::every;
use app::state::latest_request::{LatestRequest, use_latest_request};

/// Reads the value from the host.
type Request<T> = Box<dyn Fn() -> Pin<Box<dyn Future<Output = Result<T, ApiError>>>>>;

/// A value of the host, as small as its handles. What was read stays when a later request fails.
#[derive(Debug)]
pub struct Fetched<T: 'static> {
    value: RwSignal<Option<Arc<T>>>,
    error: RwSignal<Option<ApiError>>,
    latest: LatestRequest,
    read: StoredValue<Request<T>, LocalStorage>,
}

impl<T> Clone for Fetched<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Fetched<T> {}

/// Reads a value now, and every `period` while `changes` is true of it and the page is visible.
pub fn use_fetched<T, F>(
    read: impl Fn() -> F + 'static,
    period: Duration,
    changes: impl Fn(&T) -> bool + Send + Sync + 'static,
) -> Fetched<T>
where
    T: PartialEq + Send + Sync + 'static,
    F: Future<Output = Result<T, ApiError>> + 'static,
{
    let read: Request<T> = Box::new(move || Box::pin(read()));
    let fetched = Fetched {
        value: RwSignal::new(None),
        error: RwSignal::new(None),
        latest: use_latest_request(),
        read: StoredValue::new_local(read),
    };
    // Requests it from the host.
    Effect::new(move |_| fetched.again());
    let is_changing =
        Memo::new(move |_| fetched.value.with(|value| value.as_deref().is_some_and(&changes)));
    Effect::new(move |_| {
        if is_changing.get() {
            every(period, move || {
                if !document().hidden() {
                    fetched.again();
                }
            });
        }
    });
    fetched
}

impl<T: PartialEq + Send + Sync + 'static> Fetched<T> {
    /// Reads it again.
    pub fn again(self) {
        let asked = self.latest.ask();
        let Some(response) = self.read.try_with_value(|read| read()) else { return };
        spawn_local(async move {
            let response = response.await;
            if asked.is_wanted() {
                self.take(response);
            }
        });
    }

    /// Takes over a response of the host.
    pub fn take(self, response: Result<T, ApiError>) {
        self.latest.give_up();
        match response {
            Ok(value) => {
                self.error.set(None);
                let is_known = self.value.with_untracked(|known| known.as_deref() == Some(&value));
                if !is_known {
                    self.value.set(Some(Arc::new(value)));
                }
            }
            Err(error) => self.error.set(Some(error)),
        }
    }

    /// Whether it has arrived, or why not. Tracked.
    #[must_use]
    pub fn arrived(self) -> Option<Result<(), ApiError>> {
        match self.value.read().is_some() {
            true => Some(Ok(())),
            false => self.error.get().map(Err),
        }
    }

    /// The value, once it has arrived. Tracked.
    #[must_use]
    pub fn get(self) -> Option<Arc<T>> {
        self.value.get()
    }
}
