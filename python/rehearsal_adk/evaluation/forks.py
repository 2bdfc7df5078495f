"""Forks a process for each case, keeps the last lines that each prints, and reports how it ended.

This process is single-threaded, because a fork while another thread holds a lock can hang.
"""

from __future__ import annotations

import dataclasses
import itertools
import logging
import os
import selectors
import signal
import sys
from collections.abc import Callable
from typing import Any

from rehearsal_adk.evaluation import huge_pages
from rehearsal_adk.evaluation.barrier import allowed
from rehearsal_adk.evaluation.messages import read_messages, say

_MANY = 8
"""The case at which there are likely to be so many that it pays to prepare the memory for forks."""

_KEPT_BYTES = 16 * 1024
"""How much of what a case printed is kept."""


@dataclasses.dataclass
class _Case:
    """The process of a case."""

    name: str
    pid: int
    printed: bytearray = dataclasses.field(default_factory=bytearray)

    def read(self, output: int) -> bool:
        """Keeps what it has printed. Returns whether it may print more."""
        try:
            while read := os.read(output, 65536):
                self.printed += read
                del self.printed[:-_KEPT_BYTES]
        except BlockingIOError:
            return True
        return False


class Forks:
    """The processes of cases."""

    def __init__(
        self,
        requests: int,
        answers: int,
        run: Callable[[str], None],
        load_models: Callable[[str | None], None],
    ) -> None:
        """``run`` runs a case, in a process of its own."""
        self._requests, self._answers = requests, answers
        self._run, self._load_models = run, load_models
        self._begun = itertools.count(1)
        self._cases: dict[int, _Case] = {}
        self._selector = selectors.DefaultSelector()
        self._woken, self._wake = os.pipe()

    def serve(self) -> None:
        """Serves until the requests end."""
        os.set_blocking(self._wake, False)
        signal.set_wakeup_fd(self._wake)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(self._requests, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        messages = read_messages(self._requests)
        while True:
            for key, _ in self._selector.select():
                if key.fd == self._woken:
                    os.read(self._woken, 4096)
                    self._report_ended()
                elif key.fd != self._requests:
                    # What ended before in this round is closed, and its number may be that of another one.
                    if self._selector.get_map().get(key.fd) is key:
                        self._keep_output(key.fd, key.data)
                elif (received := next(messages, None)) is None:
                    return
                else:
                    for message in received:
                        self._take(message)

    def _take(self, message: dict[str, Any]) -> None:
        if "models" in message:
            self._load_models(message["models"])
            return
        if (name := message.get("case")) is None:
            for case in [case for case in self._cases.values() if case.name == message["end"]]:
                self._kill(case)
            return
        if next(self._begun) == _MANY:
            huge_pages.join_pages()
        self._fork(name)

    def _fork(self, name: str) -> None:
        output, printing = os.pipe()
        token = allowed.set(True)
        child = os.fork()
        allowed.reset(token)
        if child == 0:
            self._be(name, printing)
        os.close(printing)
        os.set_blocking(output, False)
        case = self._cases[child] = _Case(name, child)
        self._selector.register(output, selectors.EVENT_READ, case)

    def _be(self, name: str, printing: int) -> None:
        """Runs the case in this process, which is its own, and ends the process."""
        status = 1
        try:
            os.dup2(printing, 1)
            os.dup2(printing, 2)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            # The engine sees that the other process has ended when nobody has them any more.
            others = [key.fd for key in self._selector.get_map().values()]
            self._selector.close()
            for one in {*others, printing, self._answers, self._wake}:
                os.close(one)
            self._run(name)
            status = 0
        except BaseException as error:
            logging.getLogger("rehearsal_adk").exception("The case ended: %s", error)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)

    def _kill(self, case: _Case) -> None:
        token = allowed.set(True)
        os.kill(case.pid, signal.SIGKILL)
        allowed.reset(token)

    def _keep_output(self, output: int, case: _Case) -> None:
        if not case.read(output):
            self._selector.unregister(output)
            os.close(output)

    def _report_ended(self) -> None:
        while self._cases:
            child, status = os.waitpid(-1, os.WNOHANG)
            if child == 0:
                return
            if (case := self._cases.pop(child, None)) is None:
                continue
            # Its last output may not have been read.
            for key in [it for it in self._selector.get_map().values() if it.data is case]:
                self._keep_output(key.fd, case)
            say(
                self._answers,
                {
                    "ended": case.name,
                    "status": os.waitstatus_to_exitcode(status),
                    "output": case.printed.decode(errors="replace").rstrip() or None,
                },
            )
