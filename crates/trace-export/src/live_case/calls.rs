//! [`Calls`]: matches tool responses to calls.
//!
//! Recorded results have precedence; a response that the agent only shows to the model is used for a call
//! without a recorded result. A call has the id that the person gave, else the agent's id.

use std::collections::{HashMap, HashSet};

use json_text::JsonText;
use live::{
    AgentName, FunctionCall, FunctionResponse, HumanResponse, InvocationId, Part, SessionEvent,
    TurnId,
};

use super::parts::as_adk_keeps_it;
use crate::call_ids;

/// The calls of a session, in order.
#[derive(Default)]
pub(super) struct Calls<'a> {
    calls: Vec<Call<'a>>,
    /// The turn of each agent's last response.
    latest: HashMap<&'a AgentName, TurnId>,
}

/// One call.
pub(super) struct Call<'a> {
    pub(super) turn: TurnId,
    /// Its run.
    pub(super) run: usize,
    /// Whether its agent has continued since, or its run has ended.
    is_past: bool,
    /// Its index among the calls of its response.
    pub(super) place: usize,
    /// Its id in the case, once it has a result.
    pub(super) id: Option<String>,
    call: &'a FunctionCall,
    made: Vec<String>,
    agent: &'a AgentName,
    invocation: &'a InvocationId,
    given: Option<&'a FunctionResponse>,
}

impl<'a> Calls<'a> {
    /// Adds the calls of a response.
    pub(super) fn called(
        &mut self,
        event: &'a SessionEvent,
        response: &'a HumanResponse,
        run: usize,
    ) {
        let turn = event.turn_id;
        self.latest.insert(&event.agent_name, turn);
        let parts = response.candidates.first().map_or(&[][..], |first| &first.parts);
        let calls = parts.iter().enumerate().filter_map(|(part, content)| match content {
            Part::FunctionCall(call) => Some((part, call)),
            _ => None,
        });
        self.calls.extend(calls.enumerate().map(|(place, (part, call))| Call {
            turn,
            run,
            is_past: false,
            place,
            id: None,
            call,
            made: call_ids(turn, part, place),
            agent: &event.agent_name,
            invocation: &event.invocation_id,
            given: None,
        }));
    }

    /// The agent sends another request: its earlier calls are finished, even without a known result.
    pub(super) fn goes_on(&mut self, event: &SessionEvent) {
        self.past(|call| {
            call.agent == &event.agent_name && call.invocation == &event.invocation_id
        });
    }

    /// Ends a run and its calls.
    pub(super) fn ended(&mut self, event: &SessionEvent) {
        let is_named = !event.invocation_id.as_str().is_empty();
        self.past(|call| {
            call.invocation == &event.invocation_id && (is_named || call.agent == &event.agent_name)
        });
    }

    fn past(&mut self, is_past: impl Fn(&Call<'_>) -> bool) {
        for call in self.calls.iter_mut().filter(|call| is_past(call)) {
            call.is_past = true;
        }
    }

    /// The run that waits for an agent that it called as a tool.
    pub(super) fn caller(&self, agent: &AgentName) -> Option<usize> {
        let waits = |call: &Call<'_>| {
            call.given.is_none() && !call.is_past && call.call.name == agent.as_str()
        };
        let call = self.last(waits).and_then(|at| self.calls.get(at));
        call.map(|call| call.run)
    }

    /// The call of a recorded result.
    pub(super) fn recorded(
        &mut self,
        event: &SessionEvent,
        response: &'a FunctionResponse,
    ) -> Option<&Call<'a>> {
        let of_turn = |call: &Call<'_>| call.turn == event.turn_id;
        let at = self.last(|call| of_turn(call) && call.is(response)).or_else(|| {
            self.first(|call| of_turn(call) && call.is_open(response) && call.may_be(response))
        });
        self.answered(at?, response)
    }

    /// The calls whose results are only in `shown`, a request of their agent.
    pub(super) fn shown(
        &mut self,
        agent: &AgentName,
        shown: impl Iterator<Item = &'a FunctionResponse>,
        mut tell: impl FnMut(&Call<'a>, &'a FunctionResponse),
    ) {
        let latest = self.latest.get(agent).copied();
        let mut seen = HashSet::new();
        for response in shown {
            let of_agent = |call: &Call<'_>| call.agent == agent && call.is(response);
            let at = self.last(of_agent).or_else(|| {
                // Without a known id, it belongs to the agent's last response.
                let among = |place: &usize, call: &Call<'_>| {
                    Some(call.turn) == latest && !seen.contains(place)
                };
                let find = |wanted: &dyn Fn(&Call<'_>) -> bool| {
                    let mut calls = self.calls.iter().enumerate();
                    calls.find(|(at, call)| among(at, call) && wanted(call)).map(|(at, _)| at)
                };
                find(&|call| call.has(response))
                    .or_else(|| find(&|call| call.is_open(response) && call.may_be(response)))
                    .or_else(|| find(&|call| call.is_open(response)))
            });
            let Some(at) = at else { continue };
            seen.insert(at);
            if self.calls.get(at).is_some_and(|call| call.given.is_none())
                && let Some(call) = self.answered(at, response)
            {
                tell(call, response);
            }
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Call<'a>> {
        self.calls.iter()
    }

    fn answered(&mut self, at: usize, response: &'a FunctionResponse) -> Option<&Call<'a>> {
        let call = self.calls.get_mut(at)?;
        call.given = Some(response);
        let ids = [given_id(call.call.id.as_ref()), given_id(response.id.as_ref())];
        let id = ids.into_iter().flatten().next().or(call.made.first());
        call.id = id.cloned();
        Some(call)
    }

    fn first(&self, wanted: impl Fn(&Call<'_>) -> bool) -> Option<usize> {
        self.calls.iter().position(wanted)
    }

    fn last(&self, wanted: impl Fn(&Call<'_>) -> bool) -> Option<usize> {
        self.calls.iter().rposition(wanted)
    }
}

impl Call<'_> {
    /// Whether the response names this call.
    fn is(&self, response: &FunctionResponse) -> bool {
        match (given_id(self.call.id.as_ref()), given_id(response.id.as_ref())) {
            (_, None) => false,
            (Some(own), Some(id)) => own == id,
            (None, Some(id)) => self.made.contains(id),
        }
    }

    /// Whether one of the two has no id.
    fn may_be(&self, response: &FunctionResponse) -> bool {
        given_id(self.call.id.as_ref()).is_none() || given_id(response.id.as_ref()).is_none()
    }

    /// Whether it waits for a response of this tool.
    fn is_open(&self, response: &FunctionResponse) -> bool {
        self.given.is_none() && self.call.name == response.name
    }

    /// Whether it is known to have this response.
    fn has(&self, response: &FunctionResponse) -> bool {
        let kept =
            |it: &FunctionResponse| -> JsonText { as_adk_keeps_it(it.response.as_ref()).compact() };
        self.call.name == response.name
            && self.given.is_some_and(|given| kept(given) == kept(response))
    }
}

/// Treats an empty id as absent.
fn given_id(id: Option<&String>) -> Option<&String> {
    id.filter(|id| !id.is_empty())
}
