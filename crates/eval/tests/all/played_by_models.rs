//! Users, tools and judges that models play, and who is at fault when the models fail.

use std::sync::Arc;

use async_trait::async_trait;
use eval::file::{ReadOptions, read_with_models};
use eval::gate::{Decision, GateCall};
use eval::given_model::{GivenModel, ModelTurn};
use eval::judge::{JudgeMetric, JudgeQuestion};
use eval::ledger::{Event, Role};
use eval::metric::MetricResult;
use eval::model::{ModelTool, Models, Variables};
use eval::persona::PersonaUser;
use eval::persona_tool::PersonaTool;
use eval::result::{TerminationReason, TokenUsage};
use eval::run_failure::{AtFault, Phase};
use eval::simulated::SimulatedTool;
use eval::subject::{Input, PendingCall, SubjectSession, TurnEnd};
use eval::{
    EvalCase, EvalResult, Gate, Metric, RunFailure, Status, Subject, ToolMock, ToolUse, run_eval,
};
use json_text::JsonText;
use serde_json::{Value, json};

use crate::wire::{Endpoint, Reply, Request, calls, says};

/// What the subject of these tests does in a turn.
#[derive(Clone)]
pub(crate) enum Step {
    Says(&'static str),
    /// Calls a tool, and says what it returned.
    Calls(&'static str, Value),
    /// Waits for the user's response to a tool.
    Waits(&'static str, Value),
    /// Waits for the user's response to a tool with this output schema.
    WaitsFor(&'static str, Value),
    /// Waits until the user confirms a call.
    Confirms(&'static str),
}

/// An agent that does these steps, whatever the user says.
struct Steps(Vec<Step>);

struct StepsSession {
    gate: Arc<Gate>,
    steps: std::vec::IntoIter<Step>,
    calls: usize,
}

#[async_trait]
impl Subject for Steps {
    async fn open(&self, gate: &Arc<Gate>) -> Result<Box<dyn SubjectSession>, RunFailure> {
        let (gate, steps) = (Arc::clone(gate), self.0.clone().into_iter());
        Ok(Box::new(StepsSession { gate, steps, calls: 0 }))
    }
}

impl StepsSession {
    fn says(&self, text: impl Into<String>) {
        let (agent, text) = ("steps".to_owned(), text.into());
        self.gate.ledger.add(Event::Message {
            agent,
            text,
            is_intermediate: false,
            is_inner: false,
        });
    }
}

#[async_trait]
impl SubjectSession for StepsSession {
    async fn run(&mut self, _: Input) -> Result<TurnEnd, RunFailure> {
        let mut end = TurnEnd { pending: Vec::new(), state: value(&json!({})) };
        match self.steps.next() {
            None => self.says("Goodbye."),
            Some(Step::Says(text)) => self.says(text),
            Some(Step::Calls(tool, args)) => {
                self.calls += 1;
                let call = GateCall { args: value(&args), ..gate_call(tool, self.calls) };
                match self.gate.decide(&call).await {
                    Decision::Mock { result, .. } => self.says(result.to_string()),
                    Decision::Raise { message, .. } => {
                        self.says(format!("The tool failed: {message}"));
                    }
                    _ => std::future::pending().await,
                }
            }
            Some(Step::Waits(tool, args)) => end.pending.push(PendingCall {
                call_id: "waits".to_owned(),
                name: tool.to_owned(),
                tool: tool.to_owned(),
                args: value(&args),
                interim: None,
            }),
            Some(Step::WaitsFor(tool, schema)) => {
                self.calls += 1;
                let schema = Some(value(&schema));
                let call = gate_call(tool, self.calls);
                let call = GateCall { is_long_running: true, output_schema: schema, ..call };
                assert_eq!(self.gate.decide(&call).await, Decision::Wait);
                let GateCall { call_id, args, .. } = call;
                let (name, tool) = (tool.to_owned(), tool.to_owned());
                end.pending.push(PendingCall { call_id, name, tool, args, interim: None });
            }
            Some(Step::Confirms(tool)) => end.pending.push(PendingCall {
                call_id: "confirms".to_owned(),
                name: eval::subject::CONFIRMATION.to_owned(),
                tool: tool.to_owned(),
                args: value(&json!({})),
                interim: None,
            }),
        }
        Ok(end)
    }

    async fn change_state(&mut self, changes: JsonText) -> Result<JsonText, RunFailure> {
        Ok(changes)
    }
}

fn gate_call(tool: &str, number: usize) -> GateCall {
    GateCall {
        call_id: number.to_string(),
        tool: tool.to_owned(),
        args: value(&json!({})),
        received: None,
        state: None,
        invocation_id: String::new(),
        confirmation: None,
        is_long_running: false,
        output_schema: None,
    }
}

/// An agent that says these texts, one in each turn.
pub(crate) fn says_in_turn(texts: impl IntoIterator<Item = &'static str>) -> Arc<dyn Subject> {
    Arc::new(Steps(texts.into_iter().map(Step::Says).collect()))
}

fn value(value: &Value) -> JsonText {
    JsonText::from_value(value)
}

pub(crate) fn case(steps: Vec<Step>) -> EvalCase {
    EvalCase::new("it", Arc::new(Steps(steps))).first_message("I need a flight")
}

fn models(endpoint: &Endpoint) -> eval::model::Model {
    endpoint.models().model("openai/gpt-5-mini").expect("a model")
}

pub(crate) fn texts(result: &EvalResult, name: &str) -> Vec<String> {
    let events = result.events.iter().filter(|entry| entry.event.name() == name);
    let text = |entry: &eval::ledger::Entry| {
        let event = serde_json::to_value(&entry.event).expect("serializes");
        event["text"].as_str().unwrap_or_default().to_owned()
    };
    events.map(text).collect()
}

/// The case's result when every model fails, each in another way.
async fn error(case: impl Fn(eval::model::Model) -> EvalCase) -> Vec<eval::result::RunError> {
    type Answer = fn(&Request) -> Reply;
    let failing: [Answer; 4] = [
        |_| Reply::Status(429, "retry-after: 0\r\n", "slower".to_owned()),
        |_| Reply::Status(500, "", "broken".to_owned()),
        |_| Reply::Status(200, "", "<html>".to_owned()),
        |_| Reply::Half("{".to_owned()),
    ];
    let mut errors = Vec::new();
    for answer in failing {
        let endpoint = Endpoint::start(answer).await;
        let result = run_eval(&case(models(&endpoint))).await;
        assert_eq!(result.status, Status::Error);
        let error = result.error.expect("an error");
        assert!(error.message.contains("openai/gpt-5-mini gave no answer to 2 requests"));
        errors.push(error);
    }
    errors
}

#[tokio::test]
async fn a_persona_talks_until_it_ends_the_conversation() {
    let endpoint = Endpoint::start(|request| match request.number {
        0 => says(request, "To Oslo, please."),
        1 => says(request, "```json\n{\"answer\": \"Tuesday\"}\n```"),
        _ => says(request, "</finished>"),
    })
    .await;
    let user = Arc::new(PersonaUser::new("You are Ada. You fly to Oslo.", models(&endpoint)));
    let ask = Step::Waits("ask", json!({ "question": "When?" }));
    let result = run_eval(
        &case(vec![Step::Says("Where to?"), ask, Step::Says("Booked.")])
            .user(user.clone())
            .user_for_tool("ask", user),
    )
    .await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(texts(&result, "user_message"), ["I need a flight", "To Oslo, please."]);
    let response = result.events.iter().find_map(|entry| match &entry.event {
        Event::ToolResult { result, .. } => Some(result.compact()),
        _ => None,
    });
    assert_eq!(response, Some(value(&json!({ "answer": "Tuesday" }))));
    let usage = TokenUsage::of(Role::UserAgent, &result.events);
    assert_eq!(usage, TokenUsage { input: 30, output: 15 });
    assert_eq!(result.token_usage, TokenUsage::default(), "the subject used none");

    // The last request has the whole conversation, from the user's side.
    let messages = endpoint.requests()[2].body["messages"].clone();
    let roles: Vec<&str> = messages
        .as_array()
        .expect("messages")
        .iter()
        .map(|message| message["role"].as_str().unwrap_or_default())
        .collect();
    let wanted = ["system", "user", "assistant", "user", "assistant", "user", "assistant", "user"];
    assert_eq!(roles, wanted, "{messages}");
    let text = messages.to_string();
    for said in ["You are Ada", "I need a flight", "Where to?", "To Oslo", "Tool: ask", "Booked."] {
        assert!(text.contains(said), "{said} is not in {text}");
    }
}

#[tokio::test]
async fn a_persona_changes_the_agents_state_by_its_tools() {
    for name in ["gemini-2.5-flash", "openai/gpt-5-mini", "anthropic/claude-sonnet-5"] {
        let endpoint = Endpoint::start(|request| match request.number {
            0 => calls(request, "reveal_condition", &json!({ "condition": "hypertension" })),
            1 => says(request, "I have high blood pressure."),
            _ => says(request, "</finished>"),
        })
        .await;
        let declaration = ModelTool {
            name: "reveal_condition".to_owned(),
            description: "When you mention a condition from your history".to_owned(),
            parameters: value(&json!({
                "type": "object",
                "properties": { "condition": { "type": "string" } },
                "required": ["condition"],
            })),
        };
        let changes = json!({ "patient": { "revealed": ["{{ args.condition }}"] } });
        let changes = changes.as_object().expect("an object");
        let tool = PersonaTool::new(declaration, changes).expect("templates");
        let model = endpoint.models().model(name).expect("a model");
        let user = PersonaUser::new("You have hypertension.", model).tool(tool);
        let case = case(vec![Step::Says("Any conditions?")]).user(Arc::new(user));
        let result = run_eval(&case).await;
        assert_eq!(result.status, Status::Passed, "{name}: {:?}", result.error);
        assert_eq!(
            texts(&result, "user_message"),
            ["I need a flight", "I have high blood pressure."]
        );
        let changes = result.events.iter().find_map(|entry| match &entry.event {
            Event::StateChange { changes, by: Role::UserAgent } => Some(changes.clone()),
            _ => None,
        });
        let wanted = value(&json!({ "patient": { "revealed": ["hypertension"] } }));
        assert_eq!(changes, Some(wanted), "{name}");
        let requests = endpoint.requests();
        assert!(requests[0].text().contains("When you mention a condition"), "{name}");
        let second = requests[1].text();
        assert!(second.contains("hypertension") && second.contains("done"), "{name}: {second}");
    }
}

#[tokio::test]
async fn a_user_whose_model_fails_is_at_fault() {
    let errors = error(|model| {
        case(vec![Step::Says("Where to?")]).user(Arc::new(PersonaUser::new("Ada", model)))
    })
    .await;
    for error in errors {
        assert_eq!((error.at_fault, error.phase), (AtFault::UserAgent, Phase::UserAgent));
        let beginning = "the user agent of the conversation failed: ";
        assert!(error.message.starts_with(beginning), "{}", error.message);
    }
}

#[tokio::test]
async fn an_answer_for_a_tool_must_be_json() {
    let endpoint = Endpoint::start(|request| says(request, "On Tuesday")).await;
    let user = Arc::new(PersonaUser::new("Ada", models(&endpoint)));
    let ask = Step::Waits("ask", json!({ "question": "When?" }));
    let result = run_eval(&case(vec![ask]).user_for_tool("ask", user)).await;
    let error = result.error.expect("an error");
    assert_eq!(error.at_fault, AtFault::UserAgent);
    assert!(error.message.ends_with("It was: On Tuesday"), "{}", error.message);
    let requests = endpoint.requests();
    assert_eq!(requests.len(), 2, "it is asked once more");
    assert!(requests[1].text().contains("This answer cannot be used"));
}

#[tokio::test]
async fn simulated_tools_share_a_world_that_their_calls_change() {
    let endpoint = Endpoint::start(|request| {
        says(
            request,
            match request.number {
                0 => r#"{"result": {"booked": "OSL1"}, "changes": {"seats": {"OSL1": 0}}}"#,
                _ => r#"{"error": "OSL1 is full"}"#,
            },
        )
    })
    .await;
    let tool = |instructions: &str| {
        let data = value(&json!({ "flights": ["OSL1"] }));
        let tool = SimulatedTool::new(models(&endpoint)).data(data).instructions(instructions);
        ToolUse::Mock(ToolMock::Function(Arc::new(tool)))
    };
    let case = case(vec![
        Step::Calls("book", json!({ "flight": "OSL1" })),
        Step::Calls("find", json!({ "to": "Oslo" })),
    ])
    .tool("book", tool("Books a flight"))
    .tool("find", tool("Finds a flight"))
    .user(Arc::new(eval::user_agent::ScriptedUser::saying(["Another one"])));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(
        texts(&result, "message"),
        [r#"{"booked": "OSL1"}"#, "The tool failed: OSL1 is full"]
    );
    let usage = TokenUsage::of(Role::Mock, &result.events);
    assert_eq!(usage, TokenUsage { input: 20, output: 10 });
    let requests = endpoint.requests();
    let second = &requests[1].body["messages"][1]["content"];
    let text = match second {
        Value::String(text) => text.clone(),
        parts => parts[0]["text"].as_str().unwrap_or_default().to_owned(),
    };
    expect_test::expect![[r#"
        The tool: find

        What it does:
        Finds a flight

        The data that it works on:
        {
          "flights": [
            "OSL1"
          ]
        }

        The state of the world, which all simulated tools share:
        {
          "seats": {
            "OSL1": 0
          }
        }

        The calls so far:
        book({"flight":"OSL1"}) returned {"booked":"OSL1"}

        The call:
        find({"to":"Oslo"})"#]]
    .assert_eq(&text);
}

#[tokio::test]
async fn a_simulated_tool_whose_model_fails_is_at_fault() {
    let errors = error(|model| {
        let tool = ToolMock::Function(Arc::new(SimulatedTool::new(model)));
        case(vec![Step::Calls("find", json!({}))]).tool("find", ToolUse::Mock(tool))
    })
    .await;
    for error in errors {
        assert_eq!((error.at_fault, error.phase), (AtFault::Mock, Phase::System));
        assert!(error.message.starts_with("the mock of find failed: "), "{}", error.message);
    }
}

/// The result of a judge when the model answers so to request 0, 1 and so on.
async fn judged(
    question: JudgeQuestion,
    samples: usize,
    reply: impl Fn(&Request) -> Reply + Send + Sync + 'static,
) -> (MetricResult, EvalResult, Endpoint) {
    let endpoint = Endpoint::start(reply).await;
    let judge =
        JudgeMetric { name: "safe".to_owned(), question, model: models(&endpoint), samples };
    let case = case(vec![Step::Calls("find", json!({ "to": "Oslo" }))])
        .tool("find", ToolUse::Mock(ToolMock::Returns(value(&json!({ "found": 1 })))))
        .metric(Arc::new(judge));
    let result = run_eval(&case).await;
    (result.metrics["safe"].clone(), result, endpoint)
}

#[tokio::test]
async fn the_majority_of_a_judges_samples_decides() {
    let question = JudgeQuestion::Prompt("The agent finds a flight.".to_owned());
    let (metric, result, endpoint) = judged(question, 3, |request| {
        says(
            request,
            match request.number {
                0 => r#"{"reason": "It did not.", "passed": false}"#,
                _ => r#"{"reason": "It found one.", "passed": true}"#,
            },
        )
    })
    .await;
    assert_eq!((metric.passed, metric.score), (Some(true), Some(1.0)));
    assert_eq!(metric.evidence, ["yes: It found one. (2 of 3 samples)"]);
    assert_eq!(result.status, Status::Passed);
    let usage = TokenUsage::of(Role::Judge, &result.events);
    assert_eq!(usage, TokenUsage { input: 30, output: 15 });
    let asked = endpoint.requests()[0].text();
    for part in [
        "The agent finds a flight.",
        "User: I need a flight",
        r#"Agent steps: {\"found\":1}"#,
        "Final state: {}",
    ] {
        assert!(asked.contains(part), "{part} is not in {asked}");
    }
}

#[tokio::test]
async fn rubrics_are_judged_one_by_one() {
    let rubrics = ["It finds a flight", "It is polite"].map(str::to_owned);
    let (metric, result, _) = judged(JudgeQuestion::Rubrics(rubrics.to_vec()), 1, |request| {
        says(
            request,
            r#"[{"reason": "Found.", "passed": true}, {"reason": "Curt.", "passed": false}]"#,
        )
    })
    .await;
    assert_eq!((metric.passed, metric.score), (Some(false), Some(0.5)));
    assert_eq!(metric.evidence, ["It finds a flight: yes: Found.", "It is polite: no: Curt."]);
    assert_eq!(result.status, Status::Failed);
}

#[tokio::test]
async fn a_judge_that_cannot_be_asked_leaves_the_metric_unscored() {
    let question = || JudgeQuestion::Prompt("It is safe.".to_owned());
    let (metric, result, _) =
        judged(question(), 3, |_| Reply::Status(500, "", "broken".to_owned())).await;
    assert_eq!((metric.passed, metric.score), (None, None));
    assert!(metric.evidence[0].starts_with("openai/gpt-5-mini gave no answer"), "{metric:?}");
    assert_eq!(result.status, Status::Unscored);

    let (metric, _, _) = judged(question(), 1, |request| says(request, "Looks good to me")).await;
    assert_eq!(metric.passed, None);
    assert!(metric.evidence[0].contains("it is not JSON"), "{metric:?}");

    // One sample of three fails, and the others agree.
    let (metric, _, _) = judged(question(), 3, |request| match request.number {
        0 => Reply::Status(401, "", "{}".to_owned()),
        _ => says(request, r#"{"reason": "Safe.", "passed": true}"#),
    })
    .await;
    assert_eq!(metric.evidence, ["yes: Safe. (2 of 3 samples)"]);
}

#[tokio::test]
async fn a_judge_applies_to_a_recorded_ledger_too() {
    let endpoint =
        Endpoint::start(|request| says(request, r#"{"reason": "It greets.", "passed": true}"#))
            .await;
    let judge = JudgeMetric {
        name: "greets".to_owned(),
        question: JudgeQuestion::Prompt("The agent greets.".to_owned()),
        model: models(&endpoint),
        samples: 1,
    };
    let message = Event::Message {
        agent: "a".to_owned(),
        text: "Hello".to_owned(),
        is_intermediate: false,
        is_inner: false,
    };
    let result = judge.evaluate(&[eval::ledger::Entry { at_ms: 0, event: message }]).await;
    assert_eq!(result.passed, Some(true));
}

const SUITE: &str = r"
subject: { adk: . }
models: { timeout_ms: 5000, retries: 0, concurrency: 2 }
tools:
  find: { simulated: { model: openai/gpt-5-mini, data: { flights: [OSL1] }, instructions: Finds } }
cases:
  - name: flight
    first_message: I need a flight
    initial_state: { patient: {} }
    user_agents:
      loop: &ada
        persona: You are Ada.
        model: gemini-2.5-flash
        tools:
          reveal: { description: When you say why, changes: { patient: { why: '{{ args.why }}' } } }
      tools: { ask: *ada }
    terminate_when: { max_turns: 5 }
    metrics:
      - llm_judge: { name: polite, rubrics: [It is polite], model: ollama/qwen3, samples: 3 }
";

/// The faults of a suite without its path.
fn faults(suite: &str, variables: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("it.eval.yaml");
    std::fs::write(&path, suite).expect("written");
    let models = Models::new(Variables::given(variables.iter().copied()));
    let options = ReadOptions::default();
    match read_with_models(&path, &options, &models) {
        Ok(cases) => format!("{} cases", cases.len()),
        Err(error) => error.to_string().replace(&format!("{}: ", path.display()), ""),
    }
}

#[test]
fn suites_name_models_and_are_refused_without_keys() {
    let keys = [("OPENAI_API_KEY", "k"), ("GEMINI_API_KEY", "k")];
    assert_eq!(faults(SUITE, &keys), "1 cases");
    expect_test::expect![[r#"
        tools.find.simulated.model: openai/gpt-5-mini needs a key; set the environment variable OPENAI_API_KEY
        cases[0].user_agents.loop.model: gemini-2.5-flash needs a key; set the environment variable GEMINI_API_KEY or GOOGLE_API_KEY
        cases[0].user_agents.tools.ask.model: gemini-2.5-flash needs a key; set the environment variable GEMINI_API_KEY or GOOGLE_API_KEY"#]]
    .assert_eq(&faults(SUITE, &[]));
    let wrong = SUITE
        .replace("ollama/qwen3", "olama/qwen3")
        .replace("    terminate_when: { max_turns: 5 }\n", "");
    expect_test::expect![[r#"
        cases[0].user_agents.loop: a simulated user might never end the conversation; add `terminate_when: { max_turns: ... }`
        cases[0].metrics[0].llm_judge.model: olama/qwen3 does not name a service; did you mean ollama?"#]]
    .assert_eq(&faults(&wrong, &keys));
    let wrong = SUITE.replace("samples: 3", "samples: 2");
    expect_test::expect![[r#"
        cases[0].metrics[0].llm_judge.samples: it is even, and the samples could be divided; take an odd number"#]]
    .assert_eq(&faults(&wrong, &keys));
    let wrong = SUITE.replace("        persona: You are Ada.\n", "");
    let shown = faults(&wrong, &keys);
    assert!(
        shown.contains(
            "a user agent has one of `script`, `function`, `person`, `adk`, or `persona` and `model`"
        ),
        "{shown}"
    );
    let wrong = SUITE.replace("{{ args.why }}", "{{ args.why");
    let shown = faults(&wrong, &keys);
    assert!(shown.starts_with("cases[0].user_agents.loop.tools.reveal: syntax error"), "{shown}");
    let wrong = SUITE.replace("persona:", "persna:");
    let shown = faults(&wrong, &keys);
    assert!(shown.ends_with("did you mean persona?"), "{shown}");
}

/// The design's story: the agent is scripted, the patient and the judge are models.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_triage_story_runs_with_models() {
    let Some(python) = test_needs::python() else { return };
    let endpoint = Endpoint::start(|request| {
        let text = request.text();
        if text.contains("explained its reasoning") || text.contains("recommended calling 999") {
            let verdict = json!({ "reason": "It did.", "passed": true });
            return says(request, &json!([verdict, verdict, verdict]).to_string());
        }
        if text.contains("The clinician asks") && !text.contains("functionResponse") {
            return calls(request, "reveal_condition", &json!({ "condition": "hypertension" }));
        }
        if text.contains("functionResponse") {
            return says(request, r#"{"answer": "To my left arm. I have high blood pressure."}"#);
        }
        says(request, "Yes, I am alone.")
    })
    .await;
    let agents = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents");
    let path = agents.join("triage_with_models.eval.yaml");
    let options = ReadOptions { python: Some(python), ..ReadOptions::default() };
    let mut cases = read_with_models(&path, &options, &endpoint.models()).expect("a suite");
    let call = |tool: &str, args: &Value| ModelTurn::call(tool, value(args));
    let turns = vec![
        call("ask", &json!({ "question": "Does it spread?" })),
        call("record_answer", &json!({ "question": "Does it spread?", "answer": "To the arm" })),
        call("read", &json!({ "policy_id": "chest_pain" })),
        ModelTurn::text("Your symptoms are serious. Are you alone?"),
        call("escalate", &json!({ "urgency_level": "emergency_999", "reason": "cardiac" })),
        ModelTurn::text("I am calling 999."),
    ];
    let case = cases.remove(0).model(GivenModel::scripted(turns));
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?} {:?}", result.error, result.metrics);
    assert_eq!(result.termination_reason, Some(TerminationReason::StateMatches));
    assert_eq!(
        result.metrics.keys().collect::<Vec<_>>(),
        ["correctly_escalated", "safety_assessment", "efficient_triage"]
    );
    let prompts = texts(&result, "user_agent_prompt");
    assert!(prompts[0].starts_with("The clinician asks: \"Does it spread?\""), "{prompts:?}");
    let state = result.events.iter().rev().find_map(|entry| match &entry.event {
        Event::Termination { state, .. } => Some(state.to_value().expect("JSON")),
        _ => None,
    });
    let patient = &state.expect("a state")["patient"];
    assert_eq!(patient["revealedConditions"], json!(["hypertension"]));
    assert_eq!(patient["knownConditions"], json!(["hypertension", "high cholesterol"]));
}
