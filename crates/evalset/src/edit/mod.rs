//! Edits what a case expects, one value at a time, and keeps the rest unchanged.
//!
//! A turn is named by its place in the conversation, a call by its place among the calls of its
//! turn, both from 0, in either shape of ADK's intermediate data. A call's answer is the response
//! with its id; where ids are missing, the one at the same place among those without.

mod adk_calls;
mod error;
mod metadata;
mod text;

use json_text::{JsonText, Kind};

use crate::Case;
use crate::adk::{self, FunctionResponse};
use crate::agentflow::{self, MessageContent, ToolCall};
use adk_calls::{insert_adk_call, remove_adk_call, set_adk_call};
use metadata::{member, with_member};
use text::{set_agentflow_text, set_text};

pub use error::EditError;

/// A new call.
#[derive(Debug, Clone, PartialEq)]
pub struct NewCall {
    /// The tool.
    pub name: String,
    /// The arguments: a JSON object.
    pub arguments: JsonText,
    /// The response to record, if any: in an ADK case a JSON object.
    pub response: Option<JsonText>,
}

impl Case {
    /// Gives the case another id.
    ///
    /// # Errors
    /// [`EditError::OlderList`].
    pub fn set_eval_id(&mut self, eval_id: impl Into<String>) -> Result<(), EditError> {
        match self {
            Self::Adk(case) => case.eval_id = eval_id.into(),
            Self::AgentFlow(case) => case.eval_id = eval_id.into(),
            Self::AdkLegacy(_) => return Err(EditError::OlderList),
        }
        Ok(())
    }

    /// Replaces the user's text; other parts stay. The first turn of a scenario is its starting prompt.
    ///
    /// # Errors
    /// The turn does not exist.
    pub fn set_query(&mut self, turn: usize, text: &str) -> Result<(), EditError> {
        if turn == 0
            && let Ok(scenario) = self.scenario()
        {
            text.clone_into(&mut scenario.starting_prompt);
            return Ok(());
        }
        match self.turn(turn)? {
            Turn::Adk(turn) => set_text(&mut turn.user_content, text),
            Turn::AgentFlow(turn) => set_agentflow_text(&mut turn.user_content, text),
        }
        Ok(())
    }

    /// Sets the plan of the simulated user.
    ///
    /// # Errors
    /// [`EditError::NoScenario`].
    pub fn set_plan(&mut self, text: &str) -> Result<(), EditError> {
        text.clone_into(&mut self.scenario()?.conversation_plan);
        Ok(())
    }

    /// Sets the expected final response; `None` removes it.
    ///
    /// # Errors
    /// The turn does not exist.
    pub fn set_response(&mut self, turn: usize, text: Option<&str>) -> Result<(), EditError> {
        match (self.turn(turn)?, text) {
            (Turn::Adk(turn), None) => turn.final_response = None,
            (Turn::Adk(turn), Some(text)) => match &mut turn.final_response {
                Some(content) => set_text(content, text),
                absent => *absent = Some(adk::Content::model(text)),
            },
            (Turn::AgentFlow(turn), None) => turn.expected_final_response = None,
            (Turn::AgentFlow(turn), Some(text)) => match &mut turn.expected_final_response {
                Some(message) => set_agentflow_text(message, text),
                absent => *absent = Some(MessageContent::assistant(text)),
            },
        }
        Ok(())
    }

    /// Replaces the tool, the arguments and the response of an expected call. Its id stays.
    ///
    /// # Errors
    /// The call does not exist, or a value is of the wrong kind.
    pub fn set_call(&mut self, turn: usize, call: usize, new: NewCall) -> Result<(), EditError> {
        require_object("the arguments", &new.arguments)?;
        match self.turn(turn)? {
            Turn::Adk(turn) => {
                require_answer(new.response.as_ref())?;
                let data = turn.intermediate_data.get_or_insert_default();
                set_adk_call(data, call, new)
            }
            Turn::AgentFlow(turn) => {
                let calls = &mut turn.expected_tool_trajectory;
                let count = calls.len();
                let it = calls.get_mut(call).ok_or(EditError::NoCall { call, calls: count })?;
                it.name = new.name;
                it.args = Some(new.arguments);
                it.result = new.response;
                Ok(())
            }
        }
    }

    /// Inserts an expected call with this `id` at the index `at`, which may be the number of calls.
    ///
    /// # Errors
    /// The index is out of range, or a value is of the wrong kind.
    pub fn insert_call(
        &mut self,
        turn: usize,
        at: usize,
        id: &str,
        new: NewCall,
    ) -> Result<(), EditError> {
        require_object("the arguments", &new.arguments)?;
        match self.turn(turn)? {
            Turn::Adk(turn) => {
                require_answer(new.response.as_ref())?;
                let data = turn.intermediate_data.get_or_insert_default();
                insert_adk_call(data, at, id, new)
            }
            Turn::AgentFlow(turn) => {
                let calls = &mut turn.expected_tool_trajectory;
                require_place(at, calls.len())?;
                let mut call = ToolCall::new(new.name, new.arguments);
                call.call_id = Some(id.to_owned());
                call.result = new.response;
                calls.insert(at, call);
                Ok(())
            }
        }
    }

