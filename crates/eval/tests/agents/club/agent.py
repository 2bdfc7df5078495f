"""An agent of a club. Its instruction and its tools read google-adk's scopes."""

from google.adk.agents import LlmAgent
from google.adk.tools import ToolContext


def card(tool_context: ToolContext) -> dict:
    """Shows the card of a member."""
    keys = ("user:tier", "user:visits", "app:limit", "guests")
    return {key: tool_context.state[key] for key in keys if key in tool_context.state}


def visit(day: str) -> dict:
    """Notes a visit."""
    raise RuntimeError("the code of a mocked tool ran")


def keep(callback_context, llm_request):
    """Keeps the instruction in the state."""
    callback_context.state["instruction"] = llm_request.config.system_instruction


root_agent = LlmAgent(
    name="club",
    model="gemini-2.5-flash",
    instruction="The member has {user:tier?}, of {app:limit?}.",
    tools=[card, visit],
    before_model_callback=keep,
)
