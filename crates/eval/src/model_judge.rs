//! [`ModelJudge`]: models as the judge of criteria, for callers that are not asynchronous.

use std::sync::mpsc;

use case_trace::CaseRubrics;
use scoring::config::{Config, Criterion};
use scoring::judge::{Judge, JudgeRequest, NoReply};
use scoring::{Outcome, Trace};
use tokio::runtime::Runtime;

use crate::adk_judge::{AdkJudge, Asking};
use crate::ledger::Ledger;
use crate::model::{ModelMessage, ModelRequest, Models};

/// Asks models as the judge of the criteria of a config.
pub struct ModelJudge<'c> {
    models: Models,
    config: &'c Config,
    rubrics: CaseRubrics,
    runtime: &'c Runtime,
}

impl<'c> ModelJudge<'c> {
    /// A judge whose requests run in `runtime`.
    #[must_use]
    pub fn new(models: Models, config: &'c Config, runtime: &'c Runtime) -> Self {
        Self { models, config, rubrics: CaseRubrics::default(), runtime }
    }

    /// The same judge, with the rubrics of a case besides those of the config.
    #[must_use]
    pub fn with_rubrics(mut self, rubrics: CaseRubrics) -> Self {
        self.rubrics = rubrics;
        self
    }

    /// Waits for what the runtime does. A runtime's own `block_on` must not be called within another one.
    fn wait<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Option<T> {
        let (sender, receiver) = mpsc::sync_channel(1);
        self.runtime.spawn(async move {
            // The receiver waits.
            let _ = sender.send(work.await);
        });
        receiver.recv().ok()
    }
}

impl Judge for ModelJudge<'_> {
    fn answer(&mut self, request: &JudgeRequest) -> Result<String, NoReply> {
        let model = self.models.model(self.models.judge_name(&request.model));
        let model = model.map_err(|error| NoReply(error.to_string()))?;
        let asked = ModelRequest {
            instruction: request.system.clone(),
            messages: vec![ModelMessage::ToModel(request.prompt.clone())],
            ..ModelRequest::default()
        };
        let reply = self.wait(async move { model.ask(&asked).await });
        let reply = reply.ok_or_else(|| NoReply("the request was stopped".to_owned()))?;
        reply.map(|reply| reply.text).map_err(|failure| NoReply(failure.to_string()))
    }

    fn outcome(
        &mut self,
        criterion: &Criterion,
        expected: &Trace,
        actual: &Trace,
    ) -> Option<Outcome> {
        let judge = AdkJudge::of(&criterion.name, self.config, &self.rubrics, None)?;
        let (models, metric) = (self.models.clone(), criterion.name.clone());
        let (expected, actual) = (expected.clone(), actual.clone());
        self.wait(async move {
            let ledger = &Ledger::begin();
            let asking = Asking { models: &models, ledger, metric: &metric };
            judge.outcome(&asking, &expected, &actual).await
        })
    }
}
