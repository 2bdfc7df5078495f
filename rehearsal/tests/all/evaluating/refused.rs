//! What is refused before anything runs, with the place and the remedy.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use super::{run, suite, text};

#[test]
fn a_tool_that_the_agent_does_not_have_is_refused_before_anything_runs() {
    let Some(python) = test_needs::python() else { return };
    let case = "  - name: two\n    first_message: Hi\n    model: { scripted: [Hello] }\n    tools: { escalte: real }\n";
    let folder =
        suite(&format!("{}{case}", case.replace("two", "one").replace("escalte", "escalate")));
    let refused = run(folder.path(), &["suite.yaml"], Some(&python));
    let shown = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{shown}");
    let place = "suite.yaml: case two: the case says what happens to calls of escalte";
    assert!(shown.contains(place), "{shown}");
    assert!(shown.contains("did you mean escalate?"), "{shown}");
    let resumed = run(folder.path(), &["suite.yaml", "--resume"], Some(&python));
    assert!(text(&resumed.stderr).contains("it has no runs"), "{}", text(&resumed.stderr));
}

#[test]
fn a_model_that_cannot_play_tools_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let set = r#"{"eval_set_id": "home", "eval_cases": [{"eval_id": "temperature", "conversation": [{
        "user_content": {"role": "user", "parts": [{"text": "How warm is it?"}]}}]}]}"#;
    std::fs::write(folder.path().join("home.evalset.json"), set).unwrap();
    std::fs::write(folder.path().join("agent.py"), "").unwrap();
    let arguments = ["home.evalset.json", "--simulate-tools", "gemini-2.5-flash"];
    let refused = run(folder.path(), &arguments, None);
    assert_eq!(refused.status.code(), Some(2));
    let shown = text(&refused.stderr);
    let wanted = "--simulate-tools: gemini-2.5-flash needs a key; set the environment variable GEMINI_API_KEY";
    assert!(shown.contains(wanted), "{shown}");
}

#[test]
fn a_tool_of_an_eval_set_runs_in_one_way() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("a.evalset.json"),
        r#"{"eval_set_id": "a", "eval_cases": []}"#,
    )
    .unwrap();
    std::fs::write(folder.path().join("agent.py"), "").unwrap();
    let arguments = ["a.evalset.json", "--real-tools", "read,book", "--sealed-tools", "book"];
    let refused = run(folder.path(), &arguments, None);
    assert_eq!(refused.status.code(), Some(2));
    let shown = text(&refused.stderr);
    assert!(
        shown.contains("book is in --real-tools and in --sealed-tools; leave it out"),
        "{shown}"
    );
}

#[test]
fn a_bad_suite_is_refused_with_every_place_before_anything_runs() {
    let folder = suite(
        r#"
  - name: a
    first_message: Hi
    metrics:
      - event_count: { name: n, event: tool_cal, is: 1 }
      - state: { name: n, key: k, is: { $exist: true } }
      - event_count: { name: m, event: tool_call, filter: { nme: read }, is: 0 }
  - name: a
    tools: { read: { template: "{{ args." } }
"#,
    );
    let refused = run(folder.path(), &["suite.yaml"], None);
    assert_eq!(refused.status.code(), Some(2));
    let shown = text(&refused.stderr);
    for line in [
        "suite.yaml: cases[0].metrics[0].event: there are no events tool_cal; did you mean tool_call?",
        "cases[0].metrics[1].is: /$exist: unknown operator $exist; did you mean $exists?",
        "cases[0].metrics[2].filter: events tool_call have no member nme; did you mean name?",
        "cases[1].name: two cases have the name a; give each its own",
        "cases[1].tools.read: ",
        "cases[1]: nobody begins the conversation",
    ] {
        assert!(shown.contains(line), "{line} is not in\n{shown}");
    }
    std::fs::write(folder.path().join("suite.yaml"), "subjekt: {}\ncases: []\n").unwrap();
    let shown = text(&run(folder.path(), &["suite.yaml"], None).stderr);
    assert!(shown.contains("did you mean subject?"), "{shown}");
    assert!(shown.contains("line 1"), "{shown}");
    let missing = run(folder.path(), &["none.yaml"], None);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("none.yaml cannot be read"));
}

