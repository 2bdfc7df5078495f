//! Round trips without loss, and the positions of faults.

use std::path::Path;

use evalset::adk::LegacySet;
use evalset::agentflow::{MessageContent, Role};
use evalset::{Case, EvalSet, Format, Layout, Origin, Problem, Severity, read, read_as, read_case};
use expect_test::{Expect, expect};

use crate::common::{adk_rewrites, canonical, google_files};

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    std::fs::read_to_string(path).expect("read")
}

/// Reads `text`, which must be without a fault other than a number that is too large and that it is an older list,
/// and writes it.
fn rewritten(text: &str) -> String {
    let mut reading = read(text.as_bytes());
    reading
        .faults
        .retain(|fault| !matches!(fault.problem, Problem::TooLarge { .. } | Problem::QueriesOnly));
    assert_eq!(reading.faults, []);
    reading.whole().expect("whole").to_json().laid_out(&Layout::two_spaces())
}

#[test]
fn google_files_round_trip() {
    let mut modern = Vec::new();
    for path in google_files() {
        let text = std::fs::read_to_string(&path).expect("read");
        assert_eq!(canonical(&rewritten(&text)), canonical(&text), "{}", path.display());
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        modern.push(match read(text.as_bytes()).set.expect("read") {
            EvalSet::Adk(set) => set.to_json().laid_out(&Layout::two_spaces()),
            EvalSet::AdkLegacy(set) => {
                let set = set.to_current(name.trim_end_matches(".test.json"));
                set.to_json().laid_out(&Layout::two_spaces())
            }
            EvalSet::AgentFlow(_) => panic!("{name} is ADK's"),
        });
    }
    let Some(python) = test_needs::python() else { return };
    for rewrite in adk_rewrites(&python, &modern) {
        let rewrite = rewrite.expect("ADK reads it");
        // What ADK writes is read and written to the byte.
        assert_eq!(rewritten(&rewrite), rewrite);
    }
}

#[test]
fn file_with_every_field_round_trips_byte_for_byte() {
    let text = fixture("adk/every_field.evalset.json");
    assert_eq!(rewritten(&text), text.trim_end());
    let EvalSet::Adk(set) = read(text.as_bytes()).set.expect("read") else { panic!("ADK's") };
    let [talk, plan, camel] = set.eval_cases.as_slice() else { panic!("three cases") };
    let turns = talk.turns();
    let data = turns[0].intermediate_data.as_ref().expect("there");
    assert_eq!(data.calls().count(), 2);
    assert_eq!(data.intermediate_responses[0].author, "planner");
    let events = turns[1].intermediate_data.as_ref().expect("there");
    assert_eq!(events.calls().next().and_then(|call| call.name.as_deref()), Some("set_device"));
    assert_eq!(events.responses().count(), 1);
    assert_eq!(turns[1].final_response.as_ref().expect("there").text(), "hm\nDone.");
    assert_eq!(talk.written.extra("vendor").map(|it| it.as_str()), Some("1e400"));
    let scenario = plan.conversation_scenario.as_ref().expect("there");
    assert_eq!(scenario.starting_prompt, "I want to fly.");
    assert_eq!(camel.eval_id, "camel");
    let Some(python) = test_needs::python() else { return };
    let rewrite = adk_rewrites(&python, &[text]);
    assert!(rewrite[0].is_ok(), "{rewrite:?}");
}

