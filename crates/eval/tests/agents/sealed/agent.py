"""An agent whose tools and callback do what the state says."""

import ctypes
import multiprocessing
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.tools import ToolContext

sys.path.append(str(Path(__file__).parent / "site-packages"))
AT_IMPORT = tempfile.mkdtemp()


def creat(path: str) -> None:
    """Makes a file in C, of which Python knows nothing."""
    if ctypes.CDLL(None, use_errno=True).creat(path.encode(), 0o600) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def vacuum(path: str) -> None:
    sqlite3.connect(":memory:").execute(f"VACUUM INTO '{path}'")


def note(text: str, tool_context: ToolContext) -> dict[str, str]:
    """Keeps a text in the session."""
    tool_context.state["noted"] = text
    return {"noted": text}


def act(way: str, path: str) -> str:
    """Does something to a file."""
    globals()[way](path)
    return "done"


def write(path: str) -> None:
    Path(path).write_text("written")


def run(path: str) -> None:
    subprocess.run(["touch", path], check=True)


def spawn(path: str) -> None:
    process = multiprocessing.get_context("spawn").Process(target=write, args=(path,))
    process.start()
    process.join()


def datagram(path: str) -> None:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(path.encode(), ("127.0.0.1", 9))


def ask(path: str) -> None:
    """Has a library write to a cache of the user, and start a program."""
    import cautious

    assert not cautious.cached()
    assert cautious.revision() is None


def keep(path: str) -> None:
    """Uses temporary files of the import and of the case, the cache of the user, and a folder that there is."""
    Path(AT_IMPORT, "kept").write_text("kept")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "inner").mkdir()
        Path(folder, "inner", "file").write_text("kept")
    cache = Path.home() / ".cache" / "rehearsal-test" / "new"
    cache.mkdir(parents=True)
    (cache / "file").write_text("kept")
    os.makedirs(path, exist_ok=True)
    with open("/dev/stderr", "w") as stderr:
        stderr.write(tempfile.gettempdir())
    os.kill(os.getppid(), 0)


def before(callback_context):
    if way := callback_context.state.get("way"):
        act(way, callback_context.state["path"])
    callback_context.state["temporary"] = tempfile.gettempdir()


root_agent = LlmAgent(name="sealed", model="none", before_agent_callback=before, tools=[note, act])