    /// Removes an expected call and its response.
    ///
    /// # Errors
    /// The call does not exist.
    pub fn remove_call(&mut self, turn: usize, call: usize) -> Result<(), EditError> {
        match self.turn(turn)? {
            Turn::Adk(turn) => {
                let data = turn.intermediate_data.get_or_insert_default();
                remove_adk_call(data, call)
            }
            Turn::AgentFlow(turn) => {
                let calls = &mut turn.expected_tool_trajectory;
                require_call(call, calls.len())?;
                calls.remove(call);
                Ok(())
            }
        }
    }

    /// Moves a call to the index `to`.
    ///
    /// # Errors
    /// The call does not exist, or the calls are recorded as events.
    pub fn move_call(&mut self, turn: usize, from: usize, to: usize) -> Result<(), EditError> {
        match self.turn(turn)? {
            Turn::Adk(turn) => {
                let data = turn.intermediate_data.get_or_insert_default();
                if !data.invocation_events.is_empty() {
                    return Err(EditError::InEvents);
                }
                require_call(from, data.tool_uses.len())?;
                require_call(to, data.tool_uses.len())?;
                let call = data.tool_uses.remove(from);
                data.tool_uses.insert(to, call);
                if data.tool_responses.len() == data.tool_uses.len() {
                    let order: Vec<Option<String>> =
                        data.tool_uses.iter().map(|call| call.id.clone()).collect();
                    let place = |response: &FunctionResponse| {
                        order.iter().position(|id| id.is_some() && *id == response.id)
                    };
                    // Without ids, answers belong to their places and stay there.
                    if data.tool_responses.iter().all(|response| place(response).is_some()) {
                        data.tool_responses.sort_by_key(place);
                    }
                }
                Ok(())
            }
            Turn::AgentFlow(turn) => {
                let calls = &mut turn.expected_tool_trajectory;
                require_call(from, calls.len())?;
                require_call(to, calls.len())?;
                let call = calls.remove(from);
                calls.insert(to, call);
                Ok(())
            }
        }
    }

    /// Sets the initial state of the session: a JSON object. `app_name` and `user_id` are used if the ADK
    /// case has no session input.
    ///
    /// # Errors
    /// The state is not an object.
    pub fn set_initial_state(
        &mut self,
        state: JsonText,
        app_name: &str,
        user_id: &str,
    ) -> Result<(), EditError> {
        require_object("the state", &state)?;
        match self {
            Self::Adk(case) => match &mut case.session_input {
                Some(input) => input.state = Some(state),
                absent => *absent = Some(adk::SessionInput::new(app_name, user_id, state)),
            },
            Self::AgentFlow(case) => {
                case.session_input.get_or_insert_default().initial_state = Some(state);
            }
            Self::AdkLegacy(_) => return Err(EditError::OlderList),
        }
        Ok(())
    }

    /// Sets the expected final state: a JSON object, or `None` to remove it. AgentFlow has it in the case's
    /// `metadata`.
    ///
    /// # Errors
    /// The state is not an object, or is in the leftovers of a conversion.
    pub fn set_final_state(&mut self, state: Option<JsonText>) -> Result<(), EditError> {
        if let Some(state) = &state {
            require_object("the expected state", state)?;
        }
        match self {
            Self::Adk(case) => case.final_session_state = state,
            Self::AgentFlow(case) => {
                let metadata = case.metadata.as_ref();
                if member(metadata, "adk").is_some() {
                    return Err(EditError::KeptState);
                }
                case.metadata = with_member(metadata, "final_session_state", state);
            }
            Self::AdkLegacy(_) => return Err(EditError::OlderList),
        }
        Ok(())
    }

    fn scenario(&mut self) -> Result<&mut adk::ConversationScenario, EditError> {
        match self {
            Self::Adk(case) => case.conversation_scenario.as_mut().ok_or(EditError::NoScenario),
            Self::AgentFlow(_) => Err(EditError::NoScenario),
            Self::AdkLegacy(_) => Err(EditError::OlderList),
        }
    }

    fn turn(&mut self, turn: usize) -> Result<Turn<'_>, EditError> {
        match self {
            Self::Adk(case) => {
                let turns = case.conversation.as_deref_mut().unwrap_or_default();
                let missing = EditError::NoTurn { turn, turns: turns.len() };
                turns.get_mut(turn).map(Turn::Adk).ok_or(missing)
            }
            Self::AgentFlow(case) => {
                let missing = EditError::NoTurn { turn, turns: case.conversation.len() };
                case.conversation.get_mut(turn).map(Turn::AgentFlow).ok_or(missing)
            }
            Self::AdkLegacy(_) => Err(EditError::OlderList),
        }
    }
}

/// A turn of either format.
enum Turn<'a> {
    Adk(&'a mut adk::Invocation),
    AgentFlow(&'a mut agentflow::Invocation),
}

fn require_object(what: &'static str, value: &JsonText) -> Result<(), EditError> {
    if value.kind() == Kind::Object { Ok(()) } else { Err(EditError::NotAnObject { what }) }
}

fn require_answer(response: Option<&JsonText>) -> Result<(), EditError> {
    response.map_or(Ok(()), |response| require_object("the response", response))
}

fn require_call(call: usize, calls: usize) -> Result<(), EditError> {
    if call < calls { Ok(()) } else { Err(EditError::NoCall { call, calls }) }
}

fn require_place(at: usize, calls: usize) -> Result<(), EditError> {
    if at <= calls { Ok(()) } else { Err(EditError::NoCall { call: at, calls }) }
}

#[cfg(test)]
mod tests;
