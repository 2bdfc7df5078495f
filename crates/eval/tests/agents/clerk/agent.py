"""Tools of every kind that a recording can hold: typed, failing, asking for a confirmation, and waiting."""

from google.adk.agents import LlmAgent
from google.adk.tools import FunctionTool, LongRunningFunctionTool


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


def order(item: str) -> dict:
    """Orders something, which a manager approves later."""
    return {"status": "pending", "item": item}


def ask(question: str) -> None:
    """Asks a person, who answers later."""


def on_error(tool, args, tool_context, error):
    return {"error": str(error)}


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
        LongRunningFunctionTool(order),
        LongRunningFunctionTool(ask),
    ],
    sub_agents=[helper],
    on_tool_error_callback=on_error,
)
