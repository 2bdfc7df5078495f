"""The agent of Google's eval sets trip_planner_agent, with the sub-agents that they transfer to."""

from google.adk.agents import LlmAgent
from scripted import Scripted

_identify = LlmAgent(name="indentify_agent", model=Scripted(), description="Chooses a city.")
_gather = LlmAgent(name="gather_agent", model=Scripted(), description="Gathers a guide.")

root_agent = LlmAgent(name="trip_planner", model=Scripted(), sub_agents=[_identify, _gather])
