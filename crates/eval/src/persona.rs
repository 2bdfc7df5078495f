//! [`PersonaUser`]: a user simulated by a model.

use std::sync::Arc;

use async_trait::async_trait;
use json_text::JsonText;
use serde_json::{Map, Value, json};

use crate::ledger::{Event, Role};
use crate::model::{
    GenerationConfig, Model, ModelMessage, ModelRequest, ReplyCall, UsageNote, repeat,
};
use crate::persona_tool::PersonaTool;
use crate::scenario_user::ScenarioUser;
use crate::scope_change::changed_keys;
use crate::state_change::merge;
use crate::state_conflict::merge_noting;
use crate::template::{Template, TemplateError};
use crate::user_agent::{
    ConversationMessage, UserAgent, UserAgentError, UserAnswer, UserContext, YieldedTo,
    answer_outside_a_run,
};
use crate::written_answer::{BEGINNING, END, SILENCE, response, said_at_the_end, unusable_answer};
use crate::yields::{YieldInfo, YieldKind};

/// How often the model may call tools before it writes.
const MOST_CALLING_REPLIES: usize = 8;

/// A user agent that a model plays: in the conversation it writes messages, and for a tool that waits it gives a
/// JSON value.
#[derive(Debug, Clone)]
pub struct PersonaUser {
    role: PlayedRole,
    model: Model,
    tools: Vec<PersonaTool>,
    most_answers: Option<usize>,
    config: GenerationConfig,
    /// The user of a scenario, if this is one.
    scenario: Option<Arc<ScenarioUser>>,
}

/// How the user is described to the model.
#[derive(Debug, Clone)]
enum PlayedRole {
    /// A description, to which the rules of the conversation are added.
    Persona(String),
    /// The whole prompt, over these names and `conversation_history`.
    Template(Template, Value),
}

impl PersonaUser {
    /// The user that `persona` describes: who they are, what they want, what they know and how they talk.
    #[must_use]
    pub fn new(persona: impl Into<String>, model: Model) -> Self {
        Self::of(PlayedRole::Persona(persona.into()), model)
    }

    /// A user whose next message the model writes by this prompt alone: a template over `names`, which is an
    /// object, and `conversation_history`.
    pub(crate) fn with_template(template: Template, names: Value, model: Model) -> Self {
        Self::of(PlayedRole::Template(template, names), model)
    }

    fn of(role: PlayedRole, model: Model) -> Self {
        let config = GenerationConfig::default();
        Self { role, model, tools: Vec::new(), most_answers: None, config, scenario: None }
    }

    /// Takes the prompt from the subject's framework, where it has one.
    pub(crate) fn of_scenario(mut self, scenario: ScenarioUser) -> Self {
        self.scenario = Some(Arc::new(scenario));
        self
    }

    /// Sets how the model generates the user's messages.
    #[must_use]
    pub(crate) fn config(mut self, config: GenerationConfig) -> Self {
        self.config = config;
        self
    }

