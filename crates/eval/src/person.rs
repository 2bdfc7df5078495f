//! [`PersonUser`] and [`PersonTool`]: a person who answers through a live session. [`People`] stand in for both.

use std::sync::Arc;

use async_trait::async_trait;
use json_text::{JsonIndex, JsonText};
use serde_json::{Value, json};

use crate::mock::{MockContext, MockFailure, MockFunction, ToolMock};
use crate::model::{
    Model, ModelFailure, ModelMessage, ModelReply, ModelRequest, ModelTool, Models, PersonSession,
    UnfitAnswer, read_json,
};
use crate::output_schema::mismatch;
use crate::take_over::StandIns;
use crate::user_agent::{ConversationMessage, UserAgent, UserAgentError, UserAnswer, UserContext};
use crate::yields::{YieldInfo, YieldKind};

/// With this the person ends the conversation.
const END: &str = "end_conversation";

/// With this the person gives what a tool returns, in a form.
const RETURN: &str = "return_result";

/// With this the person lets a tool fail.
const RAISE: &str = "raise_error";

/// A user agent whose answers a person gives.
#[derive(Debug, Clone)]
pub struct PersonUser {
    session: PersonSession,
    role: String,
}

impl PersonUser {
    /// A person who plays `role`, the description of a user; empty for none.
    #[must_use]
    pub fn new(session: PersonSession, role: impl Into<String>) -> Self {
        Self { session, role: role.into() }
    }

    fn request(&self, heard: &[ConversationMessage], info: &YieldInfo) -> ModelRequest {
        let role = match self.role.as_str() {
            "" => String::new(),
            role => format!("\n\n{role}"),
        };
        let mut messages: Vec<ModelMessage> = heard
            .iter()
            .map(|message| match message {
                ConversationMessage::Prompt(prompt) => ModelMessage::ToModel(prompt.clone()),
                ConversationMessage::Own(text) => ModelMessage::FromModel(text.clone()),
            })
            .collect();
        if let [ModelMessage::ToModel(prompt)] = messages.as_mut_slice()
            && prompt.is_empty()
        {
            "Write the first message to the agent.".clone_into(prompt);
        }
        match &info.kind {
            YieldKind::Loop => ModelRequest {
                instruction: format!(
                    "You are the user in a conversation with an AI agent under test. Write the user's next message, \
                     or call {END}.{role}"
                ),
                messages,
                tools: vec![tool(END, "Ends the conversation.", &no_arguments())],
                ..ModelRequest::default()
            },
            YieldKind::Tool { tool_name } => ModelRequest {
                instruction: format!(
                    "You are the user of an AI agent under test. The agent called the tool {tool_name}, which waits \
                     for you. Call {RETURN} with what the tool returns. A request for confirmation takes \
                     {{\"confirmed\": true}} or {{\"confirmed\": false}}.{role}"
                ),
                messages,
                tools: vec![return_result(None)],
                ..ModelRequest::default()
            },
        }
    }
}

#[async_trait]
impl UserAgent for PersonUser {
    async fn answer(
        &self,
        _: usize,
        heard: &[ConversationMessage],
        info: &YieldInfo,
    ) -> Result<UserAnswer, UserAgentError> {
        let agent = match &info.kind {
            YieldKind::Loop => "user".to_owned(),
            YieldKind::Tool { tool_name } => format!("user for {tool_name}"),
        };
        let model = self.session.model(&agent).map_err(UserAgentError::failed)?;
        let answered = usable(&model, self.request(heard, info), |reply| {
            if reply.calls.iter().any(|call| call.name == END) {
                let text = reply.text.trim();
                let message = (!text.is_empty()).then(|| JsonText::string(text));
                return Ok(UserAnswer::Ends { message, changes: JsonText::from_value(&json!({})) });
            }
            Ok(UserAnswer::says(match info.kind {
                YieldKind::Loop => JsonText::string(&reply.text),
                YieldKind::Tool { .. } => returned(reply)?,
            }))
        });
        answered.await.map_err(UserAgentError::failed)
    }

    async fn answer_in_run(
        &self,
        number: usize,
        heard: &[ConversationMessage],
        info: &YieldInfo,
        context: &UserContext<'_>,
    ) -> Result<UserAnswer, UserAgentError> {
        let session = self.session.in_run(context.run_id);
        Self { session, role: self.role.clone() }.answer(number, heard, info).await
    }
}

/// A mock whose answers a person gives.
#[derive(Debug, Clone)]
pub struct PersonTool {
    session: PersonSession,
    instructions: String,
}

impl PersonTool {
    /// A tool that a person answers for. `instructions` tell the person what to do; empty for none.
    #[must_use]
    pub fn new(session: PersonSession, instructions: impl Into<String>) -> Self {
        Self { session, instructions: instructions.into() }
    }

