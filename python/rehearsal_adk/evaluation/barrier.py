"""Forbids file writes, processes and sockets while an agent is evaluated.

A Python audit hook sees these wherever they happen: at import, in a callback, in a node, in a thread. It
permits them within a tool that the case allows to run (``allowed``), and within a model's request connections to what
the model is configured for (``endpoints``). It cannot see what C extensions do by themselves, such as gRPC.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import importlib
import json
import os
import shutil
import socket
import sys
import traceback
from collections.abc import Iterable, Iterator
from typing import Any

from rehearsal_adk.evaluation import carried, current, endpoints, file_effects
from rehearsal_adk.evaluation.endpoints import Endpoints
from rehearsal_adk.evaluation.file_effects import FileEffects

allowed = carried.variable("rehearsal_allowed", False)
"""Whether the code that runs belongs to a tool that may run."""

_PROCESSES = {
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.fork",
    "os.forkpty",
    "os.kill",
    "os.killpg",
    "pty.spawn",
    "resource.prlimit",
}
_SIGNALS = {"os.kill", "os.killpg"}
_FORKS = {"os.fork", "os.forkpty"}
_SHELL = "/bin/sh"
"""What ``os.system`` starts, whatever it is given."""
_SOCKET = "socket.__new__"
_OPTIONAL = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", _SOCKET}
"""What libraries do to look at the machine."""
_SOCKETS = {
    "socket.connect",
    "socket.bind",
    "socket.sendto",
    "socket.sendmsg",
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "socket.gethostbyaddr",
}
_LOOKUPS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}


model_call: contextvars.ContextVar[Endpoints | None] = carried.variable("rehearsal_model_call", None)
"""What the code that runs may reach, if it belongs to a model's request."""


@contextlib.contextmanager
def in_model_call(reach: Endpoints) -> Iterator[None]:
    """Permits connections to what a model's request may reach."""
    token = model_call.set(reach)
    try:
        yield
    finally:
        model_call.reset(token)


@contextlib.contextmanager
def lowered() -> Iterator[None]:
    """Permits everything to the code of this package, which runs alone meanwhile."""
    token = allowed.set(True)
    try:
        yield
    finally:
        allowed.reset(token)


forbidden_at_import: list[tuple[str, str]] = []
"""What was tried where while the agent was imported, and is forbidden."""

refused_at_import: list[tuple[str, str]] = []
"""What a library tried there that can do without it."""


class ForbiddenEffect(PermissionError):
    """Code outside an allowed tool tried to change something."""


def is_allowed() -> bool:
    """Whether the code that runs belongs to a tool that may run, of a case that has not ended."""
    return allowed.get() and not current.has_ended()


def forbid(what: str) -> ForbiddenEffect:
    """Ends the cases that the running code may belong to. Returns the exception to raise."""
    where = _place()
    concerned = current.concerned()
    for case in concerned:
        case.forbidden(what, where)
    if not concerned:
        forbidden_at_import.append((what, where))
    return ForbiddenEffect(f"An eval case {what}, outside a tool that may run, at {where}.")


hosts: frozenset[str] = frozenset()
"""The hosts that all code may reach: ``HOST`` or ``HOST:PORT``."""


def refuse(what: str) -> ForbiddenEffect:
    """Notes what a library can do without. Returns the exception to raise."""
    where = _place()
    concerned = current.concerned()
    for case in concerned:
        case.refused(what, where)
    if not concerned:
        refused_at_import.append((what, where))
    return ForbiddenEffect(f"An eval case {what}, outside a tool that may run, at {where}.")


