//! The math agent: two tools that calculate with integers.

use agents::native::NativeAgent;
use schemars::JsonSchema;
use serde::Deserialize;

use super::tool::{FnTool, ToolFault};

/// Two integers.
#[derive(Debug, Deserialize, JsonSchema)]
struct Pair {
    /// The first number.
    a: i64,
    /// The second number.
    b: i64,
}

fn fits(result: Option<i64>, what: &str) -> Result<i64, ToolFault> {
    result.ok_or_else(|| ToolFault::invalid_input(format!("{what} does not fit 64 bits")))
}

/// An agent that adds and multiplies.
#[must_use]
pub fn math_agent() -> NativeAgent {
    NativeAgent::new("math_agent")
        .description("Calculates with two tools instead of guessing.")
        .model("gemini-2.5-flash")
        .instruction(
            "You are a calculator. **Never** calculate in your head: use the tools, one step at a \
             time, and give the result in one sentence.",
        )
        .tool(FnTool::new("add", "Adds two numbers.", |_, Pair { a, b }: Pair| async move {
            fits(a.checked_add(b), "the sum")
        }))
        .tool(FnTool::new(
            "multiply",
            "Multiplies two numbers.",
            |_, Pair { a, b }: Pair| async move { fits(a.checked_mul(b), "the product") },
        ))
}
