//! Eval sets of google-adk as they are.

use std::path::Path;
use std::sync::Arc;

use eval::file::{EvalSetOptions, ModelChoice, ReadOptions, read, read_eval_set, suite_of};
use eval::golden::Golden;

use eval::file::read_eval_set_with_models;
use eval::ledger::Role;
use eval::model::{Models, Variables};
use eval::python::AdkPythonSubject;
use eval::result::TokenUsage;
use eval::{EvalCase, Status, ToolMock, ToolUse, run_eval};
use json_text::JsonText;
use scoring::config::Config;
use scoring::trajectory::NoSchemas;

use crate::wire::{Endpoint, says};

fn options(python: &Path, real_tools: &[&str]) -> EvalSetOptions {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/home");
    EvalSetOptions {
        subject: Arc::new(AdkPythonSubject::new(&folder, Some(python))),
        model: ModelChoice::Replay,
        config: None,
        real_tools: real_tools.iter().map(ToString::to_string).collect(),
        sealed_tools: Vec::new(),
        simulated_by: None,
        only: None,
    }
}

const TOOLS: [&str; 3] = ["get_device_info", "set_device_info", "get_temperature"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn googles_eval_sets_of_one_agent_are_replayed_by_its_real_tools() {
    let Some(python) = test_needs::python() else { return };
    let Some(corpora) = test_needs::corpus("adk-evalsets") else { return };
    let options = options(&python, &TOOLS);
    let mut files = 0;
    for entry in std::fs::read_dir(corpora).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.contains("home_automation") {
            continue;
        }
        files += 1;
        let cases = read_eval_set(&path, &options).unwrap_or_else(|error| panic!("{error}"));
        for case in cases {
            let result = run_eval(&case).await;
            let shown = (&result.error, &result.metrics);
            assert_eq!(result.status, Status::Passed, "{name}: {shown:?}");
            for (metric, result) in result.metrics {
                assert!(result.score >= Some(1.0 - 1e-9), "{name}: {metric}: {result:?}");
            }
        }
    }
    assert_eq!(files, 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recording_answers_for_the_tools_and_nothing_else_runs() {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("home.evalset.json");
    let set = r#"{"eval_set_id": "home", "eval_cases": [
        {"eval_id": "temperature", "session_input": {"app_name": "home", "user_id": "u", "state": {"unit": "C"}},
         "conversation": [{
            "user_content": {"role": "user", "parts": [{"text": "How warm is it?"}]},
            "final_response": {"role": "model", "parts": [{"text": "18 degrees"}]},
            "intermediate_data": {
                "tool_uses": [{"id": "1", "name": "get_temperature", "args": {"location": "Hall"}}],
                "tool_responses": [{"id": "1", "name": "get_temperature", "response": {"result": 18}}]}}]}]}"#;
    std::fs::write(&path, set).expect("written");
    let cases = read_eval_set(&path, &options(&python, &[])).expect("a set");
    let result = run_eval(&cases[0]).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let returned = result.events.iter().find(|entry| entry.event.name() == "tool_result");
    let returned = serde_json::to_value(&returned.expect("a result").event).expect("serializes");
    assert_eq!(returned["result"], serde_json::json!({ "result": 18 }));
    assert_eq!(returned["from"], "mock");

    let unrecorded = set.replace(
        r#""tool_responses": [{"id": "1", "name": "get_temperature", "response": {"result": 18}}]"#,
        r#""tool_responses": []"#,
    );
    std::fs::write(&path, unrecorded).expect("written");
    let cases = read_eval_set(&path, &options(&python, &[])).expect("a set");
    let result = run_eval(&cases[0]).await;
    let message = result.error.expect("an error").message;
    assert!(message.starts_with("EvalToolError: the tool get_temperature"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mocks_answer_by_matchers_and_by_the_golden_trace_only() {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    write(
        "home.evalset.json",
        r#"{"eval_set_id": "home", "eval_cases": [{"eval_id": "hall", "conversation": [{
            "user_content": {"role": "user", "parts": [{"text": "How warm is it?"}]},
            "final_response": {"role": "model", "parts": [{"text": "18 degrees"}]},
            "intermediate_data": {
                "tool_uses": [{"id": "1", "name": "get_temperature", "args": {"location": "Hall"}}],
                "tool_responses": [{"id": "1", "name": "get_temperature", "response": {"result": 18}}]}}]}]}"#,
    );
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/home");
    let suite = write(
        "home.eval.yaml",
        &format!(
            r#"
subject: {{ adk: {:?} }}
cases:
  - name: matchers
    first_message: How warm is it?
    tools:
      get_temperature:
        table:
          rows: [{{ matchers: {{ location: {{ regex: "^Ha" }} }}, mock: {{ returns: 18 }} }}]
          otherwise: {{ returns: 7 }}
    model: &asks
      scripted:
        - calls: [{{ tool: get_temperature, args: {{ location: Hall }} }}]
        - calls: [{{ tool: get_temperature, args: {{ location: Cellar }} }}]
        - Done
  - name: recorded
    first_message: How warm is it?
    golden: {{ eval_set: home.evalset.json }}
    tools: {{ get_temperature: {{ recorded: {{}} }} }}
    model: *asks
  - name: fallback
    first_message: How warm is it?
    golden: {{ eval_set: home.evalset.json }}
    tools: {{ get_temperature: {{ recorded: {{ otherwise: {{ returns: 7 }} }} }} }}
    model: *asks
"#,
            home.display().to_string()
        ),
    );
    let options = ReadOptions { python: Some(python), ..ReadOptions::default() };
    let cases = read(&suite, &options).unwrap_or_else(|error| panic!("{error}"));
    for case in &cases {
        let result = run_eval(case).await;
        if case.name == "recorded" {
            let message = result.error.expect("an error").message;
            assert!(message.starts_with("EvalToolError: the tool get_temperature"), "{message}");
            assert!(message.contains("Cellar"), "{message}");
            continue;
        }
        assert_eq!(result.status, Status::Passed, "{}: {:?}", case.name, result.error);
        let results = result.events.iter().filter_map(|entry| match &entry.event {
            eval::ledger::Event::ToolResult { result, .. } => {
                Some(result.to_value().expect("JSON"))
            }
            _ => None,
        });
        let wanted = [18, 7].map(|degrees| serde_json::json!({ "result": degrees }));
        assert_eq!(results.collect::<Vec<_>>(), wanted, "{}", case.name);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_suite_made_from_a_golden_trace_passes_with_its_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("home.evalset.json");
    let set = r#"{"eval_set_id": "home", "eval_cases": [
        {"eval_id": "warmer", "session_input": {"app_name": "home", "user_id": "u", "state": {"unit": "C"}},
         "conversation": [{
            "user_content": {"role": "user", "parts": [{"text": "How warm is it?"}]},
            "final_response": {"role": "model", "parts": [{"text": "18 in the hall, 20 in the attic"}]},
            "intermediate_data": {
                "tool_uses": [
                    {"id": "1", "name": "get_temperature", "args": {"location": "Hall"}},
                    {"id": "2", "name": "get_temperature", "args": {"location": "Attic"}},
                    {"id": "3", "name": "get_device_info", "args": {"device_id": "d1"}}],
                "tool_responses": [
                    {"id": "1", "name": "get_temperature", "response": {"result": 18}},
                    {"id": "2", "name": "get_temperature", "response": {"result": 20}},
                    {"id": "3", "name": "get_device_info", "response": {"status": "OFF"}}]}},
           {"user_content": {"role": "user", "parts": [{"text": "And now?"}]},
            "final_response": {"role": "model", "parts": [{"text": "21"}]},
            "intermediate_data": {
                "tool_uses": [{"id": "4", "name": "set_device_info", "args": {"device_id": "d1"}},
                              {"id": "5", "name": "set_device_info", "args": {"device_id": "d1"}}],
                "tool_responses": [{"id": "4", "name": "set_device_info", "response": {"result": "on"}},
                                   {"id": "5", "name": "set_device_info", "response": {"result": "off"}}]}}]}]}"#;
    std::fs::write(&path, set).expect("written");
    let golden = Golden::read(&path, Some("warmer")).expect("the case");
    let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/home");
    let made = suite_of(&golden, Path::new("home.evalset.json"), &agent).expect("a suite");
    let shown = made.replace(&*agent.to_string_lossy(), "AGENT");
    expect_test::expect![[r#"
        subject:
          adk: AGENT
        cases:
        - name: warmer
          golden:
            eval_set: home.evalset.json
            case: warmer
          initial_state:
            session:
              unit: C
          first_message: How warm is it?
          user_agents:
            loop:
              script:
              - And now?
          tools:
            get_temperature:
              table:
                rows:
                - args:
                    location: Hall
                  mock:
                    returns:
                      result: 18
                - args:
                    location: Attic
                  mock:
                    returns:
                      result: 20
            get_device_info:
              returns:
                status: "OFF"
            set_device_info:
              recorded: {}
          metrics:
          - criteria:
              tool_trajectory_avg_score: 1.0
              response_match_score: 0.8
    "#]]
    .assert_eq(&shown);

    let Some(python) = test_needs::python() else { return };
    let suite = folder.path().join("home.eval.yaml");
    std::fs::write(&suite, format!("model: replay\n{made}")).expect("written");
    let options = ReadOptions { python: Some(python), ..ReadOptions::default() };
    let cases = read(&suite, &options).unwrap_or_else(|error| panic!("{error}\n{made}"));
    let result = run_eval(&cases[0]).await;
    assert_eq!(result.status, Status::Passed, "{:?} {:?}", result.error, result.metrics);
    assert_eq!(result.metrics.len(), 2);

    let missing = Golden::read(&path, Some("warmest")).expect_err("no such case");
    assert!(
        missing.to_string().ends_with("has no case warmest; did you mean warmer?"),
        "{missing}"
    );
    let named = "  golden:\n    eval_set: home.evalset.json\n    case: warmer\n";
    let unnamed = made.replace(named, "");
    std::fs::write(&suite, format!("model: replay\n{unnamed}")).expect("written");
    let refused = read(&suite, &options).err().expect("no golden trace").to_string();
    assert!(refused.contains("the case names no recorded case"), "{refused}");
}

/// The cases of a set with this scenario, whose user the endpoint's models play.
fn scenario(
    plan: &serde_json::Value,
    simulator: &serde_json::Value,
    models: &Models,
) -> Result<Vec<EvalCase>, String> {
    let config = serde_json::json!({
        "criteria": { "response_match_score": 0.1 },
        "user_simulator_config": simulator,
    });
    let config = Config::read(&JsonText::from_value(&config), &NoSchemas);
    assert!(config.faults.is_empty());
    scenario_with(plan, config.config, models)
}

/// As [`scenario`], with this config.
fn scenario_with(
    scenario: &serde_json::Value,
    config: Config,
    models: &Models,
) -> Result<Vec<EvalCase>, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("home.evalset.json");
    let set = serde_json::json!({
        "eval_set_id": "home",
        "eval_cases": [{ "eval_id": "warmer", "conversation_scenario": scenario }],
    });
    std::fs::write(&path, set.to_string()).expect("written");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/home");
    let options = EvalSetOptions {
        subject: Arc::new(AdkPythonSubject::new(&folder, test_needs::python().as_deref())),
        model: ModelChoice::Own,
        config: Some(config),
        real_tools: Vec::new(),
        sealed_tools: Vec::new(),
        simulated_by: None,
        only: None,
    };
    let shown = |error: eval::file::SuiteError| {
        error.to_string().replace(&format!("{}: ", path.display()), "")
    };
    read_eval_set_with_models(&path, &options, models).map_err(shown)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_user_of_a_scenario_is_simulated() {
    if test_needs::python().is_none() {
        return;
    }
    let endpoint = Endpoint::start(|request| {
        says(request, if request.number == 0 { "The hall." } else { "Thanks </finished>" })
    })
    .await;
    let plan = serde_json::json!({
        "starting_prompt": "How warm is it?",
        "conversation_plan": "You want to know how warm the hall is.",
        "user_persona": "EXPERT",
    });
    let simulator = serde_json::json!({ "model": "openai/gpt-5-mini" });
    let case = scenario(&plan, &simulator, &endpoint.models()).expect("a set").remove(0);
    let says = |text: &str| eval::given_model::ModelTurn::text(text);
    let model = eval::given_model::GivenModel::scripted(vec![says("Where?"), says("18 degrees")]);
    let result = run_eval(&case.model(model)).await;
    assert!(result.error.is_none(), "{:?}", result.error);
    let messages: Vec<String> = result
        .events
        .iter()
        .filter_map(|entry| match &entry.event {
            eval::ledger::Event::UserMessage { text, .. } => Some(text.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(messages, ["How warm is it?", "The hall."]);
    assert_eq!(TokenUsage::of(Role::UserAgent, &result.events).input, 20);
    let asked = endpoint.requests()[0].text();
    // The words of google-adk for this persona.
    for part in [
        "You are a Simulated User designed to test an AI Agent.",
        "You want to know how warm the hall is.",
        "The User Simulator should use clear, technical language.",
        "If the Agent failed to complete a request for the first time, troubleshoot the failure.",
        "as part of your response to indicate that the conversation with the Agent is over.",
        "user: How warm is it?\\n\\nHome_automation_agent: Where?",
    ] {
        assert!(asked.contains(part), "{part} is not in {asked}");
    }

    // Its own instructions, and a limit that leaves one answer.
    let plan = serde_json::json!({
        "starting_prompt": "How warm is it?",
        "conversation_plan": "You want to know how warm the hall is.",
    });
    let simulator = serde_json::json!({
        "model": "openai/gpt-5-mini",
        "maxAllowedInvocations": 2,
        "custom_instructions": "{{ conversation_plan }} {{ conversation_history }} {{ stop_signal }}",
    });
    let endpoint = Endpoint::start(|request| crate::wire::says(request, "The hall.")).await;
    let case = scenario(&plan, &simulator, &endpoint.models()).expect("a set").remove(0);
    let turns = ["Where?", "18 degrees", "What?"].map(says).to_vec();
    let model = eval::given_model::GivenModel::scripted(turns);
    let result = run_eval(&case.model(model)).await;
    assert_eq!((result.turns, endpoint.requests().len()), (1, 1));
    assert_eq!(
        endpoint.requests()[0].body["messages"][0]["content"],
        "You want to know how warm the hall is. user: How warm is it?\n\nHome_automation_agent: Where? </finished>"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instructions_that_google_adk_refuses_are_the_fault_of_the_user() {
    if test_needs::python().is_none() {
        return;
    }
    let endpoint = Endpoint::start(|request| says(request, "The hall.")).await;
    let plan = serde_json::json!({
        "starting_prompt": "How warm is it?", "conversation_plan": "Ask.", "user_persona": "NOVICE",
    });
    let simulator = serde_json::json!({
        "model": "openai/gpt-5-mini",
        "custom_instructions": "{{ conversation_plan }} {{ conversation_history }} {{ stop_signal }}",
    });
    let case = scenario(&plan, &simulator, &endpoint.models()).expect("a set").remove(0);
    let turns = vec![eval::given_model::ModelTurn::text("Where?")];
    let result = run_eval(&case.model(eval::given_model::GivenModel::scripted(turns))).await;
    let error = result.error.expect("an error");
    assert_eq!(error.at_fault, eval::run_failure::AtFault::UserAgent, "{}", error.message);
    assert!(error.message.contains("Custom instructions using personas must"), "{}", error.message);
    assert!(endpoint.requests().is_empty());
}

#[test]
fn a_scenario_that_cannot_be_played_is_refused() {
    let plan = |persona: &str| {
        serde_json::json!({
            "starting_prompt": "Hi", "conversation_plan": "Talk.", "user_persona": persona,
        })
    };
    let none = serde_json::json!({});
    let models = Models::new(Variables::given([("GEMINI_API_KEY", "k")]));
    let error = |plan: serde_json::Value, simulator: &serde_json::Value, models: &Models| {
        scenario(&plan, simulator, models).err().expect("it is refused")
    };
    expect_test::expect![[r#"warmer: user_persona: EXPRT is unknown; did you mean EXPERT?"#]]
        .assert_eq(&error(plan("EXPRT"), &none, &models));
    expect_test::expect![[r#"warmer: user_simulator_config: gemini-2.5-flash needs a key; set the environment variable GEMINI_API_KEY or GOOGLE_API_KEY"#]]
        .assert_eq(&error(plan("NOVICE"), &none, &Models::new(Variables::given([]))));
    let spoken = serde_json::json!({ "type": "audio" });
    expect_test::expect![[r#"warmer: user_simulator_config: users of the type audio are not supported; take llm_backed"#]]
        .assert_eq(&error(plan("NOVICE"), &spoken, &models));
    let labels = serde_json::json!({ "model_configuration": { "labels": {} } });
    let refused = error(plan("NOVICE"), &labels, &models);
    let begin = "warmer: user_simulator_config: model_configuration: unknown field `labels`, expected one of `temperature`";
    assert!(refused.starts_with(begin), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_user_of_a_scenario_is_asked_as_its_config_says() {
    if test_needs::python().is_none() {
        return;
    }
    let plan =
        serde_json::json!({ "starting_prompt": "How warm is it?", "conversation_plan": "Ask." });
    let simulator = serde_json::json!({
        "model": "openai/gpt-5-mini",
        "max_allowed_invocations": 2,
        "include_function_calls": true,
        "model_configuration": { "temperature": 0.5, "maxOutputTokens": 90, "thinking_config": {} },
    });
    let endpoint = Endpoint::start(|request| says(request, "The hall.")).await;
    let case = scenario(&plan, &simulator, &endpoint.models()).expect("a set").remove(0);
    let mock = ToolMock::Returns(JsonText::from_value(&18.into()));
    let case = case.tool("get_temperature", ToolUse::Mock(mock));
    let call = JsonText::from_value(&serde_json::json!({ "location": "Hall" }));
    let turns = vec![
        eval::given_model::ModelTurn::call("get_temperature", call),
        eval::given_model::ModelTurn::text("18 degrees"),
        eval::given_model::ModelTurn::text("18 degrees"),
    ];
    let result = run_eval(&case.model(eval::given_model::GivenModel::scripted(turns))).await;
    assert_eq!(endpoint.requests().len(), 1, "{:?}", result.error);
    let asked = &endpoint.requests()[0];
    assert_eq!(asked.body["temperature"], 0.5);
    assert_eq!(asked.body["max_completion_tokens"], 90);
    for part in [
        r#"called tool 'get_temperature' with args: {\"location\":\"Hall\"}"#,
        r#"Tool 'get_temperature' returned: {\"result\":18}"#,
    ] {
        assert!(asked.text().contains(part), "{part} is not in {}", asked.text());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_simulated_tool_is_played_from_its_declaration() {
    let Some(python) = test_needs::python() else { return };
    let endpoint = Endpoint::start(|request| says(request, r#"{"result": 18}"#)).await;
    let model = endpoint.models().model("gemini-2.5-flash").expect("a model");
    let tool = ToolMock::Function(Arc::new(eval::simulated::SimulatedTool::new(model)));
    let subject = options(&python, &[]).subject;
    let call = JsonText::from_value(&serde_json::json!({ "location": "Hall" }));
    let turns = vec![
        eval::given_model::ModelTurn::call("get_temperature", call),
        eval::given_model::ModelTurn::text("18 degrees"),
    ];
    let case = EvalCase::new("it", subject)
        .first_message("How warm is it?")
        .tool("get_temperature", ToolUse::Mock(tool))
        .model(eval::given_model::GivenModel::scripted(turns));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let asked = endpoint.requests()[0].text();
    for part in [r#"\"name\": \"get_temperature\""#, r#"\"description\""#, "location", "Hall"] {
        assert!(asked.contains(part), "{part} is not in {asked}");
    }
}

/// The metrics of a replayed conversation of two turns, with these criteria, and what the judges were asked.
async fn judged(
    criteria: &serde_json::Value,
    reply: impl Fn(&crate::wire::Request) -> crate::wire::Reply + Send + Sync + 'static,
) -> (eval::EvalResult, Vec<crate::wire::Request>) {
    let turn = |user: &str, agent: &str, rubrics: serde_json::Value| {
        serde_json::json!({
            "user_content": { "role": "user", "parts": [{ "text": user }] },
            "final_response": { "role": "model", "parts": [{ "text": agent }] },
            "rubrics": rubrics,
        })
    };
    let rubric = |id: &str, kind: &str, text: &str| {
        serde_json::json!({
            "rubric_id": id, "type": kind, "rubric_content": { "text_property": text },
        })
    };
    let of_turn = rubric("polite", "FINAL_RESPONSE_QUALITY", "It thanks");
    let of_case = rubric("tools", "TOOL_USE_QUALITY", "It calls no tool");
    let none = serde_json::json!(null);
    let set = serde_json::json!({ "eval_set_id": "home", "eval_cases": [{
        "eval_id": "a",
        "conversation": [
            turn("How warm?", "18 degrees", none), turn("Thanks", "Bye", serde_json::json!([of_turn])),
        ],
        "rubrics": [of_case],
    }]});
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("home.evalset.json");
    std::fs::write(&path, set.to_string()).expect("written");
    let config = serde_json::json!({ "criteria": criteria });
    let config = Config::read(&JsonText::from_value(&config), &NoSchemas);
    assert!(config.faults.is_empty(), "{:?}", config.faults);
    let endpoint = Endpoint::start(reply).await;
    let options =
        EvalSetOptions { config: Some(config.config), ..options(Path::new("python3"), &[]) };
    let cases = read_eval_set_with_models(&path, &options, &endpoint.models()).expect("a set");
    let subject = crate::played_by_models::says_in_turn(["18 degrees", "Bye"]);
    let case = EvalCase { subject, model: None, ..cases[0].clone() };
    let result = run_eval(&case).await;
    assert!(result.error.is_none(), "{:?}", result.error);
    (result, endpoint.requests())
}

#[tokio::test]
async fn googles_judged_metrics_ask_the_configured_judge_about_each_turn() {
    let yes = r#"{"reasoning": "Same.", "verdict": "yes"}"#;
    let no = r#"{"reasoning": "Not at all.", "verdict": "no"}"#;
    let criteria = serde_json::json!({ "final_response_match_v2": {
        "threshold": 0.4,
        "judge_model_options": { "judge_model": "gpt-4o-mini", "num_samples": 3 },
    }});
    let (result, requests) = judged(&criteria, move |request| {
        let is_first = request.text().contains("18 degrees");
        says(request, if is_first { yes } else { no })
    })
    .await;
    let metric = &result.metrics["final_response_match_v2"];
    assert_eq!((metric.passed, metric.score), (Some(true), Some(0.5)), "{metric:?}");
    let shown = ["the final response: 1: Same.", "the final response: 0: Not at all."];
    assert_eq!(metric.evidence, shown);
    assert_eq!(requests.len(), 6, "three samples of each turn");
    assert_eq!(requests[0].body["model"], "gpt-4o-mini");
    let usage = TokenUsage::of(Role::Judge, &result.events);
    assert_eq!(usage, TokenUsage { input: 60, output: 30 });
}

#[tokio::test]
async fn rubrics_of_the_config_the_case_and_its_turns_are_judged() {
    let rubric = serde_json::json!({
        "rubric_id": "brief", "rubric_content": { "text_property": "It is brief" },
    });
    let judge = serde_json::json!({ "judgeModel": "gemini-2.5-flash", "numSamples": 1 });
    let of = |rubrics: serde_json::Value| serde_json::json!({ "threshold": 1, "judge_model_options": judge, "rubrics": rubrics });
    let criteria = serde_json::json!({
        "rubric_based_final_response_quality_v1": of(serde_json::json!([rubric])),
        "rubric_based_tool_use_quality_v1": of(serde_json::json!([])),
    });
    let (result, requests) = judged(&criteria, |request| {
        let verdict = if request.text().contains("It thanks") { "no" } else { "yes" };
        says(request, &format!(r#"{{"reasoning": "So.", "verdict": "{verdict}"}}"#))
    })
    .await;
    let quality = &result.metrics["rubric_based_final_response_quality_v1"];
    assert_eq!(quality.evidence[1..], ["brief: 1: So.", "brief: 1: So.", "polite: 0: So."]);
    assert_eq!(quality.passed, Some(false));
    let tools = &result.metrics["rubric_based_tool_use_quality_v1"];
    assert_eq!(tools.evidence, ["tools: 1: So.", "tools: 1: So."]);
    assert_eq!((tools.passed, requests.len()), (Some(true), 5));
}

#[tokio::test]
async fn a_criterion_without_an_answer_of_its_judge_is_unscored() {
    let judge = serde_json::json!({ "judge_model": "opnai/x" });
    let criteria = serde_json::json!({
        "rubric": {
            "judge_model": "gpt-4o-mini",
            "rubrics": [{ "name": "helpful", "description": "Does it help?" }],
        },
        "final_response_match_v2": { "threshold": 1, "judge_model_options": judge },
        "rubric_based_final_response_quality_v1": { "threshold": 1 },
        "multi_turn_task_success_v1": 0.5,
        "per_turn_user_simulator_quality_v1": 0.5,
    });
    let (result, requests) =
        judged(&criteria, |_| crate::wire::Reply::Status(401, "", "no key".to_owned())).await;
    assert_eq!(result.status, Status::Unscored);
    let evidence = |name: &str| result.metrics[name].evidence.join(" ");
    assert!(evidence("rubric").contains("gpt-4o-mini gave no answer"), "{}", evidence("rubric"));
    let unknown = evidence("final_response_match_v2");
    assert!(unknown.contains("did you mean openai?"), "{unknown}");
    assert!(evidence("multi_turn_task_success_v1").contains("`adk eval` computes it"));
    let user = evidence("per_turn_user_simulator_quality_v1");
    assert_eq!(user, "it judges the user of a scenario, and the case has none here");
    let quality = evidence("rubric_based_final_response_quality_v1");
    assert!(quality.starts_with("turn 1 has no rubric for this metric; add one"), "{quality}");
    assert_eq!(requests.len(), 1, "{requests:?}");
}

#[tokio::test]
async fn sentences_without_support_are_hallucinations() {
    let criteria = serde_json::json!({ "hallucinations_v1": {
        "threshold": 0.7, "judge_model_options": { "judge_model": "gpt-4o-mini" },
    }});
    let (result, requests) = judged(&criteria, |request| {
        let text = request.text();
        let labels = match text.contains("The response:\\n18 degrees") {
            true => r#"[{"sentence": "18 degrees", "label": "Unsupported", "reason": "No tool was called."}, {"sentence": "!", "label": "not_applicable", "reason": "No claim."}]"#,
            false => r#"[{"sentence": "Bye", "label": "not_applicable", "reason": "A greeting."}]"#,
        };
        says(request, labels)
    })
    .await;
    let metric = &result.metrics["hallucinations_v1"];
    assert_eq!((metric.passed, metric.score), (Some(true), Some(0.75)), "{metric:?}");
    let evidence = metric.evidence.join("\n");
    assert!(evidence.contains("18 degrees: 0: unsupported: No tool was called."), "{evidence}");
    assert_eq!(requests.len(), 2, "one for each response");
    let second = requests.iter().find(|it| it.text().contains("The response:\\nBye"));
    let second = second.expect("the second turn").text();
    assert!(second.contains("How warm?"), "the judge sees the turns before: {second}");

    let (result, requests) =
        judged(&criteria, |request| says(request, r#"[{"sentence": "x", "label": "maybe"}]"#))
            .await;
    let metric = &result.metrics["hallucinations_v1"];
    assert_eq!(metric.score, None);
    assert!(
        metric.evidence[0].contains("the label \"maybe\", which is none of supported"),
        "{metric:?}"
    );
    assert_eq!(requests.len(), 4, "each is asked for once more");
}

#[tokio::test]
async fn rubrics_of_a_trajectory_are_judged_on_the_whole_conversation() {
    let rubric = serde_json::json!({
        "rubric_id": "thanks", "rubric_content": { "text_property": "The user thanks" },
    });
    let judge = serde_json::json!({ "judge_model": "gpt-4o-mini", "num_samples": 3 });
    let criteria = serde_json::json!({ "rubric_based_multi_turn_trajectory_quality_v1": {
        "threshold": 1, "judge_model_options": judge, "rubrics": [rubric],
    }});
    let (result, requests) =
        judged(&criteria, |request| says(request, r#"{"reasoning": "Twice.", "verdict": "yes"}"#))
            .await;
    let metric = &result.metrics["rubric_based_multi_turn_trajectory_quality_v1"];
    assert_eq!((metric.passed, metric.score), (Some(true), Some(1.0)), "{metric:?}");
    assert_eq!(metric.evidence, ["thanks: 1: Twice."]);
    assert_eq!(requests.len(), 3, "one conversation, three samples");
    let asked = requests[0].text();
    assert!(asked.contains("How warm?") && asked.contains("Thanks"), "{asked}");
}

#[tokio::test]
async fn messages_of_a_simulated_user_are_judged_by_the_plan() {
    let plan = serde_json::json!({
        "starting_prompt": "How warm is it?",
        "conversation_plan": "You want to know how warm the hall is.",
        "user_persona": "EXPERT",
    });
    let simulator = serde_json::json!({ "model": "openai/gpt-5-mini" });
    // The user asks for the hall, thanks, and ends. The judge finds the end right or not.
    let run = async |end: &'static str| {
        let endpoint = Endpoint::start(move |request| {
            let text = request.text();
            let verdict =
                |verdict: &str| format!(r#"{{"reasoning": "So.", "verdict": "{verdict}"}}"#);
            let says = |text: &str| says(request, text);
            match (text.contains("Rubric: "), text.contains("The user ends the conversation now")) {
                (true, true) => says(&verdict(end)),
                (true, false) => says(&verdict("yes")),
                (false, _) if text.contains("18 degrees") => says("Thanks </finished>"),
                (false, _) => says("The hall."),
            }
        })
        .await;
        let config = serde_json::json!({
            "criteria": { "per_turn_user_simulator_quality_v1": {
                "threshold": 0.8,
                "judge_model_options": { "judge_model": "gpt-4o-mini", "num_samples": 1 },
            }},
            "user_simulator_config": simulator,
        });
        let config = Config::read(&JsonText::from_value(&config), &NoSchemas).config;
        let case = scenario_with(&plan, config, &endpoint.models());
        let case = case.expect("a set").remove(0);
        let subject = crate::played_by_models::says_in_turn(["Where?", "18 degrees"]);
        let result = run_eval(&EvalCase { subject, ..case }).await;
        assert!(result.error.is_none(), "{:?}", result.error);
        let judged = endpoint.requests().into_iter().filter(|it| it.text().contains("Rubric: "));
        (result.metrics["per_turn_user_simulator_quality_v1"].clone(), judged.collect::<Vec<_>>())
    };
    let (metric, asked) = run("yes").await;
    assert_eq!((metric.passed, metric.score), (Some(true), Some(1.0)), "{metric:?}");
    assert_eq!(
        metric.evidence,
        ["message 1: 1: it is the starting prompt", "message 2: 1: So.", "the end: 1: So."]
    );
    assert_eq!(asked.len(), 2);
    for part in ["how warm the hall is", "professional tone", "The user's next message is:"] {
        assert!(asked[0].text().contains(part), "{part} is not in {}", asked[0].text());
    }
    let (metric, _) = run("no").await;
    assert_eq!((metric.passed, metric.score), (Some(false), Some(0.5)), "{metric:?}");
}
