//! User agents that are agents of google-adk.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eval::file::{ReadOptions, read};
use eval::ledger::{Event, Role};
use eval::python::AdkUser;
use eval::result::{RunError, TokenUsage};
use eval::run_failure::{AtFault, Phase};
use eval::user_agent::ScriptedUser;
use eval::{EvalResult, Status, UserAgent, run_eval};
use json_text::JsonText;
use serde_json::json;

use crate::played_by_models::{Step, case, texts};
use crate::wire::{Endpoint, says};

fn patient() -> Option<Arc<AdkUser>> {
    let python = test_needs::python()?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/patient");
    Some(Arc::new(AdkUser::new(&folder, Some(&python))))
}

fn json(value: &serde_json::Value) -> JsonText {
    JsonText::from_value(value)
}

fn answers(result: &EvalResult) -> Vec<String> {
    let of = |entry: &eval::ledger::Entry| match &entry.event {
        Event::UserAgentResponse { response, .. } => Some(response.to_string()),
        _ => None,
    };
    result.events.iter().filter_map(of).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_is_the_user_of_a_case_in_one_session() {
    let Some(patient) = patient() else { return };
    let steps = vec![
        Step::Says("Tell me your history"),
        Step::Waits("ask", json!({ "question": "Since when?" })),
        Step::Says("Goodbye"),
    ];
    let case = case(steps)
        .initial_state(json(&json!({ "patient": {} })))
        .user(patient.clone())
        .user_for_tool("ask", patient);
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    // Each answer counts what the agent has heard and said: the tool that waits is in the same conversation.
    assert_eq!(
        answers(&result),
        [r#""I have hypertension (5)""#, r#"{"answer": 7}"#, r#""Thanks.""#]
    );
    assert_eq!(
        texts(&result, "user_message"),
        ["I need a flight", "I have hypertension (5)", "Thanks."]
    );
    let (changed, calls): (Vec<_>, Vec<_>) = result
        .events
        .iter()
        .filter(|entry| matches!(entry.event.name(), "state_change" | "user_agent_call"))
        .map(|entry| serde_json::to_value(&entry.event).expect("serializes"))
        .partition(|event| event.get("by").is_some());
    let changes = json!({ "patient": { "revealed": ["hypertension"] } });
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0]["name"], "reveal_condition");
    assert_eq!(calls[0]["args"], json!({ "condition": "hypertension" }));
    assert_eq!(calls[0]["result"], json!({ "noted": "hypertension" }));
    assert_eq!(calls[0]["changes"], changes);
    assert_eq!(changed.len(), 1, "its own state is its own: {changed:?}");
    assert_eq!((&changed[0]["changes"], &changed[0]["by"]), (&changes, &json!("user_agent")));
    let usage = TokenUsage::of(Role::UserAgent, &result.events);
    assert_eq!(usage, TokenUsage { input: 40, output: 20 });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_hears_what_other_users_answered() {
    let Some(patient) = patient() else { return };
    let steps = vec![
        Step::Waits("ask", json!({ "question": "Since when?" })),
        Step::Says("Tell me your history"),
    ];
    let case = case(steps)
        .initial_state(json(&json!({ "patient": {} })))
        .user(patient)
        .user_for_tool("ask", Arc::new(ScriptedUser::saying(["Since May"])));
    let result = run_eval(&case).await;
    assert_eq!(answers(&result)[..2], [r#""Since May""#, r#""I have hypertension (7)""#]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_a_tool_cannot_take_is_asked_for_again() {
    let Some(patient) = patient() else { return };
    let case = case(vec![Step::Confirms("book")]).user_for_tool("book", patient);
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(answers(&result), [r#"{"confirmed": true}"#]);
}

async fn error(user: Arc<dyn UserAgent>, prompt: &'static str) -> RunError {
    let result = run_eval(&case(vec![Step::Says(prompt)]).user(user)).await;
    let error = result.error.expect("an error");
    assert_eq!((error.at_fault, error.phase), (AtFault::UserAgent, Phase::UserAgent));
    let beginning = "the user agent of the conversation failed: ";
    assert!(error.message.starts_with(beginning), "{}", error.message);
    error
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_that_fails_is_the_user_agents_fault() {
    let Some(patient) = patient() else { return };
    let failed = error(patient.clone(), "Please fail").await.message;
    for part in ["tests/agents/patient: not in the mood\n", "agent.py", "RuntimeError"] {
        assert!(failed.contains(part), "{part} is not in {failed}");
    }
    let silent = error(patient.clone(), "Say nothing").await.message;
    let reason = "patient gave no answer: its turn ended without a text";
    assert!(silent.ends_with(reason), "{silent}");
    let ended = error(patient.clone(), "Please leave").await.message;
    assert!(ended.contains("the process of patient ended"), "{ended}");
    let patient = (*patient).clone().model("nosuch-1");
    let unknown = error(Arc::new(patient), "Hello").await.message;
    assert!(unknown.contains("google-adk cannot use the model nosuch-1"), "{unknown}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_case_can_give_the_agent_a_model() {
    let Some(python) = test_needs::python() else { return };
    let endpoint = Endpoint::start(|request| says(request, "To Oslo. </finished>")).await;
    let folder = tempfile::tempdir().expect("a folder");
    let agent = folder.path().join("traveler");
    std::fs::create_dir(&agent).expect("made");
    let write = |name: &str, text: &str| std::fs::write(agent.join(name), text).expect("written");
    write("__init__.py", "from . import agent\n");
    write(
        "agent.py",
        "from google.adk.agents import LlmAgent\n\nroot_agent = LlmAgent(name=\"traveler\", model=\"nosuch-1\", \
         instruction=\"You are Ada.\")\n",
    );
    let url = &endpoint.url;
    write(".env", &format!("GOOGLE_API_KEY=key\nGEMINI_API_KEY=\nGOOGLE_GEMINI_BASE_URL={url}\n"));
    let user = AdkUser::new(&agent, Some(&python)).model("gemini-2.5-flash");
    let result = run_eval(&case(vec![Step::Says("Where to?")]).user(Arc::new(user))).await;
    assert_eq!(
        texts(&result, "user_message"),
        ["I need a flight", "To Oslo."],
        "{:?}",
        result.error
    );
    let usage = result.events.iter().find_map(|entry| match &entry.event {
        Event::ModelUsage { role: Role::UserAgent, model, input, .. } => {
            Some((model.clone(), *input))
        }
        _ => None,
    });
    assert_eq!(usage, Some(("gemini-2.5-flash".to_owned(), 10)));
    assert!(endpoint.requests()[0].text().contains("You are Ada."));
}

fn suite(folder: &Path, user_agents: &str, more: &str) -> PathBuf {
    let path = folder.join("suite.eval.yaml");
    let triage = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/triage");
    let text = format!(
        "subject: {{ adk: {triage:?} }}\ncases:\n  - name: one\n    first_message: Hi\n    user_agents: {user_agents}\n{more}"
    );
    std::fs::write(&path, text).expect("written");
    path
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn suites_name_the_folder_of_the_agent() {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let agents = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents");
    let patient = folder.path().join("patient");
    std::fs::create_dir(&patient).expect("made");
    for name in ["__init__.py", "agent.py"] {
        std::fs::copy(agents.join("patient").join(name), patient.join(name)).expect("copied");
    }
    let more = r#"
    initial_state: { patient: {} }
    model: { scripted: [Tell me your history, Goodbye, Bye] }
    terminate_when: { max_turns: 5 }
    metrics: [{ event_count: { name: revealed, event: user_agent_call, filter: { name: reveal_condition }, is: 1 } }]
"#;
    let options = ReadOptions { python: Some(python), ..ReadOptions::default() };
    let path = suite(folder.path(), "{ loop: { adk: patient } }", more);
    let cases = read(&path, &options).unwrap_or_else(|error| panic!("{error}"));
    run_eval(&cases[0]).await.assert_passed();

    std::fs::write(patient.join("agent.py"), "root_agent = None\n").expect("written");
    let changed = read(&path, &options).unwrap_or_else(|error| panic!("{error}")).remove(0);
    let differs = |name: &&String| changed.source.files[*name] != cases[0].source.files[*name];
    let names: Vec<_> = changed.source.files.keys().filter(differs).collect();
    assert_eq!(names, ["the user agent patient"]);

    let refused = |users: &str, more: &str| {
        let path = suite(folder.path(), users, more);
        read(&path, &options).err().expect("refused").to_string()
    };
    let missing = refused("{ tools: { ask: { adk: patients } } }", "");
    assert!(missing.contains("cases[0].user_agents.tools.ask.adk: "), "{missing}");
    assert!(missing.contains("is not a folder"), "{missing}");
    let endless = refused("{ loop: { adk: patient } }", "");
    assert!(endless.contains("a simulated user might never end the conversation"), "{endless}");
    let both = refused("{ loop: { adk: patient, persona: Ada } }", "");
    assert!(both.contains("one of `script`, `function`, `person`, `adk`, or `persona`"), "{both}");
}
