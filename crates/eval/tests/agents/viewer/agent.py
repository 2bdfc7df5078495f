"""An agent that keeps what its model is asked last, and whose tool is approved later."""

from google.adk.agents import LlmAgent
from google.adk.tools import FunctionTool, LongRunningFunctionTool


def order(item: str) -> dict:
    """Orders an item. A manager approves it later."""
    return {"status": "pending", "item": item}


def wipe(disk: str) -> dict:
    """Wipes a disk."""
    return {"wiped": disk}


def keep(callback_context, llm_request):
    """Keeps the parts of the last message in the state."""
    parts = llm_request.contents[-1].parts
    kept = [part.model_dump(mode="json", exclude_none=True) for part in parts]
    callback_context.state["asked"] = [*callback_context.state.get("asked", []), kept]


root_agent = LlmAgent(
    name="viewer",
    model="gemini-2.5-flash",
    before_model_callback=keep,
    tools=[LongRunningFunctionTool(order), FunctionTool(wipe, require_confirmation=True)],
)
