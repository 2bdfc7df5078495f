"""A workflow of which code runs nodes that are nowhere in its graph."""

from google.adk.agents import Context
from google.adk.workflow import Workflow, node


def measure(node_input: str) -> int:
    """Measures a room."""
    raise ConnectionError(f"{node_input} has no sensor")


@node(rerun_on_resume=True)
async def measure_all(ctx: Context, node_input: str) -> int:
    """Measures all rooms."""
    return sum([await ctx.run_node(measure, room) for room in ("hall", "attic")])


root_agent = Workflow(name="dynamic", edges=[("START", measure_all)])
