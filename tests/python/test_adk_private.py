"""The private names of google-adk: one module has them, and a missing one is never passed over in silence."""

import ast
import json
import logging
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from google.adk.agents import BaseAgent
from google.adk.flows.llm_flows.base_llm_flow import BaseLlmFlow
from google.adk.tools import agent_tool
from google.adk.version import __version__

from conftest import ROOT

PACKAGE = ROOT / "python" / "rehearsal_adk"
sys.path.insert(0, str(PACKAGE.parent))

from rehearsal_adk import adk_private, loading  # noqa: E402
from rehearsal_adk.live.plugin import RehearsalPlugin  # noqa: E402

# The rule: outside of `adk_private`, a name that begins with a single underscore is one that a module of this package
# defines, or one of the standard library. Nothing there has a name that `adk_private` lists.

TREES = {path.relative_to(PACKAGE): ast.parse(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")}
OTHERS = {Path("adk_private.py")}
PRIVATE = {name.attribute for name in adk_private.NAMES if name.attribute.startswith("_")}

OF_THE_STANDARD_LIBRARY = {"_target", "_dir_candidates", "_findSoname_ldconfig"}
"""Attributes of its objects, which no name of a module shows."""


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def defined(tree):
    """The names that a module defines itself: functions, classes, variables, and attributes of `self` and of `cls`."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
                yield node.attr


def standard_modules(tree):
    """The names under which a module imports modules of the standard library."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    names = [one for node in imports for one in node.names]
    return {one.asname or one.name for one in names if one.name.split(".")[0] in sys.stdlib_module_names}


def named(tree):
    """The private names that a module uses, with the line, apart from those of the standard library's modules."""
    standard = standard_modules(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) not in standard:
            yield node.lineno, node.attr
        elif isinstance(node, ast.ImportFrom) and not is_standard_or_own(node):
            yield from ((node.lineno, part) for part in (node.module or "").split("."))
            yield from ((node.lineno, one.name) for one in node.names)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, part) for one in node.names for part in one.name.split("."))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "hasattr", "setattr", "delattr"):
            if isinstance(node.args[1], ast.Constant) and ast.unparse(node.args[0]) not in standard:
                yield node.lineno, node.args[1].value


def is_standard_or_own(node):
    first = (node.module or "").split(".")[0]
    return node.level > 0 or first == "rehearsal_adk" or first in sys.stdlib_module_names


def test_no_other_module_has_a_private_name_of_google_adk():
    own = {name for tree in TREES.values() for name in defined(tree)} | OF_THE_STANDARD_LIBRARY
    found = [
        f"{path}:{line}: {name}"
        for path, tree in TREES.items()
        if path not in OTHERS
        for line, name in named(tree)
        if is_private(name) and (name not in own or name in PRIVATE)
    ]
    assert not found, "name these in adk_private.py"


def test_no_other_module_defines_or_spells_a_name_that_is_listed():
    listed = PRIVATE | {name.module for name in adk_private.NAMES if "._" in name.module}
    found = [
        f"{path}: {name}"
        for path, tree in TREES.items()
        if path not in OTHERS
        for name in [
            *defined(tree),
            *(node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)),
        ]
        if name in listed
    ]
    assert not found


def test_the_rule_finds_what_it_forbids():
    tree = ast.parse("""
import os
from google.adk.tools._hidden import Tool
os._exit(0)
agent._llm_flow.run()
getattr(agent, "_flow", None)
""")
    assert {name for _, name in named(tree) if is_private(name)} == {"_hidden", "_llm_flow", "_flow"}


# Every name exists in the installed version.


@pytest.mark.parametrize("part", ["rehearsal", "evaluation", "live"])
def test_nothing_is_missing(part):
    assert adk_private.check(part) == []


@pytest.mark.parametrize("name", adk_private.NAMES, ids=lambda name: f"{name.module}:{name.path}")
def test_each_name_exists(name):
    if name.is_lazy:
        pytest.importorskip(name.module)
    if name.since <= tuple(map(int, __version__.split(".")[:2])):
        assert name.exists()


