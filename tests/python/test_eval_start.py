"""What the process that runs eval cases does before it imports an agent."""

import os
import subprocess
import sys

from forked import ROOT

START = """
import sys
from rehearsal_adk.evaluation.lean_import import lean_import
with lean_import():
    from rehearsal_adk.evaluation import gate, given_model, warm_up
    gate.install()
    given_model.install()
"""


def starts_with(program):
    """Runs a program in a process that has imported google-adk as that process does."""
    done = subprocess.run(
        [sys.executable, "-c", START + program],
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_models_of_the_agent_are_built_when_they_are_defined():
    starts_with("""
from google.adk.agents import BaseAgent
from google.genai import types
from pydantic import BaseModel
class Plain(BaseModel):
    name: str
class Agent(BaseAgent):
    other: int = 0
class Part(types.Part):
    other: int = 0
assert Plain.__pydantic_complete__ and Agent.__pydantic_complete__
assert Agent(name="a", other=1).other == 1
assert not Part.__pydantic_complete__  # As google-genai has it.
""")


def test_the_command_line_of_httpx_is_left_out_and_can_still_be_imported():
    starts_with("""
import httpx
assert "httpx._main" not in sys.modules and "rich" not in sys.modules
import importlib.util
assert importlib.util.find_spec("httpx._main")
""")


def test_the_warm_up_leaves_nothing_behind():
    starts_with("""
import asyncio, os, threading
from rehearsal_adk.evaluation import current
def state():
    return (
        threading.active_count(),
        len(os.listdir("/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd")),
        current.case(),
        asyncio._get_running_loop(),
        asyncio.get_event_loop_policy()._local._loop,
    )
before = state()
warm_up.warm_up()
assert state() == before, (state(), before)
""")


def test_the_declaration_of_a_function_is_there_before_a_case_asks():
    starts_with("""
from google.adk.agents import LlmAgent
from google.adk.tools import function_tool
from google.adk.tools.agent_tool import AgentTool
from rehearsal_adk.evaluation import output_schema
def outer(at: str) -> dict[str, int]:
    "Looks."
def inner(at: str) -> dict[str, str]:
    "Looks."
def broken(at: "Missing") -> "Missing":
    "Looks."
helper = LlmAgent(name="helper", tools=[function_tool.FunctionTool(inner)])
warm_up.declare(LlmAgent(name="a", tools=[outer, broken, AgentTool(agent=helper)]))
kept = getattr(function_tool, "_build_declaration_cached", None)
for function, of in ((outer, "integer"), (inner, "string")):
    tool = function_tool.FunctionTool(function)
    misses = kept and kept.cache_info().misses
    assert tool._get_declaration().name == function.__name__
    assert kept is None or kept.cache_info().misses == misses
    misses = output_schema._of_function.cache_info().misses
    assert output_schema.of(tool)["additionalProperties"] == {"type": of}
    assert output_schema._of_function.cache_info().misses == misses
""")


def test_joined_pages_are_huge_and_the_process_goes_on():
    starts_with("""
from rehearsal_adk.evaluation import huge_pages
kept = [str(number) for number in range(100_000)]
joined = huge_pages.join_pages()
if joined:
    rollup = open("/proc/self/smaps_rollup").read()
    huge = int(rollup.split("AnonHugePages:")[1].split()[0]) * 1024
    assert huge >= joined // 2 > 0, (huge, joined)
assert kept == [str(number) for number in range(100_000)]
""")
