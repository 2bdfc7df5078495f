"""Two agents in a row, with a model of their own each."""

from google.adk.agents import LlmAgent, SequentialAgent

root_agent = SequentialAgent(
    name="pair",
    sub_agents=[
        LlmAgent(name="writer", model="gemini-2.5-flash"),
        LlmAgent(name="critic", model="gemini-2.5-pro"),
    ],
)