class Barrier:
    """The audit hook and what it permits."""

    def __init__(
        self,
        *,
        folders: Iterable[str],
        programs: Iterable[str],
        caches: Iterable[str],
        is_sealed: bool,
        is_offline: bool,
    ) -> None:
        """`folders` may be written to, and `programs` may be started, by name or path. `caches` are the user's own.
        `is_sealed` says that the kernel refuses the rest too, and `is_offline` that it refuses all of the network."""
        self._files = FileEffects(folders, caches, is_sealed)
        self._programs = frozenset(programs)
        self._is_sealed = is_sealed
        self._is_offline = is_offline
        self._active = False

    def raise_up(self) -> None:
        """Activates the barrier for the rest of the process."""
        endpoints.install()
        file_effects.note_uris()
        file_effects.note_folders()
        sys.addaudithook(self._see)
        _see_starts_of_multiprocessing()
        _see_work_for_processes()
        carried.install()
        self._active = True

    def _see(self, event: str, args: tuple[Any, ...]) -> None:
        if not self._active or is_allowed():
            return
        what = self._forbidden(event, args)
        if what is None:
            return
        # Libraries look at the machine with programs and keep caches, and go on without: the kernel would answer the same.
        # At import they look at more.
        is_optional = not current.is_any() or (
            self._is_sealed and (event in _OPTIONAL or self._files.is_of_caches(event, args))
        )
        if is_optional and _is_of_library():
            raise refuse(what)
        raise forbid(what)

    def _forbidden(self, event: str, args: tuple[Any, ...]) -> str | None:
        if event in _PROCESSES:
            return self._process(event, args)
        if event in _SOCKETS:
            return _unreachable(event, args)
        if event == _SOCKET:
            # The kernel refuses it, without a word about the remedy.
            is_stream = args[2] & 0xF == socket.SOCK_STREAM
            tried = "tried to use the network, with a socket for datagrams (the case can allow it: `allow: [HOST]`)"
            return tried if self._is_offline and not is_stream and args[2] >= 0 else None
        return self._files.forbidden(event, args)

    def _process(self, event: str, args: tuple[Any, ...]) -> str | None:
        if event in _SIGNALS:
            pid, signal = args[:2]
            # Signal 0 only asks whether there is a process.
            if signal == 0 or pid == os.getpid() or (self._is_sealed and _is_child(pid)):
                return None
            return f"tried to signal a process ({event} {pid})"
        if event == "resource.prlimit":
            pid, _, limits = args
            is_own = limits is None or pid in (0, os.getpid()) or (self._is_sealed and _is_child(pid))
            return None if is_own else f"tried to change the limits of a process ({event} {pid})"
        if event in _FORKS and self._is_sealed:
            return None  # What it does is refused to its children too.
        program = _program(event, args)
        if program is not None and self._may_start(_SHELL if event == "os.system" else program):
            return None
        named = "" if program is None else f" {program}"
        return f"tried to start a process ({event}{named})"

    def _may_start(self, program: str) -> bool:
        """Whether this is a program that is allowed by its name or path."""
        if program in self._programs:
            return True
        allowed = (shutil.which(one) for one in self._programs)
        real = os.path.realpath(shutil.which(program) or program)
        return any(one is not None and os.path.realpath(one) == real for one in allowed)


def _see_starts_of_multiprocessing() -> None:
    """Has ``multiprocessing`` say when it starts a program, for which Python raises no event."""
    util = importlib.import_module("multiprocessing.util")
    start = util.spawnv_passfds

    @functools.wraps(start)
    def spawnv_passfds(path: Any, *args: Any) -> Any:
        if not is_allowed():
            raise forbid(f"tried to start a process (multiprocessing {os.fsdecode(path)})")
        return start(path, *args)

    setattr(util, "spawnv_passfds", spawnv_passfds)


_HAS_EFFECTS = "_rehearsal_has_effects"


