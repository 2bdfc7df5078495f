//! Configs of both kinds, sound and faulty.

use expect_test::{Expect, expect};
use json_text::{JsonIndex, JsonText};

use super::{Config, Criterion, Metric, Name, Tools};
use crate::adk::MatchType;
use crate::measurements::Efficiency;
use crate::trace::{Invocation, ToolCall, Trace};
use crate::trajectory::NoSchemas;

fn json(text: &str) -> JsonText {
    JsonText::parse(text).expect("valid")
}

fn sound(text: &str) -> Config {
    Config::read(&json(text), &NoSchemas).sound().unwrap_or_else(|faults| panic!("{faults:?}"))
}

fn check_faults(text: &str, expected: &Expect) {
    let faults = Config::read(&json(text), &NoSchemas).faults;
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    expected.assert_eq(&lines.join("\n"));
}

fn described(criterion: &Criterion) -> String {
    format!("{} from {}: {:?}", criterion.name, criterion.threshold, criterion.metric)
}

#[test]
fn adk_configs_are_read_unchanged() {
    let config = sound(
        r#"{
            "criteria": {
                "tool_trajectory_avg_score": {"threshold": 1.0, "matchType": " in-order ", "ignore_args": "yes"},
                "response_match_score": 0.8,
                "final_response_match_v2": {"threshold": 0.5, "judge_model_options": {"num_samples": 5}},
                "my_simple_metric": 0.8
            },
            "customMetrics": {"my_simple_metric": {"code_config": {"name": "path.to.function"}}},
            "user_simulator_config": {"type": "llm_backed", "model": "gemini-2.5-flash"}
        }"#,
    );
    let lines: Vec<String> = config.criteria.iter().map(described).collect();
    expect![[r#"
        tool_trajectory_avg_score from 1: AdkTrajectory { match_type: InOrder, ignore_args: true }
        response_match_score from 0.8: AdkResponse
        final_response_match_v2 from 0.5: NotHere { remedy: "this criterion requires a judge. Use `rehearsal score --judge`" }
        my_simple_metric from 0.8: NotHere { remedy: "it is a Python function, which only `adk eval` calls" }"#]]
    .assert_eq(&lines.join("\n"));
    assert!(config.source.as_str().contains("matchType"), "the report keeps the original config");
}

#[test]
fn agentflow_configs_are_read_unchanged() {
    let config = sound(
        r#"{
            "criteria": {
                "trajectory_match": {"enabled": true, "threshold": 0.8, "match_type": "ANY_ORDER", "judge_model": "gpt-4o-mini", "rubrics": []},
                "response_match": {"enabled": false, "threshold": 0.7, "match_type": "EXACT", "judge_model": "gpt-4o-mini", "rubrics": []},
                "llm_judge": {"judge_model": "gpt-4o"},
                "rubric_based": {"enabled": true, "rubrics": [
                    {"name": "helpfulness", "description": "How helpful?", "scoring_guide": "5=Very helpful, 1=Not helpful at all", "weight": 2.0},
                    {"name": "accuracy", "description": "How accurate?", "scoring_guide": "10=All, 0=Nothing", "weight": 1.5}
                ]}
            },
            "user_simulator_config": null
        }"#,
    );
    let names: Vec<&str> = config.criteria.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["trajectory_match", "llm_judge", "rubric_based"], "one is switched off");
    let Metric::Trajectory(matching) = &config.criteria[0].metric else { panic!("trajectory") };
    assert_eq!(matching.match_type, MatchType::AnyOrder);
    let Metric::Judged(judge) = &config.criteria[2].metric else { panic!("judged") };
    let weights: Vec<f64> = judge.rubrics.iter().map(|rubric| rubric.weight).collect();
    assert_eq!((weights, config.criteria[2].threshold), (vec![2.0, 1.5], 0.8));
    let names = |config: Config| -> Vec<(String, f64)> {
        config.criteria.into_iter().map(|one| (one.name, one.threshold)).collect()
    };
    let usual = [("trajectory_match", 0.8), ("response_match", 0.7), ("llm_judge", 0.7)];
    assert_eq!(names(Config::agentflow_default()), usual.map(|(name, of)| (name.to_owned(), of)));
    let usual = [("tool_trajectory_avg_score", 1.0), ("response_match_score", 0.8)];
    assert_eq!(names(Config::adk_default()), usual.map(|(name, of)| (name.to_owned(), of)));
}

