//! [`McpSession`]: an agent in one case. It asks the model, calls tools and goes on until the model calls none.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agents::mcp::McpAgent;
use agents::native::resolved_instruction;
use async_trait::async_trait;
use futures::future::try_join_all;
use json_text::{JsonText, Kind};
use serde_json::{Map, Value, json};

use super::declarations::DeclaredTools;
use super::result;
use super::server::LiveServer;
use super::tools::{AgentTool, Tools};
use super::{failed, names};
use crate::gate::{Decision, Gate, GateCall};
use crate::given_model::{ModelCall, ModelTurn};
use crate::ledger::{Event, Role};
use crate::model::{
    CallingReply, GenerationConfig, Model, ModelMessage, ModelRequest, Models, ReplyCall, UsageNote,
};
use crate::place::Place;
use crate::request_changes::ToolChange;
use crate::run_failure::RunFailure;
use crate::subject::{Input, SubjectSession, TurnEnd};
use crate::yields::YieldKind;

/// The model that an agent asks.
pub(super) struct AskedModel {
    /// Whether the engine responds, at least at first.
    pub(super) is_of_engine: bool,
    /// The model of a service that is asked else.
    pub(super) real: Option<Model>,
}

/// An agent in one case. Dropping it ends its servers.
pub(super) struct McpSession {
    gate: Arc<Gate>,
    agent: String,
    /// With placeholders.
    instruction: String,
    server_instructions: Vec<String>,
    tools: Tools,
    servers: Vec<LiveServer>,
    model: AskedModel,
    /// With which a person is reached who takes over.
    models: Models,
    most_model_calls: usize,
    request: ModelRequest,
    state: Map<String, Value>,
    turns: usize,
    calls: AtomicUsize,
}

/// What a model responded.
struct Response {
    text: String,
    calls: Vec<ReplyCall>,
    /// The ids of the calls that have some.
    ids: Vec<Option<String>>,
    /// What the service wants back with the results.
    content: CallingReply,
}

impl Response {
    /// A response of the engine after which call `first` is the next.
    fn given(turn: ModelTurn, first: usize) -> Self {
        let ids = turn.calls.iter().map(|call| call.id.clone()).collect();
        let call = |call: ModelCall| ReplyCall { name: call.tool, args: call.args };
        let calls: Vec<ReplyCall> = turn.calls.into_iter().map(call).collect();
        let content = CallingReply::given(&turn.text, &calls, first);
        Self { text: turn.text, calls, ids, content }
    }
}

impl McpSession {
    pub(super) fn new(
        gate: &Arc<Gate>,
        agent: &McpAgent,
        servers: Vec<LiveServer>,
        model: AskedModel,
        models: Models,
    ) -> Result<Self, RunFailure> {
        let state = gate.initial_state().decode::<Map<String, Value>>();
        let state = state.map_err(|error| RunFailure::Infrastructure {
            message: format!("the initial state cannot be read: {error}"),
        })?;
        let changes = gate.request_changes();
        let instruction = changes.instructions.get(&agent.name).unwrap_or(&agent.instruction);
        let config = changes.temperature.map(GenerationConfig::of_temperature);
        Ok(Self {
            gate: Arc::clone(gate),
            agent: agent.name.clone(),
            instruction: instruction.clone(),
            server_instructions: Vec::new(),
            tools: Tools::default(),
            servers,
            model,
            models,
            most_model_calls: super::MOST_MODEL_CALLS,
            request: ModelRequest { config: config.unwrap_or_default(), ..ModelRequest::default() },
            state,
            turns: 0,
            calls: AtomicUsize::new(0),
        })
    }

    pub(super) fn most_model_calls(&mut self, most: usize) {
        self.most_model_calls = most;
    }

    /// Starts the servers and lists their tools.
    ///
    /// # Errors
    /// A server cannot be used, or the tools do not fit the case.
    pub(super) async fn list_tools(&mut self) -> Result<(), RunFailure> {
        let listed = try_join_all(self.servers.iter().map(LiveServer::listed)).await?;
        let listed: Vec<DeclaredTools> = listed.into_iter().cloned().collect();
        self.has(&listed)
    }

