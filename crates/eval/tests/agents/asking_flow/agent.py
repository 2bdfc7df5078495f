"""A workflow with a node that asks the user."""

from google.adk import Context
from google.adk.events.request_input import RequestInput
from google.adk.workflow import Workflow


def ask_age(node_input: str):
    """Asks."""
    yield RequestInput(message="How old are you?")


def note_age(ctx: Context, node_input: int) -> str:
    """Notes the age in the state."""
    ctx.state["age"] = node_input
    return "noted"


root_agent = Workflow(name="asking_flow", edges=[("START", ask_age, note_age)])
