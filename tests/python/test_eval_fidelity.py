"""What an eval run must not change about an agent of google-adk: each is a difference that a generated agent showed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap

import pytest

BINARY = os.environ.get("REHEARSAL_TEST_BINARY")

HEADER = """
import asyncio
import datetime
from google.adk.agents import LlmAgent
from google.adk.tools import ToolContext
from pydantic import BaseModel
"""


@pytest.fixture
def run(tmp_path):
    """Runs an agent, of which the source follows the imports, and returns the result of the case."""
    assert BINARY, "REHEARSAL_TEST_BINARY must name the program; `cargo xtask test --only plugin` sets it"

    def run(source: str, calls: list, tools: dict, mocks: str = "", **members) -> dict:
        package = tmp_path / "agent"
        package.mkdir()
        (package / "__init__.py").write_text("")
        (package / "agent.py").write_text(HEADER + textwrap.dedent(source))
        (tmp_path / "mocks.py").write_text(textwrap.dedent(mocks))
        turn = {"calls": [{"tool": tool, "args": args} for tool, args in calls]}
        case = {"name": "a", "first_message": "Go", "model": {"scripted": [turn, "Done"]}, "tools": tools, **members}
        suite, output = tmp_path / "a.eval.json", tmp_path / "results.json"
        suite.write_text(json.dumps({"subject": {"adk": "agent"}, "cases": [case]}))
        command = [BINARY, "eval", suite, "--format", "results", "--output", output, "--python", sys.executable]
        ran = subprocess.run(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=False)
        assert output.exists(), ran.stderr
        [result] = json.loads(output.read_text())["results"]
        return result

    return run


def results(result: dict) -> list:
    """The results of the calls, in their order."""
    return [event["result"] for event in result["events"] if event["type"] == "tool_result"]


def test_real_tools_that_are_called_at_once_run_in_the_order_of_the_calls(run):
    result = run(
        """
        def add(at: int, tool_context: ToolContext) -> dict:
            tool_context.state["order"] = [*tool_context.state.get("order", []), at]
            return {}

        root_agent = LlmAgent(name="adder", tools=[add])
        """,
        [("add", {"at": at}) for at in range(30)],
        {"add": "real"},
    )
    assert result["events"][-1]["state"] == {"order": list(range(30))}


def test_a_run_that_an_error_ends_shows_the_state_up_to_the_error(run):
    result = run(
        """
        def note(at: int, tool_context: ToolContext) -> dict:
            tool_context.state["at"] = at
            return {}

        def after(tool, args, tool_context, tool_response):
            tool_context.state["temp:after"] = True

        def fail(callback_context, llm_request):
            if "at" in callback_context.state:
                raise ValueError("too late")

        root_agent = LlmAgent(name="noter", tools=[note], after_tool_callback=after, before_model_callback=fail)
        """,
        [("note", {"at": 3})],
        {"note": "real"},
        initial_state={"session": {"city": "Rome", "temp:x": 1}},
    )
    assert result["status"] == "error"
    assert result["events"][-1]["state"] == {"city": "Rome", "at": 3}


def test_the_error_of_a_generator_that_a_callback_handles_is_not_an_error_of_a_model(run):
    result = run(
        """
        def count(at: int):
            raise ValueError("no numbers")
            yield at

        def handle(tool, args, tool_context, error):
            return {"handled": str(error)}

        root_agent = LlmAgent(name="counter", tools=[count], on_tool_error_callback=handle)
        """,
        [("count", {"at": 3})],
        {"count": "real"},
    )
    assert (result["status"], results(result)) == ("passed", [{"handled": "no numbers"}])


def test_the_error_of_an_agent_that_is_a_tool_can_be_handled(run):
    result = run(
        """
        from google.adk.tools import AgentTool

        helper = LlmAgent(name="helper", instruction="Help in {city}.")

        def handle(tool, args, tool_context, error):
            return {"handled": "city" in str(error)}

        root_agent = LlmAgent(name="asker", tools=[AgentTool(helper)], on_tool_error_callback=handle)
        """,
        [("helper", {"request": "Help"})],
        {},
    )
    assert (result["status"], results(result)) == ("passed", [{"handled": True}])


def test_callbacks_get_a_mocks_answer_as_the_objects_that_the_tool_declares(run):
    result = run(
        """
        class Flight(BaseModel):
            day: datetime.date
            seats: int = 9

        def find(to: str) -> list[Flight]:
            return []

        def free() -> dict:
            return {}

        def after(tool, args, tool_context, tool_response):
            return {"seats": sum(it.seats for it in tool_response)} if tool.name == "find" else None

        root_agent = LlmAgent(name="finder", tools=[find, free], after_tool_callback=after)
        """,
        [("find", {"to": "OSL"}), ("free", {})],
        {
            "find": {"returns": [{"day": "2026-01-02"}, {"day": "2026-01-03", "seats": 1}]},
            "free": {"returns": {"a": 1}},
        },
    )
    assert results(result) == [{"seats": 10}, {"a": 1}]


def test_a_mocks_own_default_of_an_argument_that_is_called_context_is_kept(run):
    result = run(
        """
        def announce(context: str = "doors open") -> dict:
            return {}

        root_agent = LlmAgent(name="announcer", tools=[announce])
        """,
        [("announce", {})],
        {"announce": {"function": "mocks.py:announce"}},
        mocks="""
        def announce(context="from the mock"):
            return {"announced": context}
        """,
    )
    assert results(result) == [{"announced": "from the mock"}]
