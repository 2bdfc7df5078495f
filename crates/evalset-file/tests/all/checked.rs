//! A file read case by case has the faults and the cases that it has as a whole.

use std::path::Path;

use evalset::adk::{LegacySession, LegacySet};
use evalset::{Case, CaseFault, Format, Reading};
use evalset_file::{AppendError, Cases, Checked, CheckedCases, stem};
use proptest::prelude::*;

/// What was read case by case, as the whole file would have been.
fn case_by_case(path: &Path) -> Option<Reading> {
    let Checked::Cases(mut cases) = CheckedCases::open(path).expect("opened") else { return None };
    let mut faults = cases.faults_before().to_vec();
    let (mut read, mut unread) = (Vec::new(), Vec::new());
    for case in &mut *cases {
        let case = case.expect("read");
        match case.case {
            Some(case) => read.push(case),
            None => unread.push(case.index),
        }
        faults.extend(case.faults);
    }
    faults.extend_from_slice(cases.faults_after());
    let mut set = cases.set_with(None);
    match &mut set {
        Some(evalset::EvalSet::Adk(set)) => {
            set.eval_cases = read.into_iter().filter_map(adk).collect();
        }
        Some(evalset::EvalSet::AgentFlow(set)) => {
            set.eval_cases = read.into_iter().filter_map(agentflow).collect();
        }
        Some(evalset::EvalSet::AdkLegacy(set)) => {
            *set = LegacySet::Sessions(read.into_iter().filter_map(session).collect());
        }
        None => {}
    }
    let (format, evidence) = (Some(cases.format()), cases.evidence().to_owned());
    Some(Reading { format, evidence, set, unread, faults })
}

fn adk(case: Case) -> Option<evalset::adk::EvalCase> {
    if let Case::Adk(case) = case { Some(case) } else { None }
}

fn agentflow(case: Case) -> Option<evalset::agentflow::EvalCase> {
    if let Case::AgentFlow(case) = case { Some(case) } else { None }
}

fn session(case: Case) -> Option<LegacySession> {
    if let Case::AdkLegacy(case) = case { Some(case) } else { None }
}

/// The set as text, because a set without cases keeps its empty list; where a case cannot be
/// read the set is not written, so whether there is one is enough.
fn summary(reading: &Reading) -> (Option<Format>, Option<String>, &[usize], &[CaseFault]) {
    let written = |set: &evalset::EvalSet| match reading.unread.as_slice() {
        [] => set.to_json().laid_out(&evalset::Layout::compact()),
        _ => String::new(),
    };
    (reading.format, reading.set.as_ref().map(written), &reading.unread, &reading.faults)
}

fn check(text: &str) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.evalset.json");
    std::fs::write(&path, text).expect("written");
    let Some(read) = case_by_case(&path) else { return false };
    assert_eq!(summary(&read), summary(&evalset::read(text.as_bytes())), "{text}");
    true
}

const CASES: [&str; 15] = [
    r#"{"eval_id": "a", "conversation": []}"#,
    r#"{"eval_id": "a", "conversation": [{"user_content": {"parts": [{"text": "é"}]}}], "x": 1}"#,
    r#"{"eval_id": "\u0061", "conversation": [{}]}"#,
    "{\"eval_id\": \"b\",\n\t\"conversation\": [{\"user_content\": 5, \"y\": []}]}",
    r#"{"eval_id": 5, "conversation": null}"#,
    r#"{"conversation": [{"user_content": {"role": "user"}, "final_response": {"parts": 1}}]}"#,
    r#"{"evalId": "c", "conversation": [], "sessionInput": {"appName": "é", "userId": "\ud800"}}"#,
    r#"{"eval_id": "d", "conversation": [{"user_content": {"role": "user", "content": "x"}}]}"#,
    r#"{"eval_id": "d"}"#,
    "{\n\"eval_id\": \"e\",\n\"tags\": [1, 2], \"conversation\": [{\"user_content\": {\"role\": \"x\", \"content\": \"\"}}]\n}",
    r#"{"eval_id": "f", "conversation": [], "rubrics": [{"rubric_id": "r"}]}"#,
    "{}",
    "7",
    "[{\"eval_id\": \"a\"},\n []]",
    "\"é, ]\"",
];

