//! The cost of a run, with the prices of its suite.

use std::process::Output;

use super::model_endpoint::ModelEndpoint;
use super::{assert_valid, text};

/// Runs an agent whose model uses 10 tokens of input and 5 of output.
fn run(prices: &str, arguments: &[&str]) -> Output {
    let model = ModelEndpoint::start();
    let folder = tempfile::tempdir().unwrap();
    let tools = super::agents().join("library/tools.json").canonicalize().unwrap();
    let suite = format!(
        "{prices}
subject:
  mcp:
    servers: {{ library: {{ command: never-started }} }}
    instruction: Help.
    declarations: {}
cases: [{{ name: one, first_message: I am case-1, model: {{ named: openai/judge }} }}]
",
        tools.display()
    );
    std::fs::write(folder.path().join("suite.yaml"), suite).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.args(["eval", "suite.yaml"]).args(arguments).current_dir(folder.path());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("REHEARSAL_")) {
        command.env_remove(name);
    }
    command.env("OPENAI_BASE_URL", format!("http://{}", model.address)).output().unwrap()
}

const PRICES: &str = "prices: { judge: { input: 100000, output: 200000 } }";

#[test]
fn the_cost_is_in_the_reports_where_prices_are_configured() {
    let printed = run(PRICES, &[]);
    assert_eq!(printed.status.code(), Some(0), "{}", text(&printed.stderr));
    let report = text(&printed.stdout);
    assert!(report.contains("\nCost of the models: 2.0000\n"), "{report}");

    let report = text(&run(PRICES, &["--format", "json"]).stdout);
    assert_valid(&report);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["summary"]["cost"], 2.0);
    assert_eq!(report["results"][0]["eval_run"]["cost"], 2.0);
}

#[test]
fn no_cost_is_shown_without_prices() {
    let report = text(&run("", &[]).stdout);
    assert!(!report.contains("Cost of the models"), "{report}");
    let report = text(&run("", &["--format", "json"]).stdout);
    assert!(!report.contains("\"cost\""), "{report}");
}

#[test]
fn a_model_without_a_price_is_named() {
    let printed = run("prices: { other: { input: 1, output: 1 } }", &[]);
    let note = "note: the cost leaves out openai/judge, which has no price; add it to `prices`\n";
    assert!(text(&printed.stderr).contains(note), "{}", text(&printed.stderr));
}

#[test]
fn a_price_that_is_not_valid_is_refused_with_its_place() {
    let printed = run("prices: { judge: { input: -1, output: .inf } }", &[]);
    assert_eq!(printed.status.code(), Some(2));
    let errors = text(&printed.stderr);
    assert!(errors.contains("prices.judge.input: -1 is not a price"), "{errors}");
    assert!(errors.contains("prices.judge.output: inf is not a price"), "{errors}");
}
