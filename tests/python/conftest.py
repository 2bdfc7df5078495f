"""A client of the worker for the tests: it starts the real process and talks the real protocol."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

import pytest

from forked import ROOT, Forked, serve

FIXTURES = Path(__file__).parent / "fixtures"
SMART_HOME = ROOT / "examples" / "smart_home" / "smart_home"
PATIENCE = 60


def spawn(environment) -> subprocess.Popen:
    """Starts the worker as the host does, in a process that has imported nothing."""
    bootstrap = (
        f"import sys; sys.path.append({str(ROOT / 'python')!r}); "
        "from rehearsal_adk.worker import main; main()"
    )
    return subprocess.Popen(
        [sys.executable, "-c", bootstrap],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )


class Worker:
    """One worker process. Requests may overlap; answers are matched by id.

    A ``fresh`` one is started as the host starts it; another finds google-adk imported.
    """

    def __init__(self, agent_dir, env=None, fresh=False):
        self.agent_dir = str(agent_dir)
        environment = {
            **os.environ, "PYTHONSAFEPATH": "1", "PYTHONUNBUFFERED": "1", **(env or {})
        }
        self.process = spawn(environment) if fresh else Forked(serve, env=environment)
        self._next = 0
        self._answers: dict[int, queue.Queue] = {}
        self.stray: list[bytes] = []
        self._log: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()
        self._logging = threading.Thread(target=self._read_log, daemon=True)
        self._logging.start()

    def _read(self):
        for line in self.process.stdout:
            try:
                answer = json.loads(line)
                self._answers[answer["id"]].put(answer)
            except (ValueError, KeyError):
                self.stray.append(line)

    def _read_log(self):
        for line in self.process.stderr:
            self._log.append(line.decode("utf-8", "replace"))

    def log(self) -> str:
        """Everything on standard error; complete once the process has ended."""
        if self.process.poll() is not None:
            self._logging.join(5)
        return "".join(self._log)

    def send(self, method, **params) -> int:
        self._next += 1
        self._answers[self._next] = queue.Queue()
        self.send_line({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        return self._next

    def send_line(self, value) -> None:
        self.process.stdin.write(json.dumps(value).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self, request_id, timeout=PATIENCE) -> dict:
        return self._answers[request_id].get(timeout=timeout)

    def ask(self, method, **params) -> dict:
        return self.answer(self.send(method, **params))

    def result(self, method, **params) -> dict:
        answer = self.ask(method, **params)
        assert "result" in answer, answer
        return answer["result"]

    def error(self, method, **params) -> dict:
        answer = self.ask(method, **params)
        assert "error" in answer, answer
        return answer["error"]

    def initialize(self, **more) -> dict:
        return self.ask("initialize", protocol=1, agent_dir=self.agent_dir, **more)

    def open(self, session_id="s", state=None, **more) -> dict:
        """Loads the agent where that has not happened, and opens a session."""
        if self._next == 0:
            answer = self.initialize()
            assert "result" in answer, answer
        return self.result(
            "open_session", session_id=session_id, user_id="user", state=state or {}, **more
        )

    def call(self, tool, call_id=None, session_id="s", **args) -> dict:
        call_id = call_id or f"call-{uuid.uuid4()}"
        return self.result(
            "call_tool", session_id=session_id, call_id=call_id, tool=tool, args=args
        )

    def start(self, tool, call_id, session_id="s", **args) -> int:
        return self.send("call_tool", session_id=session_id, call_id=call_id, tool=tool, args=args)

    def end(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


@pytest.fixture
def worker():
    """Starts workers; all of them are ended after the test."""
    started = []

    def start(agent, **options) -> Worker:
        folder = agent if isinstance(agent, Path) else FIXTURES / agent
        started.append(Worker(folder, **options))
        return started[-1]

    yield start
    for one in started:
        one.end()


@pytest.fixture(scope="module")
def shared_hazards():
    started = []

    def living() -> Worker:
        if not started or started[-1].process.poll() is not None:
            started.append(Worker(FIXTURES / "hazards", fresh=True))
        return started[-1]

    yield living
    for one in started:
        one.end()


@pytest.fixture
def hazards(shared_hazards):
    """A worker whose tools do everything a worker has to survive, with a fresh session open.

    Tests of a module share the process, which is itself a test: no tool may spoil it for the next.
    """
    one = shared_hazards()
    one.open()
    yield one
    if one.process.poll() is None:
        for session_id in ("s", "other"):
            one.ask("close_session", session_id=session_id)


def eventually(condition, seconds=10):
    """Waits until the condition holds."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.01)
