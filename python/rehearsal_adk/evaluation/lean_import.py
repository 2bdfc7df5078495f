"""Imports google-adk without what an eval run does not need, which takes a fifth of the time off.

What stays in memory costs time again at each fork.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def lean_import() -> Iterator[None]:
    """What is imported within it leaves out httpx's command line, and builds its pydantic models when they are used.

    Import google-adk within it, and nothing of the subject.
    """
    with _without_command_line(), _models_built_on_use():
        yield


@contextlib.contextmanager
def _without_command_line() -> Iterator[None]:
    """Lets httpx find that its program cannot be imported, which it expects: it imports click, rich and pygments."""
    program = "httpx._main"
    if program in sys.modules:
        yield
        return
    sys.modules[program] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[program]


@contextlib.contextmanager
def _models_built_on_use() -> Iterator[None]:
    """Lets pydantic build validators when a model is used, and not when its class is defined.

    google-genai asks for that itself. google-adk has pydantic build the same nested models several times.
    """
    import google.genai  # Its own setting stays.
    from pydantic import BaseModel

    if "defer_build" in BaseModel.model_config:
        yield
        return
    before = set(_below(BaseModel))
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]
        # Else the subject's models that derive from these would inherit it.
        for model in set(_below(BaseModel)) - before:
            if not any(base in before and _is_deferred(base) for base in model.__mro__):
                model.model_config.pop("defer_build", None)


def _is_deferred(model: Any) -> bool:
    return bool(getattr(model, "model_config", {}).get("defer_build"))


def _below(of: Any) -> Iterator[Any]:
    """Every class that derives from this one, some of them several times."""
    for derived in of.__subclasses__():
        yield derived
        yield from _below(derived)
