"""A workflow within a workflow, and a tool as a node."""

from google.adk.tools import FunctionTool
from google.adk.workflow import FunctionNode, Workflow


def step(ctx, node_input) -> str:
    ctx.state["ran"] = True
    return "real"


def prepare(node_input) -> dict:
    return {"room": "a"}


def book(room: str) -> str:
    """Books a room."""
    raise RuntimeError("the real tool ran")


inner = Workflow(name="inner", edges=[("START", FunctionNode(func=step))])
arguments = FunctionNode(func=prepare)
root_agent = Workflow(
    name="inner_flow", edges=[("START", inner), (inner, arguments), (arguments, FunctionTool(book))]
)
