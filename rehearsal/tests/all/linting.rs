//! `rehearsal tools lint` as a process.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tool_lint::Rule;

fn lint(arguments: &[&str]) -> Output {
    let empty = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.args(["tools", "lint"]).args(arguments).current_dir(empty.path());
    command.env_remove("REHEARSAL_CONFIG");
    command.output().unwrap()
}

fn fixture() -> String {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tools-of-every-fault.jsonl");
    path.to_str().unwrap().to_owned()
}

/// The reports of `--format json`, one per line.
fn reports(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn rules_of(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["rule"].as_str().unwrap()).collect()
}

#[test]
fn reports_every_rule_where_it_is_violated() {
    let output = lint(&[&fixture(), "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let reports = reports(&output);
    let mut found = BTreeSet::new();
    for report in &reports {
        found.extend(rules_of(report));
        // Most tools are named after the rule that they break.
        let named = report["tool"].as_str().unwrap_or_default().replace('_', "-");
        if Rule::ALL.iter().any(|rule| rule.name() == named) {
            assert!(rules_of(report).contains(&named.as_str()), "{report}");
        }
        for finding in report["findings"].as_array().unwrap() {
            assert!(finding["message"].as_str().unwrap().ends_with(['.', '!']), "{finding}");
            let severity = finding["severity"].as_str().unwrap();
            assert!(["error", "warning", "note"].contains(&severity), "{finding}");
        }
    }
    // No declaration may lose a value, which would be a fault of the form. An agent has warnings.
    let of_declarations = |rule: &&Rule| !matches!(rule, Rule::ValueLost | Rule::AgentWarning);
    let all = Rule::ALL.iter().filter(of_declarations);
    let missing: Vec<_> =
        all.map(|rule| rule.name()).filter(|rule| !found.contains(rule)).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn reports_a_line_that_is_not_json_and_checks_the_others() {
    let output = lint(&[&fixture(), "--format", "json"]);
    let reports = reports(&output);
    assert_eq!(reports[0]["tool"], "good");
    assert_eq!(rules_of(&reports[0]), [""; 0]);
    assert!(reports[0]["values"]["made"].as_u64().unwrap() > 0);
    assert_eq!(reports[0]["values"]["made"], reports[0]["values"]["survived"]);
    assert_eq!((&reports[1]["line"], rules_of(&reports[1])), (&Value::from(2), vec!["not-json"]));
    assert_eq!(reports[3]["tool"], "1st tool!");
    let text = lint(&[&fixture()]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("(invalid declaration), line 2\n  error   not-json"), "{text}");
}

#[test]
fn does_not_count_an_invalid_declaration_as_a_tool() {
    let good = r#"{"name": "now", "description": "Tells the time."}"#;
    let summary = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tools.jsonl");
        std::fs::write(&file, text).unwrap();
        let output = lint(&[file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1));
        let text = String::from_utf8(output.stdout).unwrap();
        let last = text.lines().last().unwrap().to_owned();
        last.split_once("tools.jsonl: ").unwrap().1.to_owned()
    };
    assert_eq!(
        summary(&format!("{good}\nrubbish\n")),
        "1 tool, 1 without findings; 1 invalid declaration; 1 error, 0 warnings; \
         0 of 0 values are unchanged by the form."
    );
    assert_eq!(
        summary(&format!("{good}\nrubbish\n[1]\n{{}}\n")),
        "1 tool, 1 without findings; 3 invalid declarations; 3 errors, 0 warnings; \
         0 of 0 values are unchanged by the form."
    );
}

#[test]
fn folds_repeated_notes_of_a_rule() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tools.jsonl");
    let tool = |number: usize, more: &str| {
        format!(
            r#"{{"name": "tool_{number}", "description": "Does it."{more}, "parameters": {{"type": "dict", "properties": {{}}}}}}"#
        )
    };
    let mut lines: Vec<String> = (1..=9).map(|number| tool(number, "")).collect();
    lines.push(tool(10, "").replace("Does it.", ""));
    std::fs::write(&file, lines.join("\n")).unwrap();
    let output = lint(&[file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let shown: Vec<&str> = text.lines().filter(|line| line.starts_with("tool_")).collect();
    assert_eq!(shown, ["tool_1, line 1", "tool_2, line 2", "tool_3, line 3", "tool_10, line 10"]);
    let (_, rules) = text.split_once("By rule\n").unwrap();
    let rules: Vec<&str> = rules.lines().collect();
    assert!(rules[0].starts_with("  warning description-missing "), "{text}");
    assert!(rules[0].ends_with("  1 in 1 declaration"), "{text}");
    assert!(rules[1].starts_with("  note    type-loose "), "{text}");
    let folded = "  10 in 10 declarations; 7 not shown above, --format json has each";
    assert!(rules[1].ends_with(folded), "{text}");
    assert!(rules[3].contains(" 0 errors, 1 warning, 10 notes; "), "{text}");
    // JSON has every one.
    let reports = reports(&lint(&[file.to_str().unwrap(), "--format", "json"]));
    assert!(reports.iter().all(|report| rules_of(report).contains(&"type-loose")));
}

#[test]
fn reports_a_broken_file_once_with_its_position() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tools.json");
    std::fs::write(&file, "[\n  {\"name\": \"a\"},\n  {\"name\": \"b\",}\n]\n").unwrap();
    let output = lint(&[file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let actual = String::from_utf8(output.stderr).unwrap();
    assert!(actual.contains("tools.json") && actual.contains("line 3, column "), "{actual}");
}

#[test]
fn exits_with_0_for_an_agent_without_errors() {
    for agent in ["Travel Desk", "travel-desk"] {
        let output = lint(&[agent]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{text}");
        let last = text.lines().last().unwrap();
        assert!(last.starts_with("Travel Desk: 8 tools, 8 without findings;"), "{text}");
    }
}

#[test]
fn lists_what_each_provider_rejects() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tools.json");
    let tools = r#"[{"name":"math.add","description":"Adds."},{"name":"math.sub","description":"Subtracts."},
        {"name":"pay","description":"Pays.","parameters_json_schema":{"type":"object","anyOf":[{}],
            "properties":{"iban":{"type":"string","description":"It.","pattern":"^[A-Z]+$"}}}}]"#;
    std::fs::write(&file, tools).unwrap();
    let output = lint(&[file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, portability) = text.split_once("Portability\n").unwrap();
    let lines: Vec<&str> = portability.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(
        lines,
        [
            "  OpenAI           rejects 2 tools, such as math.add: names match ^[a-zA-Z0-9_-]{1,64}$",
            "  OpenAI           rejects 1 tool, pay: no oneOf, anyOf, allOf, enum or not at the top level",
            "  Anthropic        rejects 2 tools, such as math.add: names match ^[a-zA-Z0-9_-]{1,128}$",
            "  Anthropic        rejects 1 tool, pay: no oneOf, allOf or anyOf at the top level",
            "  Gemini           ignores 1 tool, pay: keywords that it does not support: pattern",
        ]
    );
    let reports = reports(&lint(&[file.to_str().unwrap(), "--format", "json"]));
    let first = &reports[0]["portability"][0];
    assert_eq!((&first["provider"], &first["effect"]), (&"OpenAI".into(), &"rejects".into()));
    assert_eq!(first["pointer"], "/name");
}

#[test]
fn exits_with_2_if_there_is_nothing_to_check() {
    let output = lint(&["nobody"]);
    assert_eq!(output.status.code(), Some(2));
    let actual = String::from_utf8(output.stderr).unwrap();
    assert!(actual.contains("`nobody`") && actual.contains("travel-desk"), "{actual}");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("empty.jsonl");
    std::fs::write(&file, "\nrubbish\n").unwrap();
    let output = lint(&[file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("contains no declaration"));
}

#[test]
fn real_declarations_have_no_false_errors() {
    for (file, count, errors) in
        [("bfcl-functions.jsonl", 824, 8), ("adk-captures/declarations.json", 3, 0)]
    {
        let Some(path) = test_needs::corpus(file) else { continue };
        let output = lint(&[path.to_str().unwrap(), "--format", "json"]);
        let reports = reports(&output);
        assert_eq!(reports.len(), count);
        let mut found = 0;
        for report in &reports {
            assert_eq!(report["values"]["made"], report["values"]["survived"], "{report}");
            for finding in report["findings"].as_array().unwrap() {
                if finding["severity"] == "error" {
                    // Booleans and integers whose enum names strings: no value is valid.
                    assert_eq!(finding["rule"], "enum-unfit", "{report}");
                    found += 1;
                }
            }
        }
        assert_eq!(found, errors, "{file}");
        assert_eq!(output.status.code(), Some(i32::from(errors > 0)));
    }
}

#[test]
fn guide_lists_every_rule_with_its_severity() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/linting-tools.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    for rule in Rule::ALL {
        let row = format!("| `{}` | {} |", rule.name(), rule.severity().name());
        assert!(guide.contains(&row), "the guide lacks the row {row}");
    }
}
