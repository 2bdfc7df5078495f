//! [`case_view`]: a case of an eval set, of any format, as the page shows it.

use std::collections::HashMap;

use api::{ApiError, CaseStep, CaseTurn, CaseView};
use case_trace::CaseTrace;
use evalset::{Case, Format, Origin, adk, agentflow, read_case};
use json_text::JsonText;
use scoring::{ToolCall, Trace, part_for_people};

/// The case for the page. If the format's reader rejects it, only its text is shown. Its place in a file is left out:
/// the digest, the index and the id are empty.
///
/// # Errors
/// [`ApiError::EvalSet`] if the text is not JSON.
pub fn case_view(raw: &str, format: Format, origin: Origin<'_>) -> Result<CaseView, ApiError> {
    let (case, mut faults) = read_case(raw, format, origin);
    let case = case.as_ref();
    // The faults that stop a run from being scored against it.
    faults.extend(case.into_iter().flat_map(|case| CaseTrace::faults(case, raw, origin)));
    let faults = faults.iter().map(ToString::to_string).collect();
    let text = JsonText::parse(raw)
        .map_err(|error| ApiError::EvalSet(format!("The case is not JSON: {error}.")))?;
    let (state, app_name) = match case {
        Some(Case::Adk(case)) => of_adk(case),
        Some(Case::AdkLegacy(case)) => of_adk(&case.to_current()),
        Some(Case::AgentFlow(case)) => {
            let state = case.session_input.as_ref().and_then(|input| input.initial().cloned());
            (state, String::new())
        }
        None => (None, String::new()),
    };
    // The expectations that metrics compare with an agent's run.
    let expected = case.and_then(|case| CaseTrace::of(case).ok()).map(|it| it.trace);
    let mut turns = case.map_or_else(Vec::new, turns);
    for (turn, expected) in turns.iter_mut().zip(expected.iter().flat_map(|it| &it.invocations)) {
        turn.accepted = expected.accepted.iter().map(|calls| in_one_line(calls)).collect();
    }
    Ok(CaseView {
        digest: String::new(),
        index: 0,
        eval_id: String::new(),
        name: case.and_then(Case::name),
        note: case.and_then(Case::note),
        agent: None,
        app_name,
        created: case.and_then(created),
        turns,
        state,
        // For ADK, faults are read from the case itself, so that an expectation that cannot be
        // scored is not hidden.
        final_state: match case {
            Some(Case::Adk(case)) => case.final_session_state.clone(),
            _ => expected.and_then(|Trace { final_state, .. }| final_state),
        },
        rubrics: match case {
            Some(Case::Adk(case)) => rubrics(case.rubrics.as_deref()),
            _ => Vec::new(),
        },
        text,
        faults,
    })
}

/// `find(city: "Rome") → book(id: 7)`
fn in_one_line(calls: &[ToolCall]) -> String {
    let one = |call: &ToolCall| {
        let arguments = call.args.as_ref().map(|arguments| arguments.compact());
        let arguments = arguments.filter(|arguments| arguments.as_str() != "{}");
        let name = call.name.as_deref().unwrap_or_default();
        format!("{name}({})", arguments.map(|it| it.to_string()).unwrap_or_default())
    };
    match calls {
        [] => "no call".to_owned(),
        calls => calls.iter().map(one).collect::<Vec<_>>().join(" → "),
    }
}

/// What each rubric asks, or its id if it has no text.
fn rubrics(rubrics: Option<&[adk::Rubric]>) -> Vec<String> {
    let asked = |rubric: &adk::Rubric| {
        rubric.rubric_content.text_property.clone().unwrap_or_else(|| rubric.rubric_id.clone())
    };
    rubrics.unwrap_or_default().iter().map(asked).collect()
}

fn of_adk(case: &adk::EvalCase) -> (Option<JsonText>, String) {
    let input = case.session_input.as_ref();
    let state = input.and_then(|input| input.state.clone());
    (state, input.map(|input| input.app_name.clone()).unwrap_or_default())
}

/// The creation time of a case, in seconds since 1970.
#[must_use]
pub fn created(case: &Case) -> Option<f64> {
    let of = |case: &adk::EvalCase| case.creation_timestamp.as_ref()?.to_string().parse().ok();
    match case {
        Case::Adk(case) => of(case),
        Case::AdkLegacy(case) => of(&case.to_current()),
        Case::AgentFlow(_) => None,
    }
}

/// The turns of a case of any format.
#[must_use]
pub fn turns(case: &Case) -> Vec<CaseTurn> {
    match case {
        Case::Adk(case) => adk_turns(case),
        Case::AdkLegacy(case) => adk_turns(&case.to_current()),
        Case::AgentFlow(case) => case.conversation.iter().map(agentflow_turn).collect(),
    }
}

