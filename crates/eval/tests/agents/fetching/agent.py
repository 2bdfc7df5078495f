"""An agent that asks its own model, and whose tool gets a page."""

import httpx
from google.adk.agents import LlmAgent


async def fetch(url: str) -> dict:
    """Gets a page.

    Args:
      url: Its address.
    """
    async with httpx.AsyncClient() as client:
        return {"status": (await client.post(url, json={})).status_code}


root_agent = LlmAgent(name="fetching", model="gemini-2.5-flash", tools=[fetch])
