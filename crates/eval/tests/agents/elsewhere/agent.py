"""google-adk's classes of agents whose tools run elsewhere, as far as this version has them."""

from . import stand_ins  # noqa: F401  Before what it stands in for is imported.

from google.adk.agents import LlmAgent
from google.adk.agents.langgraph_agent import LangGraphAgent
from google.adk.agents.remote_a2a_agent import RemoteA2aAgent
from google.adk.tools import AgentTool
from langgraph.graph.state import CompiledStateGraph

graph = LangGraphAgent(name="graph", graph=CompiledStateGraph.__new__(CompiledStateGraph))
remote = RemoteA2aAgent(name="remote", description="Far.", agent_card="http://127.0.0.1:9/card")
below = [graph]
try:
    from google.adk.agents import ManagedAgent
except ImportError:
    pass
else:
    below.append(ManagedAgent(name="managed", agent_id="agents/1"))
try:
    from google.adk.labs.antigravity._antigravity_agent import AntigravityAgent
    from google.antigravity import AgentConfig
except ImportError:
    pass
else:
    harness = AntigravityAgent(name="harness", mode="single_turn", config=AgentConfig(tools=[]))
    below.append(harness)

root_agent = LlmAgent(
    name="asker", model="gemini-2.5-flash", tools=[AgentTool(remote)], sub_agents=below
)