const SESSIONS: [&str; 10] = [
    r#"{"name": "a", "data": []}"#,
    r#"{"data": [{"query": "é", "reference": "r", "mine": 1.50}], "name": "a"}"#,
    "{\"name\": \"\\u0061\",\n\t\"data\": [{\"query\": 5}, {}]}",
    r#"{"name": "b", "data": [{"query": "q", "expected_tool_use": [{"tool_name": "f", "tool_input": {}}]}]}"#,
    r#"{"name": "c", "data": [{"query": "q", "expected_tool_use": [{"tool_input": 3}]}], "initial_session": {"state": []}}"#,
    r#"{"name": 5, "data": {"name": "d"}}"#,
    r#"{"name": "e", "evalId": "x", "conversation": [1]}"#,
    r#"{"data": [[{"name": "no"}], {"name": "no", "data": [1]}]}"#,
    r#"{"name": "f", "data": [{"query": "\ud800"}]}"#,
    "{}",
];

const MEMBERS: [&str; 9] = [
    r#""eval_set_id": "s""#,
    r#""eval_set_id": 5"#,
    r#""eval_set_id": "s/t""#,
    r#""name": "é""#,
    "\"name\":\n[]",
    r#""description": 1, "description": 2"#,
    r#""unknown": {"eval_cases": [1]}"#,
    "\"metadata\":\n\t[]",
    r#""creation_timestamp": null"#,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn streaming_read_matches_whole_read(
        before in prop::collection::vec((0..MEMBERS.len(), "[ \n]{0,2}"), 0..3),
        cases in prop::collection::vec((0..CASES.len(), "[ \n]{0,3}"), 0..6),
        behind in prop::collection::vec((0..MEMBERS.len(), "[ \n]{0,2}"), 0..3),
    ) {
        let cases: Vec<_> =
            cases.iter().map(|(case, blank)| format!("{blank}{}", CASES[*case])).collect();
        let member = |(member, blank): &(usize, String)| format!("{blank}{}", MEMBERS[*member]);
        let list = format!("\"eval_cases\": [{}\n]", cases.join(","));
        let members: Vec<_> =
            before.iter().map(member).chain([list]).chain(behind.iter().map(member)).collect();
        let is_set = check(&format!("{{{}}}\n", members.join(",")));
        prop_assert!(is_set);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn legacy_list_of_sessions_is_read_session_by_session(
        sessions in prop::collection::vec((0..SESSIONS.len(), "[ \n]{0,3}"), 0..6),
    ) {
        let has_data = |(session, _): &(usize, String)| SESSIONS[*session].contains("\"data\"");
        let is_list = sessions.first().is_some_and(has_data);
        let sessions: Vec<_> =
            sessions.iter().map(|(at, blank)| format!("{blank}{}", SESSIONS[*at])).collect();
        // A file read as a whole gives the same result.
        prop_assert_eq!(check(&format!(" [{}\n]\n", sessions.join(","))), is_list);
    }
}

#[test]
fn session_depth_is_counted_from_the_top_of_the_file() {
    // One level less than in a set: the list has none around it.
    for levels in 190..200 {
        let deep = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let session = format!(
            r#"{{"name": "a", "data": [{{"query": "q", "expected_tool_use": [{{"tool_name": "f", "tool_input": {{"x": {deep}}}}}]}}]}}"#
        );
        assert!(check(&format!("[{session}]")), "{levels}");
    }
}

#[test]
fn file_without_cases_is_read_as_a_whole() {
    for text in [
        "",
        "[]",
        r#"[{"query": "hi"}]"#,
        r#"[{"query": "hi"}, {"name": "a", "data": []}]"#,
        "[3]",
        r#"[{"name": "a", "data": []}, 3]"#,
        r#"{"eval_set_id": "s"}"#,
        r#"{"eval_set_id": "s", "eval_cases": [], "eval_cases": []}"#,
        "{\"eval_set_id\": \"s\",,}",
        "\u{feff}{\"eval_set_id\": \"s\", \"eval_cases\": []}",
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("set.evalset.json");
        std::fs::write(&path, text).expect("written");
        let Checked::Whole(read) = CheckedCases::open(&path).expect("opened") else {
            panic!("{text}")
        };
        assert_eq!(*read, evalset::read(text.as_bytes()));
    }
}

