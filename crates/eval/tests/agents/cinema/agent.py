"""An agent that books seats. Its callback lets the model read errors, and its tools note what they do in the state."""

from typing import Optional

from google.adk.agents import LlmAgent
from google.adk.tools import FunctionTool, LongRunningFunctionTool, ToolContext
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


def cancel(row: str) -> str:
    """Cancels a reservation, which a person confirms."""
    raise RuntimeError("the code of a mocked tool ran")


def whole(tool, args, tool_context):
    """Changes the arguments of a call before the tool gets them."""
    if tool.name == "pay":
        args["amount"] = float(round(args["amount"]))


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
        FunctionTool(cancel, require_confirmation=True),
        LongRunningFunctionTool(ask),
        LongRunningFunctionTool(ask_friend),
    ],
    before_tool_callback=whole,
    on_tool_error_callback=on_error,
)
