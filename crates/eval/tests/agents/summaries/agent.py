"""An app that summarizes its events with the agent's model, and a tool whose code asks that model too."""

from google.adk.agents import LlmAgent
from google.adk.apps.app import App, EventsCompactionConfig
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types


class Counting(BaseLlm):
    """A model that says that it is done, and how many tokens that took."""

    async def generate_content_async(self, llm_request, stream=False):
        """Gives a text."""
        usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=7, candidates_token_count=2)
        content = types.Content(role="model", parts=[types.Part(text="Done.")])
        yield LlmResponse(content=content, usage_metadata=usage)


async def classify(text: str) -> str:
    """Says what a text is about."""
    contents = [types.Content(role="user", parts=[types.Part(text=text)])]
    async for response in root_agent.canonical_model.generate_content_async(LlmRequest(contents=contents)):
        return response.content.parts[0].text


root_agent = LlmAgent(name="counter", model=Counting(model="counting"), instruction="Count.", tools=[classify])
app = App(
    name="summaries",
    root_agent=root_agent,
    events_compaction_config=EventsCompactionConfig(compaction_interval=1, overlap_size=0),
)
