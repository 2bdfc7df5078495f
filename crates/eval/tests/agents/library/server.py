"""An MCP server of a library. It notes in the file that LIBRARY_LOG names that it was started, and each call.

Its process id is in the file beside it, with `.pid` at the end.
"""

import asyncio
import os
import sys

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import BaseModel


class Place(BaseModel):
    """Where a book is."""

    shelf: int


class Consent(BaseModel):
    """What a person is asked for."""

    agreed: bool


server = MCPServer("library", instructions="Search before you lend.")
inside = 0
both_inside = asyncio.Event()


def note(line: str) -> None:
    with open(os.environ["LIBRARY_LOG"], "a", encoding="utf-8") as log:
        log.write(line + "\n")


@server.tool()
def search(title: str) -> Place:
    """Finds the shelf of a book."""
    note(f"search {title}")
    if title == "Atlantis":
        raise ToolError("no such book")
    return Place(shelf=7)


@server.tool(annotations=ToolAnnotations(destructiveHint=True))
def lend(title: str) -> str:
    """Lends a book."""
    note(f"lend {title}")
    return f"{title} is yours"


@server.tool()
async def meet() -> str:
    """Returns when it was called twice."""
    global inside
    inside += 1
    if inside == 2:
        both_inside.set()
    await both_inside.wait()
    return "met"


@server.tool()
async def ask(context: Context) -> str:
    """Asks the person."""
    answer = await context.elicit("Do you agree?", Consent)
    return answer.action


@server.tool()
def burn() -> str:
    """Ends the server."""
    print("the library burns", file=sys.stderr, flush=True)
    os._exit(3)


if __name__ == "__main__":
    note("started")
    with open(os.environ["LIBRARY_LOG"] + ".pid", "w", encoding="utf-8") as file:
        file.write(str(os.getpid()))
    server.run()
