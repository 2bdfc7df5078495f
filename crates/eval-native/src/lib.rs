//! Agents of adk-rust as subjects of eval runs.
//!
//! A [`NativeSubject`] is made from a factory, which builds the agent once for each case from tools and models
//! that an [`Interceptor`] has wrapped. A finished agent shows neither its tools nor its models, so nothing
//! could be intercepted in it; that is why there is no way to make a subject from one.
//!
//! What this crate leaves to others: what happens to a call (`eval::Gate`), users, metrics, results.
//! Why it works as it does: `docs/design/eval-runs.md`.

mod confirmation;
mod events;
mod interceptor;
mod model;
mod session;
mod shared;
mod tool;
mod waits;

use std::sync::Arc;

use adk_core::Agent;
use async_trait::async_trait;
use eval::RunFailure;
use eval::gate::Gate;
use eval::message::Message;
use eval::model::Models;
use eval::request_changes::RequestChanges;
use eval::subject::{Subject, SubjectSession};

pub use self::interceptor::Interceptor;
use self::session::NativeSession;

type Factory = dyn Fn(&Interceptor) -> adk_core::Result<Arc<dyn Agent>> + Send + Sync;

/// An agent, team or workflow of adk-rust.
pub struct NativeSubject {
    factory: Box<Factory>,
    models: Models,
}

impl NativeSubject {
    /// The agent that `factory` builds. It is called once for each case and must wrap every tool and every
    /// model: a model that sees a tool without a wrapper ends the run, and so does a call of a model without
    /// one, both before the tool's code runs. A model that a case names is reached with what the environment says,
    /// unless [`NativeSubject::models`] says otherwise.
    #[must_use]
    pub fn new(
        factory: impl Fn(&Interceptor) -> adk_core::Result<Arc<dyn Agent>> + Send + Sync + 'static,
    ) -> Self {
        Self { factory: Box::new(factory), models: Models::of_environment() }
    }

    /// Reaches the model that a case names with these.
    #[must_use]
    pub fn models(mut self, models: Models) -> Self {
        self.models = models;
        self
    }
}

#[async_trait]
impl Subject for NativeSubject {
    fn refusal(&self, message: &Message) -> Option<String> {
        message.texts().err().map(|error| error.to_string())
    }

    fn unchangeable(&self, changes: &RequestChanges) -> Option<String> {
        (!changes.instructions.is_empty()).then(|| {
            "an agent in Rust builds its instruction itself, so it is changed there; descriptions and parameters of tools and the temperature can be changed here"
                .to_owned()
        })
    }

    async fn open(&self, gate: &Arc<Gate>) -> Result<Box<dyn SubjectSession>, RunFailure> {
        let interceptor = Interceptor::new(gate, &self.models);
        let agent = (self.factory)(&interceptor).map_err(|error| failed(&error))?;
        if let Some(reason) = interceptor.shared.unknown_tool() {
            return Err(RunFailure::Unchangeable { reason });
        }
        Ok(Box::new(NativeSession::open(agent, interceptor).await?))
    }
}

/// An error of the agent or of its framework.
fn failed(error: &adk_core::AdkError) -> RunFailure {
    RunFailure::Subject { message: error.to_string(), traceback: String::new() }
}
