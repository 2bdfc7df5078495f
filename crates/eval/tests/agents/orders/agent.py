"""An agent whose orders a manager approves later."""

from google.adk.agents import LlmAgent
from google.adk.tools import FunctionTool, LongRunningFunctionTool


def order(item: str) -> dict:
    """Orders an item. A manager approves it later."""
    return {"status": "pending", "ticket": f"{item}-1"}


def track(ticket: str) -> dict:
    """Says where an order is."""
    return {"ticket": ticket}


def cancel(ticket: str) -> dict:
    """Cancels an order."""
    return {"canceled": ticket}


root_agent = LlmAgent(
    name="orders",
    model="gemini-2.5-flash",
    tools=[
        LongRunningFunctionTool(order),
        FunctionTool(track),
        FunctionTool(cancel, require_confirmation=lambda ticket: ticket != "lamp-1"),
    ],
)