def _see_work_for_processes() -> None:
    """Keeps the pools of processes of a tool that may run from other code: a process has the permission of whoever
    started it."""
    executors: Any = importlib.import_module("concurrent.futures.process").ProcessPoolExecutor
    pools: Any = importlib.import_module("multiprocessing.pool")

    def guard(of: Any, name: str) -> None:
        own = getattr(of, name)

        @functools.wraps(own)
        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            # A pool of threads carries the permission of its callers.
            if isinstance(self, pools.ThreadPool):
                return own(self, *args, **kwargs)
            if is_allowed():
                setattr(self, _HAS_EFFECTS, True)
            elif getattr(self, _HAS_EFFECTS, False):
                raise forbid("tried to give work to a process that a tool with effects started")
            return own(self, *args, **kwargs)

        setattr(of, name, method)

    guard(executors, "submit")
    guard(pools.Pool, "__init__")
    # Each method that takes work calls it first.
    guard(pools.Pool, "_check_running")


def _is_child(pid: Any) -> bool:
    """Whether this process has started the other one."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            # The name, in parentheses, may have spaces.
            return int(stat.read().rpartition(")")[2].split()[1]) == os.getpid()
    except (OSError, ValueError, IndexError):
        return False


def _program(event: str, args: tuple[Any, ...]) -> str | None:
    """The program that an event starts, if it says."""
    at = {"subprocess.Popen": 0, "os.exec": 0, "os.posix_spawn": 0, "os.spawn": 1, "os.system": 0}.get(event)
    if at is None or at >= len(args) or not isinstance(args[at], (str, bytes, os.PathLike)):
        return None
    return os.fsdecode(args[at])


def _unreachable(event: str, args: tuple[Any, ...]) -> str | None:
    """What is forbidden about the use of a socket, if anything is."""
    request = model_call.get()
    reach = [one for one in (request, Endpoints((), hosts)) if one is not None]
    if event in _LOOKUPS:
        name = endpoints.text(args[0] if args else "")
        if any(one.permits_lookup(name) for one in reach):
            return None
        tried, allows = f"look up {name}", name
    else:
        address = args[1] if len(args) > 1 else None
        match address:
            case (host, int(port), *_):
                host = endpoints.text(host).partition("%")[0]
                if event == "socket.bind" and port == 0:
                    return None  # Any free port, which nobody knows.
                if any(one.permits(host, port) for one in reach):
                    return None
                allows = f"{host}:{port}"
            case None if request:  # Connected before.
                return None
            case _:
                allows = endpoints.text(address)
                if any(one.permits(allows, 0) for one in reach):
                    return None
        tried = f"reach {allows}"
    remedy = f"the case can allow it: `allow: [{json.dumps(allows)}]`"
    if request is None:
        return f"tried to use the network, to {tried} ({remedy})"
    return f"tried to {tried} within a model's request, which its configuration does not name ({remedy})"


_LOOK_AT_MACHINE = ("platform.py", "uuid.py", os.path.join("ctypes", "util.py"))
"""Modules of Python that ask programs about the machine, and go on without."""


def _is_of_library() -> bool:
    """Whether the innermost code that is not Python's is that of an installed package, or Python looks at the machine."""
    own = os.path.dirname(__file__)
    for frame in reversed(traceback.extract_stack()[:-2]):
        if frame.filename.startswith(own):
            continue
        if not _is_of_python(frame.filename):
            return _is_of_package(frame.filename)
        if frame.filename.endswith(_LOOK_AT_MACHINE):
            return True
    return False


def _is_of_python(file: str) -> bool:
    return file.startswith("<") or (file.startswith(sys.base_prefix) and not _is_of_package(file))


def _is_of_package(file: str) -> bool:
    return "site-packages" in file or "dist-packages" in file


def _place() -> str:
    """The innermost code that is neither Python's nor a library's: the author's line, if there is one."""
    frames = traceback.extract_stack()[:-2]
    own = [
        one
        for one in frames
        if not _is_of_package(one.filename)
        and not _is_of_python(one.filename)
        and "rehearsal_adk" not in one.filename
    ]
    others = [one for one in frames if "rehearsal_adk" not in one.filename]
    frame = (own or others or frames)[-1]
    return f"{frame.filename}:{frame.lineno} in {frame.name}"
