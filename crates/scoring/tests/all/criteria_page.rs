//! `docs/guide/criteria.md` documents every name of a config, and its examples are valid configs.
//!
//! The names come from the parser's errors and warnings for unknown names.

use std::path::Path;

use json_text::JsonText;
use scoring::config::{Config, Reading};
use scoring::trajectory::JsonSchemas;

/// Near no name.
const SLIP: &str = "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz";

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/criteria.md");
    std::fs::read_to_string(path).expect("the page")
}

fn read(config: &str) -> Reading {
    Config::read(&JsonText::parse(config).expect("JSON"), &JsonSchemas)
}

/// The names that are listed where one of a config is [`SLIP`], written `?`.
fn known(config: &str) -> Vec<String> {
    let reading = read(&config.replace('?', SLIP));
    let findings = reading.faults.iter().chain(&reading.config.warnings);
    let slips = findings.filter(|fault| fault.message.contains(SLIP));
    let lists = slips.filter_map(|fault| fault.message.split_once("known are "));
    lists.flat_map(|(_, names)| names.split(", ").map(str::to_owned)).collect()
}

/// The same where there must be some.
fn listed(config: &str) -> Vec<String> {
    let names = known(config);
    assert!(!names.is_empty(), "{config}: {:?}", read(&config.replace('?', SLIP)).faults);
    names
}

/// The section whose heading has the name, or else that of AgentFlow's or ADK's metrics.
fn section<'p>(page: &'p str, name: &str) -> &'p str {
    let mut sections = page.split("\n## ");
    let has = |section: &&str| {
        section.lines().next().is_some_and(|heading| heading.contains(&format!("`{name}`")))
    };
    let listed = sections.clone().skip_while(|section| !section.starts_with("AgentFlow's metrics"));
    let listed = listed.take(2).find(|section| section.contains(&format!("`{name}`")));
    sections.find(has).or(listed).expect("a section")
}

/// A section with the sections that it links to, because fields may be documented there.
fn with_linked(page: &str, section: &str) -> String {
    let sections = page.split("\n## ").skip(1);
    let linked = sections.filter(|linked| {
        let heading = linked.lines().next().unwrap_or_default().to_lowercase();
        let anchor = heading.replace(['`', ',', '\''], "").replace(' ', "-");
        section.contains(&format!("](#{anchor})"))
    });
    std::iter::once(section).chain(linked).collect()
}

fn assert_lists(section: &str, names: &[String], of: &str) {
    for name in names {
        assert!(section.contains(&format!("`{name}`")), "{of}: the page lacks `{name}`");
    }
}

