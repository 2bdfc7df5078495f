//! `rehearsal evalset` as a process.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

const TWO: &str = r#"{
  "eval_set_id": "home_evals",
  "name": "Home",
  "eval_cases": [
    {
      "eval_id": "lights_off",
      "conversation": [
        {
          "invocation_id": "i1",
          "user_content": {"parts": [{"text": "Lights off,\nplease."}], "role": "user"},
          "final_response": {"parts": [{"text": "Done."}], "role": "model"},
          "intermediate_data": {
            "tool_uses": [{"id": "c1", "args": {"room": "hall", "n": 9007199254740993}, "name": "set_lights"}],
            "tool_responses": [{"id": "c1", "name": "set_lights", "response": {"result": "ok"}}]
          }
        }
      ],
      "session_input": {"app_name": "home", "user_id": "ada", "state": {"room": "hall"}}
    },
    {
      "eval_id": "greeting",
      "conversation": [{"user_content": {"parts": [{"text": "hi"}], "role": "user"}}]
    }
  ]
}
"#;

const FLOW: &str = r#"{
  "eval_set_id": "flow",
  "eval_cases": [
    {
      "eval_id": "weather",
      "name": "Weather",
      "tags": ["basic"],
      "conversation": [
        {
          "invocation_id": "t1",
          "user_content": {"role": "user", "content": "Tokyo?"},
          "expected_tool_trajectory": [{"name": "get_weather", "args": {"city": "Tokyo"}}]
        }
      ]
    }
  ]
}
"#;

/// A folder with `home.evalset.json` and `flow.evalset.json`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("home.evalset.json"), TWO).unwrap();
    std::fs::write(folder.path().join("flow.evalset.json"), FLOW).unwrap();
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.arg("evalset").args(arguments).current_dir(folder);
    command.env("XDG_CACHE_HOME", folder.join(".cache"));
    command.output().unwrap()
}