#[test]
fn agentflow_example_round_trips() {
    let text = fixture("agentflow/weather_agent.evalset.json");
    assert_eq!(canonical(&rewritten(&text)), canonical(&text));
    let EvalSet::AgentFlow(set) = read(text.as_bytes()).set.expect("read") else {
        panic!("AgentFlow's")
    };
    let case = &set.eval_cases[0];
    assert_eq!((case.name.as_str(), case.tags.len()), ("Basic Weather Query", 2));
    let turn = &case.conversation[0];
    assert_eq!(turn.user_content.role, Role::User);
    assert_eq!(turn.user_content.get_text(), "What's the weather in Tokyo?");
    assert_eq!(turn.expected_tool_trajectory[0].name, "get_weather");
    let config = case.session_input.as_ref().and_then(|input| input.config.as_ref());
    assert_eq!(config.map(|config| config.as_str()), Some(r#"{"temperature": 0}"#));
}

#[test]
fn editing_a_field_leaves_other_text_unchanged() {
    let text = fixture("agentflow/weather_agent.evalset.json");
    let Some(EvalSet::AgentFlow(mut set)) = read(text.as_bytes()).set else {
        panic!("AgentFlow's")
    };
    let case = &mut set.eval_cases[0];
    case.tags.clear();
    case.session_input.as_mut().expect("there").thread_id = Some("t1".to_owned());
    case.conversation[0].expected_final_response = Some(MessageContent::assistant("22 °C"));
    let expected = text
        .replace("\"tags\": [\"weather\", \"basic\"],", "")
        .replace("\"thread_id\": null", "\"thread_id\": \"t1\"")
        .replace("The current weather in Tokyo is 22°C and sunny.", "22 °C");
    let written = set.to_json().laid_out(&Layout::two_spaces());
    assert_eq!(canonical(&written), canonical(&expected));
}

#[test]
fn both_kinds_of_legacy_list_are_read() {
    let queries = r#"[{"query": "hi", "reference": "hello", "mine": 1.0}]"#;
    let reading = read(queries.as_bytes());
    assert_eq!(reading.format, Some(Format::AdkLegacy));
    let [list, fault] = reading.faults.as_slice() else { panic!("{:?}", reading.faults) };
    assert_eq!((&list.problem, list.severity()), (&Problem::QueriesOnly, Severity::Warning));
    assert_eq!(fault.severity(), Severity::Warning);
    let EvalSet::AdkLegacy(set) = reading.set.expect("read") else { panic!("a list") };
    assert_eq!(
        canonical(&EvalSet::AdkLegacy(set.clone()).to_json().laid_out(&Layout::compact())),
        canonical(queries)
    );
    let case = &set.to_current("simple").eval_cases[0];
    assert_eq!((case.eval_id.as_str(), case.turns().len()), ("simple", 1));
    assert_eq!(case.written.extra("legacy").map(|it| it.as_str()), Some(r#"{"data[0].mine":1.0}"#));

    let sessions = r#"[{"name": "a", "data": [{"query": "x", "expected_tool_use": [
        {"tool_name": "t", "tool_input": {"n": 9007199254740993}}],
        "expected_intermediate_agent_responses": [{"author": "sub", "text": "wait"}]}],
        "initial_session": {"state": {"k": 1}, "app_name": "app", "user_id": "u"}},
        {"name": "b", "data": [], "initial_session": {}}]"#;
    assert_eq!(canonical(&rewritten(sessions)), canonical(sessions));
    let Some(EvalSet::AdkLegacy(set)) = read(sessions.as_bytes()).set else { panic!("a list") };
    assert!(matches!(&set, LegacySet::Sessions(sessions) if sessions.len() == 2));
    let modern = set.to_current("s");
    let [first, second] = modern.eval_cases.as_slice() else { panic!("two cases") };
    assert_eq!(first.session_input.as_ref().expect("there").app_name, "app");
    assert_eq!(second.session_input, None);
    let text = modern.to_json().laid_out(&Layout::compact());
    assert!(text.contains(r#""args":{"n":9007199254740993}"#), "{text}");
    assert!(text.contains(r#""intermediate_responses":[["sub",[{"text":"wait"}]]]"#), "{text}");
}

#[test]
fn list_of_queries_is_read_as_one_case() {
    let origin = Origin { eval_id: Some("simple"), ..Origin::default() };
    let queries = r#"[{"query": "hi", "reference": "hello", "mine": 1.0}, {"query": "bye"}]"#;
    let (case, faults) = read_case(queries, Format::AdkLegacy, origin);
    let of_whole = read(queries.as_bytes()).set.expect("read").into_cases("simple");
    assert_eq!(case.as_ref(), of_whole.first());
    let case = case.expect("read");
    assert_eq!(case.eval_id(), "simple");
    assert_eq!(case.into_adk().turns().len(), 2);
    let [fault] = faults.as_slice() else { panic!("{faults:?}") };
    assert_eq!(fault.severity(), Severity::Warning);

    let (case, _) = read_case("[]", Format::AdkLegacy, origin);
    assert_eq!(case.expect("no turns").into_adk().turns(), []);
    for (text, reported) in [
        ("[3]", "column 2, case \"simple\" at [0]: expected a query, found a number"),
        (
            "[{\"query\": 1}]",
            "column 12, case \"simple\" at [0].query: expected a string, found a number",
        ),
        (
            "[{\"query\": NaN}]",
            "column 12, case \"simple\": NaN is not valid JSON, though ADK reads it",
        ),
    ] {
        let (case, faults) = read_case(text, Format::AdkLegacy, origin);
        assert_eq!(case, None);
        let fault = faults[0].to_string();
        assert!(fault.starts_with(&format!("line 1, {reported}")), "{fault}");
    }
}

#[test]
fn read_case_counts_depth_from_the_top_of_the_file() {
    for levels in 190..200 {
        let deep = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let queries = format!(
            r#"[{{"query": "q", "expected_tool_use": [{{"tool_name": "f", "tool_input": {{"x": {deep}}}}}]}}]"#
        );
        let reported = |faults: &[evalset::CaseFault]| -> Vec<_> {
            let problems = faults.iter().map(|fault| fault.problem.clone());
            // That the whole is a list does not concern a case.
            problems.filter(|problem| *problem != Problem::QueriesOnly).collect()
        };
        let (_, faults) = read_case(&queries, Format::AdkLegacy, Origin::default());
        assert_eq!(reported(&faults), reported(&read(queries.as_bytes()).faults), "{levels}");
    }
}

fn check(text: &str, expected: &Expect) {
    let reading = read(text.as_bytes());
    let reported: Vec<String> = reading
        .faults
        .iter()
        .map(|fault| format!("{}: {fault}\n", fault.severity().name()))
        .collect();
    expected.assert_eq(&reported.concat());
}

#[test]
fn errors_have_positions_and_other_cases_are_read() {
    check(
        r#"{
  "eval_set_id": "a/b",
  "vendor": 1,
  "eval_cases": [
    {
      "eval_id": "good",
      "conversation": [{"invocation_id": "i", "user_content": {"parts": [{"text": "hi"}]}}]
    },
    {
      "conversation": [
        {"user_content": {"parts": "hi", "rôle": "user"}, "invocation_id": null, "finalResponse": 5},
        {"user_content": {}, "intermediate_data": {"tool_use": [], "toolUses": [{"args": [1], "id": 5}]}},
        {"userContent": {"parts": [{"text": "\ud800"}]}}
      ],
      "session_input": {"app_name": "x"},
      "conversation_scenario": {"starting_prompt": "", "conversation_plan": ""},
      "eval_id": "bad"
    },
    7,
    {"eval_id": "good", "conversation": [{"user_content": {}, "user_content": {}}], "creation_timestamp": "2025-01-01"},
    {"evalId": "good", "eval_id": "extra"}
  ]
}"#,
        &expect![[r#"
            error: line 1, column 1, the file: the eval_set_id "a/b" contains a slash, and ADK uses it as a file name; remove the slash
            warning: line 3, column 3, the file: "vendor" is not a field of an eval set; it is kept here, but lost when the format's own program rewrites the file
            error: line 11, column 36, case "bad" at conversation[0].user_content.parts: expected a list, found a string; correct the value
            error: line 11, column 42, case "bad" at conversation[0].user_content: ADK rejects the unknown field "rôle" in a message (did you mean "role"?); correct its name, or move it to the case
            error: line 11, column 76, case "bad" at conversation[0].invocation_id: expected a value, found null; correct the value
            error: line 11, column 99, case "bad" at conversation[0].finalResponse: expected a message, found a number; correct the value
            error: line 12, column 52, case "bad" at conversation[1].intermediate_data: ADK rejects the unknown field "tool_use" in intermediate data (did you mean "tool_uses"?); correct its name, or move it to the case
            error: line 12, column 90, case "bad" at conversation[1].intermediate_data.toolUses[0].args: expected an object, found a list; correct the value
            error: line 12, column 101, case "bad" at conversation[1].intermediate_data.toolUses[0].id: expected a string, found a number; correct the value
            error: line 13, column 45, case "bad" at conversation[2].userContent.parts[0].text: \ud800 is half of a surrogate pair; replace that character
            error: line 15, column 24, case "bad" at session_input: a session input needs "user_id"; add it
            error: line 19, column 5, the case at index 2: expected an eval case, found a number; correct the value
            error: line 20, column 5, case "good": the eval_id "good" is already used by the case at index 0; give this one another
            error: line 20, column 63, case "good" at conversation[0]: duplicate key "user_content", of which readers use only one; remove one
            error: line 20, column 107, case "good" at creation_timestamp: expected a number, found a string; correct the value
            error: line 21, column 5, case "good": a case needs exactly one of "conversation" and "conversation_scenario", and has neither; add one
            error: line 21, column 5, case "good": the eval_id "good" is already used by the case at index 0; give this one another
        "#]],
    );
}

#[test]
fn invalid_json_error_has_a_position() {
    check(
        "{\n  \"eval_set_id\": nan\n}",
        &expect![[r#"
        error: line 2, column 18, the file: this is not valid JSON: nan is not a number, true, false or null, and a string needs double quotes; fix it here
    "#]],
    );
    check(
        "{\n  \"é\": NaN\n}",
        &expect![[r#"
        error: line 2, column 8, the file: NaN is not valid JSON, though ADK reads it; write a number or null
    "#]],
    );
    check(
        "{\"eval_set_id\": -Infinity}",
        &expect![[r#"
        error: line 1, column 18, the file: Infinity is not valid JSON, though ADK reads it; write a number or null
    "#]],
    );
    check(
        "",
        &expect![[r#"
        error: line 1, column 1, the file: this is not valid JSON: the text ends here, but a value is missing; fix it here
    "#]],
    );
    check(
        "\u{feff}[]",
        &expect![[r#"
        error: line 1, column 1, the file: unexpected byte order mark, which ADK rejects; save the file as UTF-8 without one
    "#]],
    );
    let reading = read(b"{\n \"\xc3\xa9 \xff\": 1}");
    assert_eq!(
        reading.faults[0].to_string(),
        "line 2, column 5, the file: this is not UTF-8; save the file as UTF-8"
    );
    assert!(reading.has_errors() && reading.set.is_none());
}

#[test]
fn read_case_reports_positions_in_the_file() {
    let origin = Origin { line: 100, column: 5, case: Some(12), eval_id: None };
    let (case, faults) =
        read_case("{\"eval_id\": \"c\",\n \"conversation\": [{}]}", Format::Adk, origin);
    assert_eq!(case, None);
    assert_eq!(
        faults[0].to_string(),
        "line 101, column 19, case \"c\" at conversation[0]: an invocation needs \"user_content\"; add it"
    );
    let (_, faults) = read_case("{\"eval_id\" 1}", Format::Adk, origin);
    assert_eq!((faults[0].line, faults[0].column), (100, 16));
    let (case, faults) = read_case("{\"eval_id\": \"c\"}", Format::AgentFlow, origin);
    assert_eq!(faults, []);
    assert!(matches!(case, Some(Case::AgentFlow(case)) if case.eval_id == "c"));
}

#[test]
fn format_can_be_given_explicitly() {
    let text = br#"{"eval_set_id": "s", "eval_cases": []}"#;
    assert!(matches!(read(text).set, Some(EvalSet::Adk(_))));
    assert!(matches!(read_as(text, Format::AgentFlow).set, Some(EvalSet::AgentFlow(_))));
}

#[test]
fn field_in_both_casings_is_read_as_in_adk() {
    let text = r#"{"eval_set_id": "s", "eval_cases": [
        {"eval_id": "snake", "conversation": [], "evalId": "camel"}]}"#;
    let Some(EvalSet::Adk(set)) = read(text.as_bytes()).set else { panic!("ADK's") };
    assert_eq!(set.eval_cases[0].eval_id, "camel");
    assert_eq!(set.eval_cases[0].written.extra("eval_id").map(|it| it.as_str()), Some("\"snake\""));
    assert_eq!(canonical(&rewritten(text)), canonical(text));
    let Some(python) = test_needs::python() else { return };
    let rewrite = adk_rewrites(&python, &[text.to_owned()]).remove(0).expect("ADK reads it");
    assert!(rewrite.contains("\"eval_id\": \"camel\""), "{rewrite}");
}

#[test]
fn a_name_like_that_of_a_member_is_an_error_where_adk_rejects_it_and_else_a_warning() {
    let check = |case: &str, turn: &str, input: &str, expected: &[(Severity, &str, &str)]| {
        let text = format!(
            r#"{{"eval_set_id":"s","eval_cases":[{{"eval_id":"a",{case}"conversation":[{{"user_content":{{"parts":[{{"text":"hi"}}]}}{turn}}}],"session_input":{{"app_name":"a","user_id":"u"{input}}}}}]}}"#
        );
        let reading = read(text.as_bytes());
        let found: Vec<_> = reading
            .faults
            .iter()
            .map(|fault| {
                let text = fault.problem.to_string();
                let known = text.split("did you mean ").nth(1).unwrap_or_default();
                let known = known.split('?').next().unwrap_or_default().trim_matches('"');
                (fault.severity(), fault.path.clone(), known.to_owned())
            })
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(severity, path, known)| (*severity, (*path).to_owned(), (*known).to_owned()))
            .collect();
        assert_eq!(found, expected, "{text}");
    };
    let (warning, error) = (Severity::Warning, Severity::Error);
    check(r#""session_inputs":{},"#, "", "", &[(warning, "", "session_input")]);
    check(r#""eval_ids":"b","#, "", "", &[(warning, "", "eval_id")]);
    check(r#""final_session_states":{},"#, "", "", &[(warning, "", "final_session_state")]);
    check(r#""conversations":[],"#, "", "", &[(warning, "", "conversation")]);
    check("", "", r#","states":{}"#, &[(warning, "session_input", "state")]);
    check("", r#","final_responses":{}"#, "", &[(error, "conversation[0]", "final_response")]);
    check(
        "",
        r#","intermediate_datas":{}"#,
        "",
        &[(error, "conversation[0]", "intermediate_data")],
    );
    // A vendor's own fields.
    check(r#""vendor":1,"metadata":{},"tags":[],"#, "", r#","config":{}"#, &[]);
}