#[test]
fn google_files_read_the_same_by_case() {
    let Some(folder) = test_needs::corpus("adk-evalsets") else { return };
    let entries = std::fs::read_dir(folder).expect("listed");
    let mut checked = 0;
    for entry in entries {
        let text = std::fs::read_to_string(entry.expect("listed").path()).expect("read");
        checked += usize::from(check(&text));
    }
    assert!(checked > 0);
}

#[test]
fn google_files_give_the_same_cases_by_case() {
    let Some(folder) = test_needs::corpus("adk-evalsets") else { return };
    let entries = std::fs::read_dir(folder).expect("listed");
    let mut lists = 0;
    for entry in entries {
        let path = entry.expect("listed").path();
        let whole = evalset::read(&std::fs::read(&path).expect("read"));
        let format = Cases::declared_format(&path).expect("read");
        assert_eq!(Some(format), whole.format);
        let mut cases = Cases::open(&path).expect("opened");
        let (mut read, mut turns) = (Vec::new(), 0);
        while let Some(found) = cases.next() {
            let found = found.expect("a case");
            let text = cases.text(&found).expect("read");
            let (case, _) = evalset::read_case(&text, format, cases.origin(&found).expect("read"));
            let case = case.expect("sound");
            assert_eq!(found.eval_id.as_deref(), Some(case.eval_id()));
            turns += found.turns;
            read.push(case);
        }
        assert_eq!(read, whole.set.expect("sound").into_cases(&stem(&path)), "{}", path.display());
        if format == Format::AdkLegacy {
            let [case] = read.as_slice() else { panic!("the turns of one case: {read:?}") };
            assert_eq!(case.clone().into_adk().turns().len() as u64, turns);
            lists += 1;
        }
    }
    assert_eq!(lists, 6);
}

#[test]
fn truncated_large_file_is_reported_in_bounded_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.evalset.json");
    let case = format!("{{\"eval_id\": \"{}\"}}", "x".repeat(1 << 20));
    let cases = vec![case; 65].join(",\n");
    std::fs::write(&path, format!("{{\"eval_cases\": [\n{cases}")).expect("written");
    let Checked::Broken(fault) = CheckedCases::open(&path).expect("opened") else {
        panic!("broken")
    };
    assert_eq!((fault.line, fault.column), (66, (1 << 20) + 16));
    assert!(fault.to_string().contains("the file ends inside a list; a ] is missing"), "{fault}");
}

#[test]
fn large_file_without_cases_is_rejected_early() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.evalset.json");
    let space = " ".repeat(65 << 20);
    std::fs::write(&path, format!(r#"{{"eval_set_id": "s",{space}"eval_cases": []}}"#))
        .expect("written");
    let error = CheckedCases::open(&path).expect_err("more around its cases than is read");
    assert!(matches!(error, AppendError::FrameTooLong { .. }), "{error:?}");
    assert!(error.to_string().contains("more than 16 MiB outside its cases; shorten that part"));
    std::fs::write(&path, format!(r#"{{"results": []{space}}}"#)).expect("written");
    let error = CheckedCases::open(&path).expect_err("no set");
    assert!(matches!(error, AppendError::NotAnEvalSet { .. }), "{error:?}");
}

#[test]
fn error_for_nan_names_the_case_id() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.json");
    let text = r#"{"eval_set_id": "s", "eval_cases": [
        {"eval_id": "a", "conversation": [{"user_content": {}}], "x": NaN},
        {"eval_id": "b", "conversation": [{"user_content": {}}]}]}"#;
    std::fs::write(&path, text).expect("written");
    let read = case_by_case(&path).expect("cases");
    let faults: Vec<String> = read.faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        faults,
        [
            "line 2, column 71, case \"a\": NaN is not valid JSON, though ADK reads it; write a number or null"
        ]
    );
    assert_eq!(read.unread, [0]);
}