    fn request(&self, args: &JsonText, context: &MockContext) -> ModelRequest {
        let mut instruction = format!(
            "An AI agent under test called the tool {}, which does not run. Call {RETURN} with what it returns, or \
             {RAISE}.",
            context.tool_name
        );
        for part in [&self.instructions, &declared(context)] {
            if !part.is_empty() {
                instruction.push_str("\n\n");
                instruction.push_str(part);
            }
        }
        let message = json!({ "type": "string", "description": "What the agent gets to read" });
        let parameters = json!({
            "type": "object", "properties": { "message": message }, "required": ["message"],
        });
        ModelRequest {
            instruction,
            messages: vec![ModelMessage::ToModel(format!(
                "{}({})",
                context.tool_name,
                args.pretty()
            ))],
            tools: vec![
                return_result(context.output_schema.as_ref()),
                tool(RAISE, "Lets the tool fail.", &parameters),
            ],
            ..ModelRequest::default()
        }
    }
}

#[async_trait]
impl MockFunction for PersonTool {
    fn wants_declaration(&self) -> bool {
        true
    }

    fn wants_state(&self) -> bool {
        false
    }

    async fn answer(
        &self,
        args: &JsonText,
        context: &MockContext,
    ) -> Result<JsonText, MockFailure> {
        let model = self.session.in_run(&context.run_id).model(&context.tool_name);
        let model = model.map_err(MockFailure::broken)?;
        let answered = usable(&model, self.request(args, context), |reply| {
            if let Some(call) = reply.calls.iter().find(|call| call.name == RAISE) {
                let args = call.args.to_value().unwrap_or_default();
                let message = args.get("message").and_then(Value::as_str).unwrap_or_default();
                return Ok(Err(MockFailure::Raises(message.to_owned())));
            }
            let result = returned(reply)?;
            match context.output_schema.as_ref().and_then(|schema| mismatch(schema, &result)) {
                Some(error) => Err(format!("The result cannot be used: {error}").into()),
                None => Ok(Ok(result)),
            }
        });
        answered.await.map_err(MockFailure::broken)?
    }
}

/// People at a host, who stand in for users and tools of runs that are under way.
#[derive(Clone)]
pub struct People(Models);

impl People {
    /// Those at the host that `models` name.
    #[must_use]
    pub fn new(models: Models) -> Self {
        Self(models)
    }

    fn session(&self, case: &str) -> PersonSession {
        self.0.person(case).canceled_at_once()
    }
}

impl StandIns for People {
    fn user(&self, case: &str) -> Arc<dyn UserAgent> {
        Arc::new(PersonUser::new(self.session(case), ""))
    }

    fn tool(&self, case: &str) -> ToolMock {
        ToolMock::Function(Arc::new(PersonTool::new(self.session(case), "")))
    }
}

/// What the person lets a tool return: the argument of the call, or JSON as text.
fn returned(reply: &ModelReply) -> Result<JsonText, UnfitAnswer> {
    if let Some(call) = reply.calls.iter().find(|call| call.name == RETURN) {
        let document = JsonIndex::of(&call.args);
        let result = document.root().member("result").map(|value| value.to_json());
        return Ok(result.unwrap_or_else(|| JsonText::from_value(&Value::Null)));
    }
    read_json(&reply.text, |value| Ok(value.clone())).map_err(|error| {
        format!("The answer cannot be used: {error}. Call {RETURN}, or write JSON.").into()
    })
}

/// The tool with which a person gives a result of this schema, or any JSON value.
fn return_result(schema: Option<&JsonText>) -> ModelTool {
    let mut result = schema.and_then(|schema| schema.to_value().ok()).unwrap_or_else(|| json!({}));
    // References in the schema begin at the root.
    let definitions = result.as_object_mut().and_then(|schema| schema.remove("$defs"));
    let mut parameters = json!({
        "type": "object", "properties": { "result": result }, "required": ["result"],
    });
    if let Some(definitions) = definitions {
        parameters["$defs"] = definitions;
    }
    tool(RETURN, "Gives what the tool returns.", &parameters)
}

/// Asks the person, and asks again with the reason while the answer cannot be used.
async fn usable<T>(
    model: &Model,
    mut request: ModelRequest,
    read: impl Fn(&ModelReply) -> Result<T, UnfitAnswer>,
) -> Result<T, ModelFailure> {
    loop {
        let reply = model.ask(&request).await?;
        let error = match read(&reply) {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        if reply.calls.is_empty() {
            let messages =
                [ModelMessage::FromModel(reply.text), ModelMessage::ToModel(error.to_string())];
            request.messages.extend(messages);
        } else {
            let result = JsonText::from_value(&json!({ "error": error.to_string() }));
            let results = vec![result; reply.calls.len()];
            request.messages.push(ModelMessage::Called(reply.content, results));
        }
    }
}

fn declared(context: &MockContext) -> String {
    let declaration = context.declaration.as_ref();
    declaration
        .map_or_else(String::new, |it| format!("Its declaration:\n\n```json\n{}\n```", it.pretty()))
}

fn tool(name: &str, description: &str, parameters: &Value) -> ModelTool {
    ModelTool {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: JsonText::from_value(parameters),
    }
}

fn no_arguments() -> Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}
