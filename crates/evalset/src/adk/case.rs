//! [`EvalCase`]: one recorded conversation, or the plan of one.

use json_text::JsonText;

use super::{Content, IntermediateData, opaque_fields};
use crate::model::{Casing, Form, Keys, Others, model, text_of};
use crate::reading::{Problem, Reader};
use crate::{CaseError, CaseText, Number, OriginalForm};

/// `EvalBaseModel`: both casings; only the case and the session input keep unknown fields.
pub(super) const fn base(what: &'static str, others: Others) -> Form {
    Form { what, keys: Keys::EitherCasing, others, opaque: &[], is_case: false, lost: &[] }
}

model! {
    /// One recorded conversation, or the plan of one. Vendors' own fields belong among its extras:
    /// ADK keeps them.
    pub struct EvalCase {
        Form { is_case: true, ..base("an eval case", Others::Kept) };
        check one_conversation
    }
    /// Unique in its file.
    eval_id: String = required,
    /// The turns, in order. Either these or a scenario.
    conversation: Option<Vec<Invocation>> = optional,
    /// The plan of a simulated user.
    conversation_scenario: Option<ConversationScenario> = optional,
    /// The session's initial values.
    session_input: Option<SessionInput> = optional,
    /// Seconds since 1970.
    creation_timestamp: Option<Number> = not_null,
    /// Rubrics for every turn.
    rubrics: Option<Vec<Rubric>> = optional,
    /// The state expected at the end, or a query on it: a JSON object.
    final_session_state: Option<JsonText> = object_or_null,
}

model! {
    /// One turn: the user's message, the tool calls and the response.
    pub struct Invocation { base("an invocation", Others::Refused) }
    /// Unique to this recording.
    invocation_id: String = not_null,
    /// The user's message.
    user_content: Content = required,
    /// The agent's answer.
    final_response: Option<Content> = optional,
    /// The tools called in between.
    intermediate_data: Option<IntermediateData> = optional,
    /// Seconds since 1970.
    creation_timestamp: Option<Number> = not_null,
    /// How long it took, in seconds.
    duration: Option<Number> = optional,
    /// Seconds of that with a model at work.
    model_duration: Option<Number> = optional,
    /// Seconds of that with a tool at work and no model.
    tool_duration: Option<Number> = optional,
    /// Rubrics for this turn.
    rubrics: Option<Vec<Rubric>> = optional,
    /// The agents that took part, their instructions and tools: a JSON object, kept unchanged.
    app_details: Option<JsonText> = shaped(opaque_fields::APP_DETAILS),
}

model! {
    /// The session's initial values.
    pub struct SessionInput { base("a session input", Others::Kept) }
    /// The ADK app: for an agent folder, its name.
    app_name: String = required,
    /// The user.
    user_id: String = required,
    /// A fixed session id, to reach prepared artifacts.
    session_id: Option<String> = optional,
    /// The initial state: a JSON object.
    state: Option<JsonText> = object,
}

model! {
    /// The plan of a simulated user.
    pub struct ConversationScenario { base("a conversation scenario", Others::Refused) }
    /// The user's first message.
    starting_prompt: String = required,
    /// What follows, in plain words.
    conversation_plan: String = required,
    /// The user: the name of one of ADK's personas, or a persona.
    user_persona: Option<JsonText> = shaped(opaque_fields::PERSONA),
}

model! {
    /// A criterion for a judge.
    pub struct Rubric { base("a rubric", Others::Refused) }
    /// Unique among the rubrics.
    rubric_id: String = required,
    /// The condition.
    rubric_content: RubricContent = required,
    /// How to read the result.
    description: Option<String> = optional,
    /// Such as `TOOL_USE_QUALITY`.
    rubric_type as "type": Option<String> = optional,
}

model! {
    /// The condition.
    pub struct RubricContent { base("a rubric's content", Others::Refused) }
    /// In plain words.
    text_property: Option<String> = optional,
}

fn one_conversation(case: &EvalCase, reader: &mut Reader<'_>, begin: usize) {
    let both = case.conversation.is_some();
    if both == case.conversation_scenario.is_some() {
        reader.fault(begin, Problem::OneConversation { both });
    }
}

impl EvalCase {
    /// A case with these turns and nothing else.
    #[must_use]
    pub fn new(eval_id: impl Into<String>, conversation: Vec<Invocation>) -> Self {
        Self {
            eval_id: eval_id.into(),
            conversation: Some(conversation),
            conversation_scenario: None,
            session_input: None,
            creation_timestamp: None,
            rubrics: None,
            final_session_state: None,
            written: OriginalForm::default(),
        }
    }

    /// The turns; empty for a scenario.
    #[must_use]
    pub fn turns(&self) -> &[Invocation] {
        self.conversation.as_deref().unwrap_or_default()
    }

    /// The ids of the invocations, which identify the recording.
    pub fn invocation_ids(&self) -> impl Iterator<Item = &str> {
        self.turns()
            .iter()
            .map(|invocation| invocation.invocation_id.as_str())
            .filter(|id| !id.is_empty())
    }

    /// The case's JSON text, checked by ADK's rules.
    ///
    /// # Errors
    /// [`CaseError`] naming the first value that ADK would reject. One such value would make the
    /// whole file unreadable for ADK, so nothing is written before this passes.
    pub fn to_json(&self) -> Result<CaseText, CaseError> {
        let text = text_of(self, Casing::Original);
        super::check::check(self, &text)?;
        Ok(CaseText::new(text))
    }
}

impl Invocation {
    /// A turn with only the user's message.
    #[must_use]
    pub fn new(invocation_id: impl Into<String>, user_content: Content) -> Self {
        Self {
            invocation_id: invocation_id.into(),
            user_content,
            final_response: None,
            intermediate_data: None,
            creation_timestamp: None,
            duration: None,
            model_duration: None,
            tool_duration: None,
            rubrics: None,
            app_details: None,
            written: OriginalForm::default(),
        }
    }
}

impl SessionInput {
    /// A session of `user_id` with the app `app_name`. An empty state is ADK's default and is not
    /// written.
    #[must_use]
    pub fn new(app_name: impl Into<String>, user_id: impl Into<String>, state: JsonText) -> Self {
        let state = (state.compact().as_str() != "{}").then_some(state);
        Self {
            app_name: app_name.into(),
            user_id: user_id.into(),
            session_id: None,
            state,
            written: OriginalForm::default(),
        }
    }
}
