"""The agent of Google's eval sets llm-auditor: two agents, one after the other."""

from google.adk.agents import LlmAgent, SequentialAgent
from scripted import Scripted

_critic = LlmAgent(name="critic_agent", model=Scripted(fixed="The answer is inaccurate."))
_reviser = LlmAgent(name="reviser_agent", model=Scripted())

root_agent = SequentialAgent(name="llm_auditor", sub_agents=[_critic, _reviser])
