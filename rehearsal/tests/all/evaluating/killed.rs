//! Runs that end before they are done, and are resumed.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use super::model_endpoint::{ModelEndpoint, fails};
use super::{assert_valid, text};

/// An agent whose model is asked over the network, once for a call and once for a text.
const AGENT: &str = r#"
import http.client
import json
import os

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.genai import types


class Asked(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        contents = [content.model_dump(mode="json", exclude_none=True) for content in llm_request.contents]
        connection = http.client.HTTPConnection(os.environ["ASKED_ADDRESS"])
        connection.request("POST", "/agent", json.dumps(contents))
        part = types.Part(**json.loads(connection.getresponse().read()))
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def look(at: str) -> dict:
    """Looks.

    Args:
      at: Where.
    """
    return {}


root_agent = LlmAgent(name="asking", model=Asked(model="asked"), instruction="Look.", tools=[look])
"#;

/// Requests of a case: two of its agent's model, and one of the judge.
const REQUESTS: usize = 3;

/// A folder with the agent, and a suite of `count` cases, of which a judge fails every fourth.
fn asking_suite(count: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let agent = folder.path().join("asking");
    std::fs::create_dir(&agent).unwrap();
    std::fs::write(agent.join("__init__.py"), "from . import agent\n").unwrap();
    std::fs::write(agent.join("agent.py"), AGENT).unwrap();
    let mut text = "subject: { adk: asking }\ntools: { look: { template: '{ \"seen\": \"{{ args.at }}\" }' } }\n\
                    cases:\n"
        .to_owned();
    for at in 0..count {
        text += &format!(
            "  - name: case-{at}\n    first_message: I am case-{at}\n    metrics:\n      \
             - event_count: {{ name: calls, event: tool_call, is: 1 }}\n      \
             - llm_judge: {{ name: seen, prompt: It has seen the case, model: openai/judge }}\n"
        );
    }
    std::fs::write(folder.path().join("suite.yaml"), text).unwrap();
    folder
}

/// `rehearsal eval`, with this model for the agent and the judge.
fn command(folder: &Path, arguments: &[&str], python: &Path, model: &ModelEndpoint) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.arg("eval").args(arguments).arg("--python").arg(python).current_dir(folder);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("REHEARSAL_")) {
        command.env_remove(name);
    }
    command
        .env("ASKED_ADDRESS", &model.address)
        .env("OPENAI_BASE_URL", format!("http://{}", model.address));
    command
}

