//! [`InterceptedTool`]: a tool the body of which runs only if the case says so.

use std::sync::Arc;

use adk_core::{AdkError, LlmRequest, ReadonlyContext, Result, Tool, ToolContext, Toolset};
use async_trait::async_trait;
use eval::gate::{Decision, GateCall};
use eval::subject::PendingCall;
use eval::tool_fault::truncated;
use json_text::JsonText;
use serde_json::{Map, Value};

use crate::shared::Shared;

/// The member of a tool's declaration by which a wrapped model recognizes a wrapped tool. It is taken out
/// before the model's client sees it.
pub(crate) const MARK: &str = "x-rehearsal-interception";

/// What happens to the calls of a wrapped tool.
#[derive(Clone, Copy)]
pub(crate) enum Interception {
    /// The gate decides them.
    Decided,
    /// They run: the tool is an agent with tools of its own, or control flow.
    Passes,
}

/// A tool the body of which runs only if the case says so.
pub(crate) struct InterceptedTool {
    tool: Arc<dyn Tool>,
    interception: Interception,
    shared: Arc<Shared>,
}

impl InterceptedTool {
    pub(crate) fn new(
        tool: Arc<dyn Tool>,
        interception: Interception,
        shared: &Arc<Shared>,
    ) -> Self {
        shared.note_tool(tool.name());
        Self { tool, interception, shared: Arc::clone(shared) }
    }

    /// The state of the session, with what the invocation has changed and the session does not know yet.
    fn state(&self, context: &Arc<dyn ToolContext>) -> Option<JsonText> {
        let is_wanted = self.shared.gate.wants_state(self.tool.name());
        let session = context.session().filter(|_| is_wanted)?;
        let mut state = session.state().all();
        state.extend(context.actions().state_delta);
        let sorted: Map<String, Value> = state.into_iter().collect();
        Some(JsonText::from_value(&Value::Object(sorted)))
    }

    async fn decided(&self, context: &Arc<dyn ToolContext>, args: Value) -> Result<Value> {
        let call = GateCall {
            call_id: context.function_call_id().to_owned(),
            tool: self.tool.name().to_owned(),
            args: JsonText::from_value(&args),
            received: None,
            state: self.state(context),
            invocation_id: context.invocation_id().to_owned(),
            confirmation: None,
            is_long_running: self.tool.is_long_running(),
            output_schema: self.tool.response_schema().map(|schema| JsonText::from_value(&schema)),
        };
        if self.shared.gate.wants_declaration(&call.tool) {
            let declaration = JsonText::from_value(&self.tool.declaration());
            self.shared.gate.note_declaration(&call.tool, declaration);
        }
        let result = {
            // An agent used as a tool does not work while a tool of its own waits.
            let is_agent = self.tool.is_agent_delegation();
            let _work = (!is_agent).then(|| self.shared.waits.work());
            match self.shared.gate.decide(&call).await {
                Decision::Mock { result, changes, skip_summarization } => {
                    change(context, changes, skip_summarization);
                    value(&result)?
                }
                Decision::Raise { message, changes, skip_summarization } => {
                    change(context, changes, skip_summarization);
                    return Err(AdkError::tool(message));
                }
                Decision::Run(_) => self.tool.execute(Arc::clone(context), args).await?,
                Decision::RunTruncated(_, characters) => {
                    let result = self.tool.execute(Arc::clone(context), args).await?;
                    value(&truncated(&JsonText::from_value(&result), characters))?
                }
                Decision::Wait => Value::Null,
                Decision::AskConfirmation { .. } | Decision::Stop => self.shared.end_run().await,
            }
        };
        if !(call.is_long_running && result.is_null()) {
            return Ok(result);
        }
        let GateCall { call_id, tool, args, .. } = call;
        let pending = PendingCall { call_id, name: tool.clone(), tool, args, interim: None };
        match self.shared.waits.response(pending).await {
            Some(response) => value(&response),
            None => self.shared.end_run().await,
        }
    }
}

/// Makes the changes of a mock, as the tool would make them.
fn change(context: &Arc<dyn ToolContext>, changes: Map<String, Value>, skip_summarization: bool) {
    if skip_summarization || !changes.is_empty() {
        let mut actions = context.actions();
        actions.state_delta.extend(changes);
        actions.skip_summarization |= skip_summarization;
        context.set_actions(actions);
    }
}

fn value(json: &JsonText) -> Result<Value> {
    json.to_value().map_err(|error| AdkError::tool(format!("the result cannot be read: {error}")))
}

#[async_trait]
impl Tool for InterceptedTool {
    fn name(&self) -> &str {
        self.tool.name()
    }

    fn description(&self) -> &str {
        self.tool.description()
    }

    fn declaration(&self) -> Value {
        let mut declaration = self.tool.declaration();
        if let Some(members) = declaration.as_object_mut() {
            members.insert(MARK.to_owned(), Value::Bool(!self.tool.is_builtin()));
        }
        declaration
    }

    fn enhanced_description(&self) -> String {
        self.tool.enhanced_description()
    }

    fn is_long_running(&self) -> bool {
        self.tool.is_long_running()
    }

    fn is_builtin(&self) -> bool {
        self.tool.is_builtin()
    }

    fn parameters_schema(&self) -> Option<Value> {
        self.tool.parameters_schema()
    }

    fn response_schema(&self) -> Option<Value> {
        self.tool.response_schema()
    }

    fn required_scopes(&self) -> &[&str] {
        self.tool.required_scopes()
    }

    fn is_read_only(&self) -> bool {
        self.tool.is_read_only()
    }

    fn is_concurrency_safe(&self) -> bool {
        self.tool.is_concurrency_safe()
    }

    fn is_agent_delegation(&self) -> bool {
        self.tool.is_agent_delegation()
    }

    async fn execute(&self, context: Arc<dyn ToolContext>, args: Value) -> Result<Value> {
        let result = match self.interception {
            Interception::Decided => self.decided(&context, args).await,
            Interception::Passes => self.tool.execute(Arc::clone(&context), args).await,
        };
        // What users changed while the invocation was under way reaches its own session with an event.
        let changes = self.shared.waits.take_changes();
        if !changes.is_empty() {
            let mut actions = context.actions();
            for (key, value) in changes {
                actions.state_delta.entry(key).or_insert(value);
            }
            context.set_actions(actions);
        }
        result
    }
}

/// A toolset of intercepted tools.
pub(crate) struct InterceptedToolset {
    toolset: Arc<dyn Toolset>,
    shared: Arc<Shared>,
}

impl InterceptedToolset {
    pub(crate) fn new(toolset: Arc<dyn Toolset>, shared: &Arc<Shared>) -> Self {
        Self { toolset, shared: Arc::clone(shared) }
    }
}

#[async_trait]
impl Toolset for InterceptedToolset {
    fn name(&self) -> &str {
        self.toolset.name()
    }

    async fn tools(&self, context: Arc<dyn ReadonlyContext>) -> Result<Vec<Arc<dyn Tool>>> {
        let wrap = |tool| {
            let tool = InterceptedTool::new(tool, Interception::Decided, &self.shared);
            Arc::new(tool) as Arc<dyn Tool>
        };
        Ok(self.toolset.tools(context).await?.into_iter().map(wrap).collect())
    }

    async fn process_llm_request(
        &self,
        context: Arc<dyn ReadonlyContext>,
        request: &mut LlmRequest,
    ) -> Result<()> {
        self.toolset.process_llm_request(context, request).await
    }
}
