"""What the barrier says in processes that the code of a case forks, which have no connection with the engine.

Without it, an effect that is refused there would go unnoticed, such as that of ``os.spawnv``, which forks and starts the
program in the child.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
from collections.abc import Callable

Take = Callable[[str, str, str], None]
"""Takes a method of the engine, what was tried, and where."""


class Forked:
    """A pipe from the processes that this one forks."""

    def __init__(self, loop: asyncio.AbstractEventLoop, take: Take) -> None:
        """What they say is given to ``take``."""
        self._loop, self._take = loop, take
        self._process = os.getpid()
        self._is_open = True
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)
        loop.add_reader(self._read, self.read)

    def is_here(self) -> bool:
        """Whether the running code is in such a process."""
        return os.getpid() != self._process

    def say(self, method: str, what: str, where: str) -> None:
        """Tells the process of the case."""
        line = json.dumps([method, what[:1000], where[-1000:]]).encode()
        if self._is_open and len(line) < select.PIPE_BUF:  # Then nobody writes between its bytes.
            with contextlib.suppress(BlockingIOError, BrokenPipeError):
                os.write(self._write, line + b"\n")

    def read(self) -> bool:
        """Takes what they have said. Returns whether there was anything."""
        if not self._is_open:
            return False  # The number may be that of another file.
        try:
            lines = os.read(self._read, 1 << 16).splitlines()
        except BlockingIOError:
            return False
        for line in lines:
            self._take(*json.loads(line))
        return True

    def close(self) -> None:
        """Ends it. The processes may go on, and so may the code of a case that was canceled."""
        self._is_open = False
        self._loop.remove_reader(self._read)
        os.close(self._read)
        os.close(self._write)
