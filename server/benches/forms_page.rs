//! What large forms cost in a real browser: showing one, and a keystroke in it.
//!
//! Serves an agent whose tools have the largest schemas that people write, and lets
//! `end2end/benches/forms.bench.ts` measure in Chromium. The client is the one in this build, so the site must
//! be built before: `cargo xtask bench` does that.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;

use adk_core::{Tool, ToolContext};
use async_trait::async_trait;
use rehearsal::agents::native::NativeAgent;
use rehearsal::{SimulatedAgentConfig, Simulator};
use serde_json::{Map, Value, json};

/// A tool that is never called: its form is what counts.
struct Large {
    name: &'static str,
    schema: Value,
}

#[async_trait]
impl Tool for Large {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &str {
        "A large form."
    }

    fn parameters_schema(&self) -> Option<Value> {
        Some(self.schema.clone())
    }

    async fn execute(&self, _: Arc<dyn ToolContext>, arguments: Value) -> adk_core::Result<Value> {
        Ok(arguments)
    }
}

/// 86 branches of 15 members each: some 6,000 lines when laid out.
fn union_of_86() -> Value {
    let branch = |branch: usize| {
        let mut members = Map::new();
        members.insert("kind".into(), json!({"const": format!("kind{branch}")}));
        for member in 0..14 {
            let schema = json!({"type": "string", "description": format!("Member {member}"), "maxLength": 80});
            members.insert(format!("m{member}"), schema);
        }
        json!({"type": "object", "required": ["kind"], "properties": members})
    };
    let value = json!({"oneOf": (0..86).map(branch).collect::<Vec<_>>()});
    json!({"type": "object", "required": ["value"], "properties": {"value": value}})
}

/// 1,000 members: text and numbers in turn.
fn thousand_fields() -> Value {
    let members: Map<String, Value> = (0..1_000)
        .map(|number| {
            let schema = match number % 2 {
                0 => json!({"type": "string", "maxLength": 20, "description": "Some text."}),
                _ => json!({"type": "integer", "maximum": 1_000}),
            };
            (format!("f{number}"), schema)
        })
        .collect();
    json!({"type": "object", "properties": members})
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    // `cargo test --benches` and filters for other benches are not meant for a browser.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    let names: Vec<_> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    if !is_bench || !(names.is_empty() || names.iter().any(|name| name.as_str() == "forms_page")) {
        return Ok(ExitCode::SUCCESS);
    }
    let agent = NativeAgent::new("large_forms")
        .instruction("Fill in.")
        .tool(Large { name: "union_of_86", schema: union_of_86() })
        .tool(Large { name: "thousand_fields", schema: thousand_fields() })
        .tool(Large { name: "nothing", schema: json!({"type": "object", "properties": {}}) });
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("large.evalset.json");
    let running = Simulator::new()
        .agent(SimulatedAgentConfig::native("Large forms", agent, file))
        .listen(([127, 0, 0, 1], 0).into())
        .start()
        .await?;
    let address = format!("http://{}", running.address());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../end2end");
    let measured = tokio::task::spawn_blocking(move || {
        Command::new("npx")
            .args(["playwright", "test", "--config", "bench.config.ts"])
            .current_dir(root)
            .env("REHEARSAL_BENCH_URL", address)
            .status()
    })
    .await??;
    running.stop().await;
    Ok(if measured.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
