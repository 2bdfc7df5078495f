//! What events of the framework tell the ledger.

use std::collections::BTreeMap;
use std::sync::Arc;

use adk_core::{
    Agent, AgentCapabilities, AgentInteractionMode, AgentTopology, AgentTransferDecision,
    AgentTransferRequest, Event as AdkEvent, EventStream, InvocationContext, Part, Result,
    RunConfig,
};
use async_trait::async_trait;
use eval::RunFailure;
use eval::ledger::{Event, Role};
use futures::StreamExt as _;
use json_text::JsonText;
use serde_json::Value;

use crate::shared::Shared;

/// Whose event it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// An agent's that the user talks to.
    Outer,
    /// An agent's that is used as a tool.
    Inner,
}

/// Notes an event in the ledger.
///
/// # Errors
/// The failure that ended the run: a model that the factory did not wrap called a tool. The framework has not
/// begun the call when it gives the event.
pub(crate) fn note(
    shared: &Shared,
    event: &AdkEvent,
    depth: Depth,
) -> std::result::Result<(), RunFailure> {
    let is_inner = depth == Depth::Inner;
    let (gate, agent) = (&shared.gate, &event.author);
    if !is_inner {
        gate.note_invocation(event.invocation_id.clone());
    }
    // Parts of a response under way, and progress of tools. The whole follows.
    if event.llm_response.partial {
        return Ok(());
    }
    let parts = event.llm_response.content.as_ref().map_or(&[][..], |content| &content.parts);
    let text: String = parts
        .iter()
        .filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    if agent != "user" && !text.is_empty() {
        let is_intermediate = parts.iter().any(|part| matches!(part, Part::FunctionCall { .. }));
        gate.ledger.add(Event::Message { agent: agent.clone(), text, is_intermediate, is_inner });
    }
    if let Some(usage) = &event.llm_response.usage_metadata {
        gate.ledger.add(Event::ModelUsage {
            role: Role::Subject,
            agent: agent.clone(),
            model: shared.model_of(agent),
            input: u64::try_from(usage.prompt_token_count).unwrap_or_default(),
            output: u64::try_from(usage.candidates_token_count).unwrap_or_default(),
        });
    }
    for part in parts {
        if let Part::FunctionCall { name, args, id, .. } = part {
            let call_id = id.clone().unwrap_or_default();
            let is_ours = shared.is_ours(&call_id);
            gate.ledger.add(Event::ToolCall {
                call_id,
                name: name.clone(),
                args: JsonText::from_value(args),
                agent: agent.clone(),
                is_inner,
            });
            if !is_ours {
                let failure = RunFailure::Unseen {
                    name: format!("{agent}.model"),
                    agent: agent.clone(),
                    what: "is a model that the factory did not wrap".to_owned(),
                };
                if !gate.allows(&format!("{agent}.model")) {
                    gate.stop(failure.clone());
                    return Err(failure);
                }
            }
        }
    }
    let mut answered = Vec::new();
    for part in parts {
        if let Part::FunctionResponse { function_response, id, .. } = part {
            answered.extend(id.as_deref());
            let call_id = id.clone().unwrap_or_default();
            // The engine has noted what a user responded.
            if !shared.waits.was_responded(&call_id) {
                let result = JsonText::from_value(&function_response.response);
                gate.note_result(call_id, function_response.name.clone(), result);
            }
        }
    }
    // What an agent that is used as a tool changes is in the result of the tool.
    if !is_inner {
        let changes: BTreeMap<&String, &Value> = event
            .actions
            .state_delta
            .iter()
            .filter(|(key, value)| !shared.waits.is_users(key, value))
            .collect();
        let changes = JsonText::serialize(&changes).unwrap_or_else(|_| JsonText::null());
        gate.note_changed_state(&changes);
        gate.note_changes(changes, &answered);
    }
    Ok(())
}

/// An agent that is used as a tool, the events of which the ledger gets.
pub(crate) struct InnerAgent {
    agent: Arc<dyn Agent>,
    shared: Arc<Shared>,
}

impl InnerAgent {
    pub(crate) fn new(agent: Arc<dyn Agent>, shared: &Arc<Shared>) -> Self {
        Self { agent, shared: Arc::clone(shared) }
    }
}

#[async_trait]
impl Agent for InnerAgent {
    fn name(&self) -> &str {
        self.agent.name()
    }

    fn description(&self) -> &str {
        self.agent.description()
    }

    fn sub_agents(&self) -> &[Arc<dyn Agent>] {
        self.agent.sub_agents()
    }

    fn interaction_mode(&self) -> AgentInteractionMode {
        self.agent.interaction_mode()
    }

    fn supports_agent_transfer(&self) -> bool {
        self.agent.supports_agent_transfer()
    }

    fn capabilities(&self) -> AgentCapabilities {
        self.agent.capabilities()
    }

    fn topology(&self) -> Option<AgentTopology> {
        self.agent.topology()
    }

    fn configure_run(&self, agent_name: &str, config: &mut RunConfig) {
        self.agent.configure_run(agent_name, config);
    }

    fn transfer_targets_for(&self, agent_name: &str) -> Option<Vec<String>> {
        self.agent.transfer_targets_for(agent_name)
    }

    fn strict_transfer_policy(&self) -> bool {
        self.agent.strict_transfer_policy()
    }

    async fn govern_transfer(
        &self,
        request: &AgentTransferRequest,
    ) -> Result<AgentTransferDecision> {
        self.agent.govern_transfer(request).await
    }

    async fn run(&self, context: Arc<dyn InvocationContext>) -> Result<EventStream> {
        let shared = Arc::clone(&self.shared);
        let events = self.agent.run(context).await?;
        Ok(Box::pin(events.then(move |event| {
            let shared = Arc::clone(&shared);
            async move {
                if let Ok(event) = &event
                    && note(&shared, event, Depth::Inner).is_err()
                {
                    return shared.end_run().await;
                }
                event
            }
        })))
    }
}
