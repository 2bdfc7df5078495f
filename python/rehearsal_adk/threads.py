"""Runs blocking functions in their own threads.

ADK calls a synchronous tool on the event loop, where it would block every other session and every
cancel request. Here each such call has its own daemon thread, with a copy of the caller's context
variables. The thread of a canceled call runs to its end, and its result is dropped. Idle threads are
reused, because starting a thread costs more than a trivial tool. A call never waits for a thread.

This uses the first of two hooks that ADK has: the runner for synchronous callables in a context
variable (2.12 and later), or the method of ``FunctionTool`` that calls its function (earlier 2.x).
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import queue
import threading
from typing import Any

from rehearsal_adk import adk_private

abandoned: contextvars.ContextVar[list | None] = contextvars.ContextVar(
    "rehearsal_abandoned", default=None
)
"""The names of the functions that a canceled call left running, or ``None`` if not collected."""


class ToolExited(Exception):
    """The tool raised ``SystemExit``, ``KeyboardInterrupt`` or ``StopIteration``.

    These would end the event loop, so this exception replaces them.
    """


async def run_in_own_thread(target, kwargs: dict):
    """Calls ``target(**kwargs)`` in its own thread and waits for its result or exception."""
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    context = contextvars.copy_context()
    returned = threading.Event()

    def settle(result, error) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)

    def job() -> None:
        result: Any = None
        error: BaseException | None = None
        # ADK calls the tool while the loop runs in the same thread, where `asyncio.run` raises.
        # With nest_asyncio it does not: it would run this loop, which here another thread runs.
        if not hasattr(asyncio, "_nest_patched"):
            asyncio._set_running_loop(loop)
        try:
            result = context.run(target, **kwargs)
        except (SystemExit, KeyboardInterrupt, StopIteration) as ended:
            error = stand_in(ended)
        except BaseException as raised:  # The tool's exception becomes the call's result.
            error = raised
        finally:
            asyncio._set_running_loop(None)
        returned.set()
        with contextlib.suppress(RuntimeError):  # The loop is closed: the worker is ending.
            loop.call_soon_threadsafe(settle, result, error)

    _run_in_thread(job)
    try:
        return await future
    except asyncio.CancelledError:
        left = abandoned.get()
        if left is not None and not returned.is_set():
            left.append(getattr(target, "__name__", type(target).__name__))
        raise


_MAX_IDLE = 8
_idle: list[queue.SimpleQueue] = []


def _run_in_thread(job) -> None:
    try:
        inbox = _idle.pop()
    except IndexError:
        inbox = queue.SimpleQueue()
        threading.Thread(target=_work, args=(inbox,), name="rehearsal tool", daemon=True).start()
    inbox.put(job)


def _work(inbox: queue.SimpleQueue) -> None:
    while True:
        inbox.get()()
        if len(_idle) >= _MAX_IDLE:
            return
        _idle.append(inbox)


def stand_in(ended: BaseException) -> ToolExited:
    """An ordinary exception that replaces one that would end the event loop."""
    error = ToolExited(f"The tool raised {type(ended).__name__}({ended}).")
    error.__cause__ = ended
    return error


@contextlib.contextmanager
def blocking_tools_in_threads():
    """Inside this context, ADK runs synchronous tools of the current task in their own threads."""
    bind = _adk_binding()
    if bind is None:
        yield
        return
    with bind(run_in_own_thread):
        yield


def _adk_binding():
    global _binding, _looked
    if not _looked:
        _looked = True
        if adk_private.SYNC_RUNNER.exists():
            _binding = adk_private.SYNC_RUNNER.value()
        elif adk_private.INVOKE_CALLABLE.exists():
            _patch_function_tool()
    return _binding


_binding = None
_looked = False


def _patch_function_tool() -> None:
    original = adk_private.INVOKE_CALLABLE.value()

    async def invoke(self, target, args_to_call):
        is_async = inspect.iscoroutinefunction(target) or inspect.iscoroutinefunction(
            getattr(target, "__call__", None)
        )
        if is_async or inspect.isasyncgenfunction(target):
            return await original(self, target, args_to_call)
        result = await run_in_own_thread(target, args_to_call)
        return await result if inspect.isawaitable(result) else result

    adk_private.INVOKE_CALLABLE.replace(invoke)
