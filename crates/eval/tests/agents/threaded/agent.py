"""An agent whose import starts the threads that the environment variable `THREADS` names."""

import importlib
import os
import threading

from google.adk.agents import LlmAgent

_end = threading.Event()


def _wait() -> None:
    _end.wait()


match os.environ["THREADS"]:
    case "own":
        threading.Thread(target=_wait, name="waiting", daemon=True).start()
    case library:
        importlib.import_module(library)

root_agent = LlmAgent(name="threaded", model="gemini-2.5-flash")