def test_the_installed_version_is_among_those_that_an_error_names():
    oldest, newest = re.findall(r"\d+\.(\d+)", adk_private.TESTED)
    assert int(oldest) <= int(__version__.split(".")[1]) < int(newest)
    assert f'"google-adk>=2.{oldest},' in (ROOT / "python" / "pyproject.toml").read_text("utf-8")


def test_an_attribute_of_objects_is_found_in_the_code_of_their_class():
    def name(attribute):
        return adk_private.PrivateName("google.adk.tools.function_tool", f"FunctionTool.{attribute}")

    assert name("_require_confirmation").exists()
    assert not name("_requires_confirmation").exists()


# Without one.


def test_without_a_name_that_results_need_nothing_is_loaded(monkeypatch):
    monkeypatch.delattr(BaseLlmFlow, "_handle_before_model_callback")
    monkeypatch.delattr(BaseAgent, "_handle_after_agent_callback")
    with pytest.raises(adk_private.MissingName) as refused:
        adk_private.check("rehearsal")
    assert refused.value.type_name == "UnsupportedAdk"
    command = loading.install_command(f'"google-adk{adk_private.TESTED}"')
    assert str(refused.value) == (
        f"google-adk {__version__} has no BaseLlmFlow._handle_before_model_callback in "
        "google.adk.flows.llm_flows.base_llm_flow, without which before-model callbacks do not run, and no "
        "BaseAgent._handle_after_agent_callback in google.adk.agents.base_agent, without which after-agent callbacks do "
        f"not run. Install a version that Rehearsal is tested with: `{command}`."
    )


def test_without_the_name_of_a_feature_there_is_a_warning(monkeypatch):
    monkeypatch.delattr(agent_tool, "_SingleTurnAgentTool")
    (warning,) = adk_private.check("rehearsal")
    assert "has no _SingleTurnAgentTool in google.adk.tools.agent_tool, without which nobody can act as" in warning
    assert adk_private.check("evaluation") == []


def test_a_name_that_this_version_is_too_old_for_is_not_missing(monkeypatch):
    monkeypatch.setattr(adk_private, "_version", lambda: (2, 11))
    monkeypatch.setattr(adk_private.PrivateName, "exists", lambda name: name is not adk_private.SYNC_RUNNER)
    assert adk_private.check("rehearsal") == []
    monkeypatch.setattr(adk_private, "_version", lambda: (2, 12))
    assert len(adk_private.check("rehearsal")) == 1


def test_an_access_says_what_is_missing_and_passes_on_what_fails_within():
    class Broken:
        @property
        def _llm_flow(self):
            raise AttributeError("of the agent")

    with pytest.raises(AttributeError, match="of the agent"):
        adk_private.LLM_FLOW.of(Broken())
    gone = adk_private.PrivateName(
        "google.adk.agents.llm_agent", "LlmAgent._gone", live=adk_private.Without("nothing runs", refuses=False)
    )
    with pytest.raises(adk_private.MissingName, match="no LlmAgent._gone in .*, without which nothing runs"):
        gone.of(object())


def test_a_model_is_looked_at_when_a_case_asks_it(monkeypatch):
    lite_llm = pytest.importorskip("google.adk.models.lite_llm")
    model = lite_llm.LiteLlm.model_construct(model="openai/any")
    adk_private.check_model(model)
    monkeypatch.delattr(lite_llm, "_ensure_litellm_imported")
    with pytest.raises(adk_private.MissingName, match="no _ensure_litellm_imported"):
        adk_private.check_model(model)
    adk_private.check_model(object())


def test_the_plugin_warns(monkeypatch, caplog):
    monkeypatch.setattr(adk_private.PrivateName, "exists", lambda name: name is not adk_private.DEFERS_RESPONSE)
    with caplog.at_level(logging.WARNING, "rehearsal_adk"):
        RehearsalPlugin(server_url="http://127.0.0.1:1")
    assert "is recorded before it has a result" in caplog.text


