"""A workflow with a node that writes a file."""

from google.adk.agents import LlmAgent
from google.adk.workflow import Workflow


def write_file(node_input: str) -> str:
    """Writes the file that the user names."""
    with open(node_input, "w") as file:
        file.write("written")
    return "written"


root_agent = Workflow(name="flow", edges=[("START", write_file)])