    /// Adds something that the user can do besides talking.
    #[must_use]
    pub fn tool(mut self, tool: PersonaTool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Ends the conversation after this many answers.
    #[must_use]
    pub fn most_answers(mut self, most: usize) -> Self {
        self.most_answers = Some(most);
        self
    }

    fn instruction(persona: &str, info: &YieldInfo, schema: Option<&JsonText>) -> String {
        let task = match &info.kind {
            YieldKind::Loop => format!(
                "Write the user's next message, and nothing else. Stay in the role, and do not make up what the \
                 user does not know. When the user has what they want, or sees that the agent cannot help, write \
                 {END} alone instead of a message: it ends the conversation."
            ),
            YieldKind::Tool { tool_name } => {
                let form = match schema {
                    Some(schema) => format!("It has this JSON Schema: {}", schema.compact()),
                    None => "Where the call does not show another form, write an object, such as {\"answer\": \
                             \"Yes\"}. A request for confirmation is answered with {\"confirmed\": true} or \
                             {\"confirmed\": false}."
                        .to_owned(),
                };
                format!(
                    "The agent called the tool {tool_name}, which waits for the user. Write what the tool is to \
                     return, as one JSON value, and nothing else. {form}"
                )
            }
        };
        format!(
            "You play a user who talks to an AI agent. In this conversation, the messages that you get come from \
             the agent, and your own messages are the user's.\n\nThe user:\n{persona}\n\n{task}"
        )
    }

    fn request(
        &self,
        heard: &[ConversationMessage],
        info: &YieldInfo,
        schema: Option<&JsonText>,
    ) -> Result<ModelRequest, TemplateError> {
        match &self.role {
            PlayedRole::Persona(persona) => Ok(self.conversation(persona, heard, info, schema)),
            PlayedRole::Template(template, names) => {
                let lines = heard.iter().map(|message| match message {
                    ConversationMessage::Prompt(text) => format!("agent: {text}"),
                    ConversationMessage::Own(text) => format!("user: {text}"),
                });
                let mut names = names.clone();
                names["conversation_history"] = lines.collect::<Vec<_>>().join("\n\n").into();
                let messages = vec![ModelMessage::ToModel(template.fill(&names)?)];
                Ok(ModelRequest { messages, ..ModelRequest::default() })
            }
        }
    }

    fn conversation(
        &self,
        persona: &str,
        heard: &[ConversationMessage],
        info: &YieldInfo,
        schema: Option<&JsonText>,
    ) -> ModelRequest {
        let mut messages = Vec::new();
        if !matches!(heard.first(), Some(ConversationMessage::Prompt(prompt)) if !prompt.is_empty())
        {
            messages.push(ModelMessage::ToModel(BEGINNING.to_owned()));
        }
        messages.extend(heard.iter().filter_map(|message| match message {
            ConversationMessage::Prompt(prompt) if prompt.is_empty() => None,
            ConversationMessage::Prompt(prompt) => Some(ModelMessage::ToModel(prompt.clone())),
            ConversationMessage::Own(text) => Some(ModelMessage::FromModel(text.clone())),
        }));
        // An agent can end its turn without a word.
        if matches!(messages.last(), Some(ModelMessage::FromModel(_))) {
            messages.push(ModelMessage::ToModel(SILENCE.to_owned()));
        }
        let mut instruction = Self::instruction(persona, info, schema);
        if !self.tools.is_empty() {
            instruction.push_str(
                " Where a tool of yours applies, call it first, and write when it has returned.",
            );
        }
        let tools = self.tools.iter().map(|tool| tool.declaration().clone()).collect();
        ModelRequest { instruction, messages, tools, ..ModelRequest::default() }
    }

    /// What the model writes: beside calls, and when it has called what it wants.
    async fn written(&self, turn: &mut Turn<'_>) -> Result<Vec<String>, UserAgentError> {
        let mut texts: Vec<String> = Vec::new();
        for _ in 0..MOST_CALLING_REPLIES {
            // A model may have said everything beside its calls.
            turn.request.may_be_empty = !texts.is_empty();
            let reply = self.model.ask_noting(&turn.request, turn.note).await;
            let reply = reply.map_err(UserAgentError::failed)?;
            let text = reply.text.trim();
            // Models often repeat it when the calls have returned.
            if !text.is_empty() && texts.last().is_none_or(|last| last != text) {
                texts.push(text.to_owned());
            }
            if reply.calls.is_empty() {
                return Ok(texts);
            }
            let mut results = Vec::new();
            for call in &reply.calls {
                results.push(self.call(call, turn).await?);
            }
            turn.request.messages.push(ModelMessage::Called(reply.content, results));
        }
        Err(UserAgentError::OnlyCalls { model: self.model.name().to_owned() })
    }

    /// The result of a call, whose changes are added to those of the turn.
    async fn call(
        &self,
        call: &ReplyCall,
        turn: &mut Turn<'_>,
    ) -> Result<JsonText, UserAgentError> {
        let state = turn.state()?;
        let Turn { heard, info, context, .. } = *turn;
        let tool = self.tools.iter().find(|tool| tool.declaration().name == call.name);
        let (result, changes) = match tool {
            Some(tool) => {
                tool.call(&call.args, &YieldedTo { heard, info, context, state: &state }).await?
            }
            None => (JsonText::from_value(&json!({ "error": "unknown tool" })), Map::new()),
        };
        context.ledger.add(Event::UserAgentCall {
            agent: turn.note.agent.to_owned(),
            name: call.name.clone(),
            args: call.args.clone(),
            result: result.clone(),
            changes: JsonText::from_value(&Value::Object(changes.clone())),
        });
        if tool.is_some_and(PersonaTool::sees_state) {
            merge(&mut turn.changes, changes);
        } else {
            merge_noting(context.ledger, &mut turn.changes, changes);
        }
        Ok(result)
    }

    /// The response of the tool that waits. An answer that it cannot take is asked for again, with the reason.
    async fn response(&self, turn: &mut Turn<'_>) -> Result<JsonText, UserAgentError> {
        let mut repeats = 0;
        loop {
            let texts = self.written(turn).await?;
            let error = match response(&texts, &turn.context.wanted) {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            let text = texts.join("\n\n");
            if repeats == self.model.retries() {
                return Err(unusable_answer(self.model.name(), &text, &error));
            }
            repeats += 1;
            repeat(&mut turn.request, text, &error);
        }
    }
}

/// One answer of a user, while the model writes it.
struct Turn<'a> {
    request: ModelRequest,
    note: UsageNote<'a>,
    heard: &'a [ConversationMessage],
    info: &'a YieldInfo,
    context: &'a UserContext<'a>,
    /// What calls have changed, by scope.
    changes: Map<String, Value>,
}

impl Turn<'_> {
    /// The state of the main session with these changes.
    fn state(&self) -> Result<JsonText, UserAgentError> {
        let state = self.context.state.decode::<Map<String, Value>>();
        let mut state = state.map_err(|error| format!("the state cannot be read: {error}"))?;
        let changed = changed_keys(&state, self.changes.clone(), self.context.scopes)?;
        state.extend(changed);
        Ok(JsonText::from_value(&Value::Object(state)))
    }
}

