"""Tools of every kind that a recording can hold: typed, failing, asking for a confirmation, and waiting."""

from google.adk.agents import LlmAgent
from google.adk.tools import AgentTool, FunctionTool, LongRunningFunctionTool, ToolContext


def measure(site: str) -> float:
    """Measures something."""
    if site == "cellar":
        raise ConnectionError("gateway timeout")
    return float(len(site))


def find(city: str, limit: int = 3) -> dict:
    """Finds something."""
    return {"city": city, "limit": limit}


def note(text: str) -> None:
    """Keeps a note."""


def names(count: int) -> list[str]:
    """Lists names."""
    return ["Ada"] * count


def wipe(disk: str) -> dict:
    """Wipes a disk."""
    return {"wiped": disk}


def erase(disk: str) -> str:
    """Erases a disk."""
    return f"erased {disk}"


def refund(euros: int, tool_context: ToolContext) -> dict:
    """Refunds an amount, of which a manager approves all or a part if it is large."""
    if euros <= 10:
        return {"refunded": euros}
    confirmation = tool_context.tool_confirmation
    if confirmation is None:
        tool_context.request_confirmation(hint=f"How much of {euros} euros?", payload={"euros": 0})
        return {"status": "A manager looks at it."}
    if not confirmation.confirmed:
        return {"refused": euros}
    tool_context.state["refunded"] = min(euros, (confirmation.payload or {}).get("euros", euros))
    return {"refunded": tool_context.state["refunded"]}


def unlock(door: str, tool_context: ToolContext) -> str:
    """Unlocks a door. The agent says nothing until it is confirmed."""
    if tool_context.tool_confirmation is None:
        tool_context.request_confirmation(hint=f"Unlock the {door}?")
        tool_context.actions.skip_summarization = True
        return None
    if not tool_context.tool_confirmation.confirmed:
        raise PermissionError(f"the {door} stays locked")
    return f"unlocked {door}"


def quote(share: str, tool_context: ToolContext) -> dict:
    """Shows a price, which is the response."""
    tool_context.actions.skip_summarization = True
    return {"share": share, "euros": 12}


def order(item: str) -> dict:
    """Orders something, which a manager approves later."""
    return {"status": "pending", "item": item}


def ask(question: str) -> None:
    """Asks a person, who answers later."""


def on_error(tool, args, tool_context, error):
    return {"error": str(error)}


adviser = LlmAgent(
    name="adviser",
    model="gemini-2.5-flash",
    description="Advises, which is the response.",
)

helper = LlmAgent(
    name="helper",
    model="gemini-2.5-flash",
    description="Finds and measures.",
    tools=[find, measure],
    on_tool_error_callback=on_error,
)

root_agent = LlmAgent(
    name="clerk",
    model="gemini-2.5-flash",
    instruction="Do as you are asked.",
    tools=[
        measure,
        find,
        note,
        names,
        FunctionTool(wipe, require_confirmation=True),
        FunctionTool(erase, require_confirmation=True),
        refund,
        unlock,
        quote,
        LongRunningFunctionTool(order),
        LongRunningFunctionTool(ask),
        AgentTool(adviser, skip_summarization=True),
    ],
    sub_agents=[helper],
    on_tool_error_callback=on_error,
)
