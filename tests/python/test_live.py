"""The plugin: a real google-adk runner, a real host, and a person who answers through the contract."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from conftest import ROOT
from live_host import PATIENCE, Host, Person, call, needs_binary, text

sys.path.append(str(ROOT / "python"))

from google.adk.agents import LlmAgent, ParallelAgent, RunConfig  # noqa: E402
from google.adk.agents.run_config import StreamingMode  # noqa: E402
from google.adk.apps import App  # noqa: E402
from google.adk.runners import InMemoryRunner  # noqa: E402
from google.adk.tools import AgentTool, FunctionTool, LongRunningFunctionTool  # noqa: E402
from google.adk.workflow import Workflow  # noqa: E402
from google.genai import types  # noqa: E402
from pydantic import BaseModel  # noqa: E402

from rehearsal_adk import (  # noqa: E402
    AddressUnusable,
    AnswerUnusable,
    RehearsalError,
    RehearsalPlugin,
    RehearsalUnreachable,
    RequestRefused,
    TurnCancelled,
)
from rehearsal_adk.live import messages as wire  # noqa: E402

pytestmark = needs_binary


@pytest.fixture
def host(tmp_path):
    host = Host(tmp_path)
    yield host
    host.kill()


def forecast(city: str, days: int = 1) -> dict:
    """Tells the weather.

    Args:
      city: Where.
      days: How far ahead.
    """
    return {"city": city, "days": days, "sky": "clear"}


def broken() -> dict:
    """Always fails."""
    raise ValueError("no such sensor")


def weather_agent(**options):
    options = {"instruction": "Answer about the weather.", "tools": [forecast, broken], **options}
    return LlmAgent(name="weather", model="gemini-2.5-flash", **options)


class Run:
    """One run of an agent in a thread of its own, as a user's program would have it."""

    def __init__(self, agent, plugin, said="Will it rain?", config=None, app=None):
        self.events, self.error = [], None

        async def run():
            if app is None:
                runner = InMemoryRunner(agent=agent, app_name="app", plugins=[plugin])
            else:
                runner = InMemoryRunner(app=app)
            session = await runner.session_service.create_session(app_name="app", user_id="u")
            content = types.Content(role="user", parts=[types.Part(text=said)])
            asked = {"user_id": "u", "session_id": session.id, "new_message": content}
            if config:
                asked["run_config"] = config
            async for event in runner.run_async(**asked):
                self.events.append(event)

        def work():
            try:
                asyncio.run(run())
            except BaseException as error:  # noqa: BLE001 - told to the test
                self.error = error

        self.thread = threading.Thread(target=work, daemon=True)
        self.thread.start()

    def end(self):
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive(), "the run goes on"
        if self.error is not None:
            raise self.error
        return self.events

    def words(self):
        parts = [part for event in self.end() if event.content for part in event.content.parts]
        return [part.text for part in parts if part.text]


def kinds(person):
    return [event.WhichOneof("payload") for event in person.events()]


def test_a_person_calls_a_tool_and_answers(host, capsys):
    plugin = RehearsalPlugin(server_url=host.url, session_description="Lisbon")
    run = Run(weather_agent(), plugin)
    person = Person(host, plugin.session_id)
    request = person.request()
    assert request.model == "gemini-2.5-flash"
    assert "Answer about the weather." in request.system_instruction
    assert [part.text for part in request.contents[0].parts] == ["Will it rain?"]
    declared = request.tools[0].function_declarations
    assert [tool.name for tool in declared] == ["forecast", "broken"]
    assert json.loads(declared[0].parameters)["properties"]["days"]["type"] in ("integer", "INTEGER")

    person.answer(text("Let me look."), call("forecast", {"city": "Lisbon", "days": 2**60 + 1}))
    request = person.request()
    assert request.contents[-1].role == wire.ROLE_FUNCTION
    response = json.loads(request.contents[-1].parts[0].function_response.response)
    assert response == {"city": "Lisbon", "days": 2**60 + 1, "sky": "clear"}
    person.answer(text("No rain in Lisbon."))
    assert run.words() == ["Let me look.", "No rain in Lisbon."]

    events = person.events()
    assert [event.WhichOneof("payload") for event in events] == [
        "request", "response", "tool_result", "request", "response", "run_ended",
    ]
    assert events[2].turn_id == events[0].turn_id
    assert json.loads(events[2].tool_result.response.response)["days"] == 2**60 + 1
    assert events[5].run_ended.outcome == wire.RUN_COMPLETED
    assert len({event.invocation_id for event in events}) == 1
    told = capsys.readouterr().out
    assert told.count(f"{host.url}/live/{plugin.session_id}") == 1, "printed once"