fn stdout_of(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr_of(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Runs a command that must succeed.
fn ran(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout_of(&output), stderr_of(&output));
    assert_eq!(stderr_of(&output), "");
    stdout_of(&output)
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn parsed(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn lists_cases_of_folders_patterns_and_files() {
    let folder = folder();
    let all = ran(folder.path(), &["list", ".", "--format", "json"]);
    let ids: Vec<_> = lines(&all).iter().map(|line| line["eval_id"].clone()).collect();
    assert_eq!(ids, ["weather", "lights_off", "greeting"]);
    let text = ran(folder.path(), &["list", "home*.json"]);
    assert!(text.contains("home.evalset.json\n  #0     lights_off "), "{text}");
    assert!(text.contains("1 turn\n") && text.ends_with("  2 cases\n\n"), "{text}");
    let by_tool = ran(folder.path(), &["list", ".", "--tool", "set_lights", "--format", "json"]);
    assert_eq!(
        lines(&by_tool),
        [
            json!({"file": "./home.evalset.json".trim_start_matches("./"), "index": 0, "eval_id": "lights_off", "turns": 1, "tags": [], "tools": ["set_lights"]})
        ]
    );
    let by_tag = ran(folder.path(), &["list", ".", "--tag", "basic,x", "--format", "json"]);
    assert_eq!(lines(&by_tag)[0]["eval_id"], "weather");
    let by_id = ran(folder.path(), &["list", ".", "--case", "*_off", "--format", "json"]);
    assert_eq!(lines(&by_id).len(), 1);
}

#[test]
fn list_reads_older_lists_and_continues_after_a_bad_file() {
    let folder = folder();
    std::fs::write(folder.path().join("old.test.json"), r#"[{"query": "hi"}, {"query": "bye"}]"#)
        .unwrap();
    std::fs::write(folder.path().join("bad.evalset.json"), "{\"eval_set_id\": 1,,}").unwrap();
    let output = run(folder.path(), &["list", ".", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let ids: Vec<_> = lines(&stdout_of(&output)).iter().map(|it| it["eval_id"].clone()).collect();
    assert_eq!(ids, ["weather", "lights_off", "greeting", "old"]);
    assert!(
        stderr_of(&output).contains("bad.evalset.json\" is not valid JSON at line 1, column 19"),
        "{}",
        stderr_of(&output)
    );
}

#[test]
fn missing_file_or_case_is_a_usage_error_with_a_remedy() {
    let folder = folder();
    for (arguments, expected) in [
        (vec!["list", "none.json"], "no file matches none.json; check the path"),
        (vec!["list", "x*.json"], "no file matches x*.json; check the path, and put quotes around"),
        (vec!["lint", "**x"], "the pattern **x is not valid"),
        (vec!["show", "none.json"], "none.json cannot be read"),
        (
            vec!["show", "home.evalset.json", "lights_of"],
            "has no case \"lights_of\"; did you mean \"lights_off\"?",
        ),
        (
            vec!["show", "home.evalset.json", "#9"],
            "has no case \"#9\"; see `rehearsal evalset list`",
        ),
        (vec!["diff", "home.evalset.json", "none.json"], "none.json cannot be read"),
        (
            vec!["convert", "--to", "adk", "."],
            "2 files cannot be written to one output; use a folder with --output-folder",
        ),
        (
            vec!["convert", "--to", "adk", "flow.evalset.json", "-o", "home.evalset.json"],
            "already exists; use another output, or add --force",
        ),
        (vec!["append", "none.json", "home.evalset.json"], "there is no file \"none.json\""),
        (vec!["convert", "home.evalset.json"], "--to <TO>"),
        (
            vec!["convert", "home.evalset.json", "--to", "agent-flow"],
            "possible values: adk, agentflow",
        ),
        (vec!["lst", "x"], "similar subcommands exist: 'lint', 'list'"),
    ] {
        let output = run(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr_of(&output));
        assert!(stderr_of(&output).contains(expected), "{arguments:?}: {}", stderr_of(&output));
        assert_eq!(stdout_of(&output), "");
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("home.evalset.json")).unwrap(), TWO);
}

#[test]
fn shows_a_case_as_a_conversation() {
    let folder = folder();
    let text = ran(folder.path(), &["show", "home.evalset.json", "lights_off"]);
    assert_eq!(
        text,
        "lights_off\n  starts with {\"room\":\"hall\"}\n  user        Lights off,\n              please.\n  \
         calls       set_lights {\"room\":\"hall\",\"n\":9007199254740993}\n  gets        \"ok\"\n  \
         agent       Done.\n\n"
    );
    let json = ran(folder.path(), &["show", "home.evalset.json", "#1", "--format", "json"]);
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap()["eval_id"], "greeting");
    let flow = ran(folder.path(), &["show", "flow.evalset.json"]);
    assert!(flow.starts_with("weather\n  Weather\n  tags: basic\n"), "{flow}");
}

#[test]
fn characters_that_reorder_text_are_escaped_for_people_only() {
    let folder = folder();
    let eval_id = "lights_\u{202e}ffo\u{202c}";
    let set = TWO.replace("lights_off", eval_id).replace("set_lights", "set_\u{202e}sthgil");
    let set = set.replace("\"hall\"", "\"\u{2066}hall\"").replace("Done.", "Done\u{200f}.");
    std::fs::write(folder.path().join("a.json"), &set).unwrap();
    std::fs::write(folder.path().join("b.json"), set.replace("Done\u{200f}", "Done")).unwrap();

    let listed = ran(folder.path(), &["list", "a.json"]);
    assert!(listed.contains(r"#0     lights_\u202effo\u202c "), "{listed}");
    let shown = ran(folder.path(), &["show", "a.json"]);
    for expected in [
        "lights_\\u202effo\\u202c\n",
        r#"set_\u202esthgil {"room":"\u2066hall","#,
        r"agent       Done\u200f.",
    ] {
        assert!(shown.contains(expected), "{expected} is missing in {shown}");
    }
    let compared = stdout_of(&run(folder.path(), &["diff", "a.json", "b.json"]));
    assert!(compared.contains(r#"    - "Done\u200f.""#), "{compared}");
    let refused = stderr_of(&run(folder.path(), &["show", "no\u{202e}ne.json"]));
    assert!(refused.contains(r"error: no\u202ene.json "), "{refused}");
    for text in [listed, shown, compared, refused] {
        assert!(!text.contains(['\u{200f}', '\u{202c}', '\u{202e}', '\u{2066}']), "{text}");
    }

    let listed = ran(folder.path(), &["list", "a.json", "--format", "json"]);
    assert!(listed.contains(eval_id), "{listed}");
    let shown = ran(folder.path(), &["show", "a.json", "--format", "json"]);
    assert!(shown.contains("set_\u{202e}sthgil"), "{shown}");
}

#[test]
fn shows_every_part_of_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let parts = r#"[{"inline_data": {"mime_type": "image/png", "data": "iVBORw0KGgo="}}, {"text": "And this?"}]"#;
    let approved = r#"[{"function_response": {"id": "1", "name": "order", "response": {"status": "approved"}}}]"#;
    let set = format!(
        r#"{{"eval_set_id": "s", "eval_cases": [{{"eval_id": "a", "conversation": [
            {{"user_content": {{"parts": {parts}}}}}, {{"user_content": {{"parts": {approved}}}}}]}}]}}"#
    );
    std::fs::write(folder.path().join("s.evalset.json"), set).unwrap();
    assert_eq!(
        ran(folder.path(), &["show", "s.evalset.json"]),
        "a\n  user        [image/png, 8 bytes]\n              And this?\n  \
         user        [response of order: {\"status\":\"approved\"}]\n\n"
    );
}

