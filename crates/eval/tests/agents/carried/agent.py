"""An agent whose tool and callbacks have their work done elsewhere, in each way that the state names."""

import _thread
import asyncio
import queue
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache
from multiprocessing import get_context
from multiprocessing.pool import ThreadPool

from google.adk.agents import LlmAgent
from google.adk.tools import ToolContext

# Whoever first uses one of these makes it.
executor = cache(lambda: ThreadPoolExecutor(1))
pool = cache(lambda: ThreadPool(1))

processes = cache(lambda: ProcessPoolExecutor(1, mp_context=get_context("fork")))
process_pool = cache(lambda: get_context("fork").Pool(1))


def touch(path: str) -> None:
    open(path, "w").close()


IN_PROCESSES = {
    "process executor": lambda path: processes().submit(touch, path).result(),
    "process executor map": lambda path: list(processes().map(touch, [path])),
    "process pool apply": lambda path: process_pool().apply(touch, (path,)),
    "process pool map": lambda path: process_pool().map(touch, [path]),
    "process pool imap": lambda path: list(process_pool().imap(touch, [path])),
}
"""Ways in which another process writes the file at a path."""


@cache
def worker() -> queue.Queue:
    """A thread that takes its work from a queue."""
    work = queue.Queue()

    def serve() -> None:
        while True:
            call = work.get()
            call()

    threading.Thread(target=serve, daemon=True).start()
    return work


class Done:
    """Work that tells when it was tried."""

    def __init__(self, work) -> None:
        self._work, self._tried = work, threading.Event()

    def __call__(self, *_) -> None:
        try:
            self._work()
        finally:
            self._tried.set()

    async def wait(self) -> None:
        while not self._tried.is_set():
            await asyncio.sleep(0)


async def do(way: str, work) -> None:
    """Has the work done in this way, and waits for it."""
    done, loop = Done(work), asyncio.get_running_loop()
    match way:
        case "executor":
            executor().submit(done)
        case "executor map":
            executor().map(done, [0])
        case "executor initializer":
            ThreadPoolExecutor(1, initializer=done).submit(int)
        case "executor callback":
            begun = threading.Event()
            executor().submit(begun.wait).add_done_callback(done)
            begun.set()
        case "run_in_executor":
            await loop.run_in_executor(None, done)
        case "to_thread":
            await asyncio.to_thread(done)
        case "pool apply":
            pool().apply_async(done)
        case "pool map":
            pool().map_async(done, [0])
        case "pool imap":
            pool().imap(done, [0])
        case "pool imap input":
            pool().imap(int, (done() for _ in range(1)))
        case "pool callback":
            pool().map_async(int, [0], callback=done)
        case "pool initializer":
            ThreadPool(1, done)
        case "thread":
            threading.Thread(target=done).start()
        case "timer":
            threading.Timer(0, done).start()
        case "thread in a thread":
            threading.Thread(target=lambda: threading.Thread(target=done).start()).start()
        case "loop in a thread":

            async def call() -> None:
                done()

            threading.Thread(target=lambda: asyncio.run(call())).start()
        case "call_soon":
            loop.call_soon(done)
        case "call_later":
            loop.call_later(0, done)
        case "call_soon_threadsafe":
            loop.call_soon_threadsafe(done)
        case "task":
            asyncio.ensure_future(asyncio.to_thread(done))
        case "queue":
            worker().put(done)
        case "raw thread":
            _thread.start_new_thread(done, ())
    await done.wait()


async def work(tool_context: ToolContext) -> dict:
    """Writes a file."""
    path, way = tool_context.state["path"], tool_context.state["way"]
    if way in IN_PROCESSES:
        IN_PROCESSES[way](path)
    else:
        await do(way, lambda: open(path, "w").close())
    return {"result": "worked"}


async def before_agent(callback_context) -> None:
    if callback_context.state.get("first") == "callback":
        await do(callback_context.state["way"], lambda: None)


async def after_agent(callback_context) -> None:
    if path := callback_context.state.get("path_of_callback"):
        way = callback_context.state["way"]
        if way in IN_PROCESSES:
            IN_PROCESSES[way](path)
        else:
            await do(way, lambda: open(path, "w").close())


root_agent = LlmAgent(
    name="carried",
    model="gemini-2.5-flash",
    before_agent_callback=before_agent,
    after_agent_callback=after_agent,
    tools=[work],
)