/// A scenario has no turns yet: its plan is shown instead.
fn adk_turns(case: &adk::EvalCase) -> Vec<CaseTurn> {
    if let Some(scenario) = &case.conversation_scenario {
        return vec![CaseTurn {
            query: scenario.starting_prompt.clone(),
            steps: vec![CaseStep::Plan(scenario.conversation_plan.clone())],
            ..CaseTurn::default()
        }];
    }
    let mark = adk::AdkMark::of(case);
    case.turns().iter().map(|turn| adk_turn(turn, mark.as_ref())).collect()
}

fn adk_turn(turn: &adk::Invocation, mark: Option<&adk::AdkMark>) -> CaseTurn {
    let mut steps = Vec::new();
    if let Some(data) = &turn.intermediate_data {
        // Responses are stored apart from their calls and matched by id, if calls have ids.
        let mut answers: HashMap<&str, &adk::FunctionResponse> = data
            .responses()
            .filter_map(|it| Some((it.id.as_deref()?, it.response.as_ref().map(|_| it)?)))
            .collect();
        let mut in_order = data.responses().filter(|it| it.id.is_none());
        let mut call = |author: &str, call: &adk::FunctionCall| {
            let answer = match call.id.as_deref() {
                Some(id) => answers.remove(id),
                None => in_order.next(),
            };
            CaseStep::Call {
                author: author.to_owned(),
                tool: call.name.clone().unwrap_or_default(),
                arguments: call.args.clone().unwrap_or_else(empty),
                result: answer.and_then(|answer| answer.response.clone()),
                returned: answer.and_then(|answer| mark?.returned(answer)),
            }
        };
        steps.extend(data.tool_uses.iter().map(|it| call("", it)));
        for event in &data.invocation_events {
            for part in event.content.iter().flat_map(adk::Content::parts) {
                if let Some(it) = &part.function_call {
                    steps.push(call(&event.author, it));
                } else if let Some(text) = part_text(part) {
                    steps.push(CaseStep::Message { author: event.author.clone(), text });
                }
            }
        }
        for response in &data.intermediate_responses {
            let texts: Vec<String> = response.parts.iter().filter_map(part_text).collect();
            if !texts.is_empty() {
                let author = response.author.clone();
                steps.push(CaseStep::Message { author, text: texts.join("\n") });
            }
        }
    }
    CaseTurn {
        query: turn.user_content.text(),
        attachments: attachments(turn.user_content.other_than_text().as_deref()),
        steps,
        response: turn.final_response.as_ref().map(adk::Content::text),
        accepted: Vec::new(),
        rubrics: rubrics(turn.rubrics.as_deref()),
    }
}

/// A line about each part that is not a text.
fn attachments(parts: Option<&[JsonText]>) -> Vec<String> {
    parts.unwrap_or_default().iter().filter_map(part_for_people).collect()
}

fn part_text(part: &adk::Part) -> Option<String> {
    part.text.clone().filter(|text| !text.is_empty())
}

fn agentflow_turn(turn: &agentflow::Invocation) -> CaseTurn {
    let calls = turn.expected_tool_trajectory.iter().map(|call| CaseStep::Call {
        author: String::new(),
        tool: call.name.clone(),
        arguments: call.args.clone().unwrap_or_else(empty),
        result: call.result.clone(),
        returned: None,
    });
    let words = turn
        .expected_intermediate_responses
        .iter()
        .map(|message| CaseStep::Message { author: String::new(), text: message.get_text() });
    CaseTurn {
        query: turn.user_content.get_text(),
        attachments: attachments(turn.user_content.other_than_text().as_deref()),
        steps: calls.chain(words).collect(),
        response: turn.expected_final_response.as_ref().map(agentflow::MessageContent::get_text),
        ..CaseTurn::default()
    }
}

