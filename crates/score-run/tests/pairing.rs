//! Cases of both sides are paired by their ids, whatever their order, files and formats, and come
//! out in the order of the expected side, whatever the number of threads.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::slice::from_ref;

use expect_test::{Expect, expect};
use json_text::JsonText;
use score_report::ScoredCase;
use score_run::{CaseFilter, Pairing, RunError, RunSummary, ScoreRun, read_set_header, run};
use scoring::config::Config;
use scoring::trajectory::NoSchemas;
use tempfile::TempDir;

fn case(eval_id: &str, tool: &str) -> String {
    format!(
        r#"{{"eval_id": "{eval_id}", "conversation": [{{"user_content": {{"parts": [{{"text": "é"}}]}},
        "intermediate_data": {{"tool_uses": [{{"name": "{tool}", "args": {{}}}}]}}}}]}}"#
    )
}

fn set(eval_set_id: &str, cases: &[String]) -> String {
    format!(r#"{{"eval_set_id": "{eval_set_id}", "eval_cases": [{}]}}"#, cases.join(",\n"))
}

fn cases(pairs: &[(&str, &str)]) -> Vec<String> {
    pairs.iter().map(|(eval_id, tool)| case(eval_id, tool)).collect()
}

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(&path, text).expect("written");
        path
    }
}

