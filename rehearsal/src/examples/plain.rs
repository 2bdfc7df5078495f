//! An agent with no tools: everything is in the instruction.

use agents::native::NativeAgent;

/// An agent that answers from its instruction alone.
#[must_use]
pub fn poet_agent() -> NativeAgent {
    NativeAgent::new("poet_agent")
        .description("Answers in verse. Has no tools.")
        .model("gemini-2.5-flash")
        .instruction(
            "Answer every question as a *haiku*: three lines of five, seven and five syllables.\n\n\
             - Never explain the poem.\n- Never use the word \"haiku\".",
        )
}
