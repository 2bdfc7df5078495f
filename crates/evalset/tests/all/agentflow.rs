//! AgentFlow's models, as its documentation describes them.

use evalset::agentflow::{
    EvalConfig, MatchType, MessageBody, MessageContent, Role, StepType, ToolCall, TrajectoryStep,
};
use evalset::{Layout, Number};

use crate::common::{canonical, json};

#[test]
fn the_default_configuration_has_the_standard_criteria() {
    let config = EvalConfig::default();
    let summary: Vec<_> = config
        .criteria
        .iter()
        .map(|(name, criterion)| (name.as_str(), criterion.threshold.as_str(), criterion.enabled))
        .collect();
    assert_eq!(
        summary,
        [
            ("trajectory_match", "0.8", true),
            ("response_match", "0.7", true),
            ("llm_judge", "0.7", true)
        ]
    );
    assert_eq!(config.criteria["llm_judge"].judge_model, "gpt-4o-mini");
    let text = config.to_json().laid_out(&Layout::two_spaces());
    let (again, faults) = EvalConfig::read(text.as_bytes());
    assert_eq!(faults, []);
    assert_eq!(again.expect("read").criteria["response_match"].threshold.as_str(), "0.7");
}

#[test]
fn configuration_gets_defaults_and_round_trips() {
    let text = r#"{
        "criteria": {
            "trajectory_match": {"match_type": "ANY_ORDER", "threshold": 0.90},
            "rubric_based": {"rubrics": [{"name": "n", "description": "d", "scoring_guide": "s"}]}
        },
        "user_simulator_config": {"model": "m", "max_invocations": 5}
    }"#;
    let (config, faults) = EvalConfig::read(text.as_bytes());
    let config = config.expect("read");
    assert_eq!(faults, []);
    let trajectory = &config.criteria["trajectory_match"];
    assert_eq!((trajectory.match_type, trajectory.threshold.to_f64()), (MatchType::AnyOrder, 0.9));
    let rubrics = &config.criteria["rubric_based"];
    assert_eq!((rubrics.threshold.as_str(), rubrics.rubrics[0].weight.as_str()), ("0.8", "1.0"));
    assert_eq!(canonical(&config.to_json().laid_out(&Layout::compact())), canonical(text));
}

#[test]
fn invalid_configuration_reports_paths() {
    let text = r#"{"criteria": {"a": {"match_type": "any-order"}, "b": {"threshold": "high"}}}"#;
    let (config, faults) = EvalConfig::read(text.as_bytes());
    assert_eq!(config, None);
    let summary: Vec<_> =
        faults.iter().map(|fault| format!("{} {}", fault.path, fault.problem)).collect();
    assert_eq!(
        summary,
        [
            "criteria.a.match_type \"any-order\" is not one of EXACT, IN_ORDER, ANY_ORDER; \
             use one of them",
            "criteria.b.threshold expected a number, found a string; correct the value",
        ]
    );
}

#[test]
fn tool_calls_match_by_name_and_requested_fields() {
    let expected =
        ToolCall { call_id: Some("1".to_owned()), ..ToolCall::new("f", json(r#"{"a": 1}"#)) };
    let actual =
        ToolCall { call_id: Some("2".to_owned()), ..ToolCall::new("f", json(r#"{"a":1.0}"#)) };
    assert!(expected.matches(&actual, true, false));
    assert!(!expected.matches(&actual, true, true));
    let other = ToolCall::new("f", json(r#"{"a":2}"#));
    assert!(!expected.matches(&other, true, false));
    assert!(expected.matches(&other, false, false));
    assert!(!expected.matches(&ToolCall::new("g", json(r#"{"a":1}"#)), false, false));
    let without = ToolCall { args: None, ..ToolCall::new("f", json("{}")) };
    assert!(without.matches(&ToolCall::new("f", json("{ }")), true, true));
}

#[test]
fn messages_and_steps_match_the_documentation() {
    let message = MessageContent::assistant("Hi!");
    assert_eq!((message.role, message.get_text()), (Role::Assistant, "Hi!".to_owned()));
    let objects = vec![
        json(r#"{"type":"text","text":"a"}"#),
        json(r#"{"type":"image"}"#),
        json(r#"{"text":"b"}"#),
    ];
    assert_eq!(MessageContent::new(Role::User, MessageBody::Objects(objects)).get_text(), "a\nb");
    let step = TrajectoryStep::tool("get_weather", json("{}"), Number::parse("1234567891.0"));
    assert_eq!((step.step_type, step.step_type.word()), (StepType::Tool, "TOOL"));
    assert_eq!(TrajectoryStep::node("agent_node", None).step_type, StepType::Node);
}
