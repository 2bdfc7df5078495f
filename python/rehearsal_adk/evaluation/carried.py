"""Lets what the barrier and the gate know of the running code follow its work into other threads.

Python carries the context of code into ``asyncio.to_thread`` and the callbacks of a loop, and into nothing else. So a
thread of a pool would have the permission of whoever made it, and not of whoever submits the work. Executors, pools,
threads and timers therefore run what they are given as the code of the caller. Only the variables of this package are
carried: those of the subject are where they would be without it.

A thread or task that takes work from a queue of its own is not seen, nor is one of ``_thread.start_new_thread``. The
context of a process is that of whoever started it, so other code may not give work to a pool of processes (``barrier``).
"""

from __future__ import annotations

import concurrent.futures
import contextvars
import functools
import multiprocessing.pool
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")

_variables: list[contextvars.ContextVar[Any]] = []


def variable(name: str, default: T) -> contextvars.ContextVar[T]:
    """A variable that is carried."""
    made = contextvars.ContextVar(name, default=default)
    _variables.append(made)
    return made


def install() -> None:
    """Replaces the places in Python's library at which code is given to other threads. Call it before agents are
    imported."""
    threads, executors = threading.Thread, concurrent.futures.ThreadPoolExecutor
    pools: Any = multiprocessing.pool.ThreadPool
    start = threads.start

    def start_as_caller(self: threading.Thread) -> None:
        self.run = _as_caller(self.run)  # type: ignore[method-assign]
        start(self)

    threads.start = start_as_caller  # type: ignore[method-assign]
    # A thread of a pool belongs to nobody, and what else is called in it to whoever gave it.
    _run_as_nobody(executors, "_adjust_thread_count")
    _carry(executors, "__init__", (3, "initializer"))
    _carry(executors, "submit", (1, "fn"))
    _carry(concurrent.futures.Future, "add_done_callback", (1, "fn"))
    _run_as_nobody(pools, "__init__")
    _carry(pools, "__init__", (2, "initializer"))
    _carry(pools, "apply_async", (1, "func"), (4, "callback"), (5, "error_callback"))
    _carry(pools, "_map_async", (1, "func"), (5, "callback"), (6, "error_callback"))
    for name in ("imap", "imap_unordered"):
        _carry(pools, name, (1, "func"))
        _iterate_as_caller(pools, name)


def _as_caller(function: Callable[..., T]) -> Callable[..., T]:
    """The function, run with the variables that the caller has now."""
    values = [(one, one.get()) for one in _variables]

    def run(*args: Any, **kwargs: Any) -> T:
        tokens = [(one, one.set(value)) for one, value in values]
        try:
            return function(*args, **kwargs)
        finally:
            for one, token in tokens:
                one.reset(token)

    return run


def _carry(of: Any, name: str, *functions: tuple[int, str]) -> None:
    """Lets a method run functions as its caller: the arguments at these places, after the object, or of these names."""
    own = getattr(of, name)

    @functools.wraps(own)
    def method(*args: Any, **kwargs: Any) -> Any:
        given = list(args)
        for place, named in functions:
            if len(given) > place and callable(given[place]):
                given[place] = _as_caller(given[place])
            elif callable(kwargs.get(named)):
                kwargs[named] = _as_caller(kwargs[named])
        return own(*given, **kwargs)

    setattr(of, name, method)


def _run_as_nobody(of: Any, name: str) -> None:
    """Lets a method, which starts threads, run without the variables."""
    own = getattr(of, name)

    @functools.wraps(own)
    def method(*args: Any, **kwargs: Any) -> Any:
        return contextvars.Context().run(own, *args, **kwargs)

    setattr(of, name, method)


def _iterate_as_caller(of: Any, name: str) -> None:
    """Lets a method, which iterates in another thread, do so as its caller."""
    own = getattr(of, name)

    @functools.wraps(own)
    def method(self: Any, func: Any, iterable: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
        return own(self, func, _iterated(iterable), *args, **kwargs)

    setattr(of, name, method)


def _iterated(iterable: Iterable[T]) -> Iterator[T]:
    advance = _as_caller(next)
    items = iter(iterable)

    def iterate() -> Iterator[T]:
        while True:
            try:
                yield advance(items)
            except StopIteration:
                return

    return iterate()
