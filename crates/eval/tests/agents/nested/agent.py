"""An agent that uses an agent as a tool, which uses another one."""

from google.adk.agents import LlmAgent
from google.adk.tools import AgentTool
from pydantic import BaseModel

MODEL = "gemini-2.5-flash"


def look(place: str) -> dict:
    """Looks somewhere.

    Args:
      place: Where.
    """
    raise RuntimeError(f"{place} was looked at")


inner = LlmAgent(name="inner", model=MODEL, description="Looks.", tools=[look])
middle = LlmAgent(name="middle", model=MODEL, description="Asks.", tools=[AgentTool(inner)])


class Verdict(BaseModel):
    """What the judge says."""

    is_there: bool


judge = LlmAgent(name="judge", model=MODEL, description="Judges.", output_schema=Verdict)
root_agent = LlmAgent(name="root", model=MODEL, tools=[AgentTool(middle), AgentTool(judge)])
