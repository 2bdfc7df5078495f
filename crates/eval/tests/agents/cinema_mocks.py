"""Mocks and users for cases of the cinema agent."""

import threading

from rehearsal_adk.eval import MockContext, ToolError, with_state_change

from cinema.agent import Snack

both = threading.Barrier(2)
"""For functions that end only if they run at the same time."""


def reserve(row, seats):
    """Has no parameter for what the tool does not declare, and needs what the tool has a default for."""
    return {"row": row, "seats": seats}


def feed(row, snack: Snack, seats=5):
    """Gets models as the tool does, and has a default of its own."""
    return {"snack": snack.kind, "salted": snack.salted, "seats": seats}


def announce(context, here: MockContext):
    """The argument of the tool is not the context."""
    return {"said": context, "tool": here.tool_name}


def note(row, context):
    """Changes the state as a tool of google-adk does."""
    seats = context.state.setdefault("seats", [])
    seats.append(row)
    context.state.customer["rows"] = len(seats)
    if row == "Z":
        raise ToolError("no such row")
    return {"rows": len(seats)}


def told(row):
    """Changes the state by scope."""
    return with_state_change(
        {"row": row}, {"session": {"seats": [row]}, "customer": {"tier": "gold"}}
    )


def lost(row):
    """Changes a scope that the case does not have."""
    return with_state_change({"row": row}, {"custommer": {"tier": "gold"}})


def removes(row, context):
    """Removes a key, which a session cannot."""
    del context.state["customer"]


def waits(row):
    """Waits for the other call."""
    both.wait(timeout=60)
    return {"row": row}


def waits_with_context(row, context):
    """Waits for the other call, and uses its context for what is no state."""
    both.wait(timeout=60)
    return {"row": row, "tool": context.tool_name, "began": context.now() >= 0}


async def waits_too(row):
    """Waits on a loop."""
    import asyncio

    await asyncio.get_running_loop().run_in_executor(None, both.wait, 60)
    return {"said": row}


def counts(row, context):
    """Counts the calls, a while after it has read the count."""
    import time

    count = context.state.setdefault("count", 0)
    time.sleep(0.05)
    context.state["count"] = count + 1
    return {"count": count + 1}


async def counts_too(row, here: MockContext):
    """Counts them on a loop."""
    import asyncio

    count = here.state.get("count", 0)
    await asyncio.sleep(0.05)
    here.state["count"] = count + 1
    return {"count": count + 1}


def answers(prompt):
    """A user who waits for the other one."""
    both.wait(timeout=60)
    return f"yes: {prompt.splitlines()[0]}"