fn config() -> Config {
    let text = JsonText::parse(r#"{"criteria": {"tool_trajectory_avg_score": 1.0}}"#);
    Config::read(&text.expect("JSON"), &NoSchemas).sound().expect("a config")
}

fn lines(
    expected: &[PathBuf],
    actual: &[PathBuf],
    filter: &CaseFilter<'_>,
    jobs: usize,
) -> Result<Vec<String>, RunError> {
    paired(expected, actual, filter, Pairing::Id, jobs).map(|(lines, _)| lines)
}

fn paired(
    expected: &[PathBuf],
    actual: &[PathBuf],
    filter: &CaseFilter<'_>,
    pairing: Pairing,
    jobs: usize,
) -> Result<(Vec<String>, RunSummary), RunError> {
    let config = config();
    let jobs = NonZeroUsize::new(jobs).expect("a number");
    let order = ScoreRun { expected, actual, config: &config, filter, pairing, format: None, jobs };
    let mut lines = Vec::new();
    let line = |case: ScoredCase| {
        let verdict = case.result.verdict().word();
        let reported =
            case.result.error.or(case.whys.first().cloned().flatten()).unwrap_or_default();
        format!("{} {verdict} {reported}", case.result.eval_id)
    };
    let take = |line| {
        lines.push(line);
        Ok(())
    };
    let ran = run(&order, line, take, &mut |_| {}, |_| {})?;
    assert_eq!(ran.cases, lines.len() as u64);
    Ok((lines, ran))
}

/// The lines of one thread, which those of several must be.
fn check(files: &Files, expected: &[PathBuf], actual: &[PathBuf], reported: &Expect) {
    let one = lines(expected, actual, &CaseFilter::default(), 1).expect("scored");
    for jobs in [2, 5] {
        assert_eq!(lines(expected, actual, &CaseFilter::default(), jobs).expect("scored"), one);
    }
    let folder = files.0.path().display().to_string();
    reported.assert_eq(&one.join("\n").replace(&folder, "FOLDER"));
}

#[test]
fn files_in_the_same_order() {
    let files = Files::new();
    let expected = files.put("e.json", &set("s", &cases(&[("a", "f"), ("b", "f"), ("c", "f")])));
    let actual = files.put("a.json", &set("t", &cases(&[("a", "f"), ("b", "g"), ("c", "f")])));
    check(
        &files,
        &[expected],
        &[actual],
        &expect![[r#"
        a passed 
        b failed f was not called. g was called but not expected
        c passed "#]],
    );
}

/// A case in which the user says `words`, one turn each.
fn case_with_messages(eval_id: &str, words: &[&str], tool: &str) -> String {
    let turns: Vec<String> = words
        .iter()
        .map(|text| {
            format!(
                r#"{{"user_content": {{"parts": [{{"text": "{text}"}}]}}, "intermediate_data": {{"tool_uses": [{{"name": "{tool}", "args": {{}}}}]}}}}"#
            )
        })
        .collect();
    format!(r#"{{"eval_id": "{eval_id}", "conversation": [{}]}}"#, turns.join(","))
}

fn check_paired(
    pairing: Pairing,
    expected: &[PathBuf],
    actual: &[PathBuf],
    alone: (u64, u64),
    reported: &Expect,
) {
    let filter = CaseFilter::default();
    let (one, ran) = paired(expected, actual, &filter, pairing, 1).expect("scored");
    assert_eq!((ran.expected_alone, ran.actual_alone), alone);
    for jobs in [2, 5] {
        let (several, ran) = paired(expected, actual, &filter, pairing, jobs).expect("scored");
        assert_eq!((several, (ran.expected_alone, ran.actual_alone)), (one.clone(), alone));
    }
    reported.assert_eq(&one.join("\n"));
}

#[test]
fn pairs_cases_with_other_ids_by_order() {
    let files = Files::new();
    let expected = files.put("e.json", &set("s", &cases(&[("a", "f"), ("b", "g"), ("c", "h")])));
    let actual = files.put("a.json", &set("t", &cases(&[("x1", "f"), ("x2", "f")])));
    let (expected, actual) = ([expected], [actual]);
    let alone = expect![[r#"
        a error the actual side has no case with this id
        b error the actual side has no case with this id
        c error the actual side has no case with this id
        x1 unscored the expected side has no case with this id
        x2 unscored the expected side has no case with this id"#]];
    check_paired(Pairing::Id, &expected, &actual, (3, 2), &alone);
    check_paired(
        Pairing::Order,
        &expected,
        &actual,
        (1, 0),
        &expect![[r#"
            a passed 
            b failed g was not called. f was called but not expected
            c error the actual side has no case at this place"#]],
    );
    check_paired(
        Pairing::Order,
        &actual,
        &expected,
        (0, 1),
        &expect![[r#"
            x1 passed 
            x2 failed f was not called. g was called but not expected
            c unscored the expected side has no case at this place"#]],
    );
}

#[test]
fn run_that_ended_within_a_case_is_an_error_of_it() {
    let files = Files::new();
    let (one, two) = (["hi"].as_slice(), ["hi", "bye"].as_slice());
    let expected = [
        case_with_messages("a", two, "f"),
        case_with_messages("b", one, "f"),
        case_with_messages("c", two, "f"),
    ];
    let none = r#"{"eval_id": "c", "conversation": []}"#.to_owned();
    let actual = [case_with_messages("a", one, "f"), case_with_messages("b", two, "f"), none];
    let expected = files.put("e.json", &set("s", &expected));
    let actual = files.put("a.json", &set("s", &actual));
    check(
        &files,
        &[expected],
        &[actual],
        &expect![[r#"
        a error 1 of 2 expected invocations is recorded: the run ended early
        b unscored 1 turn is expected and 2 are recorded, so they cannot be paired
        c error 0 of 2 expected invocations are recorded: the run ended early"#]],
    );
}

#[test]
fn order_counts_over_all_files_of_a_side() {
    let files = Files::new();
    let first = files.put("e1.json", &set("s", &cases(&[("a", "f"), ("b", "g")])));
    let second = files.put("e2.json", &set("s", &cases(&[("a", "h")])));
    let older = files.put("old.test.json", r#"[{"name": "o", "data": [{"query": "é", "expected_tool_use": [{"tool_name": "f", "tool_input": {}}]}]}]"#);
    let rest = files.put("a.json", &set("t", &cases(&[("x1", "g"), ("x2", "h")])));
    check_paired(
        Pairing::Order,
        &[first, second],
        &[older, rest],
        (0, 0),
        &expect![[r#"
            a passed 
            b passed 
            a passed "#]],
    );
}

#[test]
fn pairs_cases_with_other_ids_by_user_messages() {
    let files = Files::new();
    let expected = [
        case_with_messages("a", &["hi", "é"], "f"),
        case_with_messages("b", &["hi"], "g"),
        case_with_messages("b2", &["hi"], "h"),
        case_with_messages("c", &["hié"], "f"),
        case_with_messages("d", &["nobody wrote this"], "f"),
        r#"{"eval_id": "e", "conversation_scenario": {"starting_prompt": "p", "conversation_plan": "q"}}"#.to_owned(),
    ];
    let actual = [
        case_with_messages("x1", &["hi"], "g"),
        case_with_messages("x2", &["hi\\u00e9"], "f"),
        case_with_messages("x3", &["h\\u0069", "é"], "f"),
        case_with_messages("x4", &["new"], "f"),
        case_with_messages("x5", &["hi"], "h"),
    ];
    let expected = files.put("e.json", &set("s", &expected));
    let actual = files.put("a.json", &set("t", &actual));
    check_paired(
        Pairing::Query,
        &[expected],
        &[actual],
        (2, 1),
        &expect![[r#"
            a passed 
            b passed 
            b2 passed 
            c passed 
            d error the actual side has no case with the same user messages
            e error the actual side has no case with the same user messages
            x4 unscored the expected side has no case with the same user messages"#]],
    );
}

#[test]
fn pairs_with_another_order_gaps_and_repeated_ids() {
    let files = Files::new();
    let expected =
        cases(&[("a", "f"), ("gone", "f"), ("b", "f"), ("c", "f"), ("b", "f"), ("d", "f")]);
    let actual = cases(&[
        ("a", "f"),
        ("new", "f"),
        ("d", "f"),
        ("c", "f"),
        ("b", "f"),
        ("c", "g"),
        ("a", "g"),
        ("b", "g"),
    ]);
    let expected = files.put("e.json", &set("s", &expected));
    let actual = files.put("a.json", &set("s", &actual));
    let reported = expect![[r#"
        a passed 
        gone error the actual side has no case with this id
        b passed 
        c passed 
        b error FOLDER/e.json has several cases with this id; give each its own
        d passed 
        new unscored the expected side has no case with this id
        c error FOLDER/a.json has several cases with this id; the first was scored
        a error FOLDER/a.json has several cases with this id; the first was scored
        b error FOLDER/a.json has several cases with this id; the first was scored"#]];
    check(&files, from_ref(&expected), from_ref(&actual), &reported);
    // Beside a second file the first is looked up and not run along.
    let other = files.put("other.json", &set("o", &[]));
    check(&files, &[expected], &[actual, other], &reported);
}

#[test]
fn reports_ids_in_several_files() {
    let files = Files::new();
    let one = cases(&[("a", "f"), ("x", "f")]);
    let expected = [
        files.put("home.evalset.json", &set("home", &one)),
        files.put("office.evalset.json", &set("office", &one)),
        files.put("yard.evalset.json", &set("yard", &one)),
    ];
    let actual = [
        files.put("run/1.json", &set("office", &cases(&[("a", "g")]))),
        files.put("run/2.json", &set("home", &cases(&[("a", "f"), ("x", "f")]))),
        files.put("run/yard.evalset.json", &set("of_today", &cases(&[("a", "f")]))),
    ];
    check(
        &files,
        &expected,
        &actual,
        &expect![[r#"
        a passed 
        x passed 
        a failed f was not called. g was called but not expected
        x error the actual side has no case with this id
        a passed 
        x error the actual side has no case with this id"#]],
    );
    check(
        &files,
        &expected[..1],
        &actual[..1],
        &expect![[r#"
        a failed f was not called. g was called but not expected
        x error the actual side has no case with this id"#]],
    );
    let unknown = files.put("unknown.json", &set("unknown", &cases(&[("a", "f")])));
    check(
        &files,
        &[unknown],
        &actual,
        &expect![[r#"
        a error this id is in FOLDER/run/1.json and in FOLDER/run/2.json and in FOLDER/run/yard.evalset.json; select one of them, or give the sets the eval_set_id of the expected one
        x unscored the expected side has no case with this id"#]],
    );
}

#[test]
fn repeated_runs_of_a_set_are_scored_one_by_one() {
    let files = Files::new();
    let expected =
        [files.put("home.evalset.json", &set("home", &cases(&[("a", "f"), ("b", "f")])))];
    let run = |name: &str, a: &str| files.put(name, &set("home", &cases(&[("a", a), ("b", "f")])));
    // A file that is called like the set is a run as well.
    let runs = [run("run/1.json", "f"), run("run/2.json", "g"), run("home.evalset.json.bak", "f")];
    check(
        &files,
        &expected,
        &runs,
        &expect![[r#"
            a passed 
            a failed f was not called. g was called but not expected
            a passed 
            b passed 
            b passed 
            b passed "#]],
    );
}

#[test]
fn reports_a_fault_of_a_file_on_both_sides_once() {
    let files = Files::new();
    let broken = files.put(
        "home.evalset.json",
        r#"{"eval_set_id": "home", "eval_cases": [{"eval_id": "a", "conversation": [{}]}]}"#,
    );
    let reported = expect![[
        r#"a error FOLDER/home.evalset.json: line 1, column 74, case "a" at conversation[0]: an invocation needs "user_content"; add it"#
    ]];
    check(&files, std::slice::from_ref(&broken), std::slice::from_ref(&broken), &reported);
}

#[test]
fn formats_meet() {
    let files = Files::new();
    let expected = files.put(
        "old.test.json",
        r#"[{"query": "é", "expected_tool_use":
        [{"tool_name": "f", "tool_input": {}}], "reference": ""}]"#,
    );
    let history = files.put(
        "h.evalset_result.json",
        r#"{"eval_set_result_id": "r", "eval_set_id": "s", "eval_case_results": [
        {"eval_id": "old", "eval_metric_result_per_invocation": [{"actual_invocation":
            {"user_content": {}, "intermediate_data": {"tool_uses": [{"name": "f", "args": {}}]}}}]},
        {"eval_id": "broken", "eval_metric_result_per_invocation": [{"actual_invocation": {}}]}]}"#,
    );
    check(
        &files,
        from_ref(&expected),
        from_ref(&history),
        &expect![[r#"
        old passed 
        broken error FOLDER/h.evalset_result.json: line 4, column 91, case "broken" at eval_metric_result_per_invocation[0].actual_invocation: an invocation needs "user_content"; add it"#]],
    );
    let flow = files.put(
        "flow.json",
        r#"{"eval_set_id": "f", "eval_cases": [{"eval_id": "old", "conversation": [{"invocation_id": "i",
        "user_content": {"role": "user", "content": "é"},
        "expected_tool_trajectory": [{"name": "f"}]}]}]}"#,
    );
    check(&files, from_ref(&expected), from_ref(&flow), &expect!["old passed "]);
    check(&files, &[flow], from_ref(&expected), &expect!["old passed "]);
    let refused = lines(&[history], &[expected], &CaseFilter::default(), 2);
    assert!(matches!(refused, Err(RunError::History { .. })), "{refused:?}");
}

#[test]
fn list_of_turns_has_its_files_name_as_id() {
    let files = Files::new();
    let expected = files.put("home.evalset.json", &set("home", &cases(&[("a", "f")])));
    let faulty = files.put("old.test.json", r#"[{"query": "é"}, {"query": 1}]"#);
    let older = files.put("older.test.json", r#"[{"name": "o", "data": [{"query": "é"}, {}]}]"#);
    let reported = expect![[r#"
        old error FOLDER/old.test.json: line 1, column 28, case "old" at [1].query: expected a string, found a number; correct the value
        a error the actual side has no case with this id"#]];
    check(&files, &[faulty.clone(), expected.clone()], &[], &reported);
    let only = |eval_id: &str| eval_id.starts_with("ol") || eval_id == "o";
    let filter = CaseFilter::new(Some(&only), &[]);
    let reported = lines(&[expected], &[faulty, older], &filter, 2).expect("read");
    let ids: Vec<_> = reported.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(ids, ["old", "o"]);
}

#[test]
fn broken_case_is_an_error_and_broken_file_ends_the_run() {
    let files = Files::new();
    let mut some = cases(&[("a", "f"), ("b", "f"), ("c", "f")]);
    let actual = files.put("a.json", &set("s", &some));
    some[1] = r#"{"eval_id": "b", "conversation": [{"invocationID": "", "user_content": {}}]}"#
        .to_owned();
    let text = set("s", &some);
    let expected = files.put("e.json", &text);
    check(
        &files,
        &[expected],
        from_ref(&actual),
        &expect![[r#"
        a passed 
        b error FOLDER/e.json: line 3, column 36, case "b" at conversation[0]: ADK rejects the unknown field "invocationID" in an invocation (did you mean "invocation_id"?); correct its name, or move it to the case
        c passed "#]],
    );
    let cut = files.put("cut.json", &text[..text.len() - 30]);
    for jobs in [1, 3] {
        let ended = lines(from_ref(&cut), from_ref(&actual), &CaseFilter::default(), jobs);
        assert!(ended.expect_err("broken").to_string().contains("cut.json"));
    }
    let none = lines(&[files.0.path().join("none.json")], &[actual], &CaseFilter::default(), 2);
    assert!(none.expect_err("none").to_string().contains("none.json"));
}

#[test]
fn filters_cases_by_id_and_tag() {
    let files = Files::new();
    let tagged = |eval_id: &str, tag: &str| {
        format!(
            r#"{{"eval_id": "{eval_id}", "tags": ["{tag}"], "conversation": [{{"invocation_id": "i",
            "user_content": {{"role": "user", "content": "é"}}}}]}}"#
        )
    };
    let some = [tagged("a1", "x"), tagged("a2", "y"), tagged("b1", "x")];
    let expected = [files.put("e.json", &set("s", &some))];
    let actual =
        [files.put("a.json", &set("s", &[tagged("b1", "x"), tagged("a1", ""), tagged("a9", "")]))];
    let is_a = |eval_id: &str| eval_id.starts_with('a');
    let ids = |filter: &CaseFilter<'_>| {
        let lines = lines(&expected, &actual, filter, 2).expect("scored");
        let ids = lines.iter().filter_map(|line| line.split(' ').next().map(str::to_owned));
        ids.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(ids(&CaseFilter::default()), "a1 a2 b1 a9");
    assert_eq!(ids(&CaseFilter::new(Some(&is_a), &[])), "a1 a2 a9");
    let tags = ["x".to_owned()];
    assert_eq!(ids(&CaseFilter::new(None, &tags)), "a1 b1");
    let both = CaseFilter::new(Some(&is_a), &tags);
    assert_eq!((ids(&both), both.other_tags()), ("a1".to_owned(), vec!["y".to_owned()]));
}

#[test]
fn many_cases_keep_their_order() {
    let files = Files::new();
    let ids: Vec<String> = (0..3000).map(|number| format!("case_{number}")).collect();
    let all: Vec<String> = ids.iter().map(|eval_id| case(eval_id, "f")).collect();
    let expected = [files.put("e.json", &set("s", &all))];
    let mut moved = all.clone();
    moved.rotate_left(1234);
    for (name, cases) in [("same.json", &all), ("moved.json", &moved)] {
        let actual = [files.put(name, &set("s", cases))];
        for jobs in [1, 4] {
            let lines = lines(&expected, &actual, &CaseFilter::default(), jobs).expect("scored");
            let wanted: Vec<String> = ids.iter().map(|id| format!("{id} passed ")).collect();
            assert_eq!(lines, wanted);
        }
    }
}

/// The text of a case that lies across two chunks is read again from the file: what becomes of a case
/// does not depend on where it lies.
#[test]
fn result_of_a_case_does_not_depend_on_its_file() {
    let files = Files::new();
    let long = |number: usize| if number == 700 { 600_000 } else { number * 37 % 1500 };
    let one = |number: usize, tool: &str| {
        let text = case(&format!("c{number}"), tool);
        let text = text.replace('é', &format!("é\\n{}", "x".repeat(long(number))));
        // ADK reads this name too.
        if number.is_multiple_of(7) { text.replace("eval_id", "evalId") } else { text }
    };
    let tool = |number: usize| if number.is_multiple_of(5) { "g" } else { "f" };
    let all: Vec<String> = (0..1500).map(|number| one(number, "f")).collect();
    let done: Vec<String> = (0..1500).map(|number| one(number, tool(number))).collect();
    let expected = [files.put("e.json", &set("s", &all))];
    let reported = |number: usize| match tool(number) {
        "f" => format!("c{number} passed "),
        _ => format!("c{number} failed f was not called. g was called but not expected"),
    };
    let reported: Vec<String> = (0..1500).map(reported).collect();
    let whole = set("s", &done);
    let broken = format!("{}]", &whole[..whole.len() - 1]);
    for jobs in [1, 2, 5] {
        let actual = [files.put("a.json", &whole)];
        let filter = CaseFilter::default();
        assert_eq!(lines(&expected, &actual, &filter, jobs).expect("scored"), reported);
        let actual = [files.put("a.json", &broken)];
        let ended = lines(&expected, &actual, &filter, jobs);
        assert!(matches!(ended, Err(RunError::File(_))), "{ended:?}");
    }
}

#[test]
fn error_of_take_ends_the_run() {
    let files = Files::new();
    let all: Vec<String> = (0..3000).map(|number| case(&format!("c{number}"), "f")).collect();
    let path = [files.put("e.json", &set("s", &all))];
    let config = config();
    for jobs in [1, 4] {
        let jobs = NonZeroUsize::new(jobs).expect("a number");
        let filter = CaseFilter::default();
        let order = ScoreRun {
            expected: &path,
            actual: &path,
            config: &config,
            filter: &filter,
            pairing: Pairing::Id,
            format: None,
            jobs,
        };
        let full = |_| Err(std::io::Error::from(std::io::ErrorKind::StorageFull));
        let ended = run(&order, |case| case, full, &mut |_| {}, |_| {});
        assert!(matches!(ended, Err(RunError::Output(_))), "{ended:?}");
    }
}

#[test]
fn finds_a_header_anywhere_in_the_file() {
    let files = Files::new();
    let id = |text: &str| {
        let found = read_set_header(&files.put("h.json", text)).expect("read");
        (found.eval_set_id, found.name)
    };
    let named = |id: &str, name: &str| (id.to_owned(), Some(name.to_owned()));
    assert_eq!(id(r#"{"eval_set_id": "s", "name": "n", "eval_cases": []}"#), named("s", "n"));
    assert_eq!(id(r#"{"eval_cases": [], "name": "n", "eval_set_id": "s"}"#), named("s", "n"));
    let case_with_messages = r#"{"eval_set_id": "s", "description": "of \"eval_cases\": [", "name": "n", "eval_cases": []}"#;
    assert_eq!(id(case_with_messages), named("s", "n"));
    assert_eq!(id("[]"), ("h".to_owned(), None));
    assert!(read_set_header(Path::new("/")).is_err());
}
