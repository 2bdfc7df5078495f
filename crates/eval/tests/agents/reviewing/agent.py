"""A workflow of which code may run an agent that is nowhere in its graph."""

from google.adk.agents import Context, LlmAgent
from google.adk.workflow import Workflow, node


def spell(text: str) -> str:
    """Checks the spelling."""
    return text


polisher = LlmAgent(name="polisher", model="gemini-2.5-flash", tools=[spell])


def draft(node_input: str) -> str:
    """Writes a draft."""
    return f"draft of {node_input}"


@node(rerun_on_resume=True)
async def review(ctx: Context, node_input: str) -> str:
    """Has long drafts polished."""
    return await ctx.run_node(polisher, node_input) if len(node_input) > 1000 else node_input


def publish(node_input: str) -> str:
    """Publishes."""
    return f"published {node_input}"


root_agent = Workflow(
    name="review_flow",
    edges=[("START", draft), (draft, review), (review, {"good": publish, "bad": draft})],
)
