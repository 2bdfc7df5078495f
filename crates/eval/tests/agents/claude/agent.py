"""An agent that asks Anthropic with google-adk's own client."""

from google.adk.agents import LlmAgent
from google.adk.models.anthropic_llm import AnthropicLlm

root_agent = LlmAgent(name="claude", model=AnthropicLlm(model="claude-sonnet-5"))