#[test]
fn what_a_case_names_and_nothing_has_is_refused_with_its_place() {
    let folder = suite(
        r#"
  - name: a
    first_message: Hi
    initial_state: { patient: { age: 55 } }
    tools: { read: { function: "mocks.py:raed" }, search: { recorded: {} } }
    user_agents: { loop: { script: [{ says: Yes, changes: { patiend: { pain: true } } }] } }
    golden: { eval_set: said.evalset.json }
    terminate_when: { state_matches: { pasient: { pain: true } } }
    metrics: [{ state: { name: n, scope: patiend, key: pain, is: true } }]
  - name: b
    first_message: Hi
    faults: [{ tool: read, raises: gone }]
  - name: c
    first_message: Hi
    initial_state: { session: 5, patient: [1] }
    model: { named: "" }
    repeats: 4294967295
  - name: ""
    first_message: Hi
    terminate_when: { max_turns: 0 }
"#,
    );
    std::fs::write(folder.path().join("mocks.py"), "def read(policy_id):\n    pass\n").unwrap();
    let content =
        |role: &str, text: &str| serde_json::json!({ "role": role, "parts": [{ "text": text }] });
    let turn = serde_json::json!({
        "user_content": content("user", "Hi"), "final_response": content("model", "Hello"),
    });
    let set = serde_json::json!({
        "eval_set_id": "said", "eval_cases": [{ "eval_id": "hi", "conversation": [turn] }],
    });
    std::fs::write(folder.path().join("said.evalset.json"), set.to_string()).unwrap();
    let refused = run(folder.path(), &["suite.yaml"], None);
    assert_eq!(refused.status.code(), Some(2));
    let shown = text(&refused.stderr);
    for line in [
        "cases[0].tools.read.function: the file has no function raed; did you mean read?",
        "cases[0].tools.search: the recorded case has no result of search; write what it gives, as in `search: { returns: ... }`",
        "cases[0].user_agents.loop.script[0].changes: the case has no scope patiend, and `initial_state`, which adds scopes, does not name it; did you mean patient?",
        "cases[0].terminate_when.state_matches: the case has no scope pasient,",
        "cases[0].metrics[0].scope: the case has no scope patiend,",
        "cases[1].faults[0].tool: the case says nothing about calls of read, so none can go wrong; add the tool to `tools`",
        "cases[2].initial_state.session: a scope is an object, such as `{ age: 55 }`",
        "cases[2].initial_state.patient: a scope is an object",
        "cases[2].model: the name of the model is empty",
        "cases[3].name: the case has no name",
        "cases[3].terminate_when.max_turns: a run has at least one turn",
    ] {
        assert!(shown.contains(line), "{line} is not in\n{shown}");
    }
}

#[test]
fn a_case_runs_a_bounded_number_of_times() {
    let folder = suite("  - { name: a, first_message: Hi, repeats: 4294967295 }\n");
    let refused = run(folder.path(), &["suite.yaml"], None);
    assert_eq!(refused.status.code(), Some(2));
    let shown = text(&refused.stderr);
    assert!(
        shown.contains("cases[0].repeats: a case runs at least once and at most 100000 times"),
        "{shown}"
    );
}

#[test]
fn a_model_that_the_agent_cannot_be_given_is_refused() {
    let Some(python) = test_needs::python() else { return };
    let folder = suite(
        "  - { name: a, first_message: Hi, model: { named: nobodys } }
  - { name: b, first_message: Hi, model: { named: gemini-2.5-flash } }
  - { name: c, first_message: Hi, model: { named: openai/gpt-5-mini } }
  - { name: d, first_message: Hi, model: { named: gemni-2.5-flash } }\n",
    );
    for (case, reason) in [
        ("a", "google-adk cannot use the model nobodys: "),
        ("b", "google-adk cannot use the model gemini-2.5-flash: No API key was provided."),
        ("c", "google-adk cannot use the model openai/gpt-5-mini: Set OPENAI_API_KEY."),
        ("d", "google-adk cannot use the model gemni-2.5-flash: "),
    ] {
        let refused = run(folder.path(), &["suite.yaml", "--case", case], Some(&python));
        let shown = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{shown}");
        let place = format!("suite.yaml: case {case}: {reason}");
        assert!(shown.contains(&place), "{shown}");
        assert_eq!(shown.contains("Did you mean gemini-2.5-flash?"), case == "d", "{shown}");
    }
}

#[test]
fn a_model_of_the_agent_that_cannot_be_asked_is_refused() {
    let Some(python) = test_needs::python() else { return };
    let cases = "  - { name: a, first_message: Hi }\n";
    let refused = |agent: &str, variables: &[(&str, &str)]| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("agent")).unwrap();
        let agent = format!("from google.adk.agents import LlmAgent\n{agent}");
        std::fs::write(folder.path().join("agent/agent.py"), agent).unwrap();
        std::fs::write(folder.path().join("agent/__init__.py"), "from . import agent\n").unwrap();
        let suite = format!("subject: {{ adk: agent }}\nmodels: {{ retries: 0 }}\ncases:\n{cases}");
        std::fs::write(folder.path().join("suite.yaml"), suite).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_rehearsal"))
            .args(["eval", "suite.yaml", "--python"])
            .arg(&python)
            .current_dir(folder.path())
            .env_remove("GEMINI_API_KEY")
            .env_remove("GOOGLE_API_KEY")
            .env_remove("ANTHROPIC_API_KEY")
            .env("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        (output.status.code(), text(&output.stderr))
    };
    let deep = r#"
