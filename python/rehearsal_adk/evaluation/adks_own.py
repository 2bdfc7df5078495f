"""What is google-adk's own: code that its files define, and the tools with which a model directs the run.

Objects count by identity. What only has the name or the module of such an object, as ``functools.wraps`` gives it, is
the author's.
"""

from __future__ import annotations

from pathlib import Path
from types import FunctionType
from typing import Any

import google.adk
from google.adk.tools.exit_loop_tool import exit_loop
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.long_running_tool import LongRunningFunctionTool
from google.adk.tools.set_model_response_tool import SetModelResponseTool
from google.adk.tools.transfer_to_agent_tool import TransferToAgentTool, transfer_to_agent

from rehearsal_adk import adk_private

_FINISH_TASK_TOOL = adk_private.FINISH_TASK_TOOL.value()

_FOLDERS = (*google.adk.__path__, str(Path(__file__).parents[1]))
"""Where google-adk's code is, and ours that replaces some of it."""


def is_code(found: Any) -> bool:
    """Whether this is a function of google-adk."""
    return isinstance(found, FunctionType) and found.__code__.co_filename.startswith(_FOLDERS)


def definition(of: Any, name: str) -> Any:
    """What Python finds under this name on an object, unbound; None if there is nothing."""
    if name in (own := vars(of)):
        return own[name]
    return in_class(type(of), name)


def in_class(of: type, name: str) -> Any:
    """What Python finds under this name in a class and its bases, unbound; None if there is nothing."""
    return next((vars(base)[name] for base in of.__mro__ if name in vars(base)), None)


def directs_the_run(tool: Any) -> bool:
    """Whether this is a tool of google-adk that directs the run, as far as its class and its function say."""
    if type(tool) in (SetModelResponseTool, _FINISH_TASK_TOOL):
        return True
    of_functions = (FunctionTool, LongRunningFunctionTool, TransferToAgentTool)
    return type(tool) in of_functions and any(tool.func is it for it in (exit_loop, transfer_to_agent))