#[test]
fn every_metric_lists_its_fields_and_values() {
    let page = page();
    let common = page.split("\n## ").find(|section| section.starts_with("Every criterion"));
    let common = common.expect("a section").to_owned();
    let metrics = listed(r#"{"criteria": {"x": {"metric": "?"}}}"#);
    let kinds = listed(r#"{"criteria": {"response": {"match": "?"}}}"#);
    assert!(metrics.len() > 20 && kinds.len() > 5, "{metrics:?} {kinds:?}");
    for metric in &metrics {
        let section = section(&page, metric);
        assert_lists(section, std::slice::from_ref(metric), "metrics");
        let mut fields = known(&format!(r#"{{"criteria": {{"{metric}": {{"?": 1}}}}}}"#));
        if metric.starts_with("response") && !metric.contains("_score") {
            fields.extend(kinds.iter().flat_map(|kind| {
                listed(&format!(r#"{{"criteria": {{"{metric}": {{"match": "{kind}", "?": 1}}}}}}"#))
            }));
        }
        // Those that report a value are no criteria.
        assert!(fields.len() >= 3 || metric.ends_with("_v1"), "{metric}: {fields:?}");
        assert_lists(&format!("{common}{}", with_linked(&page, section)), &fields, metric);
        for field in fields.iter().filter(|field| *field != "metric") {
            let names = known(&format!(r#"{{"criteria": {{"{metric}": {{"{field}": "?"}}}}}}"#));
            assert_lists(&with_linked(&page, section), &names, field);
        }
    }
    for (names, of) in [
        (listed(r#"{"?": 1}"#), "a config"),
        (listed(r#"{"custom_metrics": {"m": 1}, "criteria": {"m": {"?": 1}}}"#), "a custom metric"),
    ] {
        assert_lists(&page, &names, of);
    }
}

#[test]
fn every_nested_field_name_is_listed() {
    let page = page();
    let trajectory = section(&page, "trajectory");
    let matchers = |matcher: &str| {
        let rules = format!(r#"{{"t": {{"a": {matcher}}}}}"#);
        listed(&format!(r#"{{"criteria": {{"trajectory": {{"arguments": {rules}}}}}}}"#))
    };
    for matcher in [r#""?""#, r#"{"?": 1}"#] {
        for name in matchers(matcher) {
            assert!(trajectory.contains(&format!("\"{name}\"")), "the page lacks {name}");
        }
    }
    let queries =
        |query: &str| listed(&format!(r#"{{"criteria": {{"state": {{"query": {query}}}}}}}"#));
    let state = section(&page, "state");
    assert_lists(state, &queries(r#"{"$?": 1}"#), "queries");
    assert_lists(state, &queries(r#"{"a": {"$?": 1}}"#), "operators");
    assert_lists(state, &queries(r#"{"a": {"$type": "?"}}"#), "types");
    let rubric = section(&page, "rubric");
    for item in [r#"{"?": 1}"#, r#"{"rubric_id": "r", "rubric_content": {"?": 1}, "?": 1}"#] {
        let config = format!(r#"{{"criteria": {{"rubric": {{"rubrics": [{item}]}}}}}}"#);
        assert_lists(rubric, &listed(&config), "rubrics");
    }
}

#[test]
fn every_example_is_a_config() {
    let page = page();
    let examples: Vec<&str> = page
        .split("```json\n")
        .skip(1)
        .map(|rest| rest.split_once("```").expect("an end").0)
        .collect();
    for example in &examples {
        let Reading { faults, config } = read(example);
        assert!(faults.is_empty(), "{example}: {faults:?}");
        assert_eq!(config.warnings, [], "{example}");
    }
    // Each metric of ours has its own.
    for metric in ["trajectory", "response", "state", "count", "duration", "tokens", "rubric"] {
        let given = format!("\"metric\": \"{metric}\"");
        assert!(examples.iter().any(|example| example.contains(&given)), "{metric}");
    }
}

#[test]
fn every_default_is_listed() {
    let page = page();
    let rubrics = r#""rubrics": [{"name": "n", "description": "d"}]"#;
    for (metric, fields) in [
        ("trajectory", ""),
        ("trajectory_match", ""),
        ("response", ""),
        ("response_match", ""),
        ("state", ""),
        ("count", r#""event": "tool_call", "max": 1"#),
        ("duration", r#""max": 1"#),
        ("tokens", r#""max": 1"#),
        ("rubric", rubrics),
        ("rubric_based", rubrics),
        ("llm_judge", ""),
    ] {
        let config = read(&format!(r#"{{"criteria": {{"{metric}": {{{fields}}}}}}}"#)).sound();
        let threshold = config.expect("a config").criteria[0].threshold;
        let row = page.lines().find(|line| line.starts_with(&format!("| [`{metric}`]")));
        let row = row.unwrap_or_else(|| panic!("{metric} has no row"));
        assert!(row.ends_with(&format!(" | {threshold} |")), "{threshold}: {row}");
    }
    for config in [Config::adk_default(), Config::agentflow_default()] {
        for one in &config.criteria {
            let entry = format!("`{}` from {}", one.name, one.threshold);
            assert!(page.contains(&entry), "the page lacks {entry}");
        }
    }
}
