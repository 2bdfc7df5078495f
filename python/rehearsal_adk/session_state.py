"""The state of an agent's session, as a mock reads and changes it."""

from __future__ import annotations

import copy
import difflib
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any, NoReturn


class SessionState(dict[str, Any]):
    """The state of the agent's session: a dictionary of its keys.

    A named scope of a case is an object in it, and an attribute: ``state.patient["age"] = 56``. ``state.session`` is the
    state itself. A key can be set and its value be changed in place, as in ``state["seen"].append(1)``. A session keeps
    its keys, so removing one is an error.

    Args:
      members: the keys with their values.
      prefixes: the scopes whose keys have a prefix, as google-adk's ``user``: ``state.user["tier"]`` is
        ``state["user:tier"]``.
    """

    def __init__(self, members: Mapping[str, Any], prefixes: Sequence[str] = ()) -> None:
        super().__init__(members)
        self._prefixes = tuple(prefixes)
        self._before = copy.deepcopy(dict(members))
        self._set: set[str] = set()

    @property
    def session(self) -> SessionState:
        """The state itself, as the scope of that name."""
        return self

    def __getattr__(self, scope: str) -> Any:
        if scope.startswith("_"):
            raise AttributeError(scope)
        try:
            return self[scope]
        except KeyError:
            near = difflib.get_close_matches(scope, self, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise AttributeError(f"the state has no scope {scope}{hint}") from None

    def __missing__(self, key: str) -> Any:
        if key in self._prefixes:
            return PrefixedScope(self, key)
        raise KeyError(key)

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value)
        self._set.add(key)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of the key, which is set to the default if the state does not have it."""
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Sets several keys."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def to_dict(self) -> dict[str, Any]:
        """The state as a dictionary of its own."""
        return dict(self)

    def __delitem__(self, key: str) -> NoReturn:
        raise TypeError("a session keeps the keys of its state; set the key to None instead of removing it")

    def pop(self, key: str, *default: Any) -> NoReturn:
        """An error: see the class."""
        self.__delitem__(key)

    def popitem(self) -> NoReturn:
        """An error: see the class."""
        self.__delitem__("")

    def clear(self) -> NoReturn:
        """An error: see the class."""
        self.__delitem__("")

    def changes(self) -> dict[str, Any]:
        """The keys that were set, or whose values were changed in place, with their values."""
        before = self._before
        return {
            key: value
            for key, value in self.items()
            if key in self._set or key not in before or before[key] != value
        }


class PrefixedScope(MutableMapping[str, Any]):
    """A scope whose keys are in the state with its name as a prefix."""

    def __init__(self, state: SessionState, scope: str) -> None:
        self._state = state
        self._prefix = f"{scope}:"

    def __getitem__(self, key: str) -> Any:
        return self._state[self._prefix + key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._state[self._prefix + key] = value

    def __delitem__(self, key: str) -> None:
        del self._state[self._prefix + key]

    def __iter__(self) -> Iterator[str]:
        prefix = self._prefix
        return iter([key[len(prefix) :] for key in self._state if key.startswith(prefix)])

    def __len__(self) -> int:
        return sum(1 for _ in self)