def test_sends_the_users_own_message_beside_what_adk_adds(host):
    plugin = RehearsalPlugin(server_url=host.url, session_description="Lisbon")
    picture = types.Part.from_bytes(data=b"\x89PNG", mime_type="image/png")
    fixed = types.Content(parts=[types.Part(text="You know the weather."), picture])
    run = Run(weather_agent(static_instruction=fixed), plugin)
    person = Person(host, plugin.session_id)
    request = person.request()
    texts = [part.text for content in request.contents for part in content.parts]
    assert any("Answer about the weather." in text for text in texts), texts
    assert [part.text for part in request.user_content.parts] == ["Will it rain?"]
    person.answer(call("forecast", {"city": "Lisbon"}))
    assert not person.request().HasField("user_content"), "once a run"
    person.answer(text("No rain."))
    run.end()

    plugin = RehearsalPlugin(server_url=host.url, session_description="Porto")
    run = Run(weather_agent(), plugin)
    person = Person(host, plugin.session_id)
    assert not person.request().HasField("user_content"), "there is nothing more"
    person.answer(text("No rain."))
    run.end()


def test_an_app_can_contain_the_plugin(host):
    plugin = RehearsalPlugin(server_url=host.url)
    app = App(name="app", root_agent=weather_agent(), plugins=[plugin])
    run = Run(app.root_agent, plugin, app=app)
    Person(host, plugin.session_id).answer(text("No rain."))
    assert run.words() == ["No rain."]


def test_several_calls_in_one_answer_and_a_tool_that_fails(host):
    plugin = RehearsalPlugin(server_url=host.url)
    run = Run(weather_agent(), plugin)
    person = Person(host, plugin.session_id)
    person.answer(call("forecast", {"city": "A"}), call("forecast", {"city": "B"}))
    answers = person.request().contents[-1].parts
    cities = [json.loads(part.function_response.response)["city"] for part in answers]
    assert cities == ["A", "B"]
    person.answer(call("broken", {}))
    with pytest.raises(Exception, match="no such sensor"):
        run.end()
    events = person.events()
    failed = [event.tool_result for event in events if event.WhichOneof("payload") == "tool_result"]
    assert [result.failed for result in failed] == [False, False, True]
    assert events[-1].run_ended.outcome == wire.RUN_FAILED
    assert "no such sensor" in events[-1].run_ended.message


def test_agents_in_parallel_queue_and_each_gets_its_own_answer(host):
    plugin = RehearsalPlugin(server_url=host.url)
    names = ["north", "south", "west"]
    agents = [LlmAgent(name=name, model="gemini-2.5-flash") for name in names]
    run = Run(ParallelAgent(name="all", sub_agents=agents), plugin)
    person = Person(host, plugin.session_id)
    for _ in names:
        up = person.wait_for_turn()
        person.answer(text(f"to {up.agent_name}"), turn_id=up.turn_id)
    said = {event.author: event.content.parts[0].text for event in run.end() if event.content}
    assert said == {name: f"to {name}" for name in names}
    ended = person.events()[-1]
    assert (ended.WhichOneof("payload"), ended.agent_name) == ("run_ended", "all")


def test_agents_that_are_not_targeted_use_their_model(host):
    answered = []

    def model(callback_context, llm_request):
        answered.append(callback_context.agent_name)
        from google.adk.models.llm_response import LlmResponse

        return LlmResponse(content=types.Content(role="model", parts=[types.Part(text="model")]))

    agents = [
        LlmAgent(name=name, model="gemini-2.5-flash", before_model_callback=model)
        for name in ("mine", "theirs")
    ]
    plugin = RehearsalPlugin(server_url=host.url, target_agents=["mine"])
    run = Run(ParallelAgent(name="all", sub_agents=agents), plugin)
    Person(host, plugin.session_id).answer(text("person"))
    assert sorted(run.words()) == ["model", "person"]
    assert answered == ["theirs"]


def said_by_model(callback_context, llm_request):
    from google.adk.models.llm_response import LlmResponse

    return LlmResponse(content=types.Content(role="model", parts=[types.Part(text="model")]))


