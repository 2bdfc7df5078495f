//! [`AgentModel`]: the requests of an agent's own client to a model, which the engine counts, delays and lets repeat.

use std::sync::Arc;
use std::time::Duration;

use super::limit::Limit;
use super::{FailureKind, LONGEST_WAIT, ModelFailure, ModelSettings};

/// A model that an agent asks with a client of its own.
#[derive(Clone)]
pub(crate) struct AgentModel {
    pub(super) name: String,
    pub(super) limit: Arc<Limit>,
    pub(super) settings: ModelSettings,
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// The model answered.
    Succeeded,
    /// The request was given up.
    Ended,
    /// The client reports an error.
    Failed {
        /// The status of the response.
        status: Option<u16>,
        /// Whether an error without a status may pass.
        may_pass: bool,
        /// The wait that the service asks for.
        retry_after: Option<Duration>,
    },
}

impl AgentModel {
    /// Waits until a request may be sent and calls `begin`, then waits until `end` says how it ended. Returns the wait
    /// before it is to be made again, if it is; `attempt` counts from 1.
    pub(crate) async fn attempt(
        &self,
        attempt: u32,
        begin: impl FnOnce(),
        end: impl Future<Output = Attempt>,
    ) -> Option<Duration> {
        let place = self.limit.enter().await;
        begin();
        let Attempt::Failed { status, may_pass, retry_after } = (match end.await {
            Attempt::Succeeded => {
                place.succeeded();
                return None;
            }
            ended => ended,
        }) else {
            return None;
        };
        let failure = ModelFailure::reported(&self.name, status, may_pass, retry_after);
        let wait = self.settings.wait_after(&failure, attempt);
        if failure.kind == FailureKind::RateLimited {
            place.limited(wait.min(LONGEST_WAIT));
        }
        self.settings.repeats(&failure, attempt, wait).then_some(wait)
    }
}
