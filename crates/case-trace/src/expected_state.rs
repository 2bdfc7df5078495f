//! Checks the expected final state of a case, which is a query.

use std::borrow::Cow;

use evalset::{Case, PathSegment};
use json_text::{JsonText, Node, pointer};
use scoring::state::Query;

use crate::InvalidField;
use crate::agentflow::{self, FINAL_STATE};

/// The error of the expected final state, if it is not a valid query.
pub(crate) fn invalid_state_query(case: &Case) -> Option<InvalidField> {
    match case {
        Case::Adk(case) => {
            invalid_field(&case.eval_id, &[FINAL_STATE], case.final_session_state.as_ref()?)
        }
        // ADK's older lists have no expected state.
        Case::AdkLegacy(_) => None,
        Case::AgentFlow(case) if agentflow::keeps_adk(case) => {
            invalid_state_query(&Case::Adk(Case::AgentFlow(case.clone()).into_adk()))
        }
        Case::AgentFlow(case) => {
            let state = agentflow::final_state(case)?;
            invalid_field(&case.eval_id, &["metadata", FINAL_STATE], &state)
        }
    }
}

fn invalid_field(eval_id: &str, keys: &[&'static str], state: &JsonText) -> Option<InvalidField> {
    let scoring::ConfigFault { place, message } = Query::parse(state).err()?;
    let mut path: Vec<PathSegment<'static>> =
        keys.iter().map(|key| PathSegment::Key((*key).into())).collect();
    path.extend(steps(state, &place));
    let fault = format!("the expected final state is not a valid query: {message}");
    Some(InvalidField { eval_id: eval_id.to_owned(), path, fault, remedy: None })
}

/// The steps of a JSON pointer into `text`.
fn steps(text: &JsonText, pointer: &str) -> Vec<PathSegment<'static>> {
    let mut at = Some(text.clone());
    let step = |part: &str| {
        let key = pointer::name(part);
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
