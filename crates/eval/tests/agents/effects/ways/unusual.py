"""Code that runs where one does not look for it, and then creates a file."""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading

from . import Canary, way

SECONDS = 10
_kept = []
"""What must not be collected before its time."""


def write(c: Canary) -> None:
    with open(c.trace, "w") as file:
        file.write("written")


def raised_of(error: BaseException | None) -> None:
    if error is not None:
        raise error


class Caught:
    """Calls ``write`` where nobody gets its exception, and has the exception."""

    def __init__(self, c: Canary) -> None:
        self._canary = c
        self.error: BaseException | None = None
        self.done = threading.Event()

    def __call__(self, *_: object, **__: object) -> None:
        if self.done.is_set():
            return
        self.done.set()  # Once: what it does may lead here again.
        try:
            write(self._canary)
        except BaseException as error:
            self.error = error

    def check(self) -> None:
        assert self.done.wait(SECONDS), "it was not called"
        raised_of(self.error)


def in_thread(start, c: Canary) -> None:
    """Starts a thread and waits for it."""
    over, errors = threading.Event(), []

    def run(*_):
        try:
            write(c)
        except BaseException as error:
            errors.append(error)
        finally:
            over.set()

    start(run)
    assert over.wait(SECONDS)
    raised_of(errors[0] if errors else None)


@way("thread")
def thread(c: Canary):
    in_thread(lambda run: threading.Thread(target=run).start(), c)


@way("thread")
def thread_of_a_class(c: Canary):
    def start(run):
        class Own(threading.Thread):
            def run(self):
                run()

        Own(daemon=True).start()

    in_thread(start, c)


@way("thread")
def raw_thread(c: Canary):
    import _thread

    in_thread(lambda run: _thread.start_new_thread(run, ()), c)


@way("thread")
def timer(c: Canary):
    in_thread(lambda run: threading.Timer(0.001, run).start(), c)


@way("thread")
def thread_of_thread(c: Canary):
    in_thread(
        lambda run: threading.Thread(target=lambda: threading.Thread(target=run).start()).start(), c
    )


@way("thread")
def thread_pool_executor(c: Canary):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor() as pool:
        pool.submit(write, c).result(SECONDS)


@way("thread")
def thread_pool_map(c: Canary):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor() as pool:
        list(pool.map(write, [c]))


@way("thread")
def multiprocessing_thread_pool(c: Canary):
    from multiprocessing.pool import ThreadPool

    with ThreadPool(1) as pool:
        pool.apply_async(write, (c,)).get(SECONDS)


@way("thread")
def logging_queue_listener(c: Canary):
    import logging
    import queue
    from logging import handlers

    caught = Caught(c)
    handler = logging.Handler()
    handler.emit = caught
    lines = queue.Queue()
    listener = handlers.QueueListener(lines, handler)
    listener.start()
    lines.put(logging.makeLogRecord({"msg": "written"}))
    caught.done.wait(SECONDS)
    listener.stop()
    caught.check()


@way("thread", needs="joblib")
def joblib_threads(c: Canary):
    import joblib

    joblib.Parallel(n_jobs=2, backend="threading")([joblib.delayed(write)(c), joblib.delayed(abs)(1)])


@way("thread", needs="anyio")
async def anyio_to_thread(c: Canary):
    import anyio

    await anyio.to_thread.run_sync(write, c)


_pool = None


@way("thread")
def thread_of_a_pool_made_before(c: Canary):
    _pool_made_at_import().submit(write, c).result(SECONDS)


def _pool_made_at_import():
    """A pool without threads, until something is submitted."""
    global _pool
    from concurrent.futures import ThreadPoolExecutor

    if _pool is None or os.getpid() != _pool[0]:
        _pool = (os.getpid(), ThreadPoolExecutor(1))
    return _pool[1]


@way("loop")
async def asyncio_to_thread(c: Canary):
    await asyncio.to_thread(write, c)


@way("loop")
async def run_in_executor(c: Canary):
    await asyncio.get_running_loop().run_in_executor(None, write, c)


@way("loop")
async def task(c: Canary):
    async def run():
        write(c)

    await asyncio.create_task(run())


@way("loop")
async def task_in_an_empty_context(c: Canary):
    async def run():
        write(c)

    loop = asyncio.get_running_loop()
    one = contextvars.Context().run(loop.create_task, run())
    await one


@way("loop")
async def call_soon(c: Canary):
    caught = Caught(c)
    asyncio.get_running_loop().call_soon(caught)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    caught.check()


@way("loop")
async def call_soon_of_another_thread(c: Canary):
    caught, loop = Caught(c), asyncio.get_running_loop()
    threading.Thread(target=lambda: loop.call_soon_threadsafe(caught)).start()
    while not caught.done.is_set():
        await asyncio.sleep(0.001)
    caught.check()


@way("loop")
async def call_later(c: Canary):
    caught = Caught(c)
    asyncio.get_running_loop().call_later(0.001, caught)
    while not caught.done.is_set():
        await asyncio.sleep(0.001)
    caught.check()


@way("loop")
async def reader_of_a_pipe(c: Canary):
    caught, loop = Caught(c), asyncio.get_running_loop()
    read, end = os.pipe()
    loop.add_reader(read, caught)
    os.write(end, b"x")
    while not caught.done.is_set():
        await asyncio.sleep(0.001)
    loop.remove_reader(read)
    os.close(read)
    os.close(end)
    caught.check()


