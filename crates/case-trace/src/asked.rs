//! What a case expects of the state after its last turn: a query that can be asked.

use std::borrow::Cow;

use evalset::{Case, PathSegment};
use json_text::{JsonText, Node};
use scoring::state::Query;

use crate::{Misread, agentflow};

/// The key, in both formats.
pub(crate) const KEY: &str = "final_session_state";

/// Why the state that a case expects cannot be asked for, if it cannot.
pub(crate) fn unaskable(case: &Case) -> Option<Misread> {
    match case {
        Case::Adk(case) => misread(&case.eval_id, &[KEY], case.final_session_state.as_ref()?),
        // ADK's older lists expect nothing of the state.
        Case::AdkLegacy(_) => None,
        Case::AgentFlow(case) if agentflow::keeps_adk(case) => {
            unaskable(&Case::Adk(Case::AgentFlow(case.clone()).into_adk()))
        }
        Case::AgentFlow(case) => {
            let state = agentflow::final_state(case)?;
            misread(&case.eval_id, &["metadata", KEY], &state)
        }
    }
}

fn misread(eval_id: &str, way: &[&'static str], state: &JsonText) -> Option<Misread> {
    let scoring::ConfigFault { place, message } = Query::parse(state).err()?;
    let mut path: Vec<PathSegment<'static>> =
        way.iter().map(|key| PathSegment::Key((*key).into())).collect();
    path.extend(steps(state, &place));
    let fault = format!("the expected final state cannot be asked: {message}");
    Some(Misread { eval_id: eval_id.to_owned(), path, fault, remedy: None })
}

/// The steps of a JSON pointer into `text`.
fn steps(text: &JsonText, pointer: &str) -> Vec<PathSegment<'static>> {
    let mut at = Some(text.clone());
    let step = |part: &str| {
        let key = part.replace("~1", "/").replace("~0", "~");
        let (step, next) = match at.as_ref().map(JsonText::open) {
            Some(Node::Array(items)) => {
                let index: usize = key.parse().unwrap_or_default();
                (PathSegment::Index(index), items.get(index).map(|item| JsonText::from(*item)))
            }
            Some(Node::Object(members)) => {
                let found = members.iter().rfind(|(name, _)| *name == key);
                let next = found.map(|(_, value)| JsonText::from(*value));
                (PathSegment::Key(Cow::Owned(key)), next)
            }
            _ => (PathSegment::Key(Cow::Owned(key)), None),
        };
        at = next;
        step
    };
    pointer.split('/').skip(1).map(step).collect()
}
