//! ADK's cases, whose intermediate data comes in two shapes.

use evalset::Number;
use evalset::adk::{
    AdkMark, Content, EvalCase, FunctionCall, FunctionResponse, IntermediateData,
    Invocation as Turn, InvocationEvent,
};
use json_text::{JsonText, Kind, Node};
use scoring::{Invocation, ModelCall, Response, Timing, ToolCall, Trace, joined};

use crate::accepted::Accepted;
use crate::{CaseRubrics, CaseTrace, InvalidField, agentflow};

pub(crate) fn case_trace(case: &EvalCase, tags: Vec<String>) -> Result<CaseTrace, InvalidField> {
    let kept = kept(case);
    let accepted = Accepted::of_adk(case, kept.as_ref()).valid()?;
    let turns = case.turns().iter().zip(accepted);
    let mark = AdkMark::of(case);
    let of_turn = |turn| invocation(turn, mark.as_ref());
    let invocations = turns.map(|(turn, accepted)| Invocation { accepted, ..of_turn(turn) });
    let mut invocations: Vec<_> = invocations.collect();
    // An expected `{}` means no expectation, which the metric handles; an actual `{}` is a state.
    let mut final_state = case.final_session_state.clone();
    let mut name = None;
    if let Some(flow) = kept {
        final_state = final_state.or_else(|| agentflow::final_state(&flow));
        for (turn, kept) in invocations.iter_mut().zip(&flow.conversation) {
            restore(turn, agentflow::invocation(kept, Vec::new()));
        }
        name = agentflow::name(&flow);
    }
    let trace = Trace { invocations, final_state };
    Ok(CaseTrace {
        eval_id: case.eval_id.clone(),
        name,
        tags,
        trace,
        rubrics: CaseRubrics::of_adk(case),
    })
}

/// The AgentFlow case that this one was converted from.
pub(crate) fn kept(case: &EvalCase) -> Option<evalset::agentflow::EvalCase> {
    case.written.extra("agentflow")?;
    Some(evalset::Case::Adk(case.clone()).into_agentflow())
}

/// Restores what a turn of AgentFlow has and ADK's has no field for: content that is neither text nor
/// a call, and which call a result without ids belongs to.
fn restore(turn: &mut Invocation, kept: Invocation) {
    turn.user_text = kept.user_text;
    turn.user_parts = kept.user_parts;
    if turn.final_response.is_some() && kept.final_response.is_some() {
        turn.final_response = kept.final_response;
    }
    for (response, kept) in turn.intermediate_responses.iter_mut().zip(kept.intermediate_responses)
    {
        response.text = kept.text;
    }
    for (call, kept) in turn.tool_calls.iter_mut().zip(kept.tool_calls) {
        if call.name == kept.name {
            call.result = kept.result;
        }
    }
}

/// One turn. `mark` is the case's, if it has one.
pub(crate) fn invocation(turn: &Turn, mark: Option<&AdkMark>) -> Invocation {
    // ADK reads `"nan"` as a number, but it is not a measurement.
    let seconds = |number: &Option<Number>| {
        number.as_ref().map(Number::to_f64).filter(|seconds| seconds.is_finite())
    };
    let data = turn.intermediate_data.as_ref();
    Invocation {
        id: turn.invocation_id.clone(),
        user_text: text_of(&turn.user_content).unwrap_or_default(),
        user_parts: turn.user_content.other_than_text(),
        tool_calls: data
            .map(|data| tool_calls(data, turn.final_response.as_ref(), mark))
            .unwrap_or_default(),
        accepted: Vec::new(),
        intermediate_responses: data.map(responses).unwrap_or_default(),
        final_response: turn.final_response.as_ref().and_then(text_of),
        timing: Timing {
            total: seconds(&turn.duration),
            model: seconds(&turn.model_duration),
            tool: seconds(&turn.tool_duration),
        },
        model_calls: data.and_then(model_calls),
    }
}

/// The text; `None` without a list of parts.
fn text_of(content: &Content) -> Option<String> {
    let parts = content.parts.as_ref()?;
    Some(joined(parts.iter().filter_map(|part| part.text.as_deref())))
}