@way("loop")
async def loop_of_another_thread(c: Canary):
    async def run():
        write(c)

    await asyncio.to_thread(asyncio.run, run())


@way("late")
async def task_left_behind(c: Canary):
    """It runs when the agent goes on."""

    async def run():
        await asyncio.sleep(0)
        write(c)

    _kept.append(asyncio.create_task(run()))


@way("late")
async def callback_left_behind(c: Canary):
    asyncio.get_running_loop().call_soon(write, c)


@way("late")
async def asynchronous_generator_closed_late(c: Canary):
    async def generator():
        try:
            yield
        finally:
            write(c)

    one = generator()
    await one.__anext__()
    await one.aclose()


@way("context")
def empty_context(c: Canary):
    contextvars.Context().run(write, c)


@way("context")
def copied_context(c: Canary):
    contextvars.copy_context().run(write, c)


@way("collected")
def generator_closed(c: Canary):
    caught = Caught(c)

    def generator():
        try:
            yield
        finally:
            caught()

    one = generator()
    next(one)
    del one
    caught.check()


@way("collected")
def object_deleted(c: Canary):
    caught = Caught(c)

    class Own:
        def __del__(self):
            caught()

    Own()
    caught.check()


@way("collected")
def cycle_collected(c: Canary):
    import gc

    caught = Caught(c)

    class Own:
        def __del__(self):
            caught()

    one = Own()
    one.itself = one
    del one
    gc.collect()
    caught.check()


@way("collected")
def weak_reference_finalized(c: Canary):
    import weakref

    caught = Caught(c)

    class Own: ...

    one = Own()
    weakref.finalize(one, caught)
    del one
    caught.check()


@way("collected")
def callback_of_the_collector(c: Canary):
    import gc

    caught = Caught(c)
    gc.callbacks.append(caught)
    try:
        gc.collect()
    finally:
        gc.callbacks.remove(caught)
    caught.check()


@way("hook")
def signal_handler(c: Canary):
    import signal

    caught = Caught(c)
    before = signal.signal(signal.SIGUSR1, caught)
    try:
        signal.raise_signal(signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)
    caught.check()


@way("hook")
def interval_timer(c: Canary):
    import signal
    import time

    caught = Caught(c)
    before = signal.signal(signal.SIGVTALRM, caught)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.001)
    try:
        until = time.monotonic() + SECONDS
        while not caught.done.is_set() and time.monotonic() < until:
            pass
    finally:
        signal.signal(signal.SIGVTALRM, before)
    caught.check()


@way("hook")
def sys_settrace(c: Canary):
    import sys

    caught, before = Caught(c), sys.gettrace()
    sys.settrace(caught)
    try:
        raised_of(None)
    finally:
        sys.settrace(before)
    caught.check()


@way("hook")
def sys_setprofile(c: Canary):
    import sys

    caught = Caught(c)
    sys.setprofile(caught)
    try:
        raised_of(None)
    finally:
        sys.setprofile(None)
    caught.check()


@way("hook")
def sys_unraisablehook(c: Canary):
    import sys

    caught, before = Caught(c), sys.unraisablehook
    sys.unraisablehook = caught
    try:

        class Own:
            def __del__(self):
                raise ValueError

        Own()
    finally:
        sys.unraisablehook = before
    caught.check()


@way("hook")
def threading_excepthook(c: Canary):
    caught, before = Caught(c), threading.excepthook
    threading.excepthook = caught
    try:
        one = threading.Thread(target=lambda: 1 / 0)
        one.start()
        one.join()
    finally:
        threading.excepthook = before
    caught.check()


@way("hook")
def import_finder(c: Canary):
    import importlib.util
    import sys

    caught = Caught(c)

    class Finder:
        def find_spec(self, name, path=None, target=None):
            if name == "canary_of_a_finder":
                caught()

    finder = Finder()
    sys.meta_path.insert(0, finder)
    try:
        importlib.util.find_spec("canary_of_a_finder")
    finally:
        sys.meta_path.remove(finder)
    caught.check()


@way("hook")
def warning_shown(c: Canary):
    import warnings

    caught = Caught(c)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = caught
        warnings.warn("written", stacklevel=1)
    caught.check()


@way("hook")
def codec_search(c: Canary):
    import codecs

    caught = Caught(c)
    codecs.register(caught)
    try:
        "".encode("canary")
    except LookupError:
        pass
    finally:
        if hasattr(codecs, "unregister"):
            codecs.unregister(caught)
    caught.check()


@way("hook")
def audit_hook_of_its_own(c: Canary):
    import sys

    caught = Caught(c)
    sys.addaudithook(lambda event, args: caught() if event == "canary.touched" else None)
    sys.audit("canary.touched")
    caught.check()


@way("hook")
def code_from_text(c: Canary):
    exec(compile("open(path, 'w').close()", "<text>", "exec"), {"path": c.trace})


@way("hook")
def module_loaded_again(c: Canary):
    import importlib
    import io

    importlib.reload(io)
    io.open(c.trace, "w").close()


@way("malice")
def barrier_switched_off(c: Canary):
    """Nobody writes this by accident: beyond what the hook is for."""

    def run():
        from rehearsal_adk.evaluation import barrier

        barrier.allowed.set(True)
        write(c)

    contextvars.copy_context().run(run)
