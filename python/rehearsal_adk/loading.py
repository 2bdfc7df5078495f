"""Loads an agent folder as a ``LoadedAgent``, the way ``adk web`` does.

ADK's own loader finds the package, the ``agent`` module, ``app``, ``root_agent.yaml`` and the folder's
``.env``. This module adds error messages for an interpreter or folder that cannot be used.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

from rehearsal_adk.faults import Fault


@dataclasses.dataclass
class LoadedAgent:
    """One agent folder, imported."""

    app_name: str
    """The folder's name, which ``adk web`` and ``adk eval`` use as the application's name."""
    entry: str
    """Where the agent was found: ``app``, ``root_agent`` or ``root_agent.yaml``."""
    root: Any
    """The root agent, or a workflow."""
    app: Any
    """The ``App``, when the folder exposes one."""
    warnings: list[str] = dataclasses.field(default_factory=list)
    """What this version of google-adk lacks, for the page."""

    @property
    def plugins(self) -> list:
        """The application's plugins, without ``RehearsalPlugin``."""
        plugins = getattr(self.app, "plugins", None) or ()
        return [one for one in plugins if type(one).__name__ != "RehearsalPlugin"]


def adk_version() -> str:
    """The version of google-adk in this Python.

    Raises:
      Fault: this Python or its google-adk is too old, or there is no google-adk.
    """
    if sys.version_info < (3, 10):
        raise Fault(
            "UnsupportedPython",
            f"{sys.executable} is Python {sys.version.split()[0]}. Rehearsal needs Python 3.10 or "
            "newer, and google-adk 2.13 needs 3.11. "
            "Name another interpreter with `python = \"...\"` for this agent.",
        )
    try:
        from google.adk.version import __version__
    except ModuleNotFoundError as error:
        if error.name not in ("google", "google.adk", "google.adk.version"):
            raise
        raise Fault(
            "ModuleNotFoundError",
            f"google-adk is not installed in {sys.executable} (Python {sys.version.split()[0]}). "
            f"Install it there with `{install_command('google-adk')}`, "
            "or name the agent's own interpreter with `python = \"...\"`.",
            error,
        ) from error
    if __version__.split(".")[0] in ("0", "1"):
        raise Fault(
            "UnsupportedAdk",
            f"google-adk {__version__} in {sys.executable} is too old. "
            "Version 2.0 or newer is required. "
            f"Upgrade it with `{install_command('--upgrade google-adk')}`.",
        )
    return __version__


def install_command(what: str) -> str:
    """The command that installs packages in this Python."""
    if importlib.util.find_spec("pip") is None:
        return f"uv pip install --python {sys.executable} {what}"
    return f"{sys.executable} -m pip install {what}"


def load(agent_dir: str) -> LoadedAgent:
    """Imports the agent folder.

    Raises:
      Fault: the folder is missing, or contains no agent that a worker can host.
      Exception: whatever the agent's own modules raise while they are imported.
    """
    folder = Path(agent_dir).resolve()
    if not folder.is_dir():
        raise Fault(
            "NotADirectoryError",
            f"{folder} is not a folder. Name the folder that contains agent.py or root_agent.yaml.",
        )
    from google.adk.apps.app import App
    from google.adk.cli.utils.agent_loader import AgentLoader

    loader = AgentLoader(str(folder.parent))
    if getattr(loader, "is_single_agent", False):
        # The parent is an agent folder too, so the loader would load it instead.
        loader = AgentLoader(str(folder))
    loaded = loader.load_agent(folder.name)
    app = loaded if isinstance(loaded, App) else None
    return LoadedAgent(
        app_name=folder.name,
        entry=_entry(folder, app),
        root=app.root_agent if app is not None else loaded,
        app=app,
    )


def folder_of(agent) -> str | None:
    """The folder below ``adk web``'s that has this agent as its ``root_agent``, so that it can be loaded on its
    own, such as ``newsroom/writer``. ``None`` if there is none."""
    for name, module in list(sys.modules.items()):
        members = getattr(module, "__dict__", None) or {}
        if members.get("root_agent") is not agent:
            continue
        file = os.path.basename(members.get("__file__") or "")
        package = name if file == "__init__.py" else name.rpartition(".")[0]
        if package and file in ("__init__.py", "agent.py"):
            return package.replace(".", "/")
    return None


def _entry(folder: Path, app) -> str:
    if app is not None:
        return "app"
    for module in (folder.name, f"{folder.name}.agent"):
        if hasattr(sys.modules.get(module), "root_agent"):
            return "root_agent"
    return "root_agent.yaml" if os.path.exists(folder / "root_agent.yaml") else "root_agent"
