//! AgentFlow's cases.

use evalset::agentflow::{AUTHOR, EvalCase, Invocation as Turn, MessageContent, ToolCall as Call};
use json_text::{JsonText, Kind};
use scoring::{Invocation, Response, Timing, ToolCall, Trace, joined};

use crate::accepted::Accepted;
use crate::member::member;
use crate::{CaseRubrics, CaseTrace, InvalidField};

/// The key of the expected final state, in both formats.
pub(crate) const FINAL_STATE: &str = "final_session_state";

pub(crate) fn case_trace(case: &EvalCase, tags: Vec<String>) -> Result<CaseTrace, InvalidField> {
    let accepted = Accepted::of_agentflow(case).valid()?;
    let turns = case.conversation.iter().zip(accepted);
    let invocations = turns.map(|(turn, accepted)| invocation(turn, accepted)).collect();
    let trace = Trace { invocations, final_state: final_state(case) };
    Ok(CaseTrace {
        eval_id: case.eval_id.clone(),
        name: name(case),
        tags,
        trace,
        rubrics: CaseRubrics::default(),
    })
}

/// The display name, if there is one.
pub(crate) fn name(case: &EvalCase) -> Option<String> {
    Some(case.name.clone()).filter(|name| !name.is_empty())
}

/// The state after the last turn, for which the format has no field.
pub(crate) fn final_state(case: &EvalCase) -> Option<JsonText> {
    member(case.metadata.as_ref(), FINAL_STATE).filter(|state| state.kind() == Kind::Object)
}

/// Whether the case was converted from ADK.
pub(crate) fn keeps_adk(case: &EvalCase) -> bool {
    let kept = |metadata: Option<&JsonText>| member(metadata, "adk").is_some();
    kept(case.metadata.as_ref())
        || case.conversation.iter().any(|turn| kept(turn.metadata.as_ref()))
}

pub(crate) fn invocation(turn: &Turn, accepted: Vec<Vec<ToolCall>>) -> Invocation {
    let response = |message: &MessageContent| Response {
        author: Some(AUTHOR.to_owned()),
        text: text_of(message),
    };
    Invocation {
        id: turn.invocation_id.clone(),
        user_text: text_of(&turn.user_content),
        user_parts: turn.user_content.other_than_text(),
        tool_calls: turn.expected_tool_trajectory.iter().map(tool_call).collect(),
        accepted,
        intermediate_responses: turn.expected_intermediate_responses.iter().map(response).collect(),
        final_response: turn.expected_final_response.as_ref().map(text_of),
        timing: Timing::default(),
        model_calls: None,
    }
}

/// The text, joined as in ADK's format, so that a converted case has the same.
fn text_of(message: &MessageContent) -> String {
    joined(message.texts().iter().map(String::as_str))
}

fn tool_call(call: &Call) -> ToolCall {
    ToolCall {
        name: Some(call.name.clone()),
        // In AgentFlow, absent arguments are empty.
        args: Some(call.args.clone().unwrap_or_else(empty_object)),
        id: call.call_id.clone(),
        author: None,
        result: call.result.clone(),
    }
}

fn empty_object() -> JsonText {
    JsonText::from_value(&serde_json::Value::Object(serde_json::Map::new()))
}