#[async_trait]
impl UserAgent for PersonaUser {
    async fn answer(
        &self,
        number: usize,
        heard: &[ConversationMessage],
        info: &YieldInfo,
    ) -> Result<UserAnswer, UserAgentError> {
        answer_outside_a_run(self, number, heard, info).await
    }

    async fn answer_in_run(
        &self,
        number: usize,
        heard: &[ConversationMessage],
        info: &YieldInfo,
        context: &UserContext<'_>,
    ) -> Result<UserAnswer, UserAgentError> {
        let prompt = match (&self.scenario, &info.kind) {
            (Some(scenario), YieldKind::Loop) => {
                scenario.prompt(&context.ledger.look(<[_]>::to_vec)).await?
            }
            _ => None,
        };
        let mut request = match prompt {
            Some(prompt) => {
                let messages = vec![ModelMessage::ToModel(prompt)];
                ModelRequest { messages, ..ModelRequest::default() }
            }
            None => {
                let request = self.request(heard, info, context.wanted.schema.as_ref());
                request.map_err(UserAgentError::failed)?
            }
        };
        request.config = self.config.clone();
        let agent = info.kind.to_string();
        let note = UsageNote { ledger: context.ledger, role: Role::UserAgent, agent: &agent };
        let mut turn = Turn { request, note, heard, info, context, changes: Map::new() };
        let output = match info.kind {
            YieldKind::Loop => {
                if self.most_answers.is_some_and(|most| number >= most) {
                    return Ok(UserAnswer::ends());
                }
                let text = self.written(&mut turn).await?.join("\n\n");
                if let Some(said) = said_at_the_end(&text) {
                    // google-adk drops what the users of its scenarios write beside the mark.
                    let is_said = !said.is_empty() && self.scenario.is_none();
                    return Ok(UserAnswer::Ends {
                        message: is_said.then(|| JsonText::string(&said)),
                        changes: JsonText::from_value(&Value::Object(turn.changes)),
                    });
                }
                JsonText::string(&text)
            }
            YieldKind::Tool { .. } => self.response(&mut turn).await?,
        };
        let changes = JsonText::from_value(&Value::Object(turn.changes));
        Ok(UserAnswer::Says { output, changes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Models, Variables};

    #[test]
    fn the_model_sees_the_conversation_from_the_users_side() {
        let models = Models::new(Variables::given([("OPENAI_API_KEY", "none")]));
        let user = PersonaUser::new("Ada", models.model("openai/gpt-5-mini").expect("a model"));
        let info = YieldInfo {
            kind: YieldKind::Loop,
            invocation_id: String::new(),
            awaiting_input: true,
            call_id: None,
            args: None,
            interim: None,
        };
        let own = |text: &str| ConversationMessage::Own(text.to_owned());
        let prompt = |text: &str| ConversationMessage::Prompt(text.to_owned());
        let to = |text: &str| format!("to {text}");
        let from = |text: &str| format!("from {text}");
        let messages = |heard: &[ConversationMessage]| -> Vec<String> {
            let request = user.request(heard, &info, None).expect("a request");
            let text = |message: &ModelMessage| match message {
                ModelMessage::ToModel(text) => to(text),
                ModelMessage::FromModel(text) => from(text),
                ModelMessage::Called(..) => "calls".to_owned(),
            };
            request.messages.iter().map(text).collect()
        };
        assert_eq!(messages(&[prompt("")]), [to(BEGINNING)]);
        assert_eq!(messages(&[prompt("Hello")]), [to("Hello")]);
        assert_eq!(
            messages(&[own("Hi"), prompt("What is it?"), own("Pain"), prompt("")]),
            [
                to(BEGINNING),
                from("Hi"),
                to("What is it?"),
                from("Pain"),
                to("(The agent said nothing.)")
            ]
        );
    }
}
