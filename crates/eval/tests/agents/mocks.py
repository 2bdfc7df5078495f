"""Mocks for cases of the triage agent."""

import time
from pathlib import Path

from rehearsal_adk.eval import ToolError

calls: list[str] = []


def read(policy_id, context):
    """Answers by its argument, the state and what was called before."""
    print("to standard error, not into the protocol")
    calls.append(policy_id)
    if policy_id == "missing":
        raise ToolError("no such policy")
    patient = context.state["patient"]
    return {"policy": policy_id, "for": patient, "calls": list(calls), "tool": context.tool_name}


async def escalate(urgency_level, reason):
    """An asynchronous one."""
    return {"escalated": f"{urgency_level}: {reason}"}


def broken(policy_id):
    """Has an error of its own."""
    return {"policy": policies[policy_id]}  # noqa: F821


def nothing(policy_id):
    """Returns None."""


def not_json(policy_id):
    """Returns what is not JSON."""
    return {"policy": float("nan")}


def silent(policy_id):
    """Fails without a word."""
    raise TimeoutError


def meets_second(events):
    """A metric that waits for another one."""
    return _meet(events, "first", "second")


def meets_first(events):
    """The other one."""
    return _meet(events, "second", "first")


def _meet(events, own, other):
    """Whether the other one is in the folder that the user names, while this one is."""
    folder = Path(next(it["text"] for it in events if it["type"] == "user_message"))
    (folder / own).touch()
    end = time.monotonic() + 60
    while not (folder / other).exists() and time.monotonic() < end:
        time.sleep(0.01)
    return (folder / other).exists()


def silently_unmeasured(events):
    """A metric that fails without a word."""
    raise TimeoutError


def said_hello(events):
    """A metric."""
    return any(event["type"] == "message" and "Hello" in event["text"] for event in events)


def counted(events):
    """A metric that measures and does not judge."""
    return {"passed": None, "value": len(events), "evidence": "it only counts"}


def unmeasured(events):
    """A metric that fails."""
    raise ValueError(f"{len(events)} events are too few")


def odd(events):
    """A metric that returns something else."""
    return 3
