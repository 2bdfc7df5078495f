//! [`Recording`]: a recorded trace as the model and the tools of a run.
//!
//! Use it to check that a trace can still be made, or to give an agent under test the world of a recording. It
//! does not say how an agent behaves with other results: for that, write mocks.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use json_text::{JsonIndex, JsonText};
use scoring::json::{Equality, equal};
use scoring::{ToolCall, Trace};
use serde_json::{Map, Value};

use crate::confirmation::{Confirmation, ConfirmationRequest, rejected};
use crate::given_model::{GivenModel, ModelCall, ModelTurn};
use crate::recorded_session::{
    ASKING, RecordedRequest, RecordedSession, is_of_made_up_tool, is_of_tool,
};

/// The calls of a recorded trace and what they returned.
#[derive(Debug, Clone, Default)]
pub struct Recording {
    calls: Vec<RecordedCall>,
}

/// A call of a recording.
#[derive(Debug, Clone)]
pub(crate) struct RecordedCall {
    tool: String,
    args: JsonText,
    /// What the tool's own code asked the user.
    request: Option<RecordedRequest>,
    /// What it returned; `None` if the user gave no answer, or denied it in a rehearsal.
    result: Option<JsonText>,
    /// Whether the turn ended with the result.
    ends_turn: bool,
    /// The keys of the state that changed, for each time that it returned.
    changes: Vec<Map<String, Value>>,
}

/// What a recorded call gives in the place of a tool.
#[derive(Debug)]
pub(crate) struct Replayed {
    /// What it returns, if the recording tells.
    pub(crate) result: Option<JsonText>,
    /// What it asks the user first.
    pub(crate) request: Option<ConfirmationRequest>,
    /// Whether the turn ends with the result; `None` if the recording does not tell.
    pub(crate) ends_turn: Option<bool>,
    /// The keys of the state that change.
    pub(crate) changes: Map<String, Value>,
}

impl RecordedCall {
    /// What the call gives, once the user has answered with `confirmation`.
    pub(crate) fn replayed(&self, confirmation: Option<&Confirmation>) -> Replayed {
        let changes = match confirmation {
            None => self.changes.first(),
            Some(_) => self.changes.last(),
        };
        let changes = changes.cloned().unwrap_or_default();
        match (&self.request, confirmation) {
            (Some(recorded), None) => Replayed {
                result: Some(recorded.meanwhile.clone()),
                request: Some(recorded.request.clone()),
                ends_turn: None,
                changes,
            },
            (Some(_), Some(given)) if !given.confirmed => Replayed {
                result: Some(self.result.clone().unwrap_or_else(rejected)),
                request: None,
                ends_turn: None,
                changes,
            },
            _ => Replayed {
                result: self.result.clone(),
                request: None,
                ends_turn: Some(self.ends_turn),
                changes,
            },
        }
    }
}

impl Recording {
    /// The calls of a trace that have a result of their tool.
    #[must_use]
    pub fn of(trace: &Trace) -> Self {
        Self::with(trace, None)
    }

    /// The calls of a trace that have a result of their tool, and those whose tools asked the user in its session.
    pub(crate) fn of_session(trace: &Trace, session: &RecordedSession) -> Self {
        Self::with(trace, Some(session))
    }

    fn with(trace: &Trace, session: Option<&RecordedSession>) -> Self {
        let calls = trace.invocations.iter().flat_map(|turn| &turn.tool_calls);
        let recorded = |call: &ToolCall| {
            let known = session.zip(call.id.as_ref());
            let request = known.and_then(|(session, id)| session.requests.get(id));
            let facts = session.and_then(|session| session.facts.as_ref());
            let of_call = facts.zip(call.id.as_ref()).and_then(|(facts, id)| facts.calls.get(id));
            let result = match (request, facts) {
                (Some(request), _) => request.result.clone(),
                (None, None) => Some(call.result.clone().filter(is_of_tool)?),
                (None, Some(_)) => Some(of_session(call)?),
            };
            Some(RecordedCall {
                tool: call.name.clone()?,
                args: call.args.clone().unwrap_or_else(empty),
                request: request.cloned(),
                result,
                ends_turn: known.is_some_and(|(session, id)| session.ending.contains(id)),
                changes: of_call.map(|facts| facts.changes.clone()).unwrap_or_default(),
            })
        };
        Self { calls: calls.filter_map(recorded).collect() }
    }

    /// The tools that it can answer for.
    #[must_use]
    pub fn tools(&self) -> BTreeSet<&str> {
        self.calls.iter().map(|call| call.tool.as_str()).collect()
    }

    /// Whether a call changed the state of the session.
    pub(crate) fn changes_state(&self) -> bool {
        self.calls.iter().flat_map(|call| &call.changes).any(|changes| !changes.is_empty())
    }

