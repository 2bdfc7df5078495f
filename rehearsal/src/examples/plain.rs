//! An agent without tools.

use agents::native::NativeAgent;

/// An agent that responds from its instruction only.
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
