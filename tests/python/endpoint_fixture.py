"""The endpoint of a live session, the person in it, and the vendors' own clients."""

from __future__ import annotations

import base64
import json
import threading
import uuid
from concurrent.futures import Future

import pytest

from live_host import PATIENCE, Host, Person, call, text

anthropic = pytest.importorskip("anthropic")
openai = pytest.importorskip("openai")

from google import genai  # noqa: E402
from google.genai import types  # noqa: E402
from pydantic import BaseModel  # noqa: E402

PIXEL = base64.b64encode(b"\x89PNG pixel").decode()
FORECAST = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
# More than a double holds.
DAYS = 2**60 + 1

CHAT_TOOL = {
    "type": "function",
    "function": {"name": "forecast", "description": "Weather.", "parameters": FORECAST},
}
RESPONSES_TOOL = {"type": "function", "name": "forecast", "parameters": FORECAST, "strict": False}
ANTHROPIC_TOOL = {"name": "forecast", "description": "Weather.", "input_schema": FORECAST}
GEMINI_TOOL = types.Tool(
    function_declarations=[
        types.FunctionDeclaration(name="forecast", parameters_json_schema=FORECAST)
    ]
)
NO_CALLING = types.AutomaticFunctionCallingConfig(disable=True)


class Weather(BaseModel):
    city: str
    dry: bool


@pytest.fixture
def host(tmp_path):
    host = Host(tmp_path)
    yield host
    host.kill()


class Endpoint:
    """The endpoint of a live session, with the person in it and clients."""

    def __init__(self, host: Host):
        self.session_id = str(uuid.uuid4())
        self.url = f"{host.url}/s/{self.session_id}/a/planner"
        self.person = Person(host, self.session_id)
        self.key = "none"

    def openai(self, **options):
        options = {"max_retries": 0, "timeout": PATIENCE, **options}
        return openai.OpenAI(base_url=f"{self.url}/v1", api_key=self.key, **options)

    def anthropic(self, **options):
        options = {"max_retries": 0, "timeout": PATIENCE, **options}
        return anthropic.Anthropic(base_url=self.url, api_key=self.key, **options)

    def gemini(self, **options):
        return genai.Client(
            api_key=self.key, http_options=types.HttpOptions(base_url=self.url, **options)
        )

    def kinds(self):
        return [event.WhichOneof("payload") for event in self.person.events()]


@pytest.fixture
def endpoint(host):
    return Endpoint(host)


def asking(work) -> Future:
    """Runs a call that waits for a person in a thread of its own."""
    future: Future = Future()

    def run():
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised in the test
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def thought(words):
    return {"thought": words}


def parallel():
    """Two calls and words beside them."""
    return [
        text("Let me look."),
        call("forecast", {"city": "Lisbon", "days": DAYS}),
        call("forecast", {"city": "Porto"}),
    ]


def declared(request):
    (declaration,) = request.tools[0].function_declarations
    assert json.loads(declaration.parameters) == FORECAST
    return declaration.name


def results(request):
    """The results of tools by name, in order."""
    parts = [part for content in request.contents for part in content.parts]
    kinds = [part for part in parts if part.WhichOneof("kind") == "function_response"]
    return [(part.function_response.name, part.function_response.response) for part in kinds]


def ask(endpoint, words="Rain?", **options):
    create = endpoint.openai(**options).chat.completions.create
    message = {"role": "user", "content": words}
    return asking(lambda: create(model="m", messages=[message]).choices[0].message.content)
