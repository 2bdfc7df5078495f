//! [`create_eval_runner`]: a subject under interception, without users, metrics and an end.

use std::collections::HashMap;
use std::sync::Arc;

use crate::case::EvalCase;
use crate::gate::Gate;
use crate::given_model::GivenModel;
use crate::ledger::Event;
use crate::mock::ToolUse;
use crate::run_failure::RunFailure;
use crate::subject::{Input, Subject, SubjectSession, TurnEnd};

/// A subject in a session of its own, every tool call of which is decided by the mocks that it was created
/// with.
pub struct EvalRunner {
    gate: Arc<Gate>,
    session: Box<dyn SubjectSession>,
}

/// Opens a session of `subject` in which a call of a tool that `tool_mocks` does not name is a failure.
/// `model` takes the place of the subject's models; `None` keeps those that it names.
///
/// # Errors
/// A [`RunFailure`] if the subject cannot be loaded, or uses what cannot be intercepted.
pub async fn create_eval_runner(
    subject: Arc<dyn Subject>,
    tool_mocks: HashMap<String, ToolUse>,
    model: Option<GivenModel>,
) -> Result<EvalRunner, RunFailure> {
    let mut case = EvalCase::new("eval-runner", subject);
    case.tools = tool_mocks;
    case.model = model;
    EvalRunner::of_case(&case).await
}

impl EvalRunner {
    /// Opens a session of the subject of a case, with what the case says about tools, the model and the state. Its users,
    /// metrics and ends are not looked at.
    ///
    /// # Errors
    /// As [`create_eval_runner`].
    pub async fn of_case(case: &EvalCase) -> Result<Self, RunFailure> {
        let gate = Arc::new(case.gate());
        gate.ledger.add(Event::InitialState { state: case.initial_state.clone() });
        let session = case.subject.open(&gate).await?;
        Ok(Self { gate, session })
    }

    /// Runs the subject until it ends its turn or waits.
    ///
    /// # Errors
    /// The [`RunFailure`] that ended the run. The runner cannot be used after it.
    pub async fn run(&mut self, input: Input) -> Result<TurnEnd, RunFailure> {
        if let Input::Message(message) = &input {
            self.gate.note_user_message(message);
        }
        let ended = tokio::select! {
            ended = self.session.run(input) => Some(ended),
            () = self.gate.stopped() => None,
        };
        // A failure at the gate explains how the subject's run ended.
        match (self.gate.failure(), ended) {
            (None, Some(Ok(end))) => {
                self.gate.note_state(end.state.clone());
                Ok(end)
            }
            (Some(failure), _) | (None, Some(Err(failure))) => Err(failure),
            (None, None) => Err(RunFailure::Infrastructure { message: "the run ended".to_owned() }),
        }
    }

    /// The gate, with the events so far in its ledger.
    #[must_use]
    pub fn gate(&self) -> &Gate {
        &self.gate
    }
}