    /// Takes the tools of the servers.
    ///
    /// # Errors
    /// They do not fit the case.
    pub(super) fn has(&mut self, declared: &[DeclaredTools]) -> Result<(), RunFailure> {
        self.tools = Tools::of(declared).map_err(|error| failed(error.to_string()))?;
        self.gate.check_names(&names(&self.agent, Some(&self.tools)))?;
        for (tool, declaration) in self.tools.declarations() {
            self.gate.note_declaration(tool, declaration);
        }
        self.server_instructions =
            declared.iter().filter_map(|server| server.instructions.clone()).collect();
        let changes = self.gate.request_changes();
        let names = self.tools.names();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if let Some(reason) = changes.unknown_tool(&names) {
            return Err(RunFailure::Unchangeable { reason });
        }
        self.request.tools = self.tools.for_model();
        for tool in &mut self.request.tools {
            let Some(changed) = changes.tools.get(&tool.name) else { continue };
            let ToolChange { description, parameters } = changed.clone();
            tool.description = description.unwrap_or_else(|| std::mem::take(&mut tool.description));
            tool.parameters = parameters.unwrap_or_else(|| tool.parameters.clone());
        }
        Ok(())
    }

    /// The instruction, filled from the state as it is now.
    async fn filled_instruction(&self) -> Result<String, RunFailure> {
        let (agent, written) = (&self.agent, &self.instruction);
        let filled = resolved_instruction(agent, "eval", "user", &self.state, written).await;
        let mut instruction = filled.map_err(|error| {
            failed(format!(
                "the instruction cannot be filled from the state: {}. Give the key a value in `initial_state`, \
                 or write {{key?}}",
                error.reason()
            ))
        })?;
        for text in &self.server_instructions {
            instruction = format!("{}\n\n{text}", instruction.trim_end());
        }
        Ok(instruction)
    }

    /// The response of the person who has the agent's place, unless they hand it back first.
    async fn by_person(&self) -> Result<Option<ModelTurn>, RunFailure> {
        if !self.gate.is_agent_taken(&self.agent) {
            return Ok(None);
        }
        let session =
            self.models.person(self.gate.case_name()).in_run(self.gate.run_id()).canceled_at_once();
        let answered = async {
            let model = session.model(&self.agent).map_err(|error| failed(error.to_string()))?;
            let reply = model.ask(&self.request).await;
            reply.map_err(|failure| failed(failure.to_string()))
        };
        let answered = self.gate.instead(&Place::Agent, answered).await.transpose()?;
        Ok(answered.map(|reply| {
            self.gate.note_person_response(&self.agent);
            reply.into_turn()
        }))
    }

    /// Asks the model, and notes what it says and what it used.
    async fn response(&self) -> Result<Response, RunFailure> {
        let given = match self.by_person().await? {
            Some(turn) => Some(turn),
            None if self.model.is_of_engine => self.gate.respond(&self.agent)?,
            None => None,
        };
        let response = match (given, &self.model.real) {
            (Some(turn), _) => Response::given(turn, self.calls.load(Ordering::Relaxed) + 1),
            (None, None) => {
                let message = "no model is left to ask".to_owned();
                return Err(RunFailure::Infrastructure { message });
            }
            (None, Some(model)) => {
                self.gate.note_model_request(&self.agent);
                let note = UsageNote {
                    ledger: &self.gate.ledger,
                    role: Role::Subject,
                    agent: &self.agent,
                };
                let reply = model.ask_noting(&self.request, note).await;
                let reply = reply.map_err(|failure| failed(failure.to_string()))?;
                let ids = vec![None; reply.calls.len()];
                Response { text: reply.text, calls: reply.calls, ids, content: reply.content }
            }
        };
        if !response.text.is_empty() {
            self.gate.ledger.add(Event::Message {
                agent: self.agent.clone(),
                text: response.text.clone(),
                is_intermediate: !response.calls.is_empty(),
                is_inner: false,
            });
        }
        Ok(response)
    }

    /// The calls of a response with ids, noted as events.
    fn noted(
        &self,
        calls: &[ReplyCall],
        ids: Vec<Option<String>>,
        invocation_id: &str,
    ) -> Vec<GateCall> {
        let noted = calls.iter().zip(ids).map(|(call, id)| {
            let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
            // A call without arguments has none in some formats.
            let args = match call.args.kind() {
                Kind::Null => JsonText::from_value(&json!({})),
                _ => call.args.clone(),
            };
            let call_id = id.unwrap_or_else(|| format!("call-{number}"));
            self.gate.ledger.add(Event::ToolCall {
                call_id: call_id.clone(),
                name: call.name.clone(),
                args: args.clone(),
                agent: self.agent.clone(),
                is_inner: false,
            });
            let tool = self.tools.find(&call.name);
            GateCall {
                call_id,
                tool: call.name.clone(),
                args,
                received: None,
                state: Some(self.whole_state()),
                invocation_id: invocation_id.to_owned(),
                is_long_running: false,
                confirmation: None,
                output_schema: tool.and_then(|tool| tool.view.response_schema.clone()),
            }
        });
        noted.collect()
    }

