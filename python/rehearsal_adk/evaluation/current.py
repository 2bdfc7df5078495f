"""The case that the running code belongs to.

A process runs one case at a time, and then everything in it belongs to that case; or it runs several at once,
and then each has a context of its own. Code without that context, such as a raw thread, then belongs to none of them,
and neither does a thread that a case has started and that goes on when the case has ended.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator
from typing import Any

from rehearsal_adk.evaluation import carried

_own = carried.variable("rehearsal_case", None)
_running: list[Any] = []
_is_shared = False


def share() -> None:
    """Lets several cases run at once from now on."""
    global _is_shared
    _is_shared = True


def is_shared() -> bool:
    """Whether several cases may run at once."""
    return _is_shared


def case() -> Any:
    """The case of the running code, or None."""
    own = None if has_ended() else _own.get()
    if own is None and not _is_shared and _running:
        return _running[-1]
    return own


def has_ended() -> bool:
    """Whether the running code belongs to a case that has ended."""
    own = _own.get()
    return own is not None and own not in _running


def is_any() -> bool:
    """Whether a case runs in this process."""
    return bool(_running)


def concerned(context: contextvars.Context | None = None) -> list[Any]:
    """The cases that the running code, or that of this context, may belong to."""
    own = case() if context is None else context.run(case)
    return list(_running) if own is None else [own]


@contextlib.contextmanager
def running(of: Any) -> Iterator[None]:
    """Begins a case, in the current context, and ends it."""
    token = _own.set(of)
    _running.append(of)
    try:
        yield
    finally:
        _running.remove(of)
        _own.reset(token)