fn empty() -> JsonText {
    JsonText::from_value(&serde_json::json!({}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, format: Format) -> Vec<CaseTurn> {
        let origin = Origin::default();
        let (case, faults) = read_case(text, format, origin);
        assert_eq!(faults, []);
        turns(&case.expect("a case"))
    }

    #[test]
    fn matches_results_to_calls_by_id() {
        let turns = read(
            r#"{"eval_id": "a", "conversation": [{"invocation_id": "i",
                "user_content": {"parts": [{"text": "5 + 3?"}]},
                "intermediate_data": {
                    "tool_uses": [{"id": "1", "name": "add", "args": {"a": 9007199254740993}},
                                  {"id": "2", "name": "log"}],
                    "tool_responses": [{"id": "2", "name": "log", "response": {"result": null}},
                                       {"id": "1", "name": "add", "response": {"result": 8}}]},
                "final_response": {"parts": [{"text": "8"}]}}]}"#,
            Format::Adk,
        );
        let steps: Vec<String> = turns[0]
            .steps
            .iter()
            .map(|step| match step {
                CaseStep::Call { tool, arguments, result, .. } => {
                    format!("{tool}{arguments} -> {}", result.clone().unwrap_or_else(empty))
                }
                CaseStep::Message { text, .. } | CaseStep::Plan(text) => text.clone(),
            })
            .collect();
        assert_eq!(
            steps,
            [r#"add{"a": 9007199254740993} -> {"result": 8}"#, r#"log{} -> {"result": null}"#]
        );
        assert_eq!(turns[0].query, "5 + 3?");
        assert_eq!(turns[0].response.as_deref(), Some("8"));
    }

    #[test]
    fn a_mark_tells_what_the_tools_returned() {
        let turns = read(
            r#"{"eval_id": "a", "conversation": [{"invocation_id": "i",
                "user_content": {"parts": [{"text": "Hi"}]},
                "intermediate_data": {
                    "tool_uses": [{"id": "1", "name": "f"}, {"id": "2", "name": "f"}],
                    "tool_responses": [{"id": "1", "name": "f", "response": {"result": 1}},
                                       {"id": "2", "name": "f", "response": {"result": 1}}]}}],
                "rehearsal": {"tool_response": "adk", "returned": {"2": {"result": 1}}}}"#,
            Format::Adk,
        );
        let returned = turns[0].steps.iter().map(|step| match step {
            CaseStep::Call { returned: Some(returned), .. } => returned.compact().to_string(),
            _ => panic!("{step:?}"),
        });
        assert_eq!(returned.collect::<Vec<_>>(), ["1", r#"{"result":1}"#]);
    }

    #[test]
    fn every_part_of_the_users_message_is_shown() {
        let parts = r#"[{"inline_data": {"mime_type": "image/png", "data": "iVBORw0KGgo="}},
            {"text": "What is this?"},
            {"function_response": {"name": "order", "response": {"status": "approved"}}}]"#;
        let adk = format!(
            r#"{{"eval_id": "a", "conversation": [{{"user_content": {{"parts": {parts}}}}}]}}"#
        );
        let agentflow = format!(
            r#"{{"eval_id": "a", "conversation": [{{"invocation_id": "i",
                "user_content": {{"role": "user", "content": {parts}}}}}]}}"#
        );
        let shown = |text: &str, format| {
            let turns = read(text, format);
            (turns[0].query.clone(), turns[0].attachments.clone())
        };
        let expected = (
            "What is this?".to_owned(),
            vec![
                "[image/png, 8 bytes]".to_owned(),
                r#"[response of order: {"status":"approved"}]"#.to_owned(),
            ],
        );
        assert_eq!(shown(&adk, Format::Adk), expected);
        assert_eq!(shown(&agentflow, Format::AgentFlow), expected);
    }

    #[test]
    fn a_scenario_shows_its_plan() {
        let turns = read(
            r#"{"eval_id": "a", "conversation_scenario": {"starting_prompt": "Hi", "conversation_plan": "Book."}}"#,
            Format::Adk,
        );
        assert_eq!(turns[0].query, "Hi");
        assert_eq!(turns[0].steps, [CaseStep::Plan("Book.".to_owned())]);
    }

    #[test]
    fn shows_everything_that_metrics_evaluate() {
        let text = r##"{"eval_id": "a", "conversation": [{"invocation_id": "i",
            "user_content": {"parts": [{"text": "Hi"}]},
            "rubrics": [{"rubric_id": "short", "rubric_content": {"text_property": "It is short."}}]}],
            "rubrics": [{"rubric_id": "kind", "rubric_content": {}}],
            "final_session_state": {"n": {"$gt": 9007199254740993}},
            "accepted_trajectories": {"#0": [[{"name": "f", "args": {"x": 1}}, {"name": "g"}], []]}}"##;
        let shown = |text: &str| case_view(text, Format::Adk, Origin::default()).expect("a view");
        let view = shown(text);
        assert_eq!(view.faults, Vec::<String>::new());
        assert_eq!(view.turns[0].accepted, [r#"f({"x":1}) → g()"#, "no call"]);
        assert_eq!(view.turns[0].rubrics, ["It is short."]);
        assert_eq!(view.rubrics, ["kind"]);
        let state = view.final_state.expect("a state");
        assert_eq!(state.compact().as_str(), r#"{"n":{"$gt":9007199254740993}}"#);

        // Unusable accepted trajectories are reported, and hide nothing else.
        let text = text.replace(r#"[{"name": "f", "args": {"x": 1}}, {"name": "g"}], []"#, "7");
        let view = shown(&text);
        assert_eq!(view.final_state, Some(state));
        let [fault] = &view.faults[..] else { panic!("{:?}", view.faults) };
        assert!(fault.contains(r#"case "a" at accepted_trajectories.#0[0]: "#), "{fault}");
    }
}
