"""Forbids file writes, processes and sockets while an agent is evaluated.

A Python audit hook sees these wherever they happen: at import, in a callback, in a node, in a thread. It
permits them within a tool that the case allows to run (``allowed``), and within a model's request connections to what
the model is configured for (``endpoints``). It cannot see what C extensions do by themselves, such as gRPC.
"""

from __future__ import annotations

import contextlib
import contextvars
import json
import os
import sys
import traceback
from collections.abc import Iterator
from typing import Any

from rehearsal_adk.evaluation import carried, current, endpoints
from rehearsal_adk.evaluation.endpoints import Endpoints

allowed = carried.variable("rehearsal_allowed", False)
"""Whether the code that runs belongs to a tool that may run."""

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC
_FILES = {
    "os.remove": "removes",
    "os.rename": "renames",
    "os.mkdir": "creates the folder",
    "os.rmdir": "removes the folder",
    "os.link": "links",
    "os.symlink": "links",
    "os.truncate": "truncates",
    "os.chmod": "changes the mode of",
    "os.chown": "changes the owner of",
    "os.utime": "changes the times of",
    "os.setxattr": "changes attributes of",
    "os.removexattr": "changes attributes of",
    "shutil.rmtree": "removes the folder",
}
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
}
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


class ForbiddenEffect(PermissionError):
    """Code outside an allowed tool tried to change something."""


def is_allowed() -> bool:
    """Whether the code that runs belongs to a tool that may run, of a case that has not ended."""
    return allowed.get() and not current.has_ended()


def forbid(what: str) -> ForbiddenEffect:
    """Ends the cases that the running code may belong to. Returns the exception to raise."""
    where = _place()
    for case in current.concerned():
        case.forbidden(what, where)
    return ForbiddenEffect(f"An eval case {what}, outside a tool that may run, at {where}.")


class Barrier:
    """The audit hook and what it permits."""

    def __init__(self) -> None:
        self._active = False

    def raise_up(self) -> None:
        """Activates the barrier for the rest of the process."""
        endpoints.install()
        sys.addaudithook(self._see)
        carried.install()
        self._active = True

    @contextlib.contextmanager
    def lowered(self) -> Iterator[None]:
        """Permits everything to the code of this package, which runs alone meanwhile."""
        token = allowed.set(True)
        try:
            yield
        finally:
            allowed.reset(token)

    def _see(self, event: str, args: tuple[Any, ...]) -> None:
        if not self._active or is_allowed():
            return
        what = self._forbidden(event, args)
        if what is not None:
            raise forbid(what)

    def _forbidden(self, event: str, args: tuple[Any, ...]) -> str | None:
        if event == "open":
            path, mode, flags = args
            writes = isinstance(mode, str) and any(letter in mode for letter in "wax+")
            if (writes or (isinstance(flags, int) and flags & _WRITES)) and path != os.devnull:
                # A number is a file that was opened before.
                return None if isinstance(path, int) else f"tried to write {os.fsdecode(path)}"
            return None
        if event == "sqlite3.connect":
            database = os.fsdecode(args[0]) if isinstance(args[0], (str, bytes, os.PathLike)) else ""
            harmless = database in ("", ":memory:") or any(
                part in database for part in ("mode=memory", "mode=ro", "file::memory:")
            )
            return None if harmless else f"tried to open the database {database}"
        if event in _FILES:
            target = args[0] if args else ""
            return f"tried to change a file ({_FILES[event]} {target})"
        if event in _PROCESSES:
            return f"tried to start or signal a process ({event})"
        if event in _SOCKETS:
            return _unreachable(event, args)
        return None


def _unreachable(event: str, args: tuple[Any, ...]) -> str | None:
    """What is forbidden about the use of a socket, if anything is."""
    reach = model_call.get()
    if event in _LOOKUPS:
        name = endpoints.text(args[0] if args else "")
        if reach and reach.permits_lookup(name):
            return None
        tried, allows = f"look up {name}", name
    else:
        address = args[1] if len(args) > 1 else None
        match address:
            case (host, int(port), *_):
                host = endpoints.text(host).partition("%")[0]
                if reach and (port == 0 if event == "socket.bind" else reach.permits(host, port)):
                    return None
                tried = allows = f"{host}:{port}"
            case None if reach:  # Connected before.
                return None
            case _:
                tried = allows = endpoints.text(address)
                if reach and reach.permits(tried, 0):
                    return None
        tried = f"reach {tried}"
    if reach is None:
        return f"tried to use the network ({event} {args[1:3]!r})"
    return (
        f"tried to {tried} within a model's request, which its configuration does not name "
        f"(the case can allow it: `allow: [{json.dumps(allows)}]`)"
    )


def _place() -> str:
    """The innermost code that is neither Python's nor a library's: the author's line, if there is one."""
    frames = traceback.extract_stack()[:-2]
    own = [
        one
        for one in frames
        if "site-packages" not in one.filename
        and not one.filename.startswith(sys.base_prefix)
        and not one.filename.startswith("<")
        and "rehearsal_adk" not in one.filename
    ]
    frame = own[-1] if own else frames[-1]
    return f"{frame.filename}:{frame.lineno} in {frame.name}"
