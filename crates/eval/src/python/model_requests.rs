//! [`ModelRequests`]: the requests that the agent of a case makes to its own models.

use std::collections::HashMap;
use std::time::Duration;

use json_text::JsonText;
use serde_json::json;
use tokio::sync::oneshot;

use super::messages::{ModelBegins, ModelEnded, ModelFailed};
use crate::model::{Attempt, Models};

/// Those that are under way, by their numbers. Dropping it gives them up.
pub(super) struct ModelRequests {
    models: Models,
    ends: HashMap<u64, oneshot::Sender<End>>,
}

/// How a request ended, and what is called with whether it is to be made again.
type End = (Attempt, Option<Box<dyn FnOnce(bool) + Send>>);

impl ModelRequests {
    pub(super) fn new(models: Models) -> Self {
        Self { models, ends: HashMap::new() }
    }

    /// The models.
    pub(super) fn models(&self) -> &Models {
        &self.models
    }

    /// Calls `begin` as soon as the request may be sent.
    pub(super) fn begin(&mut self, begins: ModelBegins, begin: impl FnOnce() + Send + 'static) {
        let ModelBegins { request, model, attempt: number } = begins;
        let (ended, end) = oneshot::channel::<End>();
        self.ends.insert(request, ended);
        let model = self.models.of_agent(&model);
        tokio::spawn(async move {
            let mut answer = None;
            let end = async {
                let (attempt, wanted) = end.await.unwrap_or((Attempt::Ended, None));
                answer = wanted;
                attempt
            };
            let wait = model.attempt(number, begin, end).await;
            if let Some(answer) = answer {
                if let Some(wait) = wait {
                    tokio::time::sleep(wait).await;
                }
                answer(wait.is_some());
            }
        });
    }

    /// Calls `answer` with whether the request is to be made again, after the wait that it needs.
    pub(super) fn fail(
        &mut self,
        failed: &ModelFailed,
        answer: impl FnOnce(bool) + Send + 'static,
    ) {
        let attempt = Attempt::Failed {
            status: failed.status,
            may_pass: failed.may_pass,
            retry_after: failed.retry_after_ms.map(Duration::from_millis),
        };
        if let Some(end) = self.ends.remove(&failed.request) {
            let _ = end.send((attempt, Some(Box::new(answer))));
        }
    }

    pub(super) fn end(&mut self, ended: &ModelEnded) {
        let attempt = if ended.succeeded { Attempt::Succeeded } else { Attempt::Ended };
        // One that failed has ended before.
        if let Some(end) = self.ends.remove(&ended.request) {
            let _ = end.send((attempt, None));
        }
    }
}

/// The answer to a request that failed.
pub(super) fn again(again: bool) -> JsonText {
    JsonText::from_value(&json!({ "again": again }))
}