from google.adk.tools import AgentTool
inner = LlmAgent(name="inner", model="gemini-2.5-flash")
tool = LlmAgent(name="helper", sub_agents=[inner], before_model_callback=lambda **_: None)
root_agent = LlmAgent(name="outer", model="gemini-2.5-flash", tools=[AgentTool(agent=tool)],
                      before_model_callback=lambda **_: None)
"#;
    let (code, shown) = refused(deep, &[]);
    assert_eq!(code, Some(2), "{shown}");
    let error = "suite.yaml: case a: the agent inner names the model gemini-2.5-flash, and its key is missing; set the \
                 environment variable GEMINI_API_KEY or GOOGLE_API_KEY. Or give the case another model with `model`.";
    assert!(shown.contains(error), "{shown}");
    // Then it is the run that shows what is wrong.
    for variables in [("GOOGLE_API_KEY", "k"), ("GOOGLE_GENAI_USE_VERTEXAI", "true")] {
        let (code, shown) = refused(deep, &[variables]);
        assert_eq!(code, Some(1), "{variables:?}: {shown}");
    }
    let claude = r#"
from google.adk.models.anthropic_llm import AnthropicLlm
root_agent = LlmAgent(name="outer", model=AnthropicLlm(model="claude-sonnet-5"))
"#;
    let (code, shown) = refused(claude, &[]);
    assert_eq!(code, Some(2), "{shown}");
    let error = "the agent outer names the model claude-sonnet-5, and its key is missing; no Anthropic credential";
    assert!(shown.contains(error) && shown.contains("Set ANTHROPIC_API_KEY"), "{shown}");
    let mistyped = "root_agent = LlmAgent(name='outer', model='gemni-2.5-flash')\n";
    let (code, shown) = refused(mistyped, &[]);
    assert_eq!(code, Some(2), "{shown}");
    let error = "the agent outer names the model gemni-2.5-flash, which google-adk cannot use: Model gemni-2.5-flash not found.";
    assert!(shown.contains(error), "{shown}");
    assert!(shown.contains("Did you mean gemini-2.5-flash? Or give"), "{shown}");
}

#[test]
fn options_that_nothing_has_are_refused() {
    let folder = suite("  - { name: a, first_message: Hi, tags: [smoke] }\n");
    for (arguments, error) in [
        (&["--tag", "smok"][..], "no case has the tag smok; the cases have smoke"),
        (&["--python", "/nobodys/python"], "--python /nobodys/python: the file does not exist;"),
        (&["--model", ""], "--model"),
        (&["--repeats", "4294967295"], "give a number from 1 to 100000"),
        (
            &["--sealed-tools", "read"],
            "--sealed-tools is for eval sets, and a suite says in `tools`",
        ),
        (&["--model", "replay"], "the case a of suite.yaml names no recorded case; add `golden: "),
    ] {
        let refused = run(folder.path(), &[&["suite.yaml"], arguments].concat(), None);
        assert_eq!(refused.status.code(), Some(2));
        let shown = text(&refused.stderr);
        assert!(shown.contains(error), "{shown}");
    }
}

#[test]
fn a_run_goes_on_in_one_process_only() {
    let folder = super::interrupted::long_suite();
    let mut first = Command::new(env!("CARGO_BIN_EXE_rehearsal"))
        .args(["eval", "suite.yaml", "--jobs", "2"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut errors = BufReader::new(first.stderr.take().unwrap());
    let mut shown = String::new();
    while !shown.contains("passed") {
        assert!(errors.read_line(&mut shown).unwrap() > 0, "{shown}");
    }
    let second = run(folder.path(), &["suite.yaml", "--resume"], None);
    let refused = text(&second.stderr);
    assert_eq!(second.status.code(), Some(2), "{refused}");
    assert!(refused.contains("is still running in another process"), "{refused}");
    first.kill().unwrap();
    first.wait().unwrap();
    errors.read_to_string(&mut shown).unwrap();
    let third = run(folder.path(), &["suite.yaml", "--resume", "--case", "long"], None);
    assert_eq!(third.status.code(), Some(0), "{}", text(&third.stderr));
}
