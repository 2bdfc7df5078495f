"""The model endpoints: the vendors' own clients, and an agent of another framework, against a real
host and a person who answers through the contract."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
import time
import uuid
from concurrent.futures import Future

import pytest

from live_host import PATIENCE, Host, Person, call, needs_binary, text

anthropic = pytest.importorskip("anthropic")
openai = pytest.importorskip("openai")

from google import genai  # noqa: E402
from google.genai import errors, types  # noqa: E402
from pydantic import BaseModel  # noqa: E402

pytestmark = needs_binary

PIXEL = base64.b64encode(b"\x89PNG pixel").decode()
FORECAST = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
# More than a double holds.
DAYS = 2**60 + 1


class Weather(BaseModel):
    city: str
    dry: bool


@pytest.fixture
def host(tmp_path):
    host = Host(tmp_path)
    yield host
    host.kill()


class Desk:
    """A session, the person in it, and clients that know its address."""

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
def desk(host):
    return Desk(host)


def asking(work) -> Future:
    """Runs what waits for a person in a thread of its own."""
    future: Future = Future()

    def run():
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - told to the test
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
    """What tools answered, by name, in order."""
    parts = [part for content in request.contents for part in content.parts]
    kinds = [part for part in parts if part.WhichOneof("kind") == "function_response"]
    return [(part.function_response.name, part.function_response.response) for part in kinds]


# OpenAI, Chat Completions

CHAT_TOOL = {
    "type": "function",
    "function": {"name": "forecast", "description": "Weather.", "parameters": FORECAST},
}


def test_chat_tools_in_parallel_and_their_results(desk):
    client = desk.openai()
    asked = {
        "model": "gpt-test",
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "Rain?"},
        ],
        "tools": [CHAT_TOOL],
        "tool_choice": "required",
        "temperature": 0.10,
    }
    first = asking(lambda: client.chat.completions.create(**asked))
    desk.person.up()
    request = desk.person.request()
    assert request.system_instruction == "Be short."
    assert declared(request) == "forecast"
    assert json.loads(request.generation_config) == {"tool_choice": "required", "temperature": 0.1}
    assert desk.person.events()[0].agent_name == "planner"
    desk.person.answer(*parallel())
    choice = first.result(PATIENCE).choices[0]
    assert choice.finish_reason == "tool_calls"
    assert choice.message.content == "Let me look."
    calls = choice.message.tool_calls
    assert [json.loads(one.function.arguments).get("days") for one in calls] == [DAYS, None]
    assert len({one.id for one in calls}) == 2

    asked["messages"] += [choice.message.model_dump(exclude_none=True)]
    asked["messages"] += [
        {"role": "tool", "tool_call_id": one.id, "content": f"clear {index}"}
        for index, one in enumerate(calls)
    ]
    second = asking(lambda: client.chat.completions.create(**asked))
    desk.person.up()
    assert results(desk.person.request()) == [
        ("forecast", '"clear 0"'),
        ("forecast", '"clear 1"'),
    ]
    desk.person.answer(thought("Both clear."), text("No rain."))
    answered = second.result(PATIENCE)
    assert answered.choices[0].message.content == "No rain."
    assert answered.choices[0].message.reasoning_content == "Both clear."
    assert answered.choices[0].finish_reason == "stop"
    assert answered.usage is None, "nobody counted"


def test_chat_streams_structures_and_shows_pictures(desk):
    client = desk.openai()
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
    message = {"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture]}

    def stream():
        chunks = client.chat.completions.create(
            model="m", messages=[message], tools=[CHAT_TOOL], stream=True
        )
        return list(chunks)

    chunks = asking(stream)
    desk.person.up()
    parts = desk.person.request().contents[0].parts
    assert parts[1].inline_data.data == b"\x89PNG pixel"
    desk.person.answer(*parallel())
    deltas = [chunk.choices[0].delta for chunk in chunks.result(PATIENCE)]
    assert "".join(delta.content or "" for delta in deltas) == "Let me look."
    calls = [one for delta in deltas for one in delta.tool_calls or []]
    assert [one.index for one in calls] == [0, 1]

    structured = asking(
        lambda: client.chat.completions.parse(
            model="m", messages=[{"role": "user", "content": "Lisbon?"}], response_format=Weather
        )
    )
    desk.person.up()
    schema = json.loads(desk.person.request().output_schema)
    assert schema["properties"]["dry"]["type"] == "boolean"
    desk.person.answer(text('{"city": "Lisbon", "dry": true}'))
    parsed = structured.result(PATIENCE).choices[0].message.parsed
    assert parsed == Weather(city="Lisbon", dry=True)


def test_openai_errors_name_the_field_and_models_are_listed(desk):
    client = desk.openai(max_retries=2)
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(model="m", messages=[{"role": "robot", "content": "x"}])
    assert refused.value.param == "messages[0].role"
    assert "must be system, developer, user, assistant or tool" in refused.value.message
    with pytest.raises(openai.NotFoundError):
        client.embeddings.create(model="m", input="x")
    assert [model.id for model in client.models.list()] == ["person"]

    cancelled = asking(
        lambda: client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "x"}]
        )
    )
    desk.person.call("CancelTurn", turn_id=desk.person.up().turn_id, reason="not now")
    with pytest.raises(openai.UnprocessableEntityError, match="not now"):
        cancelled.result(PATIENCE)
    assert desk.kinds() == ["request", "cancelled"], "and it was not asked again"


# OpenAI, Responses

RESPONSES_TOOL = {"type": "function", "name": "forecast", "parameters": FORECAST, "strict": False}


def test_responses_go_on_from_the_one_before(desk):
    client = desk.openai()
    first = asking(
        lambda: client.responses.create(
            model="m", instructions="Be short.", input="Rain?", tools=[RESPONSES_TOOL]
        )
    )
    desk.person.up()
    assert declared(desk.person.request()) == "forecast"
    desk.person.answer(thought("Two cities."), *parallel())
    response = first.result(PATIENCE)
    assert [item.type for item in response.output] == [
        "reasoning",
        "message",
        "function_call",
        "function_call",
    ]
    assert response.output_text == "Let me look."
    calls = [item for item in response.output if item.type == "function_call"]
    assert json.loads(calls[0].arguments)["days"] == DAYS

    answers = [
        {"type": "function_call_output", "call_id": one.call_id, "output": "clear"} for one in calls
    ]
    second = asking(
        lambda: client.responses.parse(
            model="m", previous_response_id=response.id, input=answers, text_format=Weather
        )
    )
    desk.person.up()
    request = desk.person.request()
    assert request.contents[0].parts[0].text == "Rain?", "what was said before is shown"
    assert results(request) == [("forecast", '"clear"')] * 2
    assert "dry" in request.output_schema
    desk.person.answer(text('{"city": "Porto", "dry": false}'))
    assert second.result(PATIENCE).output_parsed == Weather(city="Porto", dry=False)


def test_responses_stream(desk):
    client = desk.openai()

    def stream():
        with client.responses.stream(model="m", input="Rain?", tools=[RESPONSES_TOOL]) as events:
            seen = [event.type for event in events]
            return seen, events.get_final_response()

    asked = asking(stream)
    desk.person.up()
    desk.person.answer(thought("Two cities."), *parallel())
    seen, response = asked.result(PATIENCE)
    assert seen[0] == "response.created" and seen[-1] == "response.completed"
    assert seen.count("response.function_call_arguments.done") == 2
    assert response.output_text == "Let me look."
    assert response.usage is None


# Anthropic

ANTHROPIC_TOOL = {"name": "forecast", "description": "Weather.", "input_schema": FORECAST}


def test_anthropic_tools_in_parallel_and_their_results(desk):
    client = desk.anthropic()
    picture = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    messages = [
        {
            "role": "user",
            "content": [{"type": "image", "source": picture}, {"type": "text", "text": "Rain?"}],
        }
    ]
    asked = {
        "model": "claude-test",
        "max_tokens": 100,
        "system": "Be short.",
        "messages": messages,
        "tools": [ANTHROPIC_TOOL],
        "tool_choice": {"type": "any"},
    }
    first = asking(lambda: client.messages.create(**asked))
    desk.person.up()
    request = desk.person.request()
    assert request.system_instruction == "Be short."
    assert declared(request) == "forecast"
    assert request.contents[0].parts[0].inline_data.mime_type == "image/png"
    desk.person.answer(thought("Two cities."), *parallel())
    message = first.result(PATIENCE)
    assert message.stop_reason == "tool_use"
    assert [block.type for block in message.content] == ["thinking", "text", "tool_use", "tool_use"]
    assert message.content[2].input == {"city": "Lisbon", "days": DAYS}

    uses = [block for block in message.content if block.type == "tool_use"]
    blocks = [
        {"type": "tool_result", "tool_use_id": one.id, "content": "clear"} for one in uses
    ]
    messages += [
        {"role": "assistant", "content": [block.model_dump() for block in message.content]},
        {"role": "user", "content": [*blocks, {"type": "text", "text": "And now?"}]},
    ]
    second = asking(lambda: client.messages.create(**asked))
    desk.person.up()
    request = desk.person.request()
    assert results(request) == [("forecast", '"clear"')] * 2
    assert request.contents[-1].parts[0].text == "And now?"
    desk.person.answer(text("No rain."))
    message = second.result(PATIENCE)
    assert message.content[0].text == "No rain." and message.stop_reason == "end_turn"


def test_anthropic_streams_and_structures(desk):
    client = desk.anthropic()
    asked = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Rain?"}]}

    def stream():
        with client.messages.stream(**asked, tools=[ANTHROPIC_TOOL]) as events:
            return events.get_final_message()

    streamed = asking(stream)
    desk.person.up()
    desk.person.answer(thought("Two cities."), *parallel())
    message = streamed.result(PATIENCE)
    assert message.content[1].text == "Let me look."
    assert message.content[2].input == {"city": "Lisbon", "days": DAYS}
    assert message.stop_reason == "tool_use"

    schema = {**Weather.model_json_schema(), "additionalProperties": False}
    output = {"format": {"type": "json_schema", "schema": schema}}
    structured = asking(lambda: client.messages.create(**asked, output_config=output))
    desk.person.up()
    assert json.loads(desk.person.request().output_schema) == schema
    desk.person.answer(text('{"city": "Lisbon", "dry": true}'))
    assert Weather.model_validate_json(structured.result(PATIENCE).content[0].text).dry


def test_anthropic_errors_name_the_field(desk):
    client = desk.anthropic(max_retries=2)
    unknown = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}
    with pytest.raises(anthropic.BadRequestError) as refused:
        client.messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": [unknown]}]
        )
    error = refused.value.body["error"]
    assert error["type"] == "invalid_request_error"
    assert error["message"].startswith("messages[0].content[0].tool_use_id: must be the id of a call")
    assert [model.id for model in client.models.list()] == ["person"]

    def stream():
        asked = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]}
        with client.messages.stream(**asked) as events:
            return events.get_final_message()

    cancelled = asking(stream)
    desk.person.call("CancelTurn", turn_id=desk.person.up().turn_id, reason="not now")
    with pytest.raises(anthropic.APIStatusError, match="not now"):
        cancelled.result(PATIENCE)


# Gemini

GEMINI_TOOL = types.Tool(
    function_declarations=[
        types.FunctionDeclaration(name="forecast", parameters_json_schema=FORECAST)
    ]
)
NO_CALLING = types.AutomaticFunctionCallingConfig(disable=True)


def test_gemini_tools_in_parallel_and_their_results(desk):
    client = desk.gemini()
    config = types.GenerateContentConfig(
        system_instruction="Be short.",
        tools=[GEMINI_TOOL],
        automatic_function_calling=NO_CALLING,
        tool_config=types.ToolConfig(
            function_calling_config=types.FunctionCallingConfig(mode="ANY")
        ),
    )
    said = types.Content(
        role="user",
        parts=[types.Part.from_bytes(data=b"\x89PNG", mime_type="image/png"), types.Part(text="?")],
    )
    asked = {"model": "gemini-test", "config": config}
    first = asking(lambda: client.models.generate_content(contents=[said], **asked))
    desk.person.up()
    request = desk.person.request()
    assert request.system_instruction == "Be short."
    assert request.model == "gemini-test"
    assert declared(request) == "forecast"
    assert request.contents[0].parts[0].inline_data.data == b"\x89PNG"
    assert "ANY" in request.generation_config
    desk.person.answer(thought("Two cities."), *parallel())
    response = first.result(PATIENCE)
    calls = response.function_calls
    assert [one.args.get("days") for one in calls] == [DAYS, None]
    assert response.candidates[0].content.parts[0].thought

    answers = [
        types.Part(
            function_response=types.FunctionResponse(
                id=one.id, name=one.name, response={"sky": "clear"}
            )
        )
        for one in calls
    ]
    contents = [said, response.candidates[0].content, types.Content(role="user", parts=answers)]
    second = asking(lambda: client.models.generate_content(contents=contents, **asked))
    desk.person.up()
    request = desk.person.request()
    assert [json.loads(one) for _, one in results(request)] == [{"sky": "clear"}] * 2
    assert request.contents[1].parts[0].thought == "Two cities."
    desk.person.answer(text("No rain."))
    assert second.result(PATIENCE).text == "No rain."


def test_gemini_streams_and_structures(desk):
    client = desk.gemini()

    def stream():
        return list(client.models.generate_content_stream(model="m", contents="Rain?"))

    streamed = asking(stream)
    desk.person.up()
    desk.person.answer(*parallel())
    (chunk,) = streamed.result(PATIENCE)
    assert chunk.candidates[0].content.parts[0].text == "Let me look."
    assert len(chunk.function_calls) == 2

    config = types.GenerateContentConfig(
        response_mime_type="application/json", response_schema=Weather
    )
    structured = asking(
        lambda: client.models.generate_content(model="m", contents="Lisbon?", config=config)
    )
    desk.person.up()
    assert set(json.loads(desk.person.request().output_schema)["properties"]) == {"city", "dry"}
    desk.person.answer(text('{"city": "Lisbon", "dry": true}'))
    assert structured.result(PATIENCE).parsed == Weather(city="Lisbon", dry=True)


def test_gemini_errors_name_the_field(desk):
    client = desk.gemini()
    with pytest.raises(errors.ClientError) as refused:
        client.models.generate_content(
            model="m", contents=[types.Content(role="robot", parts=[types.Part(text="x")])]
        )
    assert refused.value.code == 400 and refused.value.status == "INVALID_ARGUMENT"
    assert refused.value.message.startswith("contents[0].role: must be user, model or function")
    with pytest.raises(errors.ServerError, match="countTokens"):
        client.models.count_tokens(model="m", contents="x")
    cancelled = asking(
        lambda: list(client.models.generate_content_stream(model="m", contents="x"))
    )
    desk.person.call("CancelTurn", turn_id=desk.person.up().turn_id, reason="not now")
    with pytest.raises(Exception):  # noqa: B017 - whichever the HTTP library has for a cut stream
        cancelled.result(PATIENCE)


# A person who takes longer than a client waits

LONGER = 3.0


def late(desk, *parts):
    """Answers once the client has given up at least once."""
    desk.person.up()
    time.sleep(LONGER)
    desk.person.answer(*parts)


@pytest.mark.parametrize("vendor", ["chat", "responses", "anthropic", "gemini"])
def test_a_repeated_request_finds_its_own_turn(desk, vendor):
    message = {"role": "user", "content": "Rain?"}
    if vendor == "gemini":
        client = desk.gemini(
            timeout=1000, retry_options=types.HttpRetryOptions(attempts=9, max_delay=0.5)
        )
        asked = asking(lambda: client.models.generate_content(model="m", contents="Rain?").text)
    elif vendor == "anthropic":
        client = desk.anthropic(timeout=1.0, max_retries=9)
        create = client.messages.create
        asked = asking(lambda: create(model="m", max_tokens=9, messages=[message]).content[0].text)
    elif vendor == "chat":
        create = desk.openai(timeout=1.0, max_retries=9).chat.completions.create
        asked = asking(lambda: create(model="m", messages=[message]).choices[0].message.content)
    else:
        create = desk.openai(timeout=1.0, max_retries=9).responses.create
        asked = asking(lambda: create(model="m", input="Rain?").output_text)
    late(desk, text("No rain."))
    assert asked.result(PATIENCE) == "No rain."
    assert desk.kinds() == ["request", "response"], "one turn, however often it was asked"


@pytest.mark.parametrize("vendor", ["chat", "responses", "anthropic", "gemini"])
def test_a_stream_outlives_the_read_timeout(desk, vendor):
    message = {"role": "user", "content": "Rain?"}

    def chat():
        create = desk.openai(timeout=1.0).chat.completions.create
        chunks = create(model="m", messages=[message], stream=True)
        return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)

    def responses():
        with desk.openai(timeout=1.0).responses.stream(model="m", input="Rain?") as events:
            return events.get_final_response().output_text

    def messages():
        client = desk.anthropic(timeout=1.0)
        with client.messages.stream(model="m", max_tokens=9, messages=[message]) as events:
            return events.get_final_message().content[0].text

    def gemini():
        client = desk.gemini(timeout=1000)
        chunks = client.models.generate_content_stream(model="m", contents="Rain?")
        return "".join(chunk.text or "" for chunk in chunks)

    work = {"chat": chat, "responses": responses, "anthropic": messages, "gemini": gemini}[vendor]
    asked = asking(work)
    late(desk, text("No rain."))
    assert asked.result(PATIENCE) == "No rain."
    assert desk.kinds() == ["request", "response"]


def ask(desk, words="Rain?", **options):
    create = desk.openai(**options).chat.completions.create
    message = {"role": "user", "content": words}
    return asking(lambda: create(model="m", messages=[message]).choices[0].message.content)


def test_the_same_question_again_is_a_new_one_unless_its_answer_was_missed(desk):
    first = ask(desk)
    desk.person.answer(text("one"))
    assert first.result(PATIENCE) == "one"
    second = ask(desk)
    desk.person.answer(text("two"))
    assert second.result(PATIENCE) == "two"
    # Gives up, and is answered while it is away.
    third = ask(desk, timeout=0.5)
    with pytest.raises(openai.APITimeoutError):
        third.result(PATIENCE)
    desk.person.answer(text("three"))
    assert ask(desk).result(PATIENCE) == "three"
    assert desk.kinds().count("request") == 3


def test_equal_questions_at_once_are_questions_of_their_own(desk):
    asked = [ask(desk) for _ in range(3)]
    until = time.monotonic() + PATIENCE
    while desk.kinds().count("request") < 3:
        assert time.monotonic() < until
        time.sleep(0.05)
    for number in range(3):
        desk.person.answer(text(str(number)))
    assert sorted(one.result(PATIENCE) for one in asked) == ["0", "1", "2"]


def test_a_host_that_was_killed_knows_the_question_again(host, desk):
    asked = ask(desk, max_retries=9, timeout=PATIENCE)
    desk.person.up()
    host.kill()
    host.start()
    desk.person.answer(text("still here"))
    assert asked.result(PATIENCE) == "still here"
    assert desk.kinds() == ["request", "response"]


def test_an_idempotency_key_names_one_question(desk):
    def keyed(words):
        headers = {"idempotency-key": "k-1"}
        create = desk.openai().chat.completions.create
        messages = [{"role": "user", "content": words}]
        return create(model="m", messages=messages, extra_headers=headers).choices[0].message.content

    first = asking(lambda: keyed("Rain?"))
    desk.person.answer(text("no"))
    assert first.result(PATIENCE) == "no"
    assert keyed("Rain?") == "no"
    with pytest.raises(openai.ConflictError, match="turn_id"):
        keyed("Snow?")


def test_headers_name_the_session_and_a_completed_name_opens_another(host):
    client = openai.OpenAI(base_url=f"{host.url}/v1", api_key="none", max_retries=0)
    headers = {"x-rehearsal-session": "My test", "x-rehearsal-agent": "planner"}

    def create():
        return client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "x"}], extra_headers=headers
        )

    nobody = Person(host, str(uuid.uuid4()))

    def sessions():
        listed = nobody.list_sessions("My test")
        return [(one.session.id, one.session.status, one.queue.depth) for one in listed]

    def opened(count):
        until = time.monotonic() + PATIENCE
        while len(sessions()) < count or sessions()[0][2] == 0:
            assert time.monotonic() < until
            time.sleep(0.05)
        return sessions()[0][0]

    first = asking(create)
    person = Person(host, opened(1))
    person.answer(text("one"))
    first.result(PATIENCE)
    assert person.events()[0].agent_name == "planner"
    person.call("CompleteSession")
    second = asking(create)
    other = opened(2)
    assert other != person.session_id
    Person(host, other).answer(text("two"))
    assert second.result(PATIENCE).choices[0].message.content == "two"


def test_a_host_that_asks_takes_a_token_as_each_vendors_key(tmp_path):
    host = Host(tmp_path, asks=True)
    try:
        desk = Desk(host)
        message = {"role": "user", "content": "Rain?"}
        with pytest.raises(openai.AuthenticationError, match="rehearsal token add"):
            desk.openai().chat.completions.create(model="m", messages=[message])
        with pytest.raises(anthropic.AuthenticationError):
            desk.anthropic().messages.create(model="m", max_tokens=9, messages=[message])
        with pytest.raises(errors.ClientError) as refused:
            stranger = desk.gemini()
            stranger.models.generate_content(model="m", contents="Rain?")
        assert refused.value.status == "UNAUTHENTICATED"

        desk.key = host.token
        # It closes its connections once nobody refers to it.
        gemini = desk.gemini()
        asked = [
            lambda: desk.openai().responses.create(model="m", input="Rain?").output_text,
            lambda: (
                desk.anthropic()
                .messages.create(model="m", max_tokens=9, messages=[message])
                .content[0]
                .text
            ),
            lambda: gemini.models.generate_content(model="m", contents="Rain?").text,
        ]
        for work in asked:
            future = asking(work)
            desk.person.answer(text("No rain."))
            assert future.result(PATIENCE) == "No rain."
        answer = desk.person.events()[1]
        assert answer.by.display_name == "tests", "the token's name, whatever the message says"
    finally:
        host.kill()


# What takes a free text


def test_a_custom_tool_of_responses_takes_a_text(desk):
    client = desk.openai()
    grammar = {"type": "grammar", "syntax": "regex", "definition": "[a-z ]+"}
    shell = {"type": "custom", "name": "shell", "description": "Runs a line.", "format": grammar}
    asked = {"model": "m", "tools": [shell]}
    first = asking(lambda: client.responses.create(**asked, input="Go."))
    desk.person.up()
    (declaration,) = desk.person.request().tools[0].function_declarations
    schema = json.loads(declaration.parameters)
    assert declaration.name == "shell" and schema["required"] == ["input"]
    assert "[a-z ]+" in schema["properties"]["input"]["description"]
    desk.person.answer(call("shell", {"input": "ls -l"}))
    response = first.result(PATIENCE)
    (item,) = response.output
    assert (item.type, item.name, item.input) == ("custom_tool_call", "shell", "ls -l")

    def stream():
        result = {"type": "custom_tool_call_output", "call_id": item.call_id, "output": "none"}
        go_on = {**asked, "previous_response_id": response.id, "input": [result]}
        with client.responses.stream(**go_on) as events:
            seen = [event.type for event in events]
            return seen, events.get_final_response()

    second = asking(stream)
    desk.person.up()
    assert results(desk.person.request()) == [("shell", '"none"')]
    desk.person.answer(call("shell", {"input": "ls"}))
    seen, response = second.result(PATIENCE)
    assert "response.custom_tool_call_input.done" in seen
    assert response.output[0].input == "ls"


def test_a_custom_tool_of_chat_takes_a_text(desk):
    client = desk.openai()
    tool = {"type": "custom", "custom": {"name": "shell", "description": "Runs a line."}}
    create = client.chat.completions.create
    messages = [{"role": "user", "content": "Go."}]
    asked = asking(lambda: create(model="m", messages=messages, tools=[tool]))
    desk.person.answer(call("shell", {"input": "ls"}))
    (made,) = asked.result(PATIENCE).choices[0].message.tool_calls
    assert (made.type, made.custom.name, made.custom.input) == ("custom", "shell", "ls")


# Exports


def looks_it_up(desk, vendor, ask_again):
    """An agent that calls `forecast`, shows the model what it answered, and gets a text."""
    message = {"role": "user", "content": "Rain?"}
    if vendor == "chat":
        create = desk.openai().chat.completions.create
        made = create(model="m", messages=[message], tools=[CHAT_TOOL]).choices[0].message
        (one,) = made.tool_calls
        ask_again()
        result = {"role": "tool", "tool_call_id": one.id, "content": '{"sky": "clear"}'}
        said = [message, made.model_dump(exclude_none=True), result]
        return create(model="m", messages=said, tools=[CHAT_TOOL]).choices[0].message.content
    if vendor == "responses":
        create = desk.openai().responses.create
        made = create(model="m", input="Rain?", tools=[RESPONSES_TOOL])
        (one,) = made.output
        ask_again()
        result = {"type": "function_call_output", "call_id": one.call_id, "output": "clear"}
        return create(model="m", previous_response_id=made.id, input=[result]).output_text
    if vendor == "anthropic":
        create = desk.anthropic().messages.create
        asked = {"model": "m", "max_tokens": 9, "tools": [ANTHROPIC_TOOL]}
        made = create(**asked, messages=[message])
        (one,) = made.content
        ask_again()
        block = {"type": "tool_result", "tool_use_id": one.id, "content": "clear"}
        used = {"role": "assistant", "content": [one.model_dump()]}
        said = [message, used, {"role": "user", "content": [block]}]
        return create(**asked, messages=said).content[0].text
    client = desk.gemini()
    config = types.GenerateContentConfig(
        tools=[GEMINI_TOOL], automatic_function_calling=NO_CALLING
    )
    generate = client.models.generate_content
    said = [types.Content(role="user", parts=[types.Part(text="Rain?")])]
    made = generate(model="m", contents=said, config=config)
    (one,) = made.function_calls
    ask_again()
    result = types.FunctionResponse(id=one.id, name=one.name, response={"sky": "clear"})
    answered = types.Content(role="user", parts=[types.Part(function_response=result)])
    said += [made.candidates[0].content, answered]
    return generate(model="m", contents=said, config=config).text


@pytest.mark.parametrize(
    ("vendor", "kept"),
    [
        ("chat", {"result": '{"sky": "clear"}'}),
        ("responses", {"result": "clear"}),
        ("anthropic", {"result": "clear"}),
        ("gemini", {"sky": "clear"}),
    ],
)
def test_what_tools_answered_is_exported_as_adk_keeps_it(host, desk, vendor, kept):
    from google.adk.evaluation.eval_case import get_all_tool_calls_with_responses
    from google.adk.evaluation.eval_set import EvalSet

    runs = threading.Event()
    asked = asking(lambda: looks_it_up(desk, vendor, runs.set))
    desk.person.answer(call("forecast", {"city": "Lisbon"}))
    assert runs.wait(PATIENCE)
    desk.person.up()
    desk.person.answer(text("No rain."))
    assert asked.result(PATIENCE) == "No rain."
    desk.person.call("CompleteSession")
    receipt = host.page("export_live_session", session=desk.session_id, runs=[1])
    exported = EvalSet.model_validate_json((host.folder / receipt["path"]).read_text())
    (turn,) = exported.eval_cases[0].conversation
    ((used, response),) = get_all_tool_calls_with_responses(turn.intermediate_data)
    assert (used.name, used.args) == ("forecast", {"city": "Lisbon"})
    assert response.response == kept
    assert turn.user_content.parts[0].text == "Rain?"
    assert turn.final_response.parts[0].text == "No rain."


@pytest.mark.parametrize("api", ["responses", "chat"])
def test_an_agent_of_another_framework(desk, api):
    agents = pytest.importorskip("agents")
    agents.set_tracing_disabled(True)

    @agents.function_tool
    def forecast(city: str) -> str:
        """Tells the weather."""
        return f"clear in {city}"

    async def run():
        client = openai.AsyncOpenAI(base_url=f"{desk.url}/v1", api_key="none")
        models = {
            "responses": agents.OpenAIResponsesModel,
            "chat": agents.OpenAIChatCompletionsModel,
        }
        model = models[api](model="gpt-test", openai_client=client)
        agent = agents.Agent(
            name="weather",
            instructions="Answer about the weather.",
            model=model,
            tools=[forecast],
            output_type=Weather,
        )
        return (await agents.Runner.run(agent, "Is it dry in Lisbon?")).final_output

    asked = asking(lambda: asyncio.run(run()))
    desk.person.up()
    request = desk.person.request()
    assert request.system_instruction == "Answer about the weather."
    assert "dry" in request.output_schema
    desk.person.answer(call("forecast", {"city": "Lisbon"}), call("forecast", {"city": "Porto"}))
    desk.person.up()
    assert results(desk.person.request()) == [
        ("forecast", '"clear in Lisbon"'),
        ("forecast", '"clear in Porto"'),
    ]
    desk.person.answer(text('{"city": "Lisbon", "dry": true}'))
    assert asked.result(PATIENCE) == Weather(city="Lisbon", dry=True)
