//! An agent in Rust with one tool, as `docs/guide/rust.md` shows it.

use std::sync::Arc;

use adk_core::{AdkError, ErrorCategory, ErrorComponent, Tool, ToolContext, async_trait};
use rehearsal::agents::native::NativeAgent;
use rehearsal::{ServeError, SimulatedAgentConfig, Simulator};
use serde_json::{Value, json};

/// Looks up how people of a town greet each other.
struct Greeting;

#[async_trait]
impl Tool for Greeting {
    fn name(&self) -> &str {
        "find_greeting"
    }

    fn description(&self) -> &str {
        "Finds how people greet each other in a town."
    }

    fn parameters_schema(&self) -> Option<Value> {
        Some(json!({
            "type": "object",
            "properties": {
                "town": {"type": "string", "examples": ["Hamburg", "Lisbon"]},
                "formal": {"type": "boolean", "default": false}
            },
            "required": ["town"]
        }))
    }

    async fn execute(&self, _: Arc<dyn ToolContext>, given: Value) -> adk_core::Result<Value> {
        let greeting = match (given["town"].as_str(), given["formal"] == true) {
            (Some("Hamburg"), false) => "Moin",
            (Some("Hamburg"), true) => "Guten Tag",
            (Some("Lisbon"), false) => "Olá",
            (Some("Lisbon"), true) => "Bom dia",
            _ => return Err(unknown(&given["town"])),
        };
        Ok(json!({ "greeting": greeting }))
    }
}

/// A tool's failure is an entry in the history.
fn unknown(town: &Value) -> AdkError {
    let message = format!("no greeting is known for {town}");
    AdkError::new(ErrorComponent::Tool, ErrorCategory::NotFound, "greeter.town", message)
}

#[tokio::main]
async fn main() -> Result<(), ServeError> {
    let greeter = NativeAgent::new("greeter")
        .instruction("Greet the user as people of {town} do. Look it up first.")
        .initial_state("town", "Hamburg")
        .tool(Greeting);
    Simulator::new()
        .agent(SimulatedAgentConfig::native("Greeter", greeter, "evals/greeter.evalset.json"))
        .owning_its_process()
        .serve()
        .await
}
