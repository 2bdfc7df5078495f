"""Lets every lookup of a tool's ``run_async`` find the gate, whatever defines the method.

google-adk calls ``tool.run_async(...)``. So ``BaseTool`` has a ``__getattribute__`` that gives the gate for this name,
around whatever Python finds. The method may be in the class or a base, set on either later, on the object, a property,
or what ``__getattr__`` gives. A class with a ``__getattribute__`` of its own gets one around it. Code can also call the
method of a class, ``type(tool).run_async(tool, ...)``: there the class has a descriptor in its place.

Just before google-adk calls a tool, its class is looked at again. So a class whose attributes were set meanwhile, and one
that does not derive from ``BaseTool``, are gated too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from google.adk.tools.base_tool import BaseTool
from google.adk.tools.function_tool import FunctionTool

from rehearsal_adk.evaluation import adks_own

_NAME = "run_async"
_GETATTRIBUTE = "__getattribute__"

Gate = Callable[..., Any]
"""Called with a tool, with what Python found, and with the arguments of the call."""

_gates: list[Gate] = []
_lookups: set[Any] = set()
"""The functions that look attributes up and know the gate."""

_elsewhere: list[Any] = []
"""The method that runs no code of a tool, and that of functions, which has the gate at their bodies."""


def install(gate: Gate) -> None:
    """Gates the lookups on objects. Call it before agents are imported."""
    _gates.append(gate)
    _elsewhere.extend(vars(of)[_NAME] for of in (BaseTool, FunctionTool))

    def look_up(self: Any, name: str) -> Any:
        find = super(BaseTool, self).__getattribute__
        return _gated(self, find) if name == _NAME else find(name)

    _lookups.add(look_up)
    setattr(BaseTool, _GETATTRIBUTE, look_up)


def gate_class(of: type) -> None:
    """Gates the lookups of a class of tools: again, if its attributes were set since."""
    if (own := getattr(of, _GETATTRIBUTE)) not in _lookups:
        # Not by the class's own `__setattr__`, which its metaclass may define.
        type.__setattr__(of, _GETATTRIBUTE, _around(own))
    found = adks_own.in_class(of, _NAME)
    if not isinstance(found, _OfClass) and not any(found is it for it in _elsewhere):
        type.__setattr__(of, _NAME, _OfClass(of, vars(of).get(_NAME)))


def definition(tool: Any) -> Any:
    """What defines how the tool runs: a function or another object; None if only the tool's own lookup knows."""
    if getattr(type(tool), _GETATTRIBUTE) is not vars(BaseTool)[_GETATTRIBUTE]:
        return None
    found = adks_own.definition(tool, _NAME)
    return found.own if isinstance(found, _OfClass) else found


def has_code(tool: Any) -> bool:
    """Whether there is code that runs the tool; the model's service runs one without."""
    return definition(tool) is not _elsewhere[0]


def is_function(tool: Any) -> bool:
    """Whether google-adk's code for functions runs the tool."""
    return definition(tool) is _elsewhere[1]


def _around(own: Any) -> Any:
    def look_up(self: Any, name: str) -> Any:
        return _gated(self, partial(own, self)) if name == _NAME else own(self, name)

    _lookups.add(look_up)
    return look_up


def _gated(tool: Any, find: Callable[[str], Any]) -> Any:
    """The gate around what is found now. The author may set the method to one that calls what was found before."""
    try:
        found = find(_NAME)
    except AttributeError:
        otherwise = getattr(type(tool), "__getattr__", None)
        if otherwise is None:
            raise
        found = otherwise(tool, _NAME)
    return partial(_gates[-1], tool, found)


class _OfClass:
    """The method in a class: with the gate if it is found on the class itself, as it was on an object."""

    def __init__(self, of: type, own: Any) -> None:
        self._of = of
        self.own = own
        self.__isabstractmethod__ = getattr(own, "__isabstractmethod__", False)

    def __get__(self, tool: Any, of: Any = None) -> Any:
        if tool is not None:
            return self._bound(tool)

        async def run_async(tool: Any, *args: Any, **kwargs: Any) -> Any:
            return await _gates[-1](tool, self._bound(tool), *args, **kwargs)

        return run_async

    def _bound(self, tool: Any) -> Any:
        if self.own is None:  # A base that is not a tool has the method.
            return getattr(super(self._of, tool), _NAME)
        bind = getattr(type(self.own), "__get__", None)
        return bind(self.own, tool, type(tool)) if bind else self.own
