"""Ways in which Python code has an effect outside of its process, each a function that leaves a trace with a canary.

A way needs the standard library, or the package that it names. It waits until its effect has happened, and leaves its
process as it found it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import importlib.util
import inspect
import os
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass(frozen=True)
class Canary:
    """What a way may touch, watched from outside."""

    folder: str
    """A folder with the file ``present``, the empty folder ``empty``, ``full`` with a file in it, and ``store.db``, an
    empty database."""
    tcp: int
    """A port of this machine on which connections are accepted and closed."""
    udp: int
    listen: int
    """A port that nobody listens on, and to which somebody tries to connect."""
    process: int
    """A process in a group of its own, which does nothing."""
    memory: str
    """A name for shared memory."""

    @property
    def trace(self) -> str:
        """A path of which nothing exists yet."""
        return f"{self.folder}/trace"

    @property
    def present(self) -> str:
        return f"{self.folder}/present"

    @property
    def stream(self) -> str:
        """The path of a socket for connections."""
        return f"{self.folder}/stream"

    @property
    def datagram(self) -> str:
        """The path of a socket for datagrams."""
        return f"{self.folder}/datagram"


@dataclasses.dataclass(frozen=True)
class Way:
    """A way in which code has an effect."""

    name: str
    kind: str
    run: Callable[[Canary], Any]
    needs: tuple[str, ...]
    watched: tuple[str, ...]
    """What is watched besides the folder: ``tcp``, ``udp``, ``listen``, ``process`` or ``memory``."""

    def missing(self) -> list[str]:
        """What it needs and is not there."""
        return [name for name in self.needs if not _exists(name)]


WAYS: dict[str, Way] = {}


def way(kind: str, *watched: str, needs: str = "") -> Callable[[Any], Any]:
    """Adds a function to the ways. ``needs`` has names of modules, ``root``, or ``module.member``."""

    def add(function: Any) -> Any:
        name = function.__name__
        assert name not in WAYS, name
        WAYS[name] = Way(name, kind, function, tuple(needs.split()), watched)
        return function

    return add


async def attempt(name: str, canary: dict[str, Any]) -> str:
    """Tries a way. Returns what came of it, which is not whether it had an effect."""
    try:
        done = WAYS[name].run(Canary(**canary))
        if inspect.isawaitable(done):
            await done
    except BaseException as error:  # The barrier's too, and that of a canceled run.
        return f"{type(error).__name__}: {error}"
    return "done"


def attempt_now(name: str, canary: dict[str, Any]) -> str:
    """Tries a way where no loop runs."""
    try:
        return asyncio.run(attempt(name, canary))
    except BaseException as error:
        return f"{type(error).__name__}: {error}"


def _exists(name: str) -> bool:
    if name == "root":
        return os.geteuid() == 0
    module, _, member = name.partition(":")
    try:
        found = importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
    return found and (not member or hasattr(importlib.import_module(module), member))


from . import databases, files, native, network, processes, programs, unusual  # noqa: E402, F401
