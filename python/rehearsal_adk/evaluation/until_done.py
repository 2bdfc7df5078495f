"""Runs a loop that code of the agent cannot end."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
from collections.abc import Coroutine
from types import TracebackType
from typing import Any

from rehearsal_adk.evaluation import current

_ENDING = (SystemExit, KeyboardInterrupt)
"""What asyncio lets out of a task and of the loop. The task has it too, so that who awaits the task gets it."""


def until_done(work: Coroutine[Any, Any, Any]) -> Any:
    """As ``asyncio.run``, but where code calls ``sys.exit``, also in a callback of the loop, only its case ends."""
    loop = asyncio.new_event_loop()
    try:
        asyncio.set_event_loop(loop)
        return _finish(loop, loop.create_task(work))
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        for task in left:
            with contextlib.suppress(BaseException):
                _finish(loop, task)
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        asyncio.set_event_loop(None)
        loop.close()


def _finish(loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> Any:
    while True:
        try:
            return loop.run_until_complete(task)
        except _ENDING as error:
            if task.done():
                raise
            for case in current.concerned(_context(error)):
                case.exited(error)


def _context(error: BaseException) -> contextvars.Context | None:
    """The context of the callback or task that the loop ran; None if the loop itself was interrupted."""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        handle = trace.tb_frame.f_locals.get("self")
        if isinstance(handle, asyncio.Handle):
            return handle._context  # type: ignore[attr-defined]
        trace = trace.tb_next
    return None
