"""Tells which events of Python's audit hooks change files that the code may not change."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import importlib
import os
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC

_OUTPUTS = frozenset(
    {
        *(os.devnull, "/dev/zero", "/dev/full", "/dev/stdout", "/dev/stderr"),
        *(f"{folder}/{number}" for folder in ("/dev/fd", "/proc/self/fd") for number in (1, 2)),
    }
)
"""Devices to which anybody may write, and the process's own output."""

_CHANGES: dict[str, tuple[str, tuple[tuple[int, int | None], ...]]] = {
    "os.remove": ("removes", ((0, 1),)),
    "os.rename": ("renames", ((0, 2), (1, 3))),
    "os.mkdir": ("creates the folder", ((0, 2),)),
    "os.rmdir": ("removes the folder", ((0, 1),)),
    "os.link": ("links", ((0, 2), (1, 3))),
    "os.symlink": ("links", ((1, 2),)),
    "os.truncate": ("truncates", ((0, None),)),
    "os.chmod": ("changes the mode of", ((0, 2),)),
    "os.chown": ("changes the owner of", ((0, 3),)),
    "os.utime": ("changes the times of", ((0, 3),)),
    "os.setxattr": ("changes attributes of", ((0, None),)),
    "os.removexattr": ("changes attributes of", ((0, None),)),
    "os.chflags": ("changes flags of", ((0, None),)),
    "shutil.rmtree": ("removes the folder", ((0, 1),)),
}
"""What each event does, and the places of its paths among the arguments, each with that of the folder that it is
relative to."""

_FLAGS_REQUESTS = frozenset({0x40086602, 0x40046602, 0x401C5820})
"""The requests of ``ioctl`` that set flags and attributes of files."""

_C_FUNCTIONS = frozenset(
    "chmod fchmod fchmodat utime utimes utimensat futimens futimes lutimes futimesat syscall".split()
)
"""What changes the modes and times of files, which the kernel cannot refuse by their paths. `syscall` can do it too."""

_OF_ENTRIES = frozenset({"os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink"})
"""Those that change an entry of a folder, and do not follow a link there."""

_CREATES = frozenset({"os.mkdir", "os.symlink"})
"""Those that fail where there is something."""

_UNKNOWN = -2
"""A folder of which nobody said which it is."""

_folder: contextvars.ContextVar[int] = contextvars.ContextVar("rehearsal_folder", default=_UNKNOWN)
"""The folder that the path which `os.open` opens is relative to; -1 is the working directory."""

_is_uri: contextvars.ContextVar[bool] = contextvars.ContextVar("rehearsal_is_uri", default=False)
"""Whether the name of the database that is opened may be a URI."""


class FileEffects:
    """What may be written: everything below some folders."""

    def __init__(self, folders: Iterable[str], caches: Iterable[str], is_sealed: bool) -> None:
        """`caches` are the user's own, and `is_sealed` says that the kernel refuses changes elsewhere."""
        self._is_sealed = is_sealed
        self._caches = tuple(os.path.realpath(cache) for cache in caches)
        self._folders = tuple(os.path.realpath(folder) for folder in folders)

    def forbidden(self, event: str, args: tuple[Any, ...]) -> str | None:
        """What the event changes that the code may not change; None if nothing."""
        if event == "open":
            return self._opened(*args[:3])
        if event == "sqlite3.connect":
            return self._database(args[0])
        if event == "ctypes.dlsym" and args[1] in _C_FUNCTIONS:
            return f"tried to change a file (the function {args[1]} of C)"
        if event == "fcntl.ioctl" and args[1] in _FLAGS_REQUESTS:
            path = _of_descriptor(args[0])
            return None if self._is_writable(path) else f"tried to change a file (changes flags of {path})"
        if (change := _CHANGES.get(event)) is None:
            return None
        verb, places = change
        paths = [_path(args, *place) for place in places]
        is_entry = event in _OF_ENTRIES
        if all(self._is_writable(path, is_entry) for path in paths) or _changes_nothing(event, paths[0]):
            return None
        return f"tried to change a file ({verb} {os.path.abspath(paths[0])})"

    def is_of_caches(self, event: str, args: tuple[Any, ...]) -> bool:
        """Whether the event changes something in the user's caches only."""
        _, places = _CHANGES.get(event, ("", ()))
        paths = [_path(args, *place) for place in places]
        if event == "open":
            paths = [_opened_path(*args[:2])]
        real = [os.path.realpath(path) for path in paths]
        return bool(real) and all(_is_below(path, self._caches) for path in real)

    def _opened(self, path: Any, mode: Any, flags: Any) -> str | None:
        writes = isinstance(mode, str) and any(letter in mode for letter in "wax+")
        if not writes and not (isinstance(flags, int) and flags & _WRITES):
            return None
        # A number is a file that was opened before.
        if isinstance(path, int):
            return None
        if (path := _opened_path(path, mode)) in _OUTPUTS or self._is_writable(path):
            return None
        return f"tried to write {os.path.abspath(path)}"

    def _database(self, database: Any) -> str | None:
        path = _text(database) if isinstance(database, (str, bytes, os.PathLike)) else ""
        if path in ("", ":memory:"):
            return None
        if path.startswith("file:") and _is_uri.get():
            parts = urlsplit(path)
            modes = parse_qs(parts.query).get("mode", [])
            if modes[-1:] in (["ro"], ["memory"]) or parts.path == ":memory:":
                return None
            path = parts.path
        # SQLite opens what it may not change for reading.
        if self._is_writable(path) or (self._is_sealed and os.path.isfile(path)):
            return None
        return f"tried to open the database {path}"

    def _is_writable(self, path: str, is_entry: bool = False) -> bool:
        """Whether what is at the path may be changed, or, of an entry, the folder that it is in."""
        folder, name = os.path.split(os.path.abspath(path)) if is_entry else (path, "")
        real = os.path.join(os.path.realpath(folder), name) if is_entry else os.path.realpath(folder)
        return _is_below(real, self._folders)


