//! Each form of a report of one small run: what a person or a program would find in it.

use std::path::Path;

use case_trace::CaseTrace;
use expect_test::expect;
use json_text::JsonText;
use schema_check::Check;
use score_report::{Baseline, Ending, Form, Heading, Report, ReportPart, ScoredCase};
use scoring::config::{Config, Tools};
use scoring::judge::ScriptedJudge;
use scoring::report::{EvalCaseResult, EvalReport, Sources};
use scoring::trajectory::NoSchemas;
use scoring::{Invocation, ModelCall, Timing, ToolCall, Trace};

fn json(text: &str) -> JsonText {
    JsonText::parse(text).expect("JSON")
}

/// A text that tries to break out of a report.
const HOSTILE: &str = "</script><!--<script>alert(1)</script>]]>&\"'|\u{1b}[2J\u{7}`@all`";

fn config() -> Config {
    let text = json(
        r#"{"criteria": {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "IN_ORDER"},
        "words": {"metric": "response", "threshold": 0.8}, "llm_judge": 0.5}}"#,
    );
    Config::read(&text, &NoSchemas).sound().expect("a config")
}

fn case(eval_id: &str, calls: &[(&str, &str)], response: &str) -> CaseTrace {
    let calls = calls.iter().map(|(name, args)| ToolCall::new(name, json(args)));
    let turn = Invocation {
        user_text: "Close up for the night".to_owned(),
        tool_calls: calls.collect(),
        final_response: Some(response.to_owned()),
        timing: Timing { total: Some(4.1), ..Timing::default() },
        model_calls: Some(vec![ModelCall {
            input: Some(1200),
            output: Some(84),
            ..ModelCall::default()
        }]),
        ..Invocation::default()
    };
    let trace = Trace { invocations: vec![turn], final_state: None };
    CaseTrace {
        eval_id: eval_id.to_owned(),
        tags: vec!["home".to_owned()],
        trace,
        ..CaseTrace::default()
    }
}

