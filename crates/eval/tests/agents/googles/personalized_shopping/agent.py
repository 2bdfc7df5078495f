"""The agent of Google's eval set personalized-shopping."""

from google.adk.agents import LlmAgent
from scripted import Scripted


def search(keywords: str) -> str:
    """Searches the web shop."""
    return f"No product for {keywords}"


root_agent = LlmAgent(name="personalized_shopping_agent", model=Scripted(), tools=[search])
