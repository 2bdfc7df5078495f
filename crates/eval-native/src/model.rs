//! [`InterceptedModel`]: a model of the subject, or the one that the case gives in its place.

use std::collections::HashMap;
use std::sync::Arc;

use adk_core::{
    AdkError, Content, FinishReason, Llm, LlmRequest, LlmResponse, LlmResponseStream, Part, Result,
    SchemaAdapter,
};
use async_trait::async_trait;
use eval::RunFailure;
use eval::given_model::ModelTurn;
use eval::place::Place;
use eval::request_changes::{RequestChanges, ToolChange};
use futures::StreamExt as _;
use serde_json::Value;

use crate::shared::Shared;
use crate::tool::MARK;

/// The tool that the framework itself declares for agents with sub-agents, and the beginning of its
/// description, which distinguishes it from a tool of the author.
const TRANSFER: (&str, &str) =
    ("transfer_to_agent", "Transfer execution to another agent. Valid targets: ");

/// Where a model's responses come from.
pub(crate) enum Source {
    /// From the model of this name that the case gives.
    Given(String),
    /// From the subject's own model, or one that the case names.
    Asked(Arc<dyn Llm>),
    /// From the run that this one is a fork of, and then from this model.
    Fork(Arc<dyn Llm>),
}

/// A model that checks the tools it is shown and numbers the calls it makes.
pub(crate) struct InterceptedModel {
    agent: String,
    source: Source,
    shared: Arc<Shared>,
}

impl InterceptedModel {
    pub(crate) fn new(agent: &str, source: Source, shared: &Arc<Shared>) -> Self {
        Self { agent: agent.to_owned(), source, shared: Arc::clone(shared) }
    }

    /// Takes the marks out of the declarations. A tool without one could run unseen, and one that the model's
    /// service runs cannot be stopped.
    fn check(&self, tools: &mut HashMap<String, Value>) -> std::result::Result<(), RunFailure> {
        for (name, declaration) in tools {
            let mark = declaration.as_object_mut().and_then(|members| members.shift_remove(MARK));
            let what = match mark {
                Some(Value::Bool(true)) => continue,
                Some(_) => "is a tool that the model's service runs",
                None if is_transfer(name, declaration) => continue,
                None => "is a tool that the factory did not wrap",
            };
            if !self.shared.gate.allows(name) {
                return Err(RunFailure::Unseen {
                    name: name.clone(),
                    agent: self.agent.clone(),
                    what: what.to_owned(),
                });
            }
        }
        Ok(())
    }
}

fn is_transfer(name: &str, declaration: &Value) -> bool {
    let description = declaration.get("description").and_then(Value::as_str).unwrap_or_default();
    name == TRANSFER.0 && description.starts_with(TRANSFER.1)
}

#[async_trait]
impl Llm for InterceptedModel {
    fn name(&self) -> &str {
        match &self.source {
            Source::Given(name) => name,
            Source::Asked(model) | Source::Fork(model) => model.name(),
        }
    }

    async fn generate_content(
        &self,
        mut request: LlmRequest,
        stream: bool,
    ) -> Result<LlmResponseStream> {
        if let Err(failure) = self.check(&mut request.tools) {
            self.shared.gate.stop(failure);
            return self.shared.end_run().await;
        }
        self.shared.gate.note_tools(request.tools.keys().cloned());
        if let Some(responses) = self.by_person(&request).await? {
            return Ok(responses);
        }
        let given = match &self.source {
            Source::Asked(_) => None,
            Source::Given(_) | Source::Fork(_) => match self.shared.gate.respond(&self.agent) {
                Ok(given) => given,
                Err(_) => return self.shared.end_run().await,
            },
        };
        match (given, &self.source) {
            (Some(turn), _) => {
                let response = response(&self.shared, turn);
                Ok(Box::pin(futures::stream::once(async { Ok(response) })))
            }
            // The engine has ended the run.
            (None, Source::Given(_)) => self.shared.end_run().await,
            (None, Source::Asked(model) | Source::Fork(model)) => {
                self.shared.gate.note_model_request(&self.agent);
                change(&mut request, self.shared.gate.request_changes());
                let shared = Arc::clone(&self.shared);
                let work = shared.waits.work();
                let responses = model.generate_content(request, stream).await?;
                Ok(Box::pin(responses.map(move |response| {
                    // The model works until its last response is read.
                    let _work = &work;
                    response.map(|one| numbered(&shared, one))
                })))
            }
        }
    }

