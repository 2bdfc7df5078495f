"""Processes that start with google-adk imported: a server imports it once and forks each of them.

An import takes seconds, and most tests are about what a worker does afterwards. What is about the
start itself takes a process of its own.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What the worker and its agents import; a name that is not there is passed over.
IMPORTED = [
    "google.adk.apps.app",
    "google.adk.cli.utils.agent_loader",
    "google.adk.runners",
    "google.adk.tools.mcp_tool",
]
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(IMPORTED)


class Forked:
    """A process that runs ``target(*args)``, with the part of :class:`subprocess.Popen` used here.

    Its standard streams are pipes and ``env`` is its whole environment, as of a new process.
    """

    def __init__(self, target, *args, env):
        pipes = [_FORKS.Pipe(duplex=False) for _ in range(3)]
        theirs = (pipes[0][0], pipes[1][1], pipes[2][1])
        ours = (pipes[0][1], pipes[1][0], pipes[2][0])
        self._process = _FORKS.Process(target=_run, args=(theirs, env, target, args), daemon=True)
        self._process.start()
        for end in theirs:
            end.close()
        self.stdin, self.stdout, self.stderr = (
            os.fdopen(os.dup(end.fileno()), mode)
            for end, mode in zip(ours, ("wb", "rb", "rb"))
        )
        for end in ours:
            end.close()

    def poll(self):
        """The exit status, once it has ended."""
        return self._process.exitcode

    def wait(self, timeout=None):
        """The exit status, waited for."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(str(self._process.pid), timeout)
        return self._process.exitcode

    def kill(self):
        self._process.kill()

    def communicate(self):
        """Everything on standard output and on standard error, as text, once it has ended."""
        self.stdin.close()
        with ThreadPoolExecutor() as reading:
            said = [reading.submit(stream.read) for stream in (self.stdout, self.stderr)]
        self.wait()
        return tuple(one.result().decode("utf-8") for one in said)


def _run(streams, env, target, args):
    for number, stream in enumerate(streams):
        os.dup2(stream.fileno(), number)
        stream.close()
    sys.stdin = sys.__stdin__ = open(0, closefd=False)
    # As PYTHONUNBUFFERED has them.
    sys.stdout = sys.__stdout__ = _unbuffered(1)
    sys.stderr = sys.__stderr__ = _unbuffered(2)
    os.environ.clear()
    os.environ.update(env)
    # Nothing of the tests' own can be imported, as PYTHONSAFEPATH has it.
    own = ("", os.getcwd(), str(Path(__file__).parent))
    sys.path[:] = [folder for folder in sys.path if folder not in own]
    target(*args)


def _unbuffered(number):
    return io.TextIOWrapper(open(number, "wb", 0, closefd=False), write_through=True)


def run(program, *arguments):
    """Runs the text of a program in this process, as ``python -c`` does."""
    sys.argv = ["-c", *arguments]
    sys.path[:0] = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})


def serve():
    """Runs the worker in this process."""
    sys.path.append(str(ROOT / "python"))
    from rehearsal_adk.worker import main

    main()
