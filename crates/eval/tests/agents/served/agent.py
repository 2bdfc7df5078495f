"""An agent whose model's service runs a tool, which comes from where the variable `FROM` says."""

import os

from google.adk.agents import LlmAgent
from google.adk.code_executors import BuiltInCodeExecutor
from google.adk.tools import BaseTool, google_search
from google.adk.tools.base_toolset import BaseToolset
from google.genai import types

FROM = os.environ["FROM"]


class Searches(BaseToolset):
    async def get_tools(self, readonly_context=None):
        return [google_search]

    async def close(self) -> None:
        pass


class Reads(BaseTool):
    """A tool of the author that the service runs."""

    async def process_llm_request(self, *, tool_context, llm_request) -> None:
        add(llm_request, types.Tool(url_context=types.UrlContext()))


def add(llm_request, tool) -> None:
    llm_request.config.tools = [*(llm_request.config.tools or ()), tool]


def sing() -> str:
    """Sings."""
    return "la"


def before_model(callback_context, llm_request) -> None:
    match FROM:
        case "callback":
            add(llm_request, types.Tool(url_context=types.UrlContext()))
        case "function of callback":
            add(llm_request, sing)


root_agent = LlmAgent(
    name="served",
    model="gemini-2.5-flash",
    before_model_callback=before_model,
    code_executor=BuiltInCodeExecutor() if FROM == "executor" else None,
    tools={
        "toolset": [Searches()],
        "list": [google_search],
        "own": [Reads(name="reads", description="Reads.")],
    }.get(FROM, []),
)
