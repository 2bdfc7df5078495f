"""Locks of ``multiprocessing`` where the folder of the system's named semaphores, ``/dev/shm``, may not be written.

A semaphore is a counter of the kernel (``eventfd``) without a name, which processes get by a fork, and in no other way:
where no folder may be written, no program may start either.
"""

from __future__ import annotations

import importlib
import os
import select
import sys
import threading
import time
from typing import Any

_RECURSIVE = 0
"""The kind of ``RLock``; the other kind is that of all the others."""


def install() -> None:
    """Replaces the semaphores that ``multiprocessing`` makes, and moves its shared values to the temporary folder."""
    if not hasattr(os, "eventfd"):
        return
    setattr(importlib.import_module("_multiprocessing"), "SemLock", Semaphore)
    # Else shared values are files there too.
    setattr(importlib.import_module("multiprocessing.heap").Arena, "_dir_candidates", [])


class Semaphore:
    """What ``multiprocessing`` builds its locks, events, conditions and queues of."""

    SEM_VALUE_MAX = 2**31 - 1
    name = None
    """It has none, so ``multiprocessing`` starts no process that removes it."""

    def __init__(self, kind: int, value: int, maxvalue: int, name: str, unlink: bool) -> None:
        self.kind, self.maxvalue = kind, maxvalue
        self.handle = os.eventfd(value, os.EFD_SEMAPHORE | os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._after_fork()

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Counts down, and waits for that as long as it may."""
        if self.kind == _RECURSIVE and self._is_mine():
            self._held += 1
            return True
        until = None if timeout is None else time.monotonic() + max(timeout, 0)
        while True:
            try:
                os.eventfd_read(self.handle)
            except BlockingIOError:
                left = None if until is None else until - time.monotonic()
                if not block or (left is not None and left <= 0):
                    return False
                waiting = select.poll()
                waiting.register(self.handle, select.POLLIN)
                waiting.poll(None if left is None else left * 1000)
            else:
                self._held += 1
                self._holder = threading.get_ident()
                return True

    def release(self) -> None:
        """Counts up."""
        if self.kind == _RECURSIVE:
            if not self._is_mine():
                raise AssertionError("attempt to release recursive lock not owned by thread")
            if self._held > 1:
                self._held -= 1
                return
        elif self._get_value() >= self.maxvalue:
            raise ValueError("semaphore or lock released too many times")
        self._held -= 1
        os.eventfd_write(self.handle, 1)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def __del__(self) -> None:
        if not sys.is_finalizing():
            os.close(self.handle)

    def _count(self) -> int:
        return self._held

    def _is_mine(self) -> bool:
        return self._held > 0 and self._holder == threading.get_ident()

    def _get_value(self) -> int:
        with open(f"/proc/self/fdinfo/{self.handle}") as lines:
            count = next(line.split()[1] for line in lines if line.startswith("eventfd-count:"))
        return int(count, 16)

    def _is_zero(self) -> bool:
        return self._get_value() == 0

    def _after_fork(self) -> None:
        self._held, self._holder = 0, 0

    @classmethod
    def _rebuild(cls, *_: Any) -> Semaphore:
        raise RuntimeError("a lock of multiprocessing cannot be sent to a process that is started anew")
