//! Other trajectories that are as good as the expected one.
//!
//! Neither format has a field for them, so they stand where each keeps what it does not know, under
//! `accepted_trajectories`: of AgentFlow in a turn's `metadata`, as a list of lists of calls; of ADK
//! beside the case's `conversation`, as an object of such lists by `invocation_id`, or by the turn's
//! place, `#0`.

use json_text::{JsonText, Kind, Node};
use scoring::{Invocation, ToolCall};
use serde::Deserialize;

use crate::Misread;

/// The key.
pub(crate) const KEY: &str = "accepted_trajectories";

const REMEDY: &str = "write a list of trajectories, each a list of calls with name and args";

/// A call, in the words of either format.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    name: String,
    #[serde(default)]
    args: Option<JsonText>,
    /// ADK's word.
    #[serde(default)]
    id: Option<String>,
    /// AgentFlow's word.
    #[serde(default)]
    call_id: Option<String>,
}

/// Reads a list of trajectories.
pub(crate) fn trajectories(
    eval_id: &str,
    place: &str,
    text: &JsonText,
) -> Result<Vec<Vec<ToolCall>>, Misread> {
    let misread = |fault: String| Misread {
        eval_id: eval_id.to_owned(),
        place: place.to_owned(),
        fault,
        remedy: REMEDY,
    };
    let read: Vec<Vec<Call>> = text.decode().map_err(|error| misread(error.reason))?;
    let call = |Call { name, args, id, call_id }| {
        if args.as_ref().is_some_and(|args| args.kind() != Kind::Object) {
            return Err(misread(format!("the args of {name} are no object")));
        }
        Ok(ToolCall { name: Some(name), args, id: id.or(call_id), ..ToolCall::default() })
    };
    read.into_iter().map(|calls| calls.into_iter().map(call).collect()).collect()
}

/// Gives the turns of an ADK case what stands beside its conversation.
pub(crate) fn give(
    eval_id: &str,
    text: &JsonText,
    invocations: &mut [Invocation],
) -> Result<(), Misread> {
    let misread = |place: String, fault: String| Misread {
        eval_id: eval_id.to_owned(),
        place,
        fault,
        remedy: "name a turn by its invocation_id, or by its place: \"#0\"",
    };
    let Node::Object(members) = text.open() else {
        return Err(misread(KEY.to_owned(), format!("an object belongs here, not {}", kind(text))));
    };
    for (turn, list) in members {
        let place = format!("{KEY}.{turn}");
        let by_place = turn.strip_prefix('#').and_then(|place| place.parse::<usize>().ok());
        let found = match by_place {
            Some(place) => invocations.get_mut(place),
            None => invocations.iter_mut().find(|invocation| invocation.id == turn),
        };
        let Some(found) = found else {
            return Err(misread(place, format!("there is no turn {turn:?}")));
        };
        found.accepted = trajectories(eval_id, &place, &list.into())?;
    }
    Ok(())
}

fn kind(text: &JsonText) -> &'static str {
    match text.kind() {
        Kind::Array => "a list",
        other => other.name(),
    }
}