    fn schema_adapter(&self) -> &dyn SchemaAdapter {
        match &self.source {
            Source::Given(_) => &adk_core::GenericSchemaAdapter,
            Source::Asked(model) | Source::Fork(model) => model.schema_adapter(),
        }
    }

    fn uses_interactions_api(&self) -> bool {
        matches!(&self.source, Source::Asked(model) if model.uses_interactions_api())
    }
}

impl InterceptedModel {
    /// The response of the person who has the agent's place, unless they hand it back first.
    async fn by_person(&self, request: &LlmRequest) -> Result<Option<LlmResponseStream>> {
        let gate = &self.shared.gate;
        if !gate.is_agent_taken(&self.agent) {
            return Ok(None);
        }
        let model = self.shared.person().canceled_at_once().model(&self.agent);
        let model = model.map_err(|error| AdkError::config(error.to_string()))?.client();
        let answered = async {
            let responses = model.generate_content(request.clone(), false).await?;
            Ok::<Vec<_>, AdkError>(responses.collect().await)
        };
        let _work = self.shared.waits.work();
        let Some(responses) = gate.instead(&Place::Agent, answered).await.transpose()? else {
            return Ok(None);
        };
        gate.note_person_response(&self.agent);
        let shared = Arc::clone(&self.shared);
        let responses = responses.into_iter();
        let responses = responses.map(move |response| response.map(|one| numbered(&shared, one)));
        Ok(Some(Box::pin(futures::stream::iter(responses.collect::<Vec<_>>()))))
    }
}

/// Changes a request to a model that is asked.
fn change(request: &mut LlmRequest, changes: &RequestChanges) {
    for (name, changed) in &changes.tools {
        let declaration = request.tools.get_mut(name).and_then(Value::as_object_mut);
        let Some(declaration) = declaration else { continue };
        let ToolChange { description, parameters } = changed;
        let description = description.clone().map(Value::from);
        let parameters = parameters.as_ref().and_then(|parameters| parameters.to_value().ok());
        for (member, value) in [("description", description), ("parameters", parameters)] {
            if let Some(value) = value {
                declaration.insert(member.to_owned(), value);
            }
        }
    }
    if let Some(temperature) = changes.temperature {
        let config = request.config.get_or_insert_default();
        #[expect(clippy::cast_possible_truncation, reason = "services take no more digits")]
        let temperature = temperature as f32;
        config.temperature = Some(temperature);
    }
}

/// A response of the given model as the framework has it.
fn response(shared: &Shared, turn: ModelTurn) -> LlmResponse {
    let text = (!turn.text.is_empty()).then_some(Part::Text { text: turn.text });
    let calls = turn.calls.into_iter().map(|call| Part::FunctionCall {
        name: call.tool,
        args: call.args.to_value().unwrap_or(Value::Null),
        id: Some(match call.id {
            Some(id) => shared.given_id(id),
            None => shared.call_id(),
        }),
        thought_signature: None,
    });
    LlmResponse {
        content: Some(Content {
            role: "model".to_owned(),
            parts: text.into_iter().chain(calls).collect(),
        }),
        finish_reason: Some(FinishReason::Stop),
        turn_complete: true,
        ..LlmResponse::default()
    }
}

/// A response with an id at each call that no other call of the run has.
fn numbered(shared: &Shared, mut response: LlmResponse) -> LlmResponse {
    for part in response.content.iter_mut().flat_map(|content| &mut content.parts) {
        if let Part::FunctionCall { id, .. } = part {
            *id = Some(shared.call_id());
        }
    }
    response
}
