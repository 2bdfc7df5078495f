"""Exceptions as data: type, message, and a traceback that starts at the author's own code.

Frames of this package, ADK and asyncio before the first frame of the tool (or of the agent's module)
are omitted. All later frames are kept.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Callable

SLOW_IMPORT = 4.0
"""How many seconds an import may take before the log says where it is."""

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_FRAMEWORK = (
    os.sep + os.path.join("google", "adk") + os.sep,
    os.sep + "asyncio" + os.sep,
    os.sep + "importlib" + os.sep,
)
_PLUMBING_FILES = ("threading.py", "contextlib.py", "futures.py")


class Fault(Exception):
    """An error that the worker detects, with a message for the reader."""

    def __init__(self, type_name: str, message: str, cause: BaseException | None = None):
        super().__init__(message)
        self.type_name = type_name
        self.__cause__ = cause


def describe(error: BaseException) -> dict[str, str]:
    """The error as ``{"type", "message", "traceback"}``, each safe to send as UTF-8."""
    if isinstance(error, Fault):
        origin = error.__cause__
        return {
            "type": error.type_name,
            "message": sendable(str(error)),
            "traceback": formatted(origin) if origin is not None else "",
        }
    # ADK wraps a ValueError of the agent's module in a private class. Report the original.
    if _is_private_to_loader(type(error)) and error.__cause__ is not None:
        return {
            "type": type(error.__cause__).__name__,
            "message": message_of(error),
            "traceback": formatted(error.__cause__),
        }
    return {
        "type": type(error).__name__,
        "message": message_of(error),
        "traceback": formatted(error),
    }


def _is_private_to_loader(of: type) -> bool:
    return of.__name__.startswith("_") and of.__module__.startswith("google.adk.cli.")


def message_of(error: BaseException) -> str:
    """``str(error)``, or a placeholder when the class's ``__str__`` fails."""
    try:
        text = str(error)
    except Exception as broken:  # An author's __str__ may raise anything.
        text = f"({type(error).__name__} cannot be shown: its __str__ raised {type(broken).__name__})"
    return sendable(text)


def reason_of(error: BaseException) -> str:
    """The text of an exception, in one line, or the name of its class if it has none."""
    return " ".join(message_of(error).split()) or type(error).__name__


def formatted(error: BaseException) -> str:
    """The traceback as Python prints it, from the author's first frame on."""
    try:
        report = traceback.TracebackException.from_exception(error)
        _trim(report, set())
        return sendable("".join(report.format()))
    except Exception:  # A traceback that cannot be formatted must not prevent the response.
        return f"{type(error).__name__}: {message_of(error)}"


def report_slow_import(imported: threading.Event, thread: int, agent_dir: str) -> None:
    """Writes to the log which of the agent's own lines ``thread`` is at, once, if it still imports."""
    folder = os.path.realpath(agent_dir) + os.sep
    while not imported.wait(SLOW_IMPORT):
        stack = traceback.extract_stack(sys._current_frames().get(thread))
        own = [frame for frame in stack if frame.filename.startswith(folder)]
        if own:
            where = "".join(traceback.format_list(own[-3:])).rstrip()
            print(sendable(f"The agent is still being imported:\n{where}"), file=sys.stderr)
            return


def sendable(text: str) -> str:
    """The text with lone surrogates replaced, so that it is valid UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _trim(report: traceback.TracebackException, seen: set[int]) -> None:
    if id(report) in seen:
        return
    seen.add(id(report))
    frames = list(report.stack)
    kept = _after_leading(frames, _is_framework) or _after_leading(frames, _is_worker) or frames
    report.stack = traceback.StackSummary.from_list(kept)
    for other in (report.__cause__, report.__context__):
        if other is not None:
            _trim(other, seen)
    for other in getattr(report, "exceptions", None) or ():
        _trim(other, seen)


def _after_leading(
    frames: list[traceback.FrameSummary], unwanted: Callable[[str], bool]
) -> list[traceback.FrameSummary]:
    for index, frame in enumerate(frames):
        if not unwanted(frame.filename):
            return frames[index:]
    return []


def _is_worker(filename: str) -> bool:
    return filename.startswith(_PACKAGE)


def _is_framework(filename: str) -> bool:
    return (
        _is_worker(filename)
        or filename.startswith("<frozen")
        or any(part in filename for part in _FRAMEWORK)
        or os.path.basename(filename) in _PLUMBING_FILES
    )
