//! How many interpreters that import agents run at a time.

use std::path::Path;

use super::{run, text};

/// Notes each import, and how many interpreters that imported an agent run then.
const AGENT: &str = r#"
import os
from pathlib import Path
from google.adk.agents import LlmAgent

imports = Path(__file__).parent.parent / "imports"
ids, counts = imports / "ids", imports / "counts"
earlier = ids.read_text().split() if ids.exists() else []
alive = [id for id in earlier if Path("/proc", id).exists()]
with ids.open("a") as file:
    file.write(f"{os.getpid()}\n")
with counts.open("a") as file:
    file.write(f"{len(alive) + 1}\n")

root_agent = LlmAgent(name="desk", model="gemini-2.5-flash")
"#;

fn write(folder: &Path, name: &str, agent: &str) {
    let allowed = folder.join("imports");
    let case = |at: u32| {
        format!(
            "  - name: {name}-{at}\n    first_message: Hi\n    allow: [{}/]\n    model: {{ scripted: [Hello] }}\n    \
             metrics:\n      - event_count: {{ name: answers, event: message, is: 1 }}\n",
            allowed.display()
        )
    };
    let suite = format!("subject: {{ adk: {agent} }}\ncases:\n{}{}", case(1), case(2));
    std::fs::write(folder.join(format!("{name}.eval.yaml")), suite).unwrap();
    std::fs::create_dir_all(folder.join(agent)).unwrap();
    std::fs::write(folder.join(agent).join("agent.py"), AGENT).unwrap();
}

#[test]
fn as_many_interpreters_run_as_cases_at_the_same_time() {
    let Some(python) = test_needs::python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    for (suite, agent) in [("first", "one"), ("second", "one"), ("third", "two")] {
        write(&folder, suite, agent);
    }
    let suites = ["first.eval.yaml", "second.eval.yaml", "third.eval.yaml", "--jobs", "1"];
    let ran = run(&folder, &suites, Some(&python));
    assert_eq!(ran.status.code(), Some(0), "{}{}", text(&ran.stdout), text(&ran.stderr));
    assert!(text(&ran.stdout).contains("6 cases: 6 passed"), "{}", text(&ran.stdout));
    let counts = std::fs::read_to_string(folder.join("imports/counts")).unwrap();
    // Each agent is imported to be checked, and again if the interpreter of the other one took its place.
    let counts: Vec<_> = counts.lines().collect();
    assert!(counts.len() <= 4 && counts.iter().all(|count| *count == "1"), "{counts:?}");
}