#[test]
fn presets_of_agentflow_are_read_as_it_writes_them() {
    // Written by AgentFlow 0.10.1 of its own presets.
    let presets = json(include_str!("../../tests/expected/agentflow_presets.json"));
    let index = JsonIndex::of(&presets);
    let mut lines = Vec::new();
    for (preset, value) in index.root().entries() {
        let config = sound(value.text());
        assert_eq!(config.warnings, [], "{preset}");
        let criteria = config.criteria.iter().map(|one| {
            let what = match &one.metric {
                Metric::Trajectory(it) => {
                    format!("{:?} {:?} names only: {}", it.match_type, it.measure, it.ignore_args)
                }
                Metric::Judged(it) => format!("{} samples of {}", it.samples, it.model),
                metric => format!("{metric:?}"),
            };
            format!("  {} from {}: {what}", one.name, one.threshold)
        });
        lines.push(format!("{preset}\n{}", criteria.collect::<Vec<_>>().join("\n")));
    }
    expect![[r#"
        response_quality
          response_match from 0.7: 3 samples of gemini-2.5-flash
          llm_judge from 0.7: 1 samples of gemini-2.5-flash
        tool_usage
          tool_name_match from 1: AnyOrder Recall names only: true
          trajectory from 1: Exact All names only: false
        conversation_flow
          trajectory from 0.8: InOrder Recall names only: true
          response_match from 0.8: 3 samples of gemini-2.5-flash
        quick_check
          rouge_match from 0.5: Response(Rouge1)
        comprehensive
          tool_name_match from 1: AnyOrder Recall names only: true
          trajectory from 1: InOrder Recall names only: false
          rouge_match from 0.8: Response(Rouge1)
          llm_judge from 0.8: 3 samples of gemini-2.5-flash
          factual_accuracy from 0.8: 3 samples of gemini-2.5-flash
          hallucination from 0.8: 3 samples of gemini-2.5-flash
          safety from 0.8: 3 samples of gemini-2.5-flash
        safety_check
          hallucination from 0.8: 3 samples of gemini-2.5-flash
          safety from 0.8: 3 samples of gemini-2.5-flash
        default
          trajectory from 1: Exact All names only: true
          response_match from 0.8: 3 samples of gemini-2.5-flash
        strict
          trajectory from 1: Exact All names only: false
          response_match from 0.9: 3 samples of gemini-2.5-flash
          llm_judge from 0.9: 5 samples of gemini-2.5-flash
        relaxed
          trajectory from 0.8: InOrder Recall names only: true
          response_match from 0.6: 3 samples of gemini-2.5-flash
        rubrics
          trajectory from 1: Exact All names only: true
          response_match from 0.8: 3 samples of gemini-2.5-flash
          rubric_based from 0.8: 3 samples of gemini-2.5-flash"#]]
    .assert_eq(&lines.join("\n"));
    let config = sound(
        r#"{"criteria": {"contains_keywords": {"keywords": ["Refund", "14 days"], "api_style": "chat"},
            "rubric_based": {"rubrics": [{"rubric_id": "polite", "content": "Is it polite?"}]}}}"#,
    );
    let Metric::Response(keywords) = &config.criteria[0].metric else { panic!("of responses") };
    assert_eq!(
        format!("{keywords:?}"),
        r#"Contains { texts: Some(["Refund", "14 days"]), normalize: true }"#
    );
    let Metric::Judged(judge) = &config.criteria[1].metric else { panic!("judged") };
    assert_eq!(
        (&*judge.rubrics[0].name, &*judge.rubrics[0].description),
        ("polite", "Is it polite?")
    );
    check_faults(
        r#"{"criteria": {"contains_keywords": {"keywords": []}}}"#,
        &expect!["/criteria/contains_keywords/keywords: keywords must have at least one string"],
    );
}