fn tool_calls(
    data: &IntermediateData,
    final_response: Option<&Content>,
    mark: Option<&AdkMark>,
) -> Vec<ToolCall> {
    // The calls of the lists come first, and have no author.
    let in_events = data.invocation_events.iter().flat_map(|event| {
        let parts = event.content.iter().flat_map(Content::parts);
        parts.filter(|part| part.function_call.is_some()).map(|_| Some(event.author.clone()))
    });
    let authors = std::iter::repeat_n(None, data.tool_uses.len()).chain(in_events);
    let calls = data.calls_with_responses(final_response).zip(authors);
    let call =
        |((call, response), author): ((&FunctionCall, Option<&FunctionResponse>), _)| ToolCall {
            name: call.name.clone(),
            // ADK reads null as absent, which differs from an empty object.
            args: call.args.clone().filter(|args| args.kind() != Kind::Null),
            id: call.id.clone(),
            author,
            result: response.and_then(|response| returned(response, mark)),
        };
    calls.map(call).collect()
}

/// What the tool returned.
fn returned(response: &FunctionResponse, mark: Option<&AdkMark>) -> Option<JsonText> {
    match mark {
        Some(mark) => mark.returned(response),
        None => response.response.clone().map(unwrapped),
    }
}

/// The result of a tool, out of the `{"result": ...}` in which ADK wraps a value that is not an object.
fn unwrapped(text: JsonText) -> JsonText {
    if let Node::Object(members) = text.open()
        && let [(key, value)] = members.as_slice()
        && key == "result"
    {
        return JsonText::from(*value);
    }
    text
}

/// Messages before the response: of sub-agents, or in events.
fn responses(data: &IntermediateData) -> Vec<Response> {
    let listed = data.intermediate_responses.iter().map(|message| Response {
        author: Some(message.author.clone()),
        text: joined(message.parts.iter().filter_map(|part| part.text.as_deref())),
    });
    let in_events = data.invocation_events.iter().filter_map(|event| {
        let text = text_of(event.content.as_ref()?)?;
        (!text.is_empty()).then(|| Response { author: Some(event.author.clone()), text })
    });
    listed.chain(in_events).collect()
}

/// The number of model calls: the events with a model or token counts; `None` if no event has them, as
/// in the other shape.
fn model_calls(data: &IntermediateData) -> Option<Vec<ModelCall>> {
    let calls: Vec<_> = data.invocation_events.iter().filter_map(model_call).collect();
    (!calls.is_empty()).then_some(calls)
}

fn model_call(event: &InvocationEvent) -> Option<ModelCall> {
    let extra = |snake, camel| event.written.extra(snake).or_else(|| event.written.extra(camel));
    let usage = extra("usage_metadata", "usageMetadata").filter(|it| it.kind() == Kind::Object);
    if usage.is_none() && event.model_version.is_none() {
        return None;
    }
    let counts = usage.map(Counts::of).unwrap_or_default();
    Some(ModelCall {
        model: event.model_version.clone(),
        input: sum(counts.prompt, counts.tools),
        cached: counts.cached,
        output: sum(counts.candidates, counts.thoughts),
        reasoning: counts.thoughts,
    })
}

/// The counts of `usage_metadata` that are used.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    prompt: Option<u64>,
    tools: Option<u64>,
    cached: Option<u64>,
    candidates: Option<u64>,
    thoughts: Option<u64>,
}

impl Counts {
    fn of(usage: &JsonText) -> Self {
        let mut counts = Self::default();
        let Node::Object(members) = usage.open() else { return counts };
        for (key, value) in members {
            let count = JsonText::from(value).as_str().parse().ok();
            match &*key {
                "prompt_token_count" | "promptTokenCount" => counts.prompt = count,
                "tool_use_prompt_token_count" | "toolUsePromptTokenCount" => counts.tools = count,
                "cached_content_token_count" | "cachedContentTokenCount" => counts.cached = count,
                "candidates_token_count" | "candidatesTokenCount" => counts.candidates = count,
                "thoughts_token_count" | "thoughtsTokenCount" => counts.thoughts = count,
                _ => {}
            }
        }
        counts
    }
}

/// The sum of the reported counts; `None` without any.
fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    }
}