def _is_below(path: str, folders: tuple[str, ...]) -> bool:
    return any(path == folder or path.startswith(folder + os.sep) for folder in folders)


def _changes_nothing(event: str, path: str) -> bool:
    """Whether the call fails, because there is something, or nothing, at the path."""
    return os.path.lexists(path) == (event in _CREATES)


def _path(args: tuple[Any, ...], place: int, relative_to: int | None) -> str:
    path = args[place]
    if isinstance(path, int):
        return _of_descriptor(path)
    path = _text(path)
    folder = args[relative_to] if relative_to is not None and relative_to < len(args) else None
    # -1 is the working directory.
    if isinstance(folder, int) and folder >= 0:
        path = os.path.join(_of_descriptor(folder), path)
    return path


def _opened_path(path: Any, mode: Any) -> str:
    """The path of what is opened. The event of `os.open`, which has no mode, does not say which folder it is relative to."""
    folder, path = _folder.get(), _text(path)
    if mode is not None or os.path.isabs(path):
        return path
    return f"/an unknown folder/{path}" if folder == _UNKNOWN else _path((path, folder), 0, 1)


def _of_descriptor(descriptor: int) -> str:
    """The path of what is open under this number; one that is nowhere writable if it is not known or has none."""
    path = ""
    with contextlib.suppress(OSError):
        path = os.readlink(f"/proc/self/fd/{descriptor}")
    return path if os.path.isabs(path) else f"/an open file/{descriptor}"


def _text(path: Any) -> str:
    return os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else str(path)


def note_folders() -> None:
    """Has `os.open` say which folder a path is relative to, which its event does not."""
    own = os.open

    @functools.wraps(own)
    def with_folder(*args: Any, dir_fd: int | None = None, **kwargs: Any) -> int:
        token = _folder.set(-1 if dir_fd is None else dir_fd)
        try:
            return own(*args, dir_fd=dir_fd, **kwargs)
        finally:
            _folder.reset(token)

    os.supports_dir_fd.add(with_folder)
    for module in (os, importlib.import_module(os.name)):
        setattr(module, "open", with_folder)


def note_uris() -> None:
    """Has `sqlite3.connect` say whether a name may be a URI, which its event does not."""
    connect = sqlite3.connect

    @functools.wraps(connect)
    def with_uri(*args: Any, **kwargs: Any) -> Any:
        with _set(_is_uri, bool(kwargs.get("uri", args[7] if len(args) > 7 else False))):
            return connect(*args, **kwargs)

    sqlite3.connect = sqlite3.dbapi2.connect = with_uri


@contextlib.contextmanager
def _set(variable: contextvars.ContextVar[bool], value: bool) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
