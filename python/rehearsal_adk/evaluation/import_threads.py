"""Finds which packages start threads while an agent is imported, those of C libraries too."""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any

_MACHINERY = ("importlib", "rehearsal_adk")


class ImportThreads:
    """Looks, at each import, whether there are new threads. The module whose code runs has started them."""

    def __init__(self) -> None:
        self._started: dict[int, str] = {threading.main_thread().native_id or 0: ""}
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> None:
        """Finds nothing: the others look for the module."""
        self._look()

    def end(self) -> dict[str, int]:
        """The number of threads that still run, by the package that started them."""
        running = self._look()
        sys.meta_path.remove(self)
        return dict(Counter(self._started[one] for one in running if self._started[one]))

    def _look(self) -> set[int]:
        running = _threads()
        if new := running - self._started.keys():
            own = {thread.native_id: thread for thread in threading.enumerate()}
            for one in new:
                self._started[one] = _starter(own[one]) if one in own else _running_package()
        return running


def _threads() -> set[int]:
    """The threads of the process, as far as the system shows them."""
    try:
        return {int(thread) for thread in os.listdir("/proc/self/task")}
    except OSError:
        return {thread.native_id or 0 for thread in threading.enumerate()}


def _starter(thread: threading.Thread) -> str:
    """The package of the code that the thread runs, and the thread's name."""
    code = getattr(thread, "_target", None) or type(thread).run
    module = getattr(code, "__module__", None) or type(thread).__module__
    return f"{module.partition('.')[0]} ({thread.name})"


def _running_package() -> str:
    """The package of the innermost module that is being imported."""
    frame = sys._getframe()
    while frame.f_back is not None:
        name = str(frame.f_globals.get("__name__", ""))
        if name and not name.startswith(_MACHINERY):
            return name.partition(".")[0]
        frame = frame.f_back
    return "unknown"