#[test]
fn members_of_other_programs_are_ignored_with_a_warning() {
    let config = sound(
        r#"{"_comment": "for the release", "owner": "qa", "reporter": {"html": true}, "custom_metrics": null, "x": null,
            "criteria": {"_why": "as agreed", "response_match": null,
                "trajectory": {"match_type": null, "_note": "strict", "severity": "high"}}}"#,
    );
    assert_eq!(config.criteria.len(), 1);
    let warnings: Vec<String> = config.warnings.iter().map(ToString::to_string).collect();
    expect![[r#"
        /criteria/trajectory/severity: unknown field "severity"; known are enabled, metric, threshold, judge_model, rubrics, match_type, ignore_args, arguments, score, credit
        /owner: unknown field "owner"; known are custom_metrics, criteria, user_simulator_config, live_model_config, parallel, max_concurrency, timeout, verbose, mock_mode, reporter, $schema"#]].assert_eq(&warnings.join("\n"));
}

#[test]
fn efficiency_is_informational() {
    let config = sound(
        r#"{"criteria": {"response_match_score": 0.8, "tool_call_count_v1": {}, "invocation_duration_v1": {},
            "inference_call_count_v1": null, "token_usage_v1": {"enabled": false}}}"#,
    );
    assert_eq!(config.criteria.len(), 1);
    assert_eq!(config.informational, [Efficiency::ToolCalls, Efficiency::Seconds]);
    check_faults(
        r#"{"criteria": {"token_usage_v1": {}}}"#,
        &expect![[r#"/criteria: no criteria; add one, such as "tool_trajectory_avg_score": 1.0"#]],
    );
}

#[test]
fn own_criteria_can_have_any_name() {
    let config = sound(
        r#"{"criteria": {
            "calls": {"metric": "trajectory", "match_type": "IN_ORDER", "score": "f1", "credit": "arguments",
                "arguments": {"book": {"request_id": "ignore"}}},
            "mentions_the_price": {"metric": "response", "match": "contains", "texts": "42", "normalise": true},
            "order": {"metric": "response", "match": "json_subset"},
            "sum": {"metric": "response", "match": "numbers", "tolerance": {"relative": 0.01}},
            "polite": {"metric": "response", "match": "regex", "pattern": "(?i)please|thank"},
            "state": 1,
            "escalated": {"metric": "state", "query": {"escalation": {"$exists": true}}, "score": "share"},
            "few_questions": {"metric": "count", "event": "tool_call", "name": "ask", "max": 5},
            "quick": {"metric": "duration", "max": 2.5, "per": "invocation"},
            "cheap": {"metric": "tokens", "part": "output", "max": 1000},
            "safe": {"metric": "rubric", "samples": 3, "combine": "majority", "rubrics": [
                {"rubric_id": "no_advice", "rubric_content": {"text_property": "Gives no advice."}}]}
        }}"#,
    );
    assert_eq!(config.criteria.len(), 11);
    let names: Vec<&str> = config.criteria.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names[..3], ["calls", "mentions_the_price", "order"]);
}

