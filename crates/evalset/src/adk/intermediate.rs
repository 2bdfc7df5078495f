//! [`IntermediateData`]: the calls and messages between the user's message and the response.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use json_text::JsonText;

use super::case::base;
use super::{Content, FunctionCall, FunctionResponse, Part, opaque_fields};
use crate::model::{Form, Others, Out, Value, model};
use crate::reading::{Problem, Reader};

model! {
    /// Calls and responses in chronological order, matched by `id`.
    ///
    /// ADK has two shapes for it: lists of calls, responses and sub-agents' messages, or one list of
    /// events. [`Self::calls`] and [`Self::responses`] read both.
    #[derive(Default)]
    pub struct IntermediateData { base("intermediate data", Others::Refused); check one_shape }
    /// The calls.
    tool_uses: Vec<FunctionCall> = not_null,
    /// The responses.
    tool_responses: Vec<FunctionResponse> = not_null,
    /// Messages of sub-agents.
    intermediate_responses: Vec<IntermediateResponse> = not_null,
    /// The other shape: events, each by one agent.
    invocation_events: Vec<InvocationEvent> = not_null,
}

model! {
    /// A message, call or response of one agent.
    pub struct InvocationEvent {
        Form {
            opaque: opaque_fields::EVENT,
            ..base("an invocation event", Others::Ignored)
        }
    }
    /// The agent.
    author: String = required,
    /// The message, calls or responses.
    content: Option<Content> = optional,
    /// The model that served it.
    model_version: Option<String> = optional,
}

/// A message of a sub-agent: a list of its name and the parts.
#[derive(Debug, Clone, PartialEq)]
pub struct IntermediateResponse {
    /// The sub-agent.
    pub author: String,
    /// Its message.
    pub parts: Vec<Part>,
}

impl Value for IntermediateResponse {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        const WANTED: &str = "a list of an author and a list of parts";
        let begin = reader.offset();
        if !reader.enter_list(WANTED) {
            return None;
        }
        let (mut author, mut parts, mut count) = (None, None, 0);
        while reader.more() {
            match count {
                0 => author = reader.at(0, String::read),
                1 => parts = reader.at(1, Vec::read),
                index => {
                    let _: JsonText = reader.at(index, Reader::json);
                }
            }
            count += 1;
        }
        if count != 2 {
            reader.fault(
                begin,
                Problem::WrongType { wanted: WANTED, found: "a list of other length" },
            );
            return None;
        }
        Some(Self { author: author?, parts: parts? })
    }

    fn write(&self, out: &mut Out) {
        out.push('[');
        self.author.write(out);
        out.push(',');
        self.parts.write(out);
        out.push(']');
    }
}

fn one_shape(data: &IntermediateData, reader: &mut Reader<'_>, begin: usize) {
    let has = |key: &str| data.written.knows(key);
    let lists = ["tool_uses", "tool_responses", "intermediate_responses"];
    if has("invocation_events") && lists.into_iter().any(has) {
        reader.fault(begin, Problem::MixedIntermediateData);
    }
}

impl IntermediateData {
    /// The calls of either shape, in order.
    pub fn calls(&self) -> impl Iterator<Item = &FunctionCall> {
        let in_events = self.parts().filter_map(|part| part.function_call.as_ref());
        self.tool_uses.iter().chain(in_events)
    }

    /// The responses of either shape, in order.
    pub fn responses(&self) -> impl Iterator<Item = &FunctionResponse> {
        let in_events = self.parts().filter_map(|part| part.function_response.as_ref());
        self.tool_responses.iter().chain(in_events)
    }

    /// The calls of either shape, each with its response.
    ///
    /// The response has the call's id or, when the call has no id, its name and no id. Of several
    /// such calls the first has the first response, and so on. The last one has the last response,
    /// because a tool that runs long responds repeatedly. Of a tool that skips the summary, the response is in the
    /// turn's final response, and only there.
    pub fn calls_with_responses<'a>(
        &'a self,
        final_response: Option<&'a Content>,
    ) -> impl Iterator<Item = (&'a FunctionCall, Option<&'a FunctionResponse>)> {
        let calls: Vec<_> = self.calls().collect();
        let last = final_response.into_iter().flat_map(Content::parts);
        let last = last.filter_map(|part| part.function_response.as_ref());
        let responses: Vec<_> = self.responses().chain(last).collect();
        let pairs = responses_of_calls(
            &calls.iter().map(|it| (it.id.as_deref(), it.name.as_deref())).collect::<Vec<_>>(),
            &responses.iter().map(|it| (it.id.as_deref(), it.name.as_deref())).collect::<Vec<_>>(),
        );
        let pairs = calls.into_iter().zip(pairs);
        pairs.map(move |(call, at)| (call, at.and_then(|at| responses.get(at).copied())))
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.invocation_events
            .iter()
            .filter_map(|event| event.content.as_ref())
            .flat_map(Content::parts)
    }
}

/// For each call, the index of its response, as [`IntermediateData::calls_with_responses`] pairs
/// them. Both are given by id and name.
#[must_use]
pub fn responses_of_calls<T: Eq + Hash + Clone>(
    calls: &[(Option<T>, Option<T>)],
    responses: &[(Option<T>, Option<T>)],
) -> Vec<Option<usize>> {
    let key = |(id, name): &(Option<T>, Option<T>)| match id {
        Some(_) => (id.clone(), None),
        None => (None, name.clone()),
    };
    let mut waiting: HashMap<_, VecDeque<usize>> = HashMap::new();
    for (at, response) in responses.iter().enumerate() {
        waiting.entry(key(response)).or_default().push_back(at);
    }
    let mut left: HashMap<_, usize> = HashMap::new();
    calls.iter().for_each(|call| *left.entry(key(call)).or_default() += 1);
    let pair = |call| {
        let key = key(call);
        let (waiting, left) = (waiting.get_mut(&key)?, left.get_mut(&key)?);
        *left -= 1;
        if *left == 0 { waiting.pop_back() } else { waiting.pop_front() }
    };
    calls.iter().map(pair).collect()
}