    /// What a call gives the model, and the changes of the state that a mock makes.
    async fn result(&self, call: &GateCall) -> Result<(JsonText, Map<String, Value>), RunFailure> {
        let Some(tool) = self.tools.find(&call.tool) else {
            let unknown = result::error(&format!("Unknown tool: {}", call.tool));
            return Ok((unknown, Map::new()));
        };
        let result = match self.gate.decide(call).await {
            Decision::Mock { skip_summarization: true, .. }
            | Decision::Raise { skip_summarization: true, .. } => {
                let message = "`skip_summarization` is an action of frameworks, and an agent over MCP has none. Leave it out";
                return Err(RunFailure::Mock {
                    tool: call.tool.clone(),
                    message: message.to_owned(),
                });
            }
            Decision::Mock { result, changes, .. } => {
                return Ok((result::of_mock(&result, call.output_schema.is_some()), changes));
            }
            Decision::Raise { message, changes, .. } => {
                return Ok((result::error(&message), changes));
            }
            Decision::Run(_) => self.run_tool(call, tool).await?,
            Decision::RunTruncated(_, characters) => {
                result::cut(&self.run_tool(call, tool).await?, characters)
            }
            Decision::AskConfirmation { .. } | Decision::Wait | Decision::Stop => {
                let stopped =
                    || RunFailure::Infrastructure { message: "the run was stopped".to_owned() };
                return Err(self.gate.failure().unwrap_or_else(stopped));
            }
        };
        Ok((result, Map::new()))
    }

    async fn run_tool(&self, call: &GateCall, tool: &AgentTool) -> Result<JsonText, RunFailure> {
        let Some(server) = self.servers.get(tool.server) else {
            let message = format!("the tool {} has no server", call.tool);
            return Err(RunFailure::Infrastructure { message });
        };
        server.call(&call.call_id, &tool.view, call.args.clone()).await
    }

    /// Asks the model and calls tools until it calls none.
    async fn turn(&mut self) -> Result<(), RunFailure> {
        let invocation_id = format!("invocation-{}", self.turns);
        self.gate.note_invocation(invocation_id.clone());
        self.request.instruction = self.filled_instruction().await?;
        for _ in 0..self.most_model_calls {
            let Response { text, calls, ids, content } = self.response().await?;
            if calls.is_empty() {
                self.request.messages.push(ModelMessage::FromModel(text));
                return Ok(());
            }
            let calls = self.noted(&calls, ids, &invocation_id);
            let answers = try_join_all(calls.iter().map(|call| self.result(call))).await?;
            let mut results = Vec::new();
            for (call, (result, changes)) in calls.into_iter().zip(answers) {
                self.gate.note_result(call.call_id.clone(), call.tool, result.clone());
                let noted = JsonText::from_value(&Value::Object(changes.clone()));
                self.gate.note_changes(noted, &[&call.call_id]);
                self.state.extend(changes);
                results.push(result);
            }
            self.request.messages.push(ModelMessage::Called(content, results));
        }
        Err(failed(format!(
            "the model was asked {} times in one turn, and still calls tools. See in the events which calls it \
             repeats; if it needs more, raise `max_model_calls` of the subject",
            self.most_model_calls
        )))
    }

    fn whole_state(&self) -> JsonText {
        JsonText::from_value(&Value::Object(self.state.clone()))
    }
}

#[async_trait]
impl SubjectSession for McpSession {
    async fn run(&mut self, input: Input) -> Result<TurnEnd, RunFailure> {
        let Input::Message(message) = input else {
            let message = "a response came, and tools of MCP do not wait".to_owned();
            return Err(RunFailure::Infrastructure { message });
        };
        let texts = message.texts();
        let texts = texts.map_err(|error| RunFailure::user_agent(YieldKind::Loop, error))?;
        self.turns += 1;
        self.request.messages.push(ModelMessage::ToModel(texts.join("\n")));
        self.turn().await?;
        Ok(TurnEnd { pending: Vec::new(), state: self.whole_state() })
    }

    async fn change_state(&mut self, changes: JsonText) -> Result<JsonText, RunFailure> {
        let changes = changes.decode::<Map<String, Value>>().map_err(|error| {
            RunFailure::Infrastructure { message: format!("the changes cannot be read: {error}") }
        })?;
        self.state.extend(changes);
        Ok(self.whole_state())
    }
}