#[test]
fn mistyped_names_get_suggestions() {
    check_faults(
        r#"{"criteria": {"tool_trajectory_avg_scor": 1.0, "response_match_score": {"threshold": 0.8, "treshold": 1}}}"#,
        &expect![[r#"
            /criteria/tool_trajectory_avg_scor: unknown metric "tool_trajectory_avg_scor"; did you mean tool_trajectory_avg_score? (another name requires "metric")
            /criteria/response_match_score/treshold: unknown field "treshold"; did you mean threshold?"#]],
    );
    check_faults(
        r#"{"criterias": {"response_match_score": 1.0}}"#,
        &expect![[r#"/criterias: unknown field "criterias"; did you mean criteria?"#]],
    );
    check_faults(
        r#"{"criteria": {"mine": {"metric": "respons"}}}"#,
        &expect![[r#"/criteria/mine: unknown metric "respons"; did you mean response?"#]],
    );
    check_faults(
        r#"{"criteria": {"response": {"metric": "state"}}}"#,
        &expect![
            "/criteria/response: response is the name of another metric; rename the criterion"
        ],
    );
    check_faults(
        r#"{"criteria": {"tool_trajectory_avg_score": {"match_type": "INORDR"}}}"#,
        &expect![[r#"
            /criteria/tool_trajectory_avg_score/threshold: threshold is required, as in ADK
            /criteria/tool_trajectory_avg_score/match_type: unknown match_type "INORDR"; did you mean IN_ORDER?"#]],
    );
    check_faults(
        r#"{"criteria": {"tool_trajectory_avg_score": {"threshold": 1, "match_type": null}}}"#,
        &expect![
            "/criteria/tool_trajectory_avg_score/match_type: match_type must not be null; remove it for EXACT"
        ],
    );
    check_faults(
        r#"{"criteria": {"tool_call_count_v1": 5}}"#,
        &expect![
            "/criteria/tool_call_count_v1: tool_call_count_v1 has no threshold, as in ADK: it is reported and never passes or fails. Write {}, or use the metrics count, duration and tokens for bounds"
        ],
    );
    check_faults(
        r#"{"criteria": {"quick": {"metric": "duration"}}}"#,
        &expect!["/criteria/quick/max: a bound is required: min, max or equals"],
    );
    check_faults(
        r#"{"criteria": {"few": {"metric": "count", "event": "toolcall", "max": 1}}}"#,
        &expect![[r#"/criteria/few/event: unknown event "toolcall"; did you mean tool_call?"#]],
    );
    check_faults(
        r#"{"criteria": {"r": {"metric": "rubric", "rubrics": [{"name": "a", "description": "b", "weight": 0, "weigth": 1}]}}}"#,
        &expect![[r#"
            /criteria/r/rubrics/0/weigth: unknown field "weigth"; did you mean weight?
            /criteria/r/rubrics: all weights are 0; give a rubric a positive weight"#]],
    );
    check_faults(
        r#"{"criteria": {"rubric": 0.5}}"#,
        &expect![
            "/criteria/rubric/rubrics: rubrics must have at least one rubric with name and description"
        ],
    );
    check_faults(
        r#"{"criteria": {"s": {"metric": "state", "query": {"a": {"$exist": true}}}}}"#,
        &expect!["/criteria/s/query/a/$exist: unknown operator $exist; did you mean $exists?"],
    );
    check_faults(
        r#"{"criteria": {"response": "high"}}"#,
        &expect!["/criteria/response: a criterion must be a threshold or an object"],
    );
    check_faults(
        "{}",
        &expect![[r#"/criteria: no criteria; add one, such as "tool_trajectory_avg_score": 1.0"#]],
    );
    check_faults("[]", &expect!["a config must be an object"]);
}

#[test]
fn settings_without_effect_are_reported() {
    check_faults(
        r#"{"criteria": {"response": 0.8, "state": 1, "response": 0.1}}"#,
        &expect!["/criteria/response: duplicate name; remove one"],
    );
    check_faults(
        r#"{"criteria": {"t": {"metric": "trajectory", "arguments": {"f": {"a": "ignore", "a": "equals"}}}}}"#,
        &expect!["/criteria/t/arguments/f/a: duplicate name; remove one"],
    );
    check_faults(
        r#"{"criteria": {"trajectory": {"match_type": "EXACT", "matchType": "IN_ORDER"}}}"#,
        &expect!["/criteria/trajectory/matchType: duplicate of match_type; remove one"],
    );
    check_faults(
        r#"{"criteria": {"response": 80, "t": {"metric": "trajectory", "threshold": 1.5}, "x": {"metric": "duration", "max": 1, "threshold": 1}}}"#,
        &expect![[r#"
            /criteria/response: threshold must be at most 1, the highest score; 80% is 0.8
            /criteria/t/threshold: threshold must be at most 1, the highest score; 80% is 0.8"#]],
    );
    check_faults(
        r#"{"criteria": {"response": -1, "t": {"metric": "trajectory", "threshold": -0.5}}}"#,
        &expect![[r#"
            /criteria/response: threshold must be at least 0; below that, every score passes
            /criteria/t/threshold: threshold must be at least 0; below that, every score passes"#]],
    );
    check_faults(
        r#"{"criteria": {"x": {"metric": "duration", "max": -1}, "y": {"metric": "tokens", "equals": -2}}}"#,
        &expect![[r#"
            /criteria/x/max: max must not be negative
            /criteria/y/equals: equals must not be negative"#]],
    );
    check_faults(
        r#"{"criteria": {"x": {"metric": "count", "event": "final_response", "name": "book", "max": 0}, "y": {"metric": "count", "event": "model_call", "author": "clerk", "max": 0}}}"#,
        &expect![[r#"
            /criteria/x/name: name applies only to the events tool_call and model_call; remove it
            /criteria/y/author: author applies only to the events tool_call and intermediate_response; remove it"#]],
    );
    check_faults(
        r#"{"criteria": {"x": {"metric": "duration", "max": 1, "enabled": false}}}"#,
        &expect![[r#"/criteria: every criterion is disabled; remove "enabled": false from one"#]],
    );
    // ADK takes these, whatever they mean.
    let config = sound(
        r#"{"criteria": {"tool_trajectory_avg_score": 1.1, "response_match_score": 1.0,
            "response_evaluation_score": 4.0}}"#,
    );
    let names: Vec<&str> = config.out_of_reach().iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["tool_trajectory_avg_score"]);
}

#[test]
fn names_lists_the_tools_and_arguments_of_a_config() {
    let config = sound(
        r#"{"criteria": {
        "t": {"metric": "trajectory", "arguments": {"set": {"id": "ignore"}, "*": {"a": "ignore"}}},
        "n": {"metric": "count", "event": "tool_call", "name": "ask", "author": "home", "max": 1},
        "m": {"metric": "count", "event": "model_call", "name": "a-model", "max": 1},
        "again": {"metric": "count", "event": "tool_call", "name": "ask", "min": 1}}}"#,
    );
    let argument = |tool, argument| Name::Argument { tool, argument };
    assert_eq!(
        config.names(),
        [
            Name::Tool("ask"),
            Name::Tool("set"),
            argument(None, "a"),
            argument(Some("set"), "id"),
            Name::Author("home"),
        ]
    );
}

#[test]
fn low_scoring_response_is_kept_with_the_expected_one() {
    let trace = |texts: [&str; 2]| Trace {
        invocations: texts
            .map(|text| Invocation {
                final_response: Some(text.to_owned()),
                ..Invocation::default()
            })
            .into(),
        final_state: None,
    };
    let config = sound(r#"{"criteria": {"response_match_score": 0.8}}"#);
    let (expected, actual) = (trace(["it is 21", "yes"]), trace(["it is 23", "yes"]));
    let result = config.criteria[0].judge(&expected, &actual, &mut Tools::default());
    expect![[r#"{"invocations":[0.6666666666666666,1.0],"missed":[{"turn":0,"expected":"it is 21","actual":"it is 23"}]}"#]].assert_eq(result.details.as_str());
    let result = config.criteria[0].judge(&expected, &expected, &mut Tools::default());
    assert_eq!(result.details.as_str(), r#"{"invocations":[1.0,1.0]}"#);
}

#[test]
fn a_criterion_scores_a_case_under_its_own_name() {
    let turn = |tool: &str| Invocation {
        tool_calls: vec![ToolCall::new(tool, json("{}"))],
        ..Invocation::default()
    };
    let trace = |tool: &str| Trace { invocations: vec![turn(tool)], final_state: None };
    let config = sound(r#"{"criteria": {"tool_trajectory_avg_score": 1.0, "llm_judge": 0.5}}"#);
    let mut tools = Tools::default();
    let results: Vec<String> = config
        .criteria
        .iter()
        .map(|one| one.judge(&trace("a"), &trace("b"), &mut tools))
        .map(|result| serde_json::to_string(&result).expect("serializes"))
        .collect();
    expect![[r#"
        {"criterion":"tool_trajectory_avg_score","score":0.0,"passed":false,"threshold":1.0,"details":{"invocations":[0.0],"missed":[{"turn":0,"alignment":{"rows":[{"kind":"missing","expected":{"place":0,"name":"a","args":{}},"agreement":0.0},{"kind":"extra","actual":{"place":0,"name":"b","args":{}},"agreement":0.0}],"precision":0.0,"recall":0.0,"f1":0.0}}]}}
        {"criterion":"llm_judge","score":null,"passed":null,"threshold":0.5,"details":{"reason":"this criterion requires a judge. Use `rehearsal score --judge`"}}"#]].assert_eq(&results.join("\n"));
}
