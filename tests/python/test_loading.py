"""Every folder that `adk web` loads is loaded, and what cannot be loaded says why."""

import subprocess
import sys
from pathlib import Path

import pytest

from conftest import FIXTURES, ROOT, SMART_HOME


@pytest.mark.parametrize(
    "agent, entry, root",
    [
        ("recorded_app", "app", "recorded"),
        ("structured", "root_agent", "forecaster"),
        ("yaml_agent", "root_agent.yaml", "yaml_agent"),
        ("sequential", "root_agent", "newsroom"),
        ("workflow", "root_agent", "office"),
        ("asyncio_at_import", "root_agent", "early"),
    ],
)
def test_loads_what_adk_web_loads(worker, agent, entry, root):
    about = worker(agent).initialize()["result"]
    assert (about["entry"], about["root_agent"], about["app_name"]) == (entry, root, agent)
    assert about["executable"] == sys.executable
    assert about["adk_version"].startswith("2.")


def test_loads_a_folder_beside_an_agent_module(worker, tmp_path):
    """The parent folder holds an agent.py of its own, which makes ADK's loader pick that."""
    (tmp_path / "agent.py").write_text("raise RuntimeError('the wrong agent')")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "agent.py").write_text(
        "from google.adk.agents import LlmAgent\n"
        "root_agent = LlmAgent(name='right', model='gemini-2.5-flash')\n"
    )
    assert worker(inner).initialize()["result"]["root_agent"] == "right"


def test_a_slow_import_says_where_it_is(worker, tmp_path):
    slow = tmp_path / "slow"
    slow.mkdir()
    (slow / "agent.py").write_text(
        "import time\n"
        "def connect():\n"
        "    time.sleep(9)\n"
        "connect()\n"
        "from google.adk.agents import LlmAgent\n"
        "root_agent = LlmAgent(name='slow', model='gemini-2.5-flash')\n"
    )
    one = worker(slow)
    assert one.initialize()["result"]["root_agent"] == "slow"
    log = one.log()
    assert "The agent is still being imported:" in log
    assert "line 3, in connect" in log and "time.sleep(9)" in log
    assert log.count("still being imported") == 1


@pytest.mark.parametrize(
    "agent, kind, message, last_frame",
    [
        ("import_error", "ConnectionRefusedError", "the price database is down", "in connect"),
        ("value_error", "ValueError", "invalid literal for int()", "LIMIT = int"),
        ("missing_module", "ModuleNotFoundError", "a_package_that_nobody_has", "import a_package"),
        ("syntax_error", "SyntaxError", "invalid syntax", "def broken(:"),
        ("exits_at_import", "SystemExit", "no licence found", "sys.exit"),
        ("no_agent", "ValueError", "No root_agent found for 'no_agent'", ""),
    ],
)
def test_a_failing_import_is_an_error_with_the_original_traceback(
    worker, agent, kind, message, last_frame
):
    one = worker(agent)
    error = one.initialize()["error"]
    assert error["code"] == -32000
    assert error["data"]["type"] == kind
    assert message in error["data"]["message"]
    assert last_frame in error["data"]["traceback"]
    assert "rehearsal_adk" not in error["data"]["traceback"]
    # Whoever asks again is told the same, and the worker lives.
    again = one.error("open_session", session_id="s", user_id="u", state={})
    assert again["data"]["type"] == kind
    assert one.result("ping")["loop_idle_ms"] < 1000


def test_the_traceback_of_an_import_starts_in_the_agents_own_file(worker):
    traceback = worker("import_error").initialize()["error"]["data"]["traceback"]
    first = next(line for line in traceback.splitlines() if line.strip().startswith("File"))
    assert str(FIXTURES / "import_error") in first


def test_a_missing_folder_is_named(worker, tmp_path):
    error = worker(tmp_path / "gone").initialize()["error"]
    assert error["data"]["type"] == "NotADirectoryError"
    assert "gone" in error["message"]


def test_explains_how_to_install_google_adk(tmp_path):
    """`-I -S` hides the site packages, pip too, as in a virtual environment that uv made."""
    bootstrap = (
        f"import sys; sys.path.append({str(ROOT / 'python')!r}); "
        "from rehearsal_adk.worker import main; main()"
    )
    line = (
        '{"jsonrpc":"2.0","id":1,"method":"initialize",'
        f'"params":{{"protocol":1,"agent_dir":"{SMART_HOME}"}}}}\n'
    )
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", bootstrap],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:
        # The input stays open until the answer is there: its end would end the worker.
        process.stdin.write(line)
        process.stdin.flush()
        answer = process.stdout.readline()
        process.stdin.close()
    assert "ModuleNotFoundError" in answer
    assert f"uv pip install --python {sys.executable} google-adk" in answer


def test_rejects_another_protocol(worker):
    one = worker("structured")
    error = one.error("initialize", protocol=99, agent_dir=one.agent_dir)
    assert error["data"]["type"] == "ProtocolMismatch"


def test_the_worker_needs_nothing_but_google_adk():
    """Every import of the package is the standard library's, its own, or comes with google-adk."""
    import ast

    allowed = set(sys.stdlib_module_names) | {"rehearsal_adk", "google", "pydantic", "pydantic_core"}
    for path in Path(ROOT / "python" / "rehearsal_adk").glob("*.py"):
        if path.name == "pytest_plugin.py":  # Only pytest loads it.
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module]
            for name in names:
                assert name.split(".")[0] in allowed, f"{path.name} imports {name}"
