//! [`run_case`]: a result of an eval run as an eval case.

use evalset::adk::{
    AdkMark, Content, EvalCase, FunctionCall, FunctionResponse, IntermediateData,
    IntermediateResponse, InvalidParts, Invocation, Part, SessionInput,
};
use evalset::seconds;
use jiff::Timestamp;
use json_text::JsonText;
use scoring::Trace;
use session::Recording;

use crate::adk_response::{Recorded, record};
use crate::rehearsal_case::describe;
use crate::serialized::object;

/// A result of an eval run to keep.
#[derive(Debug, Clone)]
pub struct KeptRun<'a> {
    /// The id of the case.
    pub eval_id: String,
    /// The session's initial values.
    pub session_input: SessionInput,
    /// What the agent did.
    pub trace: &'a Trace,
    /// When its run began.
    pub began: Timestamp,
    /// Where it comes from, for people.
    pub note: String,
    /// Tags of the case.
    pub tags: Vec<String>,
}

/// The case that expects what the agent did. Results are written as google-adk's runner records them, with a mark on the
/// case.
///
/// # Errors
/// [`InvalidParts`] if the parts of a message are not ADK's.
pub fn run_case(kept: KeptRun<'_>) -> Result<EvalCase, InvalidParts> {
    let KeptRun { eval_id, session_input, trace, began, note, tags } = kept;
    let mut mark = AdkMark::default();
    let turns = trace.invocations.iter().enumerate();
    let turns = turns.map(|(number, turn)| {
        let id = format!("{eval_id}_inv_{number}");
        invocation(id, turn, seconds(began), &mut mark)
    });
    let turns = turns.collect::<Result<_, _>>()?;
    let mut case = EvalCase {
        session_input: Some(session_input),
        creation_timestamp: Some(seconds(began)),
        ..EvalCase::new(eval_id, turns)
    };
    mark.write(&mut case);
    describe(&mut case, &note, &tags);
    Ok(case)
}

fn invocation(
    id: String,
    turn: &scoring::Invocation,
    began: evalset::Number,
    mark: &mut AdkMark,
) -> Result<Invocation, InvalidParts> {
    let user = match &turn.user_parts {
        None => Content::user(&turn.user_text),
        Some(parts) => Content::of_parts(object(parts).as_str())?,
    };
    let mut data = IntermediateData::default();
    for response in &turn.intermediate_responses {
        let author = response.author.clone().unwrap_or_default();
        let parts = vec![Part::text(&response.text)];
        data.intermediate_responses.push(IntermediateResponse { author, parts });
    }
    for (number, call) in turn.tool_calls.iter().enumerate() {
        let name = call.name.clone().unwrap_or_default();
        let call_id = call.id.clone().unwrap_or_else(|| format!("{id}_call_{number}"));
        let args =
            call.args.clone().unwrap_or_else(|| JsonText::from_value(&serde_json::json!({})));
        data.tool_uses.push(FunctionCall::new(&call_id, &name, args));
        if let Some(result) = &call.result {
            let Recorded { response, .. } = record(mark, &call_id, result, &Recording::default());
            data.tool_responses.push(FunctionResponse::new(&call_id, &name, response));
        }
    }
    Ok(Invocation {
        final_response: turn.final_response.as_ref().map(Content::model),
        intermediate_data: Some(data),
        creation_timestamp: Some(began),
        ..Invocation::new(id, user)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use scoring::{Response, ToolCall};

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("JSON")
    }

    #[test]
    fn a_case_expects_what_the_agent_did() {
        let call = ToolCall {
            id: Some("c1".to_owned()),
            result: Some(json(r#"{"price": 9007199254740993.10}"#)),
            ..ToolCall::new("look_up", json(r#"{"order": 7}"#))
        };
        let open = ToolCall::new("refund", json("{}"));
        let turn = scoring::Invocation {
            user_text: "Refund order 7".to_owned(),
            intermediate_responses: vec![Response {
                author: Some("desk".to_owned()),
                text: "Let me look.".to_owned(),
            }],
            tool_calls: vec![call, open],
            final_response: Some("Done.".to_owned()),
            ..scoring::Invocation::default()
        };
        let trace = Trace { invocations: vec![turn], ..Trace::default() };
        let case = run_case(KeptRun {
            eval_id: "refund_run_3".to_owned(),
            session_input: SessionInput::new("desk", "user", json("{}")),
            trace: &trace,
            began: Timestamp::UNIX_EPOCH,
            note: "Forked from run 1.".to_owned(),
            tags: vec!["fork".to_owned()],
        })
        .expect("a case");
        let text = case.to_json().expect("JSON").laid_out(&evalset::Layout::two_spaces());
        let written: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let turn = &written["conversation"][0];
        assert_eq!(turn["user_content"]["parts"][0]["text"], "Refund order 7");
        assert_eq!(turn["final_response"]["parts"][0]["text"], "Done.");
        let data = &turn["intermediate_data"];
        assert_eq!(data["tool_uses"][0]["args"]["order"], 7);
        assert_eq!(data["tool_uses"][1]["id"], "refund_run_3_inv_0_call_1");
        assert_eq!(data["tool_responses"].as_array().map(Vec::len), Some(1));
        assert!(text.contains("9007199254740993.10"), "digits stay: {text}");
        assert_eq!(data["intermediate_responses"][0][0], "desk");
        assert_eq!(written["agentflow"]["description"], "Forked from run 1.");
        assert_eq!(written["agentflow"]["tags"][0], "fork");
    }
}