def team():
    """An agent of each kind of place: the root, below it, called as a tool, below that one."""
    options = {"model": "gemini-2.5-flash", "before_model_callback": said_by_model}
    reader = LlmAgent(name="reader", description="Reads.", **options)
    finder = LlmAgent(name="finder", description="Finds.", sub_agents=[reader], **options)
    clerk = LlmAgent(name="clerk", description="Files.", **options)
    return LlmAgent(name="boss", tools=[AgentTool(finder)], sub_agents=[clerk], **options)


def test_warns_once_about_a_target_that_matches_no_agent(caplog):
    named = ["clerk", "finder", "reader", "finde", "CLERKS", "zz"]
    plugin = RehearsalPlugin("http://127.0.0.1:9", target_agents=named)
    for _ in range(2):
        assert Run(team(), plugin).words() == ["model"]
    told = [one.getMessage() for one in caplog.records if "target_agents" in one.getMessage()]
    assert len(told) == 1, told
    assert "'CLERKS' (did you mean 'clerk'?), 'finde' (did you mean 'finder'?), 'zz', " in told[0]
    assert "(known before the run: 'boss', 'clerk', 'finder', 'reader')" in told[0]


def test_does_not_warn_about_targets_of_the_run(caplog):
    plugin = RehearsalPlugin("http://127.0.0.1:9", target_agents=["clerk", "reader", "finder"])
    assert Run(team(), plugin).words() == ["model"]
    assert "target_agents" not in caplog.text


def test_does_not_warn_about_targets_within_a_workflow(caplog):
    office = Workflow(name="office", edges=[("START", team())])
    plugin = RehearsalPlugin("http://127.0.0.1:9", target_agents=["clerk"])
    assert Run(office, plugin).words() == ["model"]
    assert "target_agents" not in caplog.text


class Report(BaseModel):
    sky: str
    degrees: int


def test_an_output_schema_is_sent_and_its_answer_read(host):
    plugin = RehearsalPlugin(server_url=host.url)
    run = Run(weather_agent(tools=[], output_schema=Report, output_key="report"), plugin)
    person = Person(host, plugin.session_id)
    schema = json.loads(person.request().output_schema)
    assert set(schema["properties"]) == {"sky", "degrees"}
    person.answer(text('{"sky": "clear", "degrees": 21}'))
    deltas = [event.actions.state_delta.get("report") for event in run.end()]
    assert {"sky": "clear", "degrees": 21} in deltas


def test_streaming_thoughts_and_a_sub_agent(host):
    plugin = RehearsalPlugin(server_url=host.url)
    helper = LlmAgent(name="helper", model="gemini-2.5-flash", description="Helps.")
    config = RunConfig(streaming_mode=StreamingMode.SSE)
    run = Run(weather_agent(sub_agents=[helper]), plugin, config=config)
    person = Person(host, plugin.session_id)
    person.answer({"thought": "Not mine."}, call("transfer_to_agent", {"agent_name": "helper"}))
    up = person.wait_for_turn()
    while up.agent_name != "helper":
        up = person.wait_for_turn()
    person.answer(text("Helped."), turn_id=up.turn_id)
    assert "Helped." in run.words()
    thoughts = [
        part.text
        for event in run.events
        if event.content
        for part in event.content.parts
        if part.thought
    ]
    assert thoughts == ["Not mine."]


def test_a_tool_that_asks_for_confirmation_runs_once_it_is_given(host):
    ran = []

    def warn_people(city: str) -> str:
        """Warns everybody."""
        ran.append(city)
        return "warned"

    agent = weather_agent(tools=[FunctionTool(warn_people, require_confirmation=True)])
    plugin = RehearsalPlugin(server_url=host.url)

    async def confirm():
        """The user asks, is asked to confirm, and does."""
        runner = InMemoryRunner(agent=agent, app_name="app", plugins=[plugin])
        session = await runner.session_service.create_session(app_name="app", user_id="u")

        async def say(part):
            content = types.Content(role="user", parts=[part])
            asked = {"user_id": "u", "session_id": session.id, "new_message": content}
            return [event async for event in runner.run_async(**asked)]

        events = await say(types.Part(text="Warn Lisbon!"))
        calls = [one for event in events for one in event.get_function_calls()]
        (wanted,) = [one for one in calls if one.name == "adk_request_confirmation"]
        assert ran == [], "not before somebody confirmed"
        given = {"id": wanted.id, "name": wanted.name, "response": {"confirmed": True}}
        return await say(types.Part(function_response=types.FunctionResponse(**given)))

    with ThreadPoolExecutor() as threads:
        future = threads.submit(lambda: asyncio.run(confirm()))
        person = Person(host, plugin.session_id)
        first = person.wait_for_turn().turn_id
        person.answer(call("warn_people", {"city": "Lisbon"}))
        until = time.monotonic() + PATIENCE
        while not future.done() and person.wait_for_turn().turn_id == first:
            assert time.monotonic() < until
        person.answer(text("Everybody is warned."))
        events = future.result(PATIENCE)
    parts = [part for event in events if event.content for part in event.content.parts]
    assert [part.text for part in parts if part.text] == ["Everybody is warned."]
    assert ran == ["Lisbon"]
    recorded = [event for event in person.events() if event.WhichOneof("payload") == "tool_result"]
    answers = [json.loads(event.tool_result.response.response) for event in recorded]
    assert answers == ["warned"], "and not that it was asked for first"