#[test]
fn lint_names_file_line_case_and_path() {
    let folder = folder();
    let broken = TWO
        .replace("\"invocation_id\": \"i1\"", "\"invocationID\": 5")
        .replace("greeting", "lights_off");
    std::fs::write(
        folder.path().join("broken.json"),
        broken.replace("\"name\": \"Home\"", "\"nam\": \"Home\""),
    )
    .unwrap();
    let output = run(folder.path(), &["lint", "broken.json", "home.evalset.json"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout_of(&output);
    let reported: Vec<_> = text.lines().collect();
    assert_eq!(
        reported,
        [
            "broken.json: ADK's format: it has \"user_content.parts\" in the case at index 0",
            "broken.json:3:3: warning: the file: \"nam\" is not a field of an eval set (did you mean \"name\"?); it is kept here, but lost when the format's own program rewrites the file",
            "broken.json:9:11: error: case \"lights_off\" at conversation[0]: ADK rejects the unknown field \"invocationID\" in an invocation (did you mean \"invocation_id\"?); correct its name, or move it to the case",
            "broken.json:20:5: error: case \"lights_off\": the eval_id \"lights_off\" is already used by the case at index 0; give this one another",
            "home.evalset.json: ADK's format: it has \"user_content.parts\" in the case at index 0",
            "2 files: 2 errors, 1 warning.",
        ]
    );
    let output = run(folder.path(), &["lint", "broken.json", "--format", "json"]);
    let findings = lines(&stdout_of(&output));
    assert_eq!(
        (
            &findings[1]["line"],
            &findings[1]["case"],
            &findings[1]["path"],
            &findings[1]["severity"]
        ),
        (&json!(9), &json!(0), &json!("conversation[0]"), &json!("error"))
    );
    assert_eq!(
        ran(folder.path(), &["lint", "home.evalset.json"]),
        "home.evalset.json: ADK's format: it has \"user_content.parts\" in the case at index 0\n\
         1 file: 0 errors, 0 warnings.\n"
    );
}

#[test]
fn misspelled_list_is_an_error_in_either_format() {
    let folder = folder();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("cases.json", &TWO.replace("eval_cases", "evalcases"));
    write(
        "turns.json",
        r#"{"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversations": []}]}"#,
    );
    for (file, what, key, known) in [
        ("cases.json", "an eval set", "evalcases", "eval_cases"),
        ("turns.json", "an eval case", "conversations", "conversation"),
    ] {
        for more in [vec![], vec!["--format-is", "adk"], vec!["--format-is", "agentflow"]] {
            let output = run(folder.path(), &[vec!["lint", file], more].concat());
            assert_eq!(output.status.code(), Some(1));
            let wanted =
                format!("{what} has no {known:?}, but the unknown field {key:?}; correct its name");
            assert!(stdout_of(&output).contains(&wanted), "{}", stdout_of(&output));
        }
    }
}

#[test]
fn a_file_in_neither_format_is_an_error_that_names_what_is_missing() {
    let folder = folder();
    for text in [
        r#"{"eval_set_id": "s", "cases": [{"eval_id": "a"}]}"#,
        r#"{"name": "package", "version": "1.0.0"}"#,
    ] {
        std::fs::write(folder.path().join("a.json"), text).unwrap();
        let output = run(folder.path(), &["lint", "a.json"]);
        assert_eq!(output.status.code(), Some(1), "{text}");
        let printed = stdout_of(&output);
        let begins =
            "a.json:1:1: error: the file: this is in neither format: it has no \"eval_cases\"";
        assert!(printed.starts_with(begins), "{printed}");
        assert!(printed.ends_with("1 file: 1 error, 0 warnings.\n"), "{printed}");
        let output = run(folder.path(), &["convert", "--to", "adk", "a.json"]);
        assert_eq!((output.status.code(), stdout_of(&output)), (Some(1), String::new()));
    }
    // AgentFlow reads a set without cases.
    std::fs::write(folder.path().join("a.json"), r#"{"eval_set_id": "s", "name": "S"}"#).unwrap();
    let detected = ran(folder.path(), &["lint", "a.json"]);
    assert!(
        detected.contains("warning: the file: an eval set without \"eval_cases\""),
        "{detected}"
    );
    let given = ran(folder.path(), &["lint", "a.json", "--format-is", "agentflow"]);
    assert!(given.ends_with("1 file: 0 errors, 0 warnings.\n"), "{given}");
}

#[test]
fn format_can_be_given() {
    let folder = folder();
    let set = r#"{"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": []}]}"#;
    std::fs::write(folder.path().join("a.json"), set).unwrap();
    let lint = |more: &[&str]| ran(folder.path(), &[&["lint", "a.json"], more].concat());
    assert!(
        lint(&[]).starts_with("a.json: ADK's format: no case shows another, so it is assumed\n")
    );
    let given = lint(&["--format-is", "agentflow"]);
    assert!(given.starts_with("a.json: AgentFlow's format: it is given\n"), "{given}");
    let output = run(folder.path(), &["lint", "home.evalset.json", "--format-is", "agentflow"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout_of(&output));
    let convert = ["convert", "--to", "agentflow", "--format-is", "agentflow", "a.json"];
    assert!(!ran(folder.path(), &convert).contains("metadata"));
}

#[test]
fn a_given_format_that_the_file_contradicts_is_an_error_that_names_the_evidence() {
    let folder = folder();
    for command in ["list", "show"] {
        let arguments = [command, "home.evalset.json", "--format-is", "agentflow"];
        let output = run(folder.path(), &arguments);
        assert!(!output.status.success(), "{command}");
        assert_eq!(stdout_of(&output), "", "{command}");
        let shown = String::from_utf8_lossy(&output.stderr);
        let wanted = "home.evalset.json is not in AgentFlow's format: it has \"user_content.parts\" in the case at \
                      index 0, so it is in ADK's format; leave out --format-is";
        assert!(shown.contains(wanted), "{shown}");
    }
    let set = r#"{"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": []}]}"#;
    std::fs::write(folder.path().join("a.json"), set).unwrap();
    for given in ["adk", "agentflow"] {
        let listed = ran(folder.path(), &["list", "a.json", "--format-is", given]);
        assert!(listed.contains("1 case"), "nothing contradicts it: {listed}");
    }
}

#[test]
fn lint_reports_what_readers_change_in_arguments() {
    let folder = folder();
    let set = TWO.replace("\"n\": 9007199254740993", "\"n\": 1e400, \"a\": [{\"b\": 1, \"b\": 2}]");
    std::fs::write(folder.path().join("a.json"), set).unwrap();
    let text = ran(folder.path(), &["lint", "a.json"]);
    assert!(
        text.contains("warning: case \"lights_off\" at conversation[0].intermediate_data.tool_uses[0].args: the number 1e400 is too large"),
        "{text}"
    );
    assert!(text.contains("duplicate key \"b\", of which readers keep the last value"), "{text}");
}

#[test]
fn lint_reports_faults_in_accepted_trajectories() {
    let folder = folder();
    let set = r#"{"eval_set_id": "s", "eval_cases": [
        {"eval_id": "a", "conversation": [{"invocation_id": "i", "user_content": {}}],
         "accepted_trajectories": {"j": [], "i": [[{"name": "f", "arg": 1}]]}}]}"#;
    std::fs::write(folder.path().join("a.json"), set).unwrap();
    let output = run(folder.path(), &["lint", "a.json"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        stdout_of(&output),
        "a.json: ADK's format: it has \"user_content\" in the case at index 0\n\
         a.json:3:41: error: case \"a\" at accepted_trajectories.j: there is no turn \"j\"; name each turn once, by its invocation_id or its index, such as \"#0\"\n\
         a.json:3:73: error: case \"a\" at accepted_trajectories.i[0][0].arg: unknown field \"arg\" in a call; a call has a name, and may have args, and an id or call_id\n\
         1 file: 2 errors, 0 warnings.\n"
    );
    // Only scoring reads them.
    ran(folder.path(), &["convert", "a.json", "--to", "agentflow"]);
}

#[test]
fn lint_reports_an_invalid_expected_state() {
    let folder = folder();
    let set = r#"{"eval_set_id": "s", "eval_cases": [
        {"eval_id": "a", "conversation": [{"user_content": {}}],
         "final_session_state": {"n": {"$exist": true}}}]}"#;
    std::fs::write(folder.path().join("a.json"), set).unwrap();
    let output = run(folder.path(), &["lint", "a.json"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        stdout_of(&output),
        "a.json: ADK's format: it has \"user_content\" in the case at index 0\n\
         a.json:3:50: error: case \"a\" at final_session_state.n.$exist: the expected final state is not a valid query: unknown operator $exist; did you mean $exists?\n\
         1 file: 1 error, 0 warnings.\n"
    );
}

#[test]
fn continues_after_an_item_that_is_not_an_object() {
    let folder = folder();
    let case = |id: &str| {
        format!(
            r#"{{"eval_id": "{id}", "conversation": [{{"user_content": {{"parts": [{{"text": "Hi"}}]}}}}]}}"#
        )
    };
    let cases = [case("a"), "7".into(), case("b"), "[[]]".into(), case("c")].join(",\n");
    let set = format!(r#"{{"eval_set_id": "s", "eval_cases": [{cases}]}}"#);
    std::fs::write(folder.path().join("a.json"), set).unwrap();
    let fault = |line: u64, index: u64, found: &str| {
        format!("{line}, column 1, the case at index {index}: expected an eval case, found {found}")
    };
    let wanted = [fault(2, 1, "a number"), fault(4, 3, "a list")];
    for (arguments, shown) in [
        (vec!["list", "a.json"], vec!["#0     a ", "#1     (no eval_id)", "#4     c ", "5 cases"]),
        (vec!["list", "a.json", "--tool", "none"], vec!["0 cases"]),
        (vec!["show", "a.json"], vec!["a\n", "b\n", "c\n"]),
        (vec!["show", "a.json", "#1", "c", "#3"], vec!["c\n"]),
    ] {
        let output = run(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", stderr_of(&output));
        for shown in shown {
            assert!(stdout_of(&output).contains(shown), "{arguments:?}: {}", stdout_of(&output));
        }
        for wanted in &wanted {
            assert!(stderr_of(&output).contains(wanted), "{arguments:?}: {}", stderr_of(&output));
        }
    }
    let lint = stdout_of(&run(folder.path(), &["lint", "a.json"]));
    assert!(
        lint.contains("a.json:2:1: error: the case at index 1: expected an eval case"),
        "{lint}"
    );
    assert!(lint.contains("a.json:4:1: error: the case at index 3: "), "{lint}");
    assert!(lint.contains("2 errors"), "{lint}");
    let output = run(folder.path(), &["convert", "a.json", "--to", "agentflow"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr_of(&output).contains(&wanted[0]), "{}", stderr_of(&output));
}

#[test]
fn reports_that_a_history_is_not_an_eval_set() {
    let folder = folder();
    let history = r#"{"eval_set_result_id": "r", "eval_set_id": "s", "eval_case_results": []}"#;
    std::fs::write(folder.path().join("h.json"), history).unwrap();
    std::fs::write(folder.path().join("w.json"), serde_json::to_string(history).unwrap()).unwrap();
    let expected = "this is an eval history: `rehearsal score --actual` reads it";
    let lint = run(folder.path(), &["lint", "h.json", "w.json"]);
    assert_eq!(lint.status.code(), Some(1));
    assert_eq!(stdout_of(&lint).matches(expected).count(), 2, "{}", stdout_of(&lint));
    for arguments in [
        vec!["convert", "--to", "adk", "h.json"],
        vec!["convert", "--to", "agentflow", "w.json"],
        vec!["merge", "h.json", "home.evalset.json", "-o", "m.json"],
        vec!["list", "h.json"],
        vec!["show", "h.json"],
    ] {
        let output = run(folder.path(), &arguments);
        assert_ne!(output.status.code(), Some(0), "{arguments:?}: {}", stdout_of(&output));
        let stderr = stderr_of(&output);
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
}

#[test]
fn convert_round_trips() {
    let folder = folder();
    let there = ran(folder.path(), &["convert", "--to", "agentflow", "home.evalset.json"]);
    let set: Value = serde_json::from_str(&there).unwrap();
    assert_eq!(
        set["eval_cases"][0]["conversation"][0]["expected_tool_trajectory"][0]["name"],
        "set_lights"
    );
    assert!(there.contains("9007199254740993"));
    std::fs::write(folder.path().join("there.json"), there).unwrap();
    ran(folder.path(), &["convert", "--to", "adk", "there.json", "--output", "back.json"]);
    assert_eq!(
        parsed(&folder.path().join("back.json")),
        serde_json::from_str::<Value>(TWO).unwrap()
    );
    assert_eq!(ran(folder.path(), &["diff", "home.evalset.json", "back.json"]), "");
    let wrote = ran(
        folder.path(),
        &["convert", "--to", "adk", "*.evalset.json", "--output-folder", "out/adk"],
    );
    assert_eq!(wrote, "wrote out/adk/flow.evalset.json\nwrote out/adk/home.evalset.json\n");
    let flow = parsed(&folder.path().join("out/adk/flow.evalset.json"));
    assert_eq!(flow["eval_cases"][0]["agentflow"], json!({"name": "Weather", "tags": ["basic"]}));
}

#[test]
fn converting_by_case_equals_converting_the_whole_set() {
    let folder = folder();
    let of_a_set = r#""description": "é", "creation_timestamp": 5.50, "vendor": {"x": [1]}"#;
    let many: Vec<String> = (0..300)
        .map(|number| {
            let text = "\\n  ]\\n  \\\"eval_cases\\\": [\\n".repeat(number % 7);
            let unknown = if number % 5 == 0 { r#", "vendor": {"n": 1.0}"# } else { "" };
            format!(
                r#"{{"eval_id": "{number}", "conversation": [{{"invocation_id": "{number}", "user_content": {{"parts": [{{"text": "{text}"}}], "role": "user"}}}}]{unknown}}}"#
            )
        })
        .collect();
    let many = many.join(",\n");
    let sets = [
        TWO.to_owned(),
        FLOW.to_owned(),
        FLOW.replacen("\"eval_set_id\"", &format!("{of_a_set}, \"eval_set_id\""), 1),
        format!(r#"{{"eval_set_id": "s", "eval_cases": [{many}], {of_a_set}}}"#),
        format!(r#"{{{of_a_set}, "eval_cases": [], "eval_set_id": "s"}}"#),
        r#"{"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "metadata": {"adk": {}}}]}"#
            .to_owned(),
        r#"[{"query": "hi", "reference": "ho"}, {"query": "bye"}]"#.to_owned(),
        r#"[{"name": "a", "data": [{"query": "hi"}]}, {"name": "b", "data": []}]"#.to_owned(),
    ];
    let path = folder.path().join("x.evalset.json");
    for text in sets {
        let mut text = text;
        for (to, adk) in [("agentflow", false), ("adk", true), ("adk", true), ("agentflow", false)]
        {
            std::fs::write(&path, &text).unwrap();
            let set = evalset::read(text.as_bytes()).whole().unwrap();
            let as_a_whole = match adk {
                true => evalset::EvalSet::Adk(set.into_adk("x")),
                false => evalset::EvalSet::AgentFlow(set.into_agentflow("x")),
            };
            let as_a_whole = as_a_whole.to_json().laid_out(&evalset::Layout::two_spaces()) + "\n";
            let converted = ran(folder.path(), &["convert", "--to", to, "x.evalset.json"]);
            assert_eq!(converted, as_a_whole);
            text = converted;
        }
    }
}

#[test]
fn does_not_convert_a_file_with_errors() {
    let folder = folder();
    std::fs::write(
        folder.path().join("bad.json"),
        TWO.replace("\"user_content\"", "\"userContents\""),
    )
    .unwrap();
    let arguments =
        ["convert", "--to", "agentflow", "home.evalset.json", "bad.json", "--output-folder", "out"];
    let output = run(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    let stderr = stderr_of(&output);
    assert!(stderr.contains("bad.json: 4 errors\n  line 8, column 9, case \"lights_off\" at conversation[0]: an invocation needs \"user_content\"; add it"), "{stderr}");
    assert!(!folder.path().join("out").exists());
}

#[test]
fn merge_and_split_round_trip() {
    let folder = folder();
    ran(
        folder.path(),
        &["merge", "home.evalset.json", "flow.evalset.json", "-o", "all.evalset.json"],
    );
    let all = parsed(&folder.path().join("all.evalset.json"));
    assert_eq!(
        (&all["eval_set_id"], all["eval_cases"].as_array().unwrap().len()),
        (&json!("all"), 3)
    );
    assert_eq!(
        all["eval_cases"][2]["conversation"][0]["user_content"]["parts"][0]["text"],
        "Tokyo?"
    );
    let output =
        run(folder.path(), &["merge", "all.evalset.json", "home.evalset.json", "-o", "x.json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr_of(&output).contains("the eval_id \"lights_off\" is in all.evalset.json and in home.evalset.json; rename one, or add --rename"));
    assert!(!folder.path().join("x.json").exists());
    ran(
        folder.path(),
        &[
            "merge",
            "all.evalset.json",
            "home.evalset.json",
            "-o",
            "x.json",
            "--rename",
            "--id",
            "both",
        ],
    );
    let both = parsed(&folder.path().join("x.json"));
    assert_eq!(
        (&both["eval_set_id"], &both["eval_cases"][3]["eval_id"]),
        (&json!("both"), &json!("lights_off_2"))
    );

    let wrote =
        ran(folder.path(), &["split", "x.json", "--output-folder", "parts", "--cases", "2"]);
    assert_eq!(wrote.lines().count(), 3);
    let last = parsed(&folder.path().join("parts/x_3.evalset.json"));
    assert_eq!(
        (&last["eval_set_id"], &last["eval_cases"][0]["eval_id"]),
        (&json!("both_3"), &json!("greeting_2"))
    );
}

/// Runs a command that must succeed with 32 MiB of memory.
#[cfg(target_os = "linux")]
fn ran_in_little(folder: &Path, arguments: &str) -> (Option<i32>, String) {
    let binary = env!("CARGO_BIN_EXE_rehearsal");
    let line = format!("ulimit -d 32768; exec {binary} evalset {arguments}");
    let mut command = Command::new("sh");
    command.args(["-c", &line]).current_dir(folder).env("XDG_CACHE_HOME", folder.join(".cache"));
    let output = command.output().unwrap();
    (output.status.code(), stderr_of(&output))
}

#[cfg(target_os = "linux")]
#[test]
fn merges_splits_and_compares_long_files_in_constant_memory() {
    let folder = folder();
    let text = "x".repeat(256 << 10);
    let set = |name: &str, odd: &str| {
        let cases: Vec<String> = (0..48)
            .map(|number| {
                let text = if number == 40 { odd } else { &text };
                format!(
                    r#"{{"eval_id": "{name}{number}", "conversation": [{{"invocation_id": "i", "user_content": {{"parts": [{{"text": "{text}"}}], "role": "user"}}}}]}}"#
                )
            })
            .collect();
        format!(r#"{{"eval_set_id": "s", "eval_cases": [{}]}}"#, cases.join(",\n"))
    };
    std::fs::write(folder.path().join("long.json"), set("a", "y")).unwrap();
    std::fs::write(folder.path().join("other.json"), set("a", "z")).unwrap();
    std::fs::write(folder.path().join("more.json"), set("b", "z")).unwrap();
    let merged = ran_in_little(folder.path(), "merge long.json more.json -o both.json");
    assert_eq!(merged, (Some(0), String::new()));
    let parted = ran_in_little(folder.path(), "split both.json --output-folder parts --cases 50");
    assert_eq!(parted, (Some(0), String::new()));
    let second = parsed(&folder.path().join("parts/both_2.evalset.json"));
    assert_eq!(second["eval_cases"].as_array().unwrap().len(), 46);
    let appended = ran_in_little(folder.path(), "append home.evalset.json more.json");
    assert_eq!(appended, (Some(0), String::new()));
    assert_eq!(ran_in_little(folder.path(), "diff long.json other.json"), (Some(1), String::new()));
}

#[cfg(target_os = "linux")]
#[test]
fn reads_long_older_lists_in_constant_memory() {
    let folder = folder();
    let text = "x".repeat(256 << 10);
    let sessions: Vec<String> = (0..64)
        .map(|number| format!(r#"{{"name": "o{number}", "data": [{{"query": "{text}"}}]}}"#))
        .collect();
    let old = format!("[{}]", sessions.join(",\n"));
    std::fs::write(folder.path().join("old.test.json"), &old).unwrap();
    std::fs::write(folder.path().join("other.test.json"), old.replacen('x', "y", 1)).unwrap();
    for (arguments, code) in [
        ("list old.test.json --tool f", 0),
        ("show old.test.json o63", 0),
        ("lint old.test.json", 0),
        ("convert old.test.json --to adk -o new.evalset.json", 0),
        ("diff old.test.json other.test.json", 1),
        ("merge old.test.json home.evalset.json -o all.evalset.json", 0),
        ("split old.test.json --output-folder parts --cases 40", 0),
    ] {
        assert_eq!(
            ran_in_little(folder.path(), arguments),
            (Some(code), String::new()),
            "{arguments}"
        );
    }
    let of = |name: &str| parsed(&folder.path().join(name))["eval_cases"].as_array().unwrap().len();
    assert_eq!((of("all.evalset.json"), of("parts/old_2.evalset.json")), (66, 24));
    let converted = parsed(&folder.path().join("new.evalset.json"));
    let last = &converted["eval_cases"][63];
    assert_eq!((&last["eval_id"], &converted["eval_set_id"]), (&json!("o63"), &json!("old")));
    assert_eq!(last["conversation"][0]["user_content"]["parts"][0]["text"], text);
}

#[test]
fn split_keeps_the_metadata_in_the_first_file() {
    let folder = folder();
    let none = r#"{"eval_set_id": "none", "description": "kept", "eval_cases": []}"#;
    std::fs::write(folder.path().join("none.json"), none).unwrap();
    let old = r#"[{"query": "hi"}, {"query": "bye"}]"#;
    std::fs::write(folder.path().join("old.test.json"), old).unwrap();
    let files = ["none.json", "old.test.json", "home.evalset.json", "flow.evalset.json"];
    for (to, adk) in [("adk", true), ("agentflow", false)] {
        let mut arguments = vec!["merge", "-o", "all.json", "--force", "--to", to];
        arguments.extend(files);
        ran(folder.path(), &arguments);
        let all = parsed(&folder.path().join("all.json"));
        let cases = all["eval_cases"].as_array().unwrap();
        assert_eq!((&all["description"], cases.len()), (&json!("kept"), 4));
        assert_eq!(cases[0]["eval_id"], "old");
        assert_eq!(cases[3]["conversation"][0].get("expected_tool_trajectory").is_none(), adk);
        // What AgentFlow has no field for is in the metadata of turns, which its own program drops.
        let lost = if adk { "0 warnings" } else { "2 warnings" };
        assert_eq!(
            ran(folder.path(), &["lint", "all.json"]).lines().last(),
            Some(&*format!("1 file: 0 errors, {lost}."))
        );
    }
    let actual = ran(folder.path(), &["split", "none.json", "--output-folder", "parts"]);
    assert_eq!(actual, "");
}

#[test]
fn every_reading_command_accepts_a_pipe() {
    let folder = folder();
    let piped = |arguments: &[&str], text: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
        command.arg("evalset").args(arguments).current_dir(folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(stderr_of(&output), "");
        stdout_of(&output)
    };
    let listed = piped(&["list", "/dev/stdin", "--format", "json"], TWO);
    let reported: Vec<_> =
        lines(&listed).iter().map(|it| (it["eval_id"].clone(), it["turns"].clone())).collect();
    assert_eq!(reported, [("lights_off".into(), 1.into()), ("greeting".into(), 1.into())]);
    assert!(piped(&["show", "/dev/stdin", "weather"], FLOW).starts_with("weather\n"));
    assert_eq!(piped(&["diff", "home.evalset.json", "/dev/stdin"], TWO), "");
    assert_eq!(piped(&["diff", "/dev/stdin", "home.evalset.json"], TWO), "");
    let lint = piped(&["lint", "/dev/stdin"], TWO);
    assert!(lint.ends_with("\n1 file: 0 errors, 0 warnings.\n"), "{lint}");
    let older = r#"[{"query": "hi"}, {"query": "bye"}]"#;
    let converted = piped(&["convert", "/dev/stdin", "--to", "adk"], older);
    assert!(converted.contains(r#""eval_id": "stdin""#), "{converted}");
    let joined = ["merge", "home.evalset.json", "/dev/stdin", "-o", "all.json"];
    assert!(piped(&joined, FLOW).ends_with("3 cases of 2 files\n"));
}

#[test]
fn append_keeps_every_byte_and_uses_the_files_format() {
    let folder = folder();
    let actual = ran(folder.path(), &["append", "home.evalset.json", "flow.evalset.json"]);
    assert_eq!(
        actual,
        "added \"weather\"\nhome.evalset.json: 1 cases added\n".replace("1 cases", "1 case")
    );
    let now = std::fs::read_to_string(folder.path().join("home.evalset.json")).unwrap();
    assert!(now.starts_with(TWO.trim_end().trim_end_matches(['}', ']', '\n', ' '])), "{now}");
    assert!(
        now.contains("\n    {\n      \"eval_id\": \"weather\",\n      \"conversation\": [\n"),
        "{now}"
    );
    assert_eq!(
        ran(folder.path(), &["append", "home.evalset.json", "flow.evalset.json", "--rename"]),
        "\"weather\" is already there\nhome.evalset.json: 0 cases added\n"
    );
    let other = FLOW.replace("Tokyo?", "Paris?");
    std::fs::write(folder.path().join("other.json"), other).unwrap();
    let output = run(folder.path(), &["append", "home.evalset.json", "other.json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr_of(&output).contains("already has a case \"weather\""),
        "{}",
        stderr_of(&output)
    );
    let actual = ran(folder.path(), &["append", "flow.evalset.json", "other.json", "--rename"]);
    assert!(actual.contains("added \"weather_2\""), "{actual}");
    // A file is not appended to itself, even by another name.
    let before = std::fs::read(folder.path().join("flow.evalset.json")).unwrap();
    for source in [".", "./flow.evalset.json"] {
        let output = run(folder.path(), &["append", "flow.evalset.json", source, "--rename"]);
        assert!(!output.status.success());
        assert!(stderr_of(&output).contains("is the file to append to"));
    }
    assert_eq!(std::fs::read(folder.path().join("flow.evalset.json")).unwrap(), before);
    let lint = ran(folder.path(), &["lint", "."]);
    assert!(lint.ends_with("\n2 files: 0 errors, 0 warnings.\n"), "{lint}");
}

#[test]
fn diff_reports_the_paths_that_differ() {
    let folder = folder();
    let changed = TWO
        .replace("\"hall\", \"n\": 9007199254740993", "\"den\", \"n\": 9007199254740992")
        .replace("greeting", "hello")
        .replace("\"Home\"", "\"House\"");
    std::fs::write(folder.path().join("new.json"), changed).unwrap();
    let output = run(folder.path(), &["diff", "home.evalset.json", "new.json"]);
    assert_eq!(output.status.code(), Some(1));
    let args = "conversation[0].intermediate_data.tool_uses[0].args";
    assert_eq!(
        stdout_of(&output),
        format!(
            "~ the set at name\n    - \"Home\"\n    + \"House\"\n\
             ~ case \"lights_off\" at {args}.room\n    - \"hall\"\n    + \"den\"\n\
             ~ case \"lights_off\" at {args}.n\n    - 9007199254740993\n    + 9007199254740992\n\
             - case \"greeting\"\n+ case \"hello\"\n"
        )
    );
    let output = run(folder.path(), &["diff", "home.evalset.json", "new.json", "--format", "json"]);
    assert_eq!(
        lines(&stdout_of(&output))[1],
        json!({"eval_id": "lights_off", "path": format!("{args}.room"), "before": "hall", "after": "den"})
    );
    // The order of keys and the spelling of numbers are ignored.
    let same = TWO
        .replace(
            "\"eval_set_id\": \"home_evals\",\n  \"name\": \"Home\"",
            "\"name\": \"Home\", \"eval_set_id\": \"home_evals\"",
        )
        .replace("\"room\": \"hall\", \"n\"", "\"n\"")
        .replace("9007199254740993}", "9007199254740993, \"room\": \"h\\u0061ll\"}");
    std::fs::write(folder.path().join("same.json"), same).unwrap();
    assert_eq!(ran(folder.path(), &["diff", "home.evalset.json", "same.json"]), "");
}

#[test]
fn help_and_completions_list_the_commands() {
    let folder = folder();
    let help = ran(folder.path(), &["--help"]);
    for command in ["list", "show", "lint", "convert", "merge", "split", "append", "diff"] {
        assert!(help.contains(&format!("  {command}")), "{help}");
        let own = ran(folder.path(), &[command, "--help"]);
        assert!(own.contains("Examples:") && own.contains("Exits with 0"), "{own}");
    }
    let completions = Command::new(env!("CARGO_BIN_EXE_rehearsal"))
        .args(["completions", "bash"])
        .output()
        .unwrap();
    assert!(
        stdout_of(&completions).contains("rehearsal__subcmd__evalset__subcmd__convert")
            || stdout_of(&completions).contains("rehearsal__evalset__convert")
    );
}

#[test]
fn diff_of_a_broken_file_exits_with_2() {
    let folder = folder();
    let broken = TWO.replace("\"user_content\"", "\"user\"");
    std::fs::write(folder.path().join("broken.json"), broken).unwrap();
    for pair in [["broken.json", "home.evalset.json"], ["home.evalset.json", "broken.json"]] {
        let output = run(folder.path(), &[&["diff"], &pair[..]].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr_of(&output).contains("broken.json: "), "{}", stderr_of(&output));
    }
}

#[test]
fn folder_that_links_to_itself_is_searched_once() {
    let folder = folder();
    let below = folder.path().join("below");
    std::fs::create_dir(&below).unwrap();
    std::fs::write(below.join("more.evalset.json"), TWO).unwrap();
    for (link, to) in [("below/up", ".."), ("again", "."), ("other", "below")] {
        std::os::unix::fs::symlink(to, folder.path().join(link)).unwrap();
    }
    for asked in [".", "**/*.evalset.json", "./**/*.evalset.json"] {
        let listed = ran(folder.path(), &["list", asked, "--format", "json"]);
        let files: std::collections::BTreeSet<String> =
            lines(&listed).iter().map(|line| line["file"].as_str().unwrap().to_owned()).collect();
        let names: Vec<_> = files.iter().map(|file| file.trim_start_matches("./")).collect();
        assert_eq!(names, ["below/more.evalset.json", "flow.evalset.json", "home.evalset.json"]);
    }
}

#[test]
fn append_can_be_run_again() {
    let folder = folder();
    let case = |id: &str, text: &str| {
        format!(
            r#"{{"eval_id": "{id}", "conversation": [{{"user_content": {{"parts": [{{"text": "{text}"}}]}}}}]}}"#
        )
    };
    let set = |cases: &[String]| {
        format!(r#"{{"eval_set_id": "s", "eval_cases": [{}]}}"#, cases.join(", "))
    };
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("to.json", &set(&[case("c", "other")]));
    write("from.json", &set(&[case("a", "1"), case("b", "2"), case("c", "3")]));
    let output = run(folder.path(), &["append", "to.json", "from.json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr_of(&output).contains("already has a case \"c\""), "{}", stderr_of(&output));
    // The cause is removed, and the same command adds what is missing.
    write("from.json", &set(&[case("a", "1"), case("b", "2"), case("d", "3")]));
    assert_eq!(
        ran(folder.path(), &["append", "to.json", "from.json"]),
        "\"a\" is already there\n\"b\" is already there\nadded \"d\"\nto.json: 1 case added\n"
    );
}

/// No byte can be written to a file, as on a full disk.
#[test]
fn full_disk_is_reported_for_the_file_being_written() {
    let folder = folder();
    let sides = "--expected home.evalset.json --actual home.evalset.json";
    for (command, wanted) in [
        (format!("score {sides} --format html --output r.html"), "r.html cannot be written: "),
        (
            format!("score {sides} --format junit --output r.xml"),
            "r.xml cannot be written: its temporary file: ",
        ),
        (
            "evalset convert --to agentflow home.evalset.json --output f.json".to_owned(),
            "f.json cannot be written: ",
        ),
    ] {
        let binary = env!("CARGO_BIN_EXE_rehearsal");
        let script = format!("trap '' XFSZ; ulimit -f 0; exec {binary} {command}");
        let mut shell = Command::new("sh");
        let output = shell.args(["-c", &script]).current_dir(folder.path()).output().unwrap();
        assert!(!output.status.success());
        assert!(stderr_of(&output).contains(wanted), "{command}: {}", stderr_of(&output));
    }
}

#[test]
fn long_id_is_listed_and_cut() {
    let folder = folder();
    let id = "x".repeat(20_000);
    std::fs::write(folder.path().join("a.json"), TWO.replace("lights_off", &id)).unwrap();
    let text = ran(folder.path(), &["list", "a.json"]);
    assert!(text.contains(&format!("#0     {}… (20000 bytes)", "x".repeat(200))), "{text}");
    let listed = lines(&ran(folder.path(), &["list", "a.json", "--format", "json"]));
    assert_eq!(listed[0]["eval_id"], id);
}