AGENT = """
import importlib
from google.adk.agents import LlmAgent
from google.adk.tools.agent_tool import AgentTool

module, path = {name!r}
owner = importlib.import_module(module)
for part in path.split(".")[:-1]:
    owner = getattr(owner, part)
delattr(owner, path.split(".")[-1])

def add(a: int) -> int:
    "Adds."
    return a

helper = LlmAgent(name="helper", model="gemini-2.5-flash")
root_agent = LlmAgent(
    name="root", model="gemini-2.5-flash", instruction="Add.", tools=[add, AgentTool(agent=helper)]
)
"""


def agent_without(folder, name):
    """An agent that takes a name from google-adk, as another version would lack it."""
    agent = folder / "lacking"
    agent.mkdir()
    (agent / "__init__.py").write_text("from . import agent\n")
    (agent / "agent.py").write_text(AGENT.format(name=(name.module, name.path)))
    return agent


def test_the_worker_does_not_load_an_agent_without_a_name_that_results_need(worker, tmp_path):
    one = worker(agent_without(tmp_path, adk_private.AFTER_MODEL))
    error = one.initialize()["error"]
    assert error["data"]["type"] == "UnsupportedAdk"
    assert "no BaseLlmFlow._handle_after_model_callback" in error["data"]["message"]
    assert f'"google-adk{adk_private.TESTED}"' in error["message"]


def test_the_page_shows_what_cannot_be_done_without_a_name(worker, tmp_path):
    view = worker(agent_without(tmp_path, adk_private.FORWARDING_ARTIFACTS)).open()
    (warning,) = view["warnings"]
    assert "no ForwardingArtifactService in" in warning and "nobody can act as an agent that is a tool" in warning
    assert [tool["can_be_played"] for tool in view["tools"]] == [False, False]


def test_the_page_shows_the_agents_own_tools_without_the_flow_of_google_adk(worker, tmp_path):
    view = worker(agent_without(tmp_path, adk_private.PREPROCESS)).open()
    (warning,) = view["warnings"]
    assert "no BaseLlmFlow._preprocess_async" in warning and "the agent's own instruction and tools" in warning
    assert [tool["name"] for tool in view["tools"]] == ["add", "helper"]


SERVE = "from rehearsal_adk.evaluation import serve; serve.main()"


def served(folder, program):
    """What the process of eval runs says first, after a program."""
    arguments = {
        "agent": str(folder),
        "isolation": "batch",
        "files": str(folder),
        "homes": str(folder),
        "folders": [],
        "programs": [],
        "hosts": [],
        "is_sealed": False,
        "is_offline": False,
        "program_filter": "",
    }
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = subprocess.Popen(
            [sys.executable, "-c", f"{program}\n{SERVE}", json.dumps(arguments)],
            env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        theirs.close()
        first = process.stdout.readline()
        ours.close()
        _, log = process.communicate(timeout=60)
    assert first, log
    return json.loads(first)


def test_an_eval_run_ends_before_the_agent_is_imported(tmp_path):
    fault = served(
        tmp_path, "import google.adk.runners as it; del it.Runner._cleanup_root_task"
    )["fault"]
    assert fault["type"] == "UnsupportedAdk"
    assert "no Runner._cleanup_root_task in google.adk.runners" in fault["message"]
    assert "a run that the agent's code canceled counts as complete" in fault["message"]


def test_an_eval_run_ends_if_a_module_of_the_agent_lacks_a_name(tmp_path):
    name = adk_private.IMPORT_LITELLM
    pytest.importorskip(name.module)
    fault = served(agent_without(tmp_path, name), "")["fault"]
    assert fault["type"] == "UnsupportedAdk"
    assert "no _ensure_litellm_imported" in fault["message"]