def test_records_a_long_running_tool_without_a_result(host):
    started = []

    def approve(amount: int) -> dict | None:
        """Asks the boss."""
        started.append(amount)
        return {"ticket": 7} if amount > 5 else None

    plugin = RehearsalPlugin(server_url=host.url)
    agent = weather_agent(tools=[LongRunningFunctionTool(approve)])
    run = Run(agent, plugin)
    person = Person(host, plugin.session_id)
    person.answer(call("approve", {"amount": 1}), call("approve", {"amount": 9}))
    person.answer(text("The other one waits."))
    run.end()
    assert sorted(started) == [1, 9]
    recorded = [event for event in person.events() if event.WhichOneof("payload") == "tool_result"]
    answers = [json.loads(event.tool_result.response.response) for event in recorded]
    assert answers == [{"ticket": 7}], "and not that there was none yet"


def test_a_host_that_is_killed_while_the_agent_waits(host):
    plugin = RehearsalPlugin(server_url=host.url)
    run = Run(weather_agent(), plugin)
    Person(host, plugin.session_id).wait_for_turn()
    for _ in range(2):
        host.kill()
        time.sleep(0.3)
        host.start()
    Person(host, plugin.session_id).answer(text("Still here."))
    assert run.words() == ["Still here."]
    assert kinds(Person(host, plugin.session_id)) == ["request", "response", "run_ended"]


def test_a_canceled_turn_ends_the_run_with_a_clear_error(host):
    plugin = RehearsalPlugin(server_url=host.url)
    run = Run(weather_agent(), plugin)
    person = Person(host, plugin.session_id)
    turn = person.wait_for_turn().turn_id
    person.call("CancelTurn", turn_id=turn, reason="not today", by={"display_name": "Ann"})
    with pytest.raises(RuntimeError) as raised:
        run.end()
    cancelled = TurnCancelled.behind(raised.value)
    assert str(cancelled) == "Ann canceled the turn of weather: not today"
    assert (cancelled.by, cancelled.reason) == ("Ann", "not today")
    assert RehearsalError.behind(raised.value) is cancelled
    assert RequestRefused.behind(raised.value) is None
    ended = person.events()[-1]
    assert kinds(person) == ["request", "cancelled", "run_ended"]
    assert (ended.turn_id, ended.run_ended.outcome) == (turn, wire.RUN_FAILED)
    said = "TurnCancelled: Ann canceled the turn of weather: not today"
    assert ended.run_ended.message == said, "without the words of ADK around it"


def test_reports_an_error_that_utf_8_cannot_encode(host):
    def half():
        raise LookupError("half an emoji: \ud83d")

    plugin = RehearsalPlugin(server_url=host.url)
    run = Run(LlmAgent(name="clerk", model="gemini-2.5-flash", tools=[half]), plugin)
    person = Person(host, plugin.session_id)
    person.answer(call("half", {}))
    run.thread.join(PATIENCE)
    ended = person.events()[-1]
    assert ended.WhichOneof("payload") == "run_ended", kinds(person)
    assert ended.run_ended.message == "LookupError: half an emoji: ?"


def test_a_response_that_adk_cannot_read_ends_the_run(host):
    plugin = RehearsalPlugin(server_url=host.url)
    run = Run(weather_agent(), plugin)
    person = Person(host, plugin.session_id)
    person.answer({"function_call": {"name": "forecast", "args": '{"days": 1e400}'}})
    with pytest.raises(RuntimeError) as raised:
        run.end()
    assert "1e400 is beyond the range of a float" in str(AnswerUnusable.behind(raised.value))
    assert person.events()[-1].run_ended.message.startswith("AnswerUnusable: part 0 of the response")
    assert kinds(person) == ["request", "response", "run_ended"]