#[test]
fn a_page_shows_every_part_of_the_users_message() {
    let config = config();
    let mut shown = case("parts", &[], "A lamp.");
    shown.trace.invocations[0].user_parts = Some(vec![
        json(r#"{"inline_data": {"mime_type": "image/png", "data": "iVBORw0KGgo="}}"#),
        json(r#"{"text": "What is this?"}"#),
    ]);
    let scored = ScoredCase::of(&config, shown.clone(), shown, &mut Tools::default(), || 0.0);
    let page = written(Form::Html, vec![scored]);
    assert!(page.contains(r"[image/png, 8 bytes]\nWhat is this?"), "{page}");
}

#[test]
fn a_case_is_known_by_its_name_else_by_the_users_message() {
    let long = CaseTrace { name: Some("Closing".to_owned()), ..case("2026-11-29T08:00", &[], "") };
    let config = config();
    let mut scored = |it: &CaseTrace| {
        ScoredCase::of(&config, it.clone(), it.clone(), &mut Tools::default(), || 0.0)
    };
    let mut plain = case("2026-11-29T09:00", &[], "");
    plain.trace.invocations[0].user_text = format!(" Close up\n{}", "x".repeat(200));
    let silent = CaseTrace { trace: Trace::default(), ..case("silent", &[], "") };
    let cases = [&long, &plain, &silent].map(&mut scored);
    let report: EvalReport =
        serde_json::from_str(&written(Form::Json, cases.into())).expect("reads back");
    let titles = report.results.iter().map(|it| it.title().to_owned()).collect::<Vec<_>>();
    let message = format!("Close up {}…", "x".repeat(151));
    assert_eq!(titles, ["Closing", &message, "silent"]);
    assert_eq!(report.results[0].query.as_deref(), Some("Close up for the night"));
}

/// A case that fails, one that lacks its actual side, one that lacks its expected side, a hostile
/// one.
fn cases(config: &Config) -> Vec<ScoredCase> {
    let mut tools = Tools::default();
    let degrees =
        |degrees| format!(r#"{{"room": "office", "degrees": {degrees}, "id": 9007199254740993}}"#);
    let mut scored = |one, other| ScoredCase::of(config, one, other, &mut tools, || 0.0);
    let expected = case(
        "office",
        &[("list_rooms", "{}"), ("set_temperature", &degrees("21")), ("close_garage", "{}")],
        "The office is set to 21 degrees.",
    );
    let actual = case(
        "office",
        &[("list_rooms", "{}"), ("list_rooms", "{}"), ("set_temperature", &degrees("23"))],
        "The office is set to 23 degrees.",
    );
    let hostile = case(HOSTILE, &[(HOSTILE, "{\"a\": \"</script>\"}")], HOSTILE);
    vec![
        scored(expected, actual),
        ScoredCase::expected_only(
            CaseTrace { name: Some("Gone".to_owned()), ..case("gone", &[], "") },
            "with this id",
        ),
        ScoredCase::actual_only(config, case("new", &[("list_rooms", "{}")], ""), "with this id"),
        scored(hostile, case(HOSTILE, &[(HOSTILE, "{\"a\": \"<!--\"}")], "")),
    ]
}

fn heading(config: &Config) -> Heading {
    Heading {
        command: "rehearsal score",
        report_id: "r1".to_owned(),
        eval_set_id: "home_evals".to_owned(),
        eval_set_name: None,
        expected: "home.evalset.json".to_owned(),
        actual: HOSTILE.to_owned(),
        config_used: config.source.clone(),
        sources: Sources {
            expected: vec!["home.evalset.json".to_owned()],
            actual: vec![HOSTILE.to_owned()],
            config: None,
            commit: Some("4f2c".to_owned()),
        },
        criteria: config.criteria.iter().map(|it| (it.name.clone(), it.threshold)).collect(),
        created_at: "2026-11-21T08:00:00Z".to_owned(),
    }
}

fn written(form: Form, cases: Vec<ScoredCase>) -> String {
    let config = config();
    let mut report = Report::begin(form, heading(&config), Vec::new()).expect("begun");
    for case in cases {
        report.take(ReportPart::of(case, form, &config)).expect("taken");
    }
    let (bytes, _) = report.finish(Ending { duration_seconds: 0.5 }).expect("finished");
    String::from_utf8(bytes).expect("text")
}

/// A report with a baseline in which `office` passed and `old` was.
fn since_a_baseline(form: Form) -> String {
    let config = config();
    let before: EvalReport =
        serde_json::from_str(&written(Form::Json, cases(&config))).expect("reads back");
    let mut results = before.results;
    results[0].passed = Some(true);
    for result in &mut results[0].criterion_results {
        (result.score, result.passed) = (Some(1.0), Some(true));
    }
    results[1].eval_id = "old".to_owned();
    let report = Report::begin(form, heading(&config), Vec::new()).expect("begun");
    let mut report = report.since(Baseline::new("base.json", results));
    for case in cases(&config) {
        report.take(ReportPart::of(case, form, &config)).expect("taken");
    }
    let (bytes, _) = report.finish(Ending { duration_seconds: 0.5 }).expect("finished");
    String::from_utf8(bytes).expect("text")
}

/// Checks that a JSON report is as the published schema says.
fn check_schema(json: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/eval-report.schema.json");
    let schema = std::fs::read_to_string(path).expect("the schema is published");
    let check = Check::of(&JsonText::parse(&schema).expect("JSON")).expect("a schema");
    assert_eq!(check.violations(&JsonText::parse(json.trim()).expect("JSON")), []);
}

#[test]
fn changes_since_a_baseline_are_in_every_form() {
    let counts = "Since base.json: 1 regressed, 0 unscored in one report, 0 improved, 1 new, \
                  1 removed, 2 unchanged";
    for form in [Form::Text, Form::Junit, Form::Html] {
        let report = since_a_baseline(form);
        assert!(report.contains(counts), "{report}");
        assert!(report.contains("regressed office: passed"), "{report}");
    }
    let markdown = since_a_baseline(Form::Markdown);
    assert!(markdown.contains(counts) && markdown.contains("| regressed | office |"), "{markdown}");
    assert!(markdown.contains("\n| new | gone |  |\n| removed | old |  |\n"), "{markdown}");
    let json = since_a_baseline(Form::Json);
    check_schema(&json);
    let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(report["baseline"]["changes"][0]["eval_id"], "office");
    assert_eq!(report["baseline"]["new"][0], "gone");
    assert_eq!(report["baseline"]["gone"][0], "old");
}

#[test]
fn a_case_that_was_not_run_says_so_in_every_form() {
    let config = config();
    let reason = "skipped: the case was not run";
    let skipped = || {
        let mut case = cases(&config).swap_remove(0);
        (case.expected, case.actual) = (None, None);
        (case.whys, case.measurements) = (Vec::new(), Vec::new());
        case.result = EvalCaseResult {
            skipped: Some(reason.to_owned()),
            ..EvalCaseResult::scored("later", None, Vec::new(), 0.0)
        };
        vec![case]
    };
    for form in [Form::Text, Form::Junit, Form::Markdown, Form::Html, Form::Json] {
        let report = written(form, skipped());
        assert_eq!(report.matches(reason).count(), 1, "{form:?}: {report}");
    }
    let junit = written(Form::Junit, skipped());
    assert!(junit.contains(&format!("<skipped message=\"{reason}\"/>")), "{junit}");
    check_schema(&written(Form::Json, skipped()));
}

#[test]
fn verdicts_that_changed_come_before_scores_and_the_largest_losses_first() {
    let config = config();
    let before: EvalReport =
        serde_json::from_str(&written(Form::Json, cases(&config))).expect("reads back");
    let mut results = before.results;
    // Both failed cases had better scores, `office` by less. The error and the unscored one passed.
    for (place, score) in [(0, 0.1), (3, 0.5)] {
        results[place].criterion_results[0].score = Some(score);
    }
    for place in [1, 2] {
        results[place] = EvalCaseResult {
            eval_id: results[place].eval_id.clone(),
            passed: Some(true),
            ..results[0].clone()
        };
        for result in &mut results[place].criterion_results {
            (result.score, result.passed) = (Some(1.0), Some(true));
        }
    }
    let report = Report::begin(Form::Text, heading(&config), Vec::new()).expect("begun");
    let mut report = report.since(Baseline::new("base.json", results));
    for case in cases(&config) {
        report.take(ReportPart::of(case, Form::Text, &config)).expect("taken");
    }
    let (bytes, _) = report.finish(Ending { duration_seconds: 0.5 }).expect("finished");
    let text = String::from_utf8(bytes).expect("text");
    let listed: Vec<&str> = text
        .lines()
        .take_while(|line| !line.is_empty())
        .map(|line| line.split(':').next().unwrap_or_default().trim())
        .collect();
    assert_eq!(listed.len(), 6, "{text}");
    assert!(listed[1].starts_with("Pass rate 0.333 → 0.000 over 3 cases in both"), "{text}");
    assert!(listed[2].starts_with("regressed gone"), "{text}");
    assert!(listed[3].starts_with("regressed") && listed[3].contains("script"), "{text}");
    assert!(listed[4].starts_with("regressed") && listed[4].ends_with("office"), "{text}");
    assert!(listed[5].starts_with("unscored  new"), "{text}");
    assert!(text.contains("3 regressed, 1 unscored in one report, 0 improved"), "{text}");
}

#[test]
fn text() {
    expect![[r#"
        failed    office
                  tool_trajectory_avg_score 0, needs 1: set_temperature was called with degrees 23, not 21. close_garage was not called
                  llm_judge is unscored: this criterion requires a judge. Use `rehearsal score --judge`
        error     gone
                  the actual side has no case with this id
        unscored  new
                  tool_trajectory_avg_score is unscored: the expected side has no case with this id
                  words is unscored: the expected side has no case with this id
                  llm_judge is unscored: the expected side has no case with this id
        failed    </script><!--<script>alert(1)</script>]]>&"'|\u001b[2J\u0007`@all`
                  tool_trajectory_avg_score 0, needs 1: </script><!--<script>alert(1)</script>]]>&"'|\u001b[2J\u0007`@all` was called with a "<!--", not "</script>"
                  words 0, needs 0.8: the response scores 0.000: it lacks script, script, alert, 1, script, 2J and 1 more
                  llm_judge is unscored: this criterion requires a judge. Use `rehearsal score --judge`

        criterion                  passed  failed  unscored    mean  of cases     min     max
        tool_trajectory_avg_score       0       2         1   0.000         2   0.000   0.000
        words                           1       1         1   0.429         2   0.000   0.857
        llm_judge                       0       0         3       –         0       –       –

        tag   passed  failed  unscored  pass rate
        home       0       3         1      0.000

        Cost of the actual runs: 12.3 s, 3852 tokens (3 cases)
        Commit: 4f2c

        4 cases: 0 passed, 2 failed, 1 error, 1 unscored. Pass rate 0.000 (0 of 3 cases), 95 % interval 0.000 to 0.536.
    "#]].assert_eq(&written(Form::Text, cases(&config())));
}

#[test]
fn markdown() {
    let text = written(Form::Markdown, cases(&config()));
    assert!(text.contains("@\u{2060}all"), "no user is notified");
    expect![[r####"
        ### home\_evals

        4 cases: 0 passed, 2 failed, 1 error, 1 unscored. Pass rate 0.000 (0 of 3 cases), 95 % interval 0.000 to 0.536.

        | tag | passed | failed | unscored | pass rate |
        |---|---:|---:|---:|---:|
        | home | 0 | 3 | 1 | 0.000 |

        - Cost of the actual runs: 12.3 s, 3852 tokens (3 cases)
        - Commit: 4f2c

        | criterion | needs | passed | failed | unscored | mean | of cases |
        |---|---:|---:|---:|---:|---:|---:|
        | tool\_trajectory\_avg\_score | 1 | 0 | 2 | 1 | 0.000 | 2 |
        | words | 0.8 | 1 | 1 | 1 | 0.429 | 2 |
        | llm\_judge | 0.5 | 0 | 0 | 3 | – | 0 |

        **1 error**

        | case | why |
        |---|---|
        | gone | the actual side has no case with this id |

        **2 failed**

        | case | why |
        |---|---|
        | office | tool\_trajectory\_avg\_score 0, needs 1: set\_temperature was called with degrees 23, not 21. close\_garage was not called |
        | &lt;/script&gt;&lt;\!--&lt;script&gt;alert(1)&lt;/script&gt;\]\]&gt;&amp;"'\|\\u001b\[2J\\u0007\`@all\` | tool\_trajectory\_avg\_score 0, needs 1: &lt;/script&gt;&lt;\!--&lt;script&gt;alert(1)&lt;/script&gt;\]\]&gt;&amp;"'\|\\u001b\[2J\\u0007\`@all\` was called with a "&lt;\!--", not "&lt;/script&gt;". words 0, needs 0.8: the response scores 0.000: it lacks script, script, alert, 1, script, 2J and 1 more |

        **1 unscored**

        | case | why |
        |---|---|
        | new | tool\_trajectory\_avg\_score is unscored: the expected side has no case with this id. words is unscored: the expected side has no case with this id. llm\_judge is unscored: the expected side has no case with this id |
    "####]].assert_eq(&text.replace('\u{2060}', ""));
}

/// Why each criterion is not met by `actual` where `expected` is.
fn whys(criteria: &str, expected: CaseTrace, actual: CaseTrace) -> String {
    let text = json(&format!(r#"{{"criteria": {criteria}}}"#));
    let config = Config::read(&text, &NoSchemas).sound().expect("a config");
    let case = ScoredCase::of(&config, expected, actual, &mut Tools::default(), || 0.0);
    let failed = case.failed_criteria().into_iter();
    let failed = failed.map(|it| format!("{}: {}", it.result.criterion, it.why));
    failed.collect::<Vec<_>>().join("\n")
}

#[test]
fn low_scoring_response_reason_names_the_metric() {
    let response = |text: &str| case("c", &[], text);
    expect![[r#"
        regex: \d+ kelvin is not found in the response
        contains: "kelvin" is not in the response
        exact: the response differs
        numbers: no number in the response is close to 23
        words: the response scores 0.500: it lacks 23, now, and adds 21, outside"#]]
    .assert_eq(&whys(
        r#"{"regex": {"metric": "response", "match": "regex", "pattern": "\\d+ kelvin"},
        "contains": {"metric": "response", "match": "contains", "texts": "kelvin"},
        "exact": {"metric": "response", "match": "exact"},
        "numbers": {"metric": "response", "match": "numbers"},
        "words": {"metric": "response", "threshold": 0.9}}"#,
        response("It is 23 now"),
        response("It is 21 outside"),
    ));
    expect![[r#"
        json: in the response: degrees 23, not 21
        subset: in the response: degrees 23, not 21"#]]
    .assert_eq(&whys(
        r#"{"json": {"metric": "response", "match": "json"},
        "subset": {"metric": "response", "match": "json_subset"}}"#,
        response(r#"{"degrees": 21}"#),
        response(r#"{"a": 1, "degrees": 23}"#),
    ));
}

#[test]
fn gate_reports_its_count() {
    let actual = case("c", &[("ask", "{}"), ("ask", "{}"), ("book", "{}")], "");
    expect![[r#"
        asks: 2 calls to ask, more than 1
        books: 1 call to book, less than 2
        slow: 4.1 seconds, more than 4
        dear: 1200 input tokens, more than 9
        each: 1 model call, more than 0"#]]
    .assert_eq(&whys(
        r#"{"asks": {"metric": "count", "event": "tool_call", "name": "ask", "max": 1},
        "books": {"metric": "count", "event": "tool_call", "name": "book", "min": 2},
        "slow": {"metric": "duration", "max": 4},
        "dear": {"metric": "tokens", "part": "input", "max": 9},
        "each": {"metric": "count", "event": "model_call", "max": 0, "per": "invocation"}}"#,
        actual.clone(),
        actual,
    ));
}

#[test]
fn failed_gate_has_no_score() {
    let text = json(
        r#"{"criteria": {"asks": {"metric": "count", "event": "tool_call", "max": 1},
        "each": {"metric": "count", "event": "tool_call", "max": 1, "per": "invocation"}}}"#,
    );
    let config = Config::read(&text, &NoSchemas).sound().expect("a config");
    let mut asked = case("c", &[("ask", "{}"), ("ask", "{}")], "");
    asked.trace.invocations.push(Invocation::default());
    let case = ScoredCase::of(&config, asked.clone(), asked, &mut Tools::default(), || 0.0);
    let text = written(Form::Text, vec![case]);
    assert!(text.contains("asks failed: 2 calls, more than 1"), "{text}");
    assert!(text.contains("each passes in 0.5 of the turns, needs 1: turn 1: 2 calls"), "{text}");
}

#[test]
fn response_reason_shows_differing_words() {
    let response = |text: &str| case("c", &[], text);
    let criteria = r#"{"response_match_score": 0.9}"#;
    let whys_of = |expected, actual| whys(criteria, response(expected), response(actual));
    expect!["response_match_score: the response scores 0.167: it lacks Two, flights, were, and adds A, was, yesterday, evening, by, me and 1 more"]
        .assert_eq(&whys_of("Two flights were booked.", "A booking was yesterday evening by me alone"));
    expect!["response_match_score: the response scores 0.000: it lacks Yes"]
        .assert_eq(&whys_of("Yes.", "..."));
    expect!["response_match_score: the response scores 0.000"].assert_eq(&whys_of("", ""));
    let long = "word".repeat(100);
    assert!(whys_of(&long, "x").contains("wordwordwordwordwordword…, and adds"));
}

#[test]
fn call_in_another_order_is_not_missing() {
    let (f, g) = (("f", r#"{"a": 1}"#), ("g", "{}"));
    expect![[r"
        exact: f was called in a different order
        in order: f was called in a different order"]]
    .assert_eq(&whys(
        r#"{"exact": {"metric": "trajectory", "match_type": "EXACT"},
        "in order": {"metric": "trajectory", "match_type": "IN_ORDER"}}"#,
        case("c", &[f, g], ""),
        case("c", &[g, f], ""),
    ));
    let other = ("f", r#"{"a": 2}"#);
    assert!(
        whys(
            r#"{"exact": {"metric": "trajectory", "match_type": "EXACT"}}"#,
            case("c", &[f, g], ""),
            case("c", &[g, other], ""),
        )
        .contains("was not called")
    );
}

#[test]
fn deciding_criterion_comes_first() {
    let judges: Vec<String> = ["safety_v1", "hallucinations_v1", "final_response_match_v2"]
        .iter()
        .map(|name| format!("\"{name}\": 0.5"))
        .collect();
    let text = json(&format!(
        r#"{{"criteria": {{{}, "words": {{"metric": "response"}}}}}}"#,
        judges.join(", ")
    ));
    let config = Config::read(&text, &NoSchemas).sound().expect("a config");
    let scored = || {
        let (expected, actual) = (case("c", &[], "21"), case("c", &[], "23"));
        ScoredCase::of(&config, expected, actual, &mut Tools::default(), || 0.0)
    };
    let text = written(Form::Text, vec![scored()]);
    let first = text.lines().nth(1).map(str::trim);
    let first = first.unwrap_or_default();
    assert!(first.starts_with("words 0, needs 0.8: the response scores 0.000"), "{text}");
    let text = written(Form::Markdown, vec![scored()]);
    assert!(text.contains("| c | words 0, needs"), "{text}");
    assert!(!text.contains("is unscored"), "it did not decide: {text}");
}

#[test]
fn a_comment_on_a_pull_request_stays_short() {
    // Each character of the id takes five in Markdown.
    let id = |number: usize| format!("{number}{}", "&".repeat(500));
    let gone = (0..5000)
        .map(|number| ScoredCase::expected_only(case(&id(number), &[], ""), "with this id"));
    let text = written(Form::Markdown, gone.collect());
    assert!(text.len() < 65_536, "{}", text.len());
    assert!(text.ends_with("\nAnd 4950 more.\n"));
    let config = config();
    let unscored = |number| {
        let case = case(&id(number), &[(&id(number), "{}")], &id(number));
        ScoredCase::actual_only(&config, case, &id(number))
    };
    let text = written(Form::Markdown, (0..5000).map(unscored).collect());
    assert!(text.len() < 65_536, "{}", text.len());
}

#[test]
fn comment_lists_errors_before_unscored_cases() {
    let config = config();
    let called = |number: usize| format!("c{number}");
    let cases = (0..300).map(|number| {
        let case = |calls: &[(&str, &str)]| case(&called(number), calls, "");
        match number {
            290..296 => ScoredCase::expected_only(case(&[]), "with this id"),
            200.. => ScoredCase::of(
                &config,
                case(&[("f", "{}")]),
                case(&[]),
                &mut Tools::default(),
                || 0.0,
            ),
            _ => ScoredCase::actual_only(&config, case(&[]), "with this id"),
        }
    });
    let text = written(Form::Markdown, cases.collect());
    let place = |line: &str| text.find(line).unwrap_or_else(|| panic!("{line} in {text}"));
    let listed = |word: &str| text.matches(word).count();
    assert_eq!(listed("the actual side has no case"), 6);
    assert_eq!(listed("f was not called"), 50);
    assert!(place("**6 errors**") < place("| c290 |"));
    assert!(place("| c295 |") < place("**94 failed**"));
    assert!(place("| c249 |") < place("And 44 more."));
    assert!(place("And 44 more.") < place("**200 unscored**"));
    assert!(place("| c49 |") < place("And 150 more."));
}

/// The production `Char` of XML 1.0.
#[test]
fn junit_holds_only_characters_of_xml() {
    let is_char = |character: char| match character {
        '\t' | '\n' | '\r' => true,
        other => other >= ' ' && !['\u{fffe}', '\u{ffff}'].contains(&other),
    };
    let all: String = ('\0'..='\u{1ffff}').collect();
    let failed = ScoredCase::error(&format!("order {all}"), None, None, &format!("{all}\n{all}"));
    let junit = written(Form::Junit, vec![failed]);
    let outside: Vec<char> = junit.chars().filter(|character| !is_char(*character)).collect();
    assert_eq!(outside, []);
    assert!(junit.contains("\u{fffd}") && junit.contains('𐀀'), "the others are kept");
}

#[test]
fn junit() {
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="rehearsal score" tests="4" skipped="1" failures="2" errors="1" time="0.500">
            <testsuite name="home_evals" tests="4" skipped="1" errors="1" failures="2" time="0.500">
                <testcase name="office" classname="home_evals" time="0.000">
                    <failure message="tool_trajectory_avg_score 0, needs 1: set_temperature was called with degrees 23, not 21. close_garage was not called" type="failed">tool_trajectory_avg_score 0, needs 1: set_temperature was called with degrees 23, not 21. close_garage was not called</failure>
                </testcase>
                <testcase name="gone" classname="home_evals" time="0.000">
                    <error message="the actual side has no case with this id" type="error"/>
                </testcase>
                <testcase name="new" classname="home_evals" time="0.000">
                    <skipped message="tool_trajectory_avg_score is unscored: the expected side has no case with this id
        words is unscored: the expected side has no case with this id
        llm_judge is unscored: the expected side has no case with this id"/>
                </testcase>
                <testcase name="&lt;/script&gt;&lt;!--&lt;script&gt;alert(1)&lt;/script&gt;]]&gt;&amp;&quot;&apos;|`@all`" classname="home_evals" time="0.000">
                    <failure message="tool_trajectory_avg_score 0, needs 1: &lt;/script&gt;&lt;!--&lt;script&gt;alert(1)&lt;/script&gt;]]&gt;&amp;&quot;&apos;|`@all` was called with a &quot;&lt;!--&quot;, not &quot;&lt;/script&gt;&quot;" type="failed">tool_trajectory_avg_score 0, needs 1: &lt;/script&gt;&lt;!--&lt;script&gt;alert(1)&lt;/script&gt;]]&gt;&amp;&quot;&apos;|`@all` was called with a &quot;&lt;!--&quot;, not &quot;&lt;/script&gt;&quot;
        words 0, needs 0.8: the response scores 0.000: it lacks script, script, alert, 1, script, 2J and 1 more</failure>
                </testcase>
                <system-out>tag   passed  failed  unscored  pass rate
        home       0       3         1      0.000

        Cost of the actual runs: 12.3 s, 3852 tokens (3 cases)
        Commit: 4f2c
        </system-out>
            </testsuite>
        </testsuites>
    "#]].assert_eq(&written(Form::Junit, cases(&config())));
    let empty = written(Form::Junit, Vec::new());
    assert!(empty.contains(r#"<testsuite name="home_evals" tests="0" "#), "{empty}");
}

#[test]
fn json_has_the_published_shape() {
    let mut cases = cases(&config());
    cases[0].result.informational.insert("tool_call_count_v1".to_owned(), Some(2.0));
    cases[1].result.informational.insert("tool_call_count_v1".to_owned(), None);
    let text = written(Form::Json, cases);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/eval-report.schema.json");
    let schema = std::fs::read_to_string(path).expect("the schema is published");
    let check = Check::of(&json(&schema)).expect("a schema");
    assert_eq!(check.violations(&json(text.trim())), []);
    let report: EvalReport = serde_json::from_str(&text).expect("reads back");
    assert_eq!(report.results.len(), 4);
    let ids: Vec<&str> = report.results.iter().map(|it| it.eval_id.as_str()).collect();
    assert_eq!(ids, ["office", "gone", "new", HOSTILE]);
    assert!(text.contains("9007199254740993"), "digits are kept");
    let summary = &report.summary;
    assert_eq!((summary.failed_cases, summary.unscored_cases, summary.total_cases), (3, 1, 4));
    let names: Vec<&str> =
        report.results[0].criterion_results.iter().map(|it| it.criterion.as_str()).collect();
    assert_eq!(names, ["tool_trajectory_avg_score", "words", "llm_judge"]);
    let nothing = written(Form::Json, Vec::new());
    assert_eq!(check.violations(&json(nothing.trim())), []);
}

/// The data of the page's scripts, by their ids, and what is left of it.
fn scripts(page: &str) -> (Vec<(String, String)>, String) {
    let (mut found, mut rest) = (Vec::new(), String::new());
    let mut parts = page.split("<script type=\"application/json\" id=\"");
    rest.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (id, part) = part.split_once("\">").expect("an id");
        let (data, after) = part.split_once("</script>").expect("an end");
        found.push((id.to_owned(), data.to_owned()));
        rest.push_str(after);
    }
    (found, rest)
}

/// Why a judge decides as it does is shown for a criterion that failed and for one that passed, as eval runs keep it.
#[test]
fn html_shows_the_reason_of_a_judge() {
    let config = config();
    let reply = r#"{"score": 1, "reasoning": "It leaves out the garage."}"#;
    let mut judge = ScriptedJudge::new(std::iter::repeat_n(Ok(reply), 20));
    let mut tools = Tools { judge: Some(&mut judge), ..Tools::default() };
    let office = || case("office", &[], "The office is set to 21 degrees.");
    let failed = ScoredCase::of(&config, office(), office(), &mut tools, || 0.0);
    assert_eq!(failed.result.criterion_results[2].passed, Some(false), "{failed:?}");
    let mut passed = failed.clone();
    passed.whys[2] = None;
    passed.result.criterion_results[2].passed = Some(true);
    passed.result.criterion_results[2].details =
        json(r#"{"evidence": ["yes: It names the office."]}"#);
    let page = written(Form::Html, vec![failed, passed]);
    assert!(page.contains("It leaves out the garage."), "{page}");
    assert!(page.contains("yes: It names the office."), "{page}");
}

#[test]
fn one_case_is_one_case() {
    let config = config();
    let one = || {
        let office = || case("office", &[], "Done.");
        vec![ScoredCase::of(&config, office(), office(), &mut Tools::default(), || 0.0)]
    };
    for form in [Form::Text, Form::Markdown, Form::Html] {
        let report = written(form, one());
        assert!(!report.contains("1 cases"), "{report}");
    }
    assert!(written(Form::Text, one()).contains("1284 tokens (1 case)"));
}

#[test]
fn html_contains_all_data() {
    let page = written(Form::Html, cases(&config()));
    let (scripts, rest) = scripts(&page);
    let ids: Vec<&str> = scripts.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["c0", "index", "about"]);
    for (id, data) in &scripts {
        assert!(serde_json::from_str::<serde_json::Value>(data).is_ok(), "{id}: {data}");
        assert!(!data.contains('<'), "{id}: {data}");
    }
    assert_eq!(rest.matches("<script").count(), 1, "only the page's own");
    assert!(!page.contains("alert(1)</script>"), "a file adds no markup");
    assert!(!rest.contains("http://") || rest.matches("http://").count() == 1, "the name of SVG");
    assert!(!rest.contains("https://") && !rest.contains("url("), "nothing is loaded");
    // An index and a case as the page reads them.
    expect![[r#"[{"i":"office","v":"f","s":[0.0,0.8571428571428571,null],"t":["home"],"o":["list_rooms","set_temperature","close_garage"],"q":"Close up for the night"},"#]].assert_eq(scripts[1].1.lines().next().unwrap_or_default());
    expect![[r#"[{"w":["set_temperature was called with degrees 23, not 21. close_garage was not called",null,"this criterion requires a judge. Use `rehearsal score --judge`"],"h":[true,true],"c":"4.1 s, 1,284 tokens","t":[{"u":["Close up for the night","Close up for the night"],"c":[{"k":"=","e":["list_rooms","{}",null],"a":["list_rooms","{}",null]},{"k":"+","a":["list_rooms","{}",null]},{"k":"~","e":["set_temperature","{\"room\":\"office\",\"degrees\":21,\"id\":9007199254740993}",null],"a":["set_temperature","{\"room\":\"office\",\"degrees\":23,\"id\":9007199254740993}",null],"d":["/degrees"]},{"k":"-","e":["close_garage","{}",null]}],"f":["The office is set to 21 degrees.","The office is set to 23 degrees."]}]},"#]].assert_eq(scripts[0].1.lines().next().unwrap_or_default());
}

#[test]
fn characters_that_reorder_text_are_escaped_for_people_only() {
    const REVERSED: &str = "pay \u{202e}evil\u{202c}";
    let config = config();
    let written = |form| {
        let expected = case(REVERSED, &[(REVERSED, "{}")], REVERSED);
        let actual = case(REVERSED, &[], "");
        let scored = ScoredCase::of(&config, expected, actual, &mut Tools::default(), || 0.0);
        written(form, vec![scored])
    };
    for (form, shown) in [
        (Form::Text, r"failed    pay \u202eevil\u202c"),
        (Form::Markdown, r"| pay \\u202eevil\\u202c | "),
        (Form::Junit, r#"<testcase name="pay \u202eevil\u202c""#),
    ] {
        let text = written(form);
        assert!(text.contains(shown), "{text}");
        assert!(!text.contains(['\u{202e}', '\u{202c}']), "{text}");
    }
    assert!(written(Form::Json).contains(REVERSED), "a program reads what is there");
    // The page's script escapes what it draws; addresses keep the ids.
    let (scripts, _) = scripts(&written(Form::Html));
    let (_, about) = scripts.last().expect("the data of the page");
    let about: serde_json::Value = serde_json::from_str(about).expect("JSON");
    let hidden = about["hidden"].as_str().expect("a class");
    assert!(hidden.starts_with(r"[\u0000-\u0008\u000b-\u001f"), "{hidden}");
    assert!(hidden.contains(r"\u2028-\u202e") && !hidden.contains(r"\u000a"), "{hidden}");
}

#[test]
fn html_splits_cases_into_chunks() {
    let many: Vec<ScoredCase> = (0..250)
        .map(|number| {
            ScoredCase::expected_only(case(&format!("c{number}"), &[], ""), "with this id")
        })
        .collect();
    let (scripts, _) = scripts(&written(Form::Html, many));
    let counts: Vec<(String, usize)> = scripts
        .iter()
        .filter_map(|(id, data)| {
            let list: Vec<serde_json::Value> = serde_json::from_str(data).ok()?;
            Some((id.clone(), list.len()))
        })
        .collect();
    let counts: Vec<(&str, usize)> =
        counts.iter().map(|(id, count)| (id.as_str(), *count)).collect();
    assert_eq!(counts, [("c0", 100), ("c1", 100), ("c2", 50), ("index", 250)]);
}
