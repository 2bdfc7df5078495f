"""The error that a mock or a fault of a case names, and errors that came of it."""

from __future__ import annotations


class MockError(Exception):
    """The error that a mock names."""


def is_cause_of(error: BaseException) -> bool:
    """Whether the error is a ``MockError``, was raised ``from`` one, or is a group with one.

    One that code raised while it handled a ``MockError``, without ``from``, is the code's own.
    """
    seen: list[BaseException] = []
    waiting: list[BaseException] = [error]
    while waiting:
        one = waiting.pop()
        if isinstance(one, MockError):
            return True
        if any(it is one for it in seen):
            continue
        seen.append(one)
        if one.__cause__ is not None:
            waiting.append(one.__cause__)
        # Of groups, which Python has from 3.11 on.
        waiting += [it for it in getattr(one, "exceptions", ()) if isinstance(it, BaseException)]
    return False
