"""Forks a process for each case, keeps the last lines that each prints, and reports how it ended.

This process is single-threaded, because a fork while another thread holds a lock can hang.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import logging
import os
import selectors
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

from rehearsal_adk.evaluation import huge_pages
from rehearsal_adk.evaluation.barrier import lowered
from rehearsal_adk.evaluation.messages import Requests, say
from rehearsal_adk.evaluation.scratch import Scratch

_MANY = 8
"""The case at which there are likely to be so many that it pays to prepare the memory for forks."""

_KEPT_BYTES = 16 * 1024
"""How much of what a case printed is kept."""


Following = Callable[[], "int | None"]
"""Waits for the connection of another case, in the process of one that has ended; None if there is none."""


@dataclasses.dataclass
class _Case:
    """The process of a case."""

    name: str
    pid: int
    control: socket.socket
    """Takes the connections of further cases to it."""
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


def _end_children() -> None:
    """Ends what a pool of processes of the case has left: its processes wait for work without end."""
    processes: Any = sys.modules.get("multiprocessing.process")
    if processes is not None:
        with lowered(), contextlib.suppress(Exception):
            for child in processes.active_children():
                child.kill()


class Forks:
    """The processes of cases."""

    def __init__(
        self,
        requests: Requests,
        answers: int,
        run: Callable[[str, int, Following], None],
        answer: Callable[[dict[str, Any]], None],
        scratch: Scratch,
    ) -> None:
        """``run`` runs a case, and perhaps others after it, in a process of its own. ``answer`` answers what is asked about
        models."""
        self._requests, self._answers = requests, answers
        self._run, self._answer, self._scratch = run, answer, scratch
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
        while True:
            for key, _ in self._selector.select():
                if key.fd == self._woken:
                    os.read(self._woken, 4096)
                    self._report_ended()
                elif key.fileobj is not self._requests:
                    # What ended before in this round is closed, and its number may be that of another one.
                    if self._selector.get_map().get(key.fd) is key:
                        self._keep_output(key.fd, key.data)
                elif (received := self._requests.read()) is None:
                    return
                else:
                    for message in received:
                        self._take(message)

    def _take(self, message: dict[str, Any]) -> None:
        if (name := message.get("case")) is not None:
            if next(self._begun) == _MANY:
                huge_pages.join_pages()
            self._fork(name, message["connection"])
        elif (name := message.get("next")) is not None:
            self._pass_on(name, message["connection"])
        elif (name := message.get("end")) is not None:
            for case in self._named(name):
                self._kill(case)
        else:
            self._answer(message)

    def _named(self, name: str) -> list[_Case]:
        return [case for case in self._cases.values() if case.name == name]

    def _pass_on(self, name: str, connection: int) -> None:
        """Gives the connection of a case to a process in which others have run. If it has ended, the connection is closed."""
        for case in self._named(name):
            with lowered(), contextlib.suppress(BrokenPipeError):
                socket.send_fds(case.control, [b"\n"], [connection])
        os.close(connection)

    def _fork(self, name: str, connection: int) -> None:
        output, printing = os.pipe()
        control, controlled = socket.socketpair()
        with lowered():
            child = os.fork()
        if child == 0:
            control.close()
            self._be(name, connection, printing, controlled)
        for one in (printing, connection):
            os.close(one)
        controlled.close()
        os.set_blocking(output, False)
        case = self._cases[child] = _Case(name, child, control)
        self._selector.register(output, selectors.EVENT_READ, case)

    def _be(self, name: str, connection: int, printing: int, controlled: socket.socket) -> None:
        """Runs cases in this process, which is theirs, and ends the process."""
        status = 1
        try:
            os.dup2(printing, 1)
            os.dup2(printing, 2)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            # The engine sees that the other process has ended when nobody has them any more.
            others = [key.fd for key in self._selector.get_map().values() if key.fileobj is not self._requests]
            self._selector.close()
            self._requests.close()
            for case in self._cases.values():
                case.control.close()
            for one in {*others, printing, self._answers, self._wake}:
                os.close(one)
            self._run(name, connection, functools.partial(_following, controlled))
            status = 0
        except BaseException as error:
            logging.getLogger("rehearsal_adk").exception("The case ended: %s", error)
        finally:
            _end_children()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)

    def _kill(self, case: _Case) -> None:
        with lowered():
            os.kill(case.pid, signal.SIGKILL)

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
            case.control.close()
            self._scratch.end(case.name)
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


def _following(controlled: socket.socket) -> int | None:
    _, connections, _, _ = socket.recv_fds(controlled, 1, 1)
    return connections[0] if connections else None