/// Starts a run, and waits until its model was asked `more` times.
fn started(mut command: Command, model: &ModelEndpoint, more: usize) -> Child {
    let before = model.count();
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while model.count() < before + more {
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

/// A run to its end, as a report in JSON.
fn ended(
    folder: &Path,
    arguments: &[&str],
    python: &Path,
    model: &ModelEndpoint,
) -> serde_json::Value {
    let arguments = [arguments, &["--format", "json"]].concat();
    let output = command(folder, &arguments, python, model).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    assert_valid(&report);
    serde_json::from_str(&report).unwrap()
}

/// The numbers of the cases that have a stored result.
fn finished(folder: &Path) -> BTreeSet<usize> {
    let path = folder.join(".rehearsal/eval.sqlite");
    if !path.exists() {
        return BTreeSet::new();
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = eval::RunStore::open_existing(&path).await.unwrap();
        let results = store.results(1).await.unwrap();
        store.close().await;
        let number = |name: &str| name.strip_prefix("case-").unwrap().parse().unwrap();
        results.into_keys().map(|key| number(&key.name)).collect()
    })
}

/// What a report says of each case that does not depend on its time.
fn outcomes(report: &serde_json::Value) -> Vec<String> {
    let results = report["results"].as_array().unwrap();
    let outcome = |it: &serde_json::Value| {
        let run = &it["eval_run"];
        let events = run["events"].as_array().unwrap();
        let events = events
            .iter()
            .map(|event| format!("{} {} {}", event["type"], event["text"], event["result"]));
        let events: Vec<String> = events.collect();
        format!("{} {} {} {events:?}", it["eval_id"], run["status"], it["criterion_results"])
    };
    results.iter().map(outcome).collect()
}

fn random_below(limit: u64) -> u64 {
    RandomState::new().hash_one(0) % limit
}

#[test]
fn a_suite_that_is_killed_at_random_ends_as_in_one_run() {
    const CASES: usize = 96;
    const KILLS: usize = 4;
    const JOBS: usize = 3;
    let Some(python) = test_needs::python() else { return };
    let model = ModelEndpoint::start();
    let folder = asking_suite(CASES);
    let mut kills: Vec<(usize, BTreeSet<usize>)> = Vec::new();
    for kill in 0..KILLS {
        // All kills together come before the last request that is needed.
        let most = u64::try_from(CASES * REQUESTS / KILLS).unwrap();
        let more = usize::try_from(1 + random_below(most)).unwrap();
        let resume: &[&str] = if kill == 0 { &[] } else { &["--resume=1"] };
        let jobs = JOBS.to_string();
        let batch = ["--isolation", "batch"]; // It takes less time.
        let arguments = [&["suite.yaml", "--jobs", &jobs], &batch[..], resume].concat();
        let mut child = started(command(folder.path(), &arguments, &python, &model), &model, more);
        std::thread::sleep(Duration::from_micros(random_below(20_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        let finished = finished(folder.path());
        eprintln!("killed after {more} requests, with {} cases finished", finished.len());
        assert!(kills.last().is_none_or(|(_, before)| finished.is_superset(before)));
        kills.push((model.count(), finished));
    }
    let (_, last) = kills.last().unwrap();
    assert!(!last.is_empty() && last.len() < CASES, "{last:?}");
    let resumed = ended(
        folder.path(),
        &["suite.yaml", "--resume=1", "--isolation", "batch"],
        &python,
        &model,
    );

    let asked = model.asked();
    for (before, finished) in &kills {
        let again: Vec<_> =
            asked[*before..].iter().filter(|case| finished.contains(case)).collect();
        assert!(again.is_empty(), "{again:?} had finished when the run was killed");
    }
    for case in 0..CASES {
        let requests = asked.iter().filter(|it| **it == case).count();
        assert!(requests >= REQUESTS, "case-{case}: {requests}");
    }
    // Only what was under way at a kill was asked again.
    let again = asked.len() - CASES * REQUESTS;
    assert!(again <= KILLS * JOBS * REQUESTS, "{again} requests were repeated");

    let before = model.count();
    let in_one = asking_suite(CASES);
    let through = ended(in_one.path(), &["suite.yaml"], &python, &model);
    assert_eq!(model.count() - before, CASES * REQUESTS);
    assert_eq!(outcomes(&resumed), outcomes(&through));
    let failed = (0..CASES).filter(|case| fails(*case)).count();
    let summary = &through["summary"];
    assert_eq!(summary["passed_cases"], CASES - failed);
    assert_eq!(summary["failed_cases"], failed);
}

#[test]
fn an_interrupted_run_reports_what_is_done_and_can_be_resumed() {
    let Some(python) = test_needs::python() else { return };
    let model = ModelEndpoint::start();
    let folder = asking_suite(12);
    let run = command(folder.path(), &["suite.yaml", "--jobs", "1"], &python, &model);
    let child = started(run, &model, 3 * REQUESTS);
    let interrupted =
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let done = finished(folder.path());
    assert!((2..12).contains(&done.len()), "{done:?}");
    let report = text(&output.stdout);
    assert!(report.contains("\n12 cases: "), "{report}");
    assert!(report.contains(&format!("{} unscored", 12 - done.len())), "{report}");
    let shown = text(&output.stderr);
    let hint =
        format!("Interrupted: {} of 12 were not run; go on with --resume=1\n", 12 - done.len());
    assert!(shown.ends_with(&hint), "{shown}");
    let resumed = ended(
        folder.path(),
        &["suite.yaml", "--resume=1", "--isolation", "batch"],
        &python,
        &model,
    );
    assert_eq!(resumed["summary"]["total_cases"], 12);
}
