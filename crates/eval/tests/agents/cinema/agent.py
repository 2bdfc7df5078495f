"""An agent that books seats. Its callback lets the model read errors, and its tools note what they do in the state."""

from typing import Optional

from google.adk.agents import LlmAgent
from google.adk.tools import LongRunningFunctionTool, ToolContext
from pydantic import BaseModel


class Snack(BaseModel):
    """What to eat."""

    kind: str
    salted: bool = True


def reserve(row: str, seats: int = 2, snack: Optional[Snack] = None) -> dict:
    """Reserves seats."""
    raise RuntimeError("the code of a mocked tool ran")


def announce(context: str = "doors open") -> dict:
    """Announces something."""
    raise RuntimeError("the code of a mocked tool ran")


def pay(amount: float) -> float:
    """Pays."""
    raise RuntimeError("the code of a mocked tool ran")


def booked(tool_context: ToolContext) -> dict:
    """Reads what is booked."""
    return {key: tool_context.state.get(key) for key in ("seats", "customer")}


def ask(question: str) -> None:
    """Asks the guest."""


def ask_friend(question: str) -> None:
    """Asks the guest's friend."""


def on_error(tool, args, tool_context, error):
    """Lets the model read an error."""
    return {"error": str(error)}


root_agent = LlmAgent(
    name="cinema",
    model="gemini-2.5-flash",
    tools=[
        reserve,
        announce,
        pay,
        booked,
        LongRunningFunctionTool(ask),
        LongRunningFunctionTool(ask_friend),
    ],
    on_tool_error_callback=on_error,
)