    /// Whether a recorded call of this tool returned `answer`, which may be written as google-adk records what is not an
    /// object: in `{"result": ...}`.
    pub(crate) fn has_result(&self, tool: &str, answer: &JsonText) -> bool {
        let document = JsonIndex::of(answer);
        let only = (document.root().entries().len() == 1).then(|| document.root().member("result"));
        let inner = only.flatten().map(|result| result.to_json());
        let is_answer = |result: &JsonText| {
            equal(result, answer, Equality::Json)
                || inner.as_ref().is_some_and(|inner| equal(result, inner, Equality::Json))
        };
        self.calls
            .iter()
            .any(|call| call.tool == tool && call.result.as_ref().is_some_and(is_answer))
    }

    /// The result of the recorded call of this tool with equal arguments; of several, the one that `earlier`
    /// calls with these arguments leave, or the last.
    #[must_use]
    pub fn result(&self, tool: &str, args: &JsonText, earlier: usize) -> Option<&JsonText> {
        self.call(tool, args, earlier)?.result.as_ref()
    }

    /// The recorded call that [`Recording::result`] is of.
    pub(crate) fn call(
        &self,
        tool: &str,
        args: &JsonText,
        earlier: usize,
    ) -> Option<&RecordedCall> {
        let mut same = self
            .calls
            .iter()
            .filter(|call| call.tool == tool && equal(&call.args, args, Equality::Json));
        let first = same.next()?;
        let last = same.clone().next_back().unwrap_or(first);
        Some(match earlier.checked_sub(1) {
            None => first,
            Some(skipped) => same.nth(skipped).unwrap_or(last),
        })
    }
}

/// What the tool of a call returned in a session: nothing, where that is not recorded. `None` for a tool that the model made
/// up.
fn of_session(call: &ToolCall) -> Option<JsonText> {
    let is_asking = call.name.as_deref().is_some_and(|name| name.starts_with(ASKING));
    let result = call.result.as_ref();
    if is_asking || result.is_some_and(is_of_made_up_tool) {
        return None;
    }
    Some(result.filter(|it| is_of_tool(it)).cloned().unwrap_or_else(JsonText::null))
}

fn empty() -> JsonText {
    JsonText::from_value(&serde_json::json!({}))
}

/// A model that responds as the trace did: in each turn its calls, one after the other, then its response.
#[must_use]
pub fn replay(trace: &Trace) -> GivenModel {
    let turns = trace.invocations.iter().map(|invocation| {
        let is_of_model =
            |call: &&ToolCall| call.name.as_deref().is_none_or(|name| !name.starts_with(ASKING));
        let calls = invocation.tool_calls.iter().filter(is_of_model).map(|call| ModelTurn {
            text: String::new(),
            calls: vec![ModelCall::new(
                call.name.as_deref().unwrap_or_default(),
                call.args.clone().unwrap_or_else(empty),
            )],
        });
        let response = invocation.final_response.as_deref().map(ModelTurn::text);
        calls.chain(response).collect()
    });
    GivenModel::Replay(Arc::new(turns.collect()))
}

/// Counts the calls with equal arguments, so that a tool that was called twice answers in order.
#[derive(Debug, Default)]
pub(crate) struct Repeats(HashMap<(String, String), usize>);

impl Repeats {
    /// How often this call was made before.
    pub(crate) fn count(&mut self, tool: &str, args: &JsonText) -> usize {
        let key = (tool.to_owned(), args.compact().as_str().to_owned());
        let count = self.0.entry(key).or_default();
        *count += 1;
        *count - 1
    }
}

#[cfg(test)]
mod tests {
    use scoring::Invocation;

    use super::*;
    use crate::given_model::RequestNumber;

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("valid")
    }

    fn trace() -> Trace {
        let call = |args: &str, result: &str| ToolCall {
            result: Some(json(result)),
            ..ToolCall::new("roll", json(args))
        };
        let first = Invocation {
            tool_calls: vec![call(r#"{"sides":6}"#, "3"), call(r#"{"sides":6}"#, "5")],
            final_response: Some("3 and 5".to_owned()),
            ..Invocation::default()
        };
        Trace { invocations: vec![first], ..Trace::default() }
    }

    #[test]
    fn repeated_calls_are_answered_in_order_and_then_by_the_last() {
        let recording = Recording::of(&trace());
        let args = json(r#"{ "sides": 6.0 }"#);
        let results: Vec<_> =
            (0..3).map(|earlier| recording.result("roll", &args, earlier).cloned()).collect();
        assert_eq!(results, [Some(json("3")), Some(json("5")), Some(json("5"))]);
        assert_eq!(recording.result("roll", &json(r#"{"sides":8}"#), 0), None);
        assert_eq!(recording.tools().into_iter().collect::<Vec<_>>(), ["roll"]);
    }

    #[test]
    fn a_replay_makes_the_calls_one_by_one_and_responds() {
        let model = replay(&trace());
        let in_turn = |in_turn| RequestNumber { in_turn, ..RequestNumber::default() };
        let text = model.respond(in_turn(2), "dice").expect("a response");
        assert_eq!(text, Some(ModelTurn::text("3 and 5")));
        let gone = model.respond(in_turn(3), "dice").expect_err("nothing is left");
        assert!(
            gone.starts_with("the recorded trace has 3 responses in turn 1, and dice"),
            "{gone}"
        );
    }
}
