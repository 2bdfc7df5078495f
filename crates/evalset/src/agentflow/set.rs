//! [`EvalSet`]: a whole file, its cases and their turns.

use json_text::JsonText;

use super::{MessageContent, ToolCall, form};
use crate::model::{Casing, Form, model, text_of};
use crate::{CaseText, OriginalForm};

model! {
    /// A whole file.
    pub struct EvalSet { form("an eval set") }
    /// Unique.
    eval_set_id: String = required,
    /// For people.
    name: String = not_null,
    /// What the cases test.
    description: String = not_null,
    /// The cases.
    eval_cases: Vec<EvalCase> = not_null,
    /// Other data: a JSON object. ADK's own fields return from its `adk`.
    metadata: Option<JsonText> = object,
}

model! {
    /// One scenario.
    pub struct EvalCase { Form { is_case: true, ..form("an eval case") } }
    /// Unique in its set.
    eval_id: String = required,
    /// For people.
    name: String = not_null,
    /// For people; only the package `10xscale-agentflow` has it.
    description: String = not_null,
    /// The turns, in order.
    conversation: Vec<Invocation> = not_null,
    /// What the session starts with.
    session_input: Option<SessionInput> = optional,
    /// Other data: a JSON object. ADK's own fields return from its `adk`.
    metadata: Option<JsonText> = object,
    /// Tags, to select cases.
    tags: Vec<String> = not_null,
}

model! {
    /// One turn: the user's message and the expected calls and response.
    pub struct Invocation { Form { lost: &["metadata"], ..form("an invocation") } }
    /// Unique in its case.
    invocation_id: String = required,
    /// The user's message.
    user_content: MessageContent = required,
    /// The calls expected, in order.
    expected_tool_trajectory: Vec<ToolCall> = not_null,
    /// The nodes of the graph expected, in order; only the package has it.
    expected_node_order: Vec<String> = not_null,
    /// What the agent is expected to say in between.
    expected_intermediate_responses: Vec<MessageContent> = not_null,
    /// The answer expected.
    expected_final_response: Option<MessageContent> = optional,
    /// Other data: a JSON object. ADK's own fields return from its `adk`.
    metadata: Option<JsonText> = object,
}

model! {
    /// What the session starts with, in the fields of the package (`app_name`, `user_id`, `state`) or
    /// of AgentFlow's documentation (`thread_id`, `initial_state`). Both have `config`.
    #[derive(Default)]
    pub struct SessionInput {
        Form { lost: &["thread_id", "initial_state"], ..form("a session input") }
    }
    /// The app.
    app_name: Option<String> = optional,
    /// The user.
    user_id: Option<String> = optional,
    /// The agent's state: a JSON object.
    state: Option<JsonText> = object,
    /// The session.
    thread_id: Option<String> = optional,
    /// Its configuration: a JSON object.
    config: Option<JsonText> = object,
    /// The agent's state: a JSON object.
    initial_state: Option<JsonText> = object,
}

impl EvalSet {
    /// A set of these cases and nothing else.
    #[must_use]
    pub fn new(eval_set_id: impl Into<String>, eval_cases: Vec<EvalCase>) -> Self {
        Self {
            eval_set_id: eval_set_id.into(),
            name: String::new(),
            description: String::new(),
            eval_cases,
            metadata: None,
            written: OriginalForm::default(),
        }
    }

    /// The file's JSON text.
    #[must_use]
    pub fn to_json(&self) -> CaseText {
        let text = text_of(self, Casing::Original);
        CaseText::new(text)
    }
}

impl EvalCase {
    /// A case with these turns and nothing else.
    #[must_use]
    pub fn new(eval_id: impl Into<String>, conversation: Vec<Invocation>) -> Self {
        Self {
            eval_id: eval_id.into(),
            name: String::new(),
            description: String::new(),
            conversation,
            session_input: None,
            metadata: None,
            tags: Vec::new(),
            written: OriginalForm::default(),
        }
    }

    /// The case's JSON text.
    #[must_use]
    pub fn to_json(&self) -> CaseText {
        let text = text_of(self, Casing::Original);
        CaseText::new(text)
    }
}

impl SessionInput {
    /// The initial state, by either name.
    #[must_use]
    pub fn initial(&self) -> Option<&JsonText> {
        self.state.as_ref().or(self.initial_state.as_ref())
    }

    /// Whether the state has the name that AgentFlow's documentation gives it.
    pub(crate) fn is_as_documented(&self) -> bool {
        self.initial_state.is_some() && self.state.is_none()
    }
}

impl Invocation {
    /// A turn of which only the user's message is known.
    #[must_use]
    pub fn new(invocation_id: impl Into<String>, user_content: MessageContent) -> Self {
        Self {
            invocation_id: invocation_id.into(),
            user_content,
            expected_tool_trajectory: Vec::new(),
            expected_node_order: Vec::new(),
            expected_intermediate_responses: Vec::new(),
            expected_final_response: None,
            metadata: None,
            written: OriginalForm::default(),
        }
    }
}