def test_finds_a_canceled_turn_in_the_error_of_parallel_agents(host):
    agents = [LlmAgent(name=name, model="gemini-2.5-flash") for name in ("one", "two")]
    plugin = RehearsalPlugin(server_url=host.url)
    run = Run(ParallelAgent(name="both", sub_agents=agents), plugin)
    person = Person(host, plugin.session_id)
    person.call("CancelTurn", turn_id=person.wait_for_turn().turn_id, reason="", by={"display_name": "Ann"})
    with pytest.raises(RuntimeError) as raised:
        run.end()
    assert TurnCancelled.behind(raised.value).agent_name in ("one", "two")
    said = person.events()[-1].run_ended.message
    assert said.startswith("TurnCancelled: Ann canceled the turn of"), said


def test_reports_an_unreachable_host_with_its_address(monkeypatch):
    monkeypatch.setattr("rehearsal_adk.live.client.FIRST_TIMEOUT", 0.5)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    run = Run(weather_agent(), RehearsalPlugin(server_url=url))
    with pytest.raises(Exception, match=f"no Rehearsal host responds at {url}") as raised:
        run.end()
    assert "refused" in str(RehearsalUnreachable.behind(raised.value)), "why, not only that"


def test_a_proxy_without_http2_is_named(monkeypatch):
    monkeypatch.setattr("rehearsal_adk.live.client.FIRST_TIMEOUT", 0.5)
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{proxy.server_port}"
        run = Run(weather_agent(), RehearsalPlugin(server_url=url))
        with pytest.raises(RuntimeError) as raised:
            run.end()
        proxy.shutdown()
    said = str(RehearsalUnreachable.behind(raised.value))
    assert said.startswith(f"{url} does not respond over HTTP/2, which the plugin's gRPC calls need.")
    assert "packaging/nginx.conf" in said


def test_a_completed_session_rejects_requests(host):
    plugin = RehearsalPlugin(server_url=host.url)
    run = Run(weather_agent(), plugin)
    person = Person(host, plugin.session_id)
    person.answer(text("Once."))
    run.end()
    person.call("CompleteSession")
    with pytest.raises(Exception, match="this session is completed") as raised:
        Run(weather_agent(), plugin).end()
    assert RequestRefused.behind(raised.value)


def test_ctrl_c_ends_the_wait_at_once_and_leaves_the_queue(host, tmp_path):
    session = str(uuid.uuid4())
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import asyncio, signal, sys
# A job in the background hands Ctrl-C down as ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.append({str(ROOT / "python")!r})
from google.adk.agents import LlmAgent
from google.adk.runners import InMemoryRunner
from google.genai import types
from rehearsal_adk import RehearsalPlugin

async def main():
    plugin = RehearsalPlugin(server_url={host.url!r})
    plugin.session_id = {session!r}
    agent = LlmAgent(name="weather", model="gemini-2.5-flash")
    runner = InMemoryRunner(agent=agent, app_name="app", plugins=[plugin])
    session = await runner.session_service.create_session(app_name="app", user_id="u")
    content = types.Content(role="user", parts=[types.Part(text="hi")])
    async for event in runner.run_async(user_id="u", session_id=session.id, new_message=content):
        print(event)

