"""An agent whose code breaks off in the middle, ends its process, or makes what has no form in JSON."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from google.adk.agents import LlmAgent, ParallelAgent
from google.adk.tools import AgentTool, ToolContext


def breaks_off() -> str:
    """Lets a cancellation out, as a timeout of a library does."""
    raise asyncio.CancelledError("the timeout of a library")


async def cancels_itself() -> str:
    """Cancels the task that runs it."""
    asyncio.current_task().cancel()
    await asyncio.sleep(60)
    return "not canceled"


def exits() -> str:
    """Exits as a program does."""
    print("about to exit", flush=True)
    sys.exit(3)


async def exits_in_callback() -> str:
    """Has the loop exit, and waits."""
    asyncio.get_running_loop().call_soon(sys.exit, 0)
    await asyncio.sleep(0.5)
    return "not ended"


async def exits_in_task() -> str:
    """Has a task exit for which nobody waits, and waits for something else."""

    async def exit_later() -> None:
        sys.exit(0)

    task = asyncio.create_task(exit_later())
    await asyncio.sleep(0.5)
    del task
    return "not ended"


async def interrupts_in_callback() -> str:
    """Has the loop interrupted, as by a key, and waits."""
    asyncio.get_running_loop().call_later(0.01, signal.raise_signal, signal.SIGINT)
    await asyncio.sleep(0.5)
    return "not ended"


async def exits_after_turn() -> str:
    """Has the loop exit while the user is waited for."""
    asyncio.get_running_loop().call_later(0.3, sys.exit, 0)
    return "done"


def fails_silently() -> str:
    """Raises an error without a text."""
    raise TimeoutError


def ends_process() -> str:
    """Ends the process without another word."""
    print("about to end", flush=True)
    os._exit(4)


def is_killed() -> str:
    """Ends by a signal."""
    print("about to be killed", flush=True)
    os.kill(os.getpid(), signal.SIGTERM)
    return "not killed"


def kills_importer(flag: str) -> str:
    """Ends the process that imported the agent, the first time.

    Args:
      flag: The file that shows that it was called before.
    """
    try:
        Path(flag).touch(exist_ok=False)
    except FileExistsError:
        return "alive"
    os.kill(os.getppid(), signal.SIGKILL)
    return "killed it"


def prints_bytes() -> str:
    """Prints what is not UTF-8."""
    os.write(1, b"\xff\xfe\n")
    os.write(2, b"\xff\xfe\n")
    return "printed"


async def talks(who: str, meeting: str, cases: int) -> str:
    """Prints a name and waits until this many cases have done so, and exits if it is the first.

    Args:
      who: The name.
      meeting: The file that counts them.
      cases: How many.
    """
    print(f"{who} is here", flush=True)
    descriptor = os.open(meeting, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(descriptor, b".")
    os.close(descriptor)
    while os.path.getsize(meeting) < cases:
        await asyncio.sleep(0.01)
    if who == "first":
        os._exit(5)
    return who


def circles(tool_context: ToolContext) -> str:
    """Keeps an object that holds itself."""
    ring: dict = {"name": "ring"}
    ring["itself"] = ring
    tool_context.state["ring"] = ring
    return "kept"


def measures(tool_context: ToolContext) -> dict:
    """Returns and keeps what JSON does not have."""
    tool_context.state["picture"] = b"\x89PNG"
    return {"level": float("nan"), "rows": [{"raw": b"\x00\xff"}], "name": "Ada\ud800"}


def before_model(callback_context, llm_request):
    """Does what the state says."""
    match callback_context.state.get("before_model"):
        case "breaks off":
            raise asyncio.CancelledError("the timeout of a callback")
        case "exits":
            sys.exit("no configuration")


_TOOLS = [
    breaks_off,
    cancels_itself,
    exits,
    exits_in_callback,
    exits_in_task,
    interrupts_in_callback,
    exits_after_turn,
    fails_silently,
    ends_process,
    is_killed,
    kills_importer,
    prints_bytes,
    talks,
    circles,
    measures,
]
_helper = LlmAgent(name="helper", model="gemini-2.5-flash", tools=[breaks_off])
_branches = ParallelAgent(
    name="branches",
    sub_agents=[
        LlmAgent(name="one", model="gemini-2.5-flash", tools=[breaks_off]),
        LlmAgent(name="two", model="gemini-2.5-flash", tools=[breaks_off]),
    ],
)

root_agent = LlmAgent(
    name="breaking",
    model="gemini-2.5-flash",
    before_model_callback=before_model,
    tools=[*_TOOLS, AgentTool(agent=_helper), AgentTool(agent=_branches)],
)