asyncio.run(main())
"""
    )
    process = subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    person = Person(host, session)
    person.wait_for_turn()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert b"KeyboardInterrupt" in said
    assert not person.call("GetSession").summary.queue.HasField("up")
    assert kinds(person)[:2] == ["request", "cancelled"]


def test_settings_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("REHEARSAL_SERVER_URL", "http://127.0.0.1:1/")
    monkeypatch.setenv("REHEARSAL_TARGET_AGENTS", "a, b,")
    monkeypatch.setenv("REHEARSAL_SESSION_DESCRIPTION", "from outside")
    plugin = RehearsalPlugin()
    assert plugin.server_url == "http://127.0.0.1:1"
    assert plugin.target_agents == {"a", "b"}
    assert plugin.session_description == "from outside"
    assert RehearsalPlugin(target_agents=["c"]).target_agents == {"c"}


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("https://rehearsal.example/team/", "https://rehearsal.example/team"),
        ("127.0.0.1:4180/tools/team", "http://127.0.0.1:4180/tools/team"),
        ("http://[::1]:4180/team", "http://[::1]:4180/team"),
    ],
)
def test_a_host_may_be_served_below_a_path(given, address):
    plugin = RehearsalPlugin(server_url=given)
    assert plugin.server_url == address
    assert plugin.session_url.startswith(f"{address}/live/")


def test_a_person_responds_at_a_host_below_a_path(tmp_path):
    host = Host(tmp_path, base_path="/team")
    try:
        plugin = RehearsalPlugin(server_url=host.url)
        run = Run(weather_agent(), plugin)
        Person(host, plugin.session_id).answer(text("Sunny."))
        assert run.words() == ["Sunny."]
        without = host.url.removesuffix("/team")
        lost = Run(weather_agent(), RehearsalPlugin(server_url=without))
        with pytest.raises(RuntimeError) as raised:
            lost.end()
        refused = str(RequestRefused.behind(raised.value))
        assert refused.startswith(f"{without} is not the address of a Rehearsal host. ")
        assert refused.endswith(f"add it to REHEARSAL_SERVER_URL or server_url: {without}/PATH")
    finally:
        host.kill()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("http://127.0.0.1:notaport", "notaport"),
        ("http://127.0.0.1:99999", "out of range"),
        ("ftp://127.0.0.1:4180", "neither http nor https"),
        ("http://127.0.0.1:4180/live", "more than a host"),
        ("http://127.0.0.1:4180/team/live/1", "more than a host"),
        ("http://127.0.0.1:4180/team?x=1", "more than a host"),
        ("http://", "no host"),
        ("   ", "no host"),
    ],
)
def test_reports_where_an_invalid_address_was_set(monkeypatch, given, why):
    with pytest.raises(AddressUnusable, match=why) as raised:
        RehearsalPlugin(server_url=given)
    assert str(raised.value).startswith(f"server_url is {given!r}")
    monkeypatch.setenv("REHEARSAL_SERVER_URL", given)
    with pytest.raises(AddressUnusable, match="^REHEARSAL_SERVER_URL is ") as raised:
        RehearsalPlugin()
    assert isinstance(raised.value, ValueError)


def test_a_password_in_an_address_is_not_repeated():
    with pytest.raises(AddressUnusable, match="contains a login") as raised:
        RehearsalPlugin(server_url="http://ann:secret@127.0.0.1:4180")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("127.0.0.1:4180", "http://127.0.0.1:4180"),
        ("localhost/", "http://localhost"),
        ("http://localhost//team/", "http://localhost/team"),
        ("https://host.example", "https://host.example"),
        ("http://[::1]:4180/", "http://[::1]:4180"),
    ],
)
def test_prints_the_address_that_is_used(given, read):
    plugin = RehearsalPlugin(server_url=given)
    assert plugin.server_url == read
    assert plugin.session_url == f"{read}/live/{plugin.session_id}"


def test_a_host_rejects_a_plugin_of_another_version(host, monkeypatch):
    monkeypatch.setattr("rehearsal_adk.live.client.__version__", "0.2.0")
    run = Run(weather_agent(), RehearsalPlugin(server_url=host.url))
    with pytest.raises(RuntimeError) as raised:
        run.end()
    refused = str(RequestRefused.behind(raised.value))
    assert "the plugin has version 0.2.0, and the host 0.1.0" in refused
    assert f"pip install {host.url}/python/rehearsal_adk-0.1.0-py3-none-any.whl" in refused


def test_a_host_with_authentication_needs_a_token(tmp_path, monkeypatch):
    host = Host(tmp_path, asks=True)
    try:
        stranger = Run(weather_agent(), RehearsalPlugin(server_url=host.url))
        with pytest.raises(RuntimeError, match="rehearsal token add") as raised:
            stranger.end()
        refused = str(RequestRefused.behind(raised.value))
        assert host.url in refused and "REHEARSAL_TOKEN" in refused
        monkeypatch.setenv("REHEARSAL_TOKEN", host.token)
        plugin = RehearsalPlugin(server_url=host.url)
        run = Run(weather_agent(), plugin)
        Person(host, plugin.session_id).answer(text("No rain."))
        assert run.words() == ["No rain."]
    finally:
        host.kill()


def test_the_plugin_names_what_it_needs():
    """In a Python without google-adk, as after `pip install rehearsal` without its extra."""
    program = (
        f"import sys; sys.path.append({str(ROOT / 'python')!r}); from rehearsal_adk import RehearsalPlugin"
    )
    ran = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True)
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: RehearsalPlugin needs google-adk and gRPC, and google is missing: "
        "run python -m pip install google-adk grpcio protobuf"
    )
