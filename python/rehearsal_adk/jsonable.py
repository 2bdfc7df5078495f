"""Converts values to JSON text, or reports why it cannot.

There are two encodings. *Strict* is for results: a value without a JSON form is an error with its
location and the fix, because a golden trace must contain exactly what the tool returned. *Lenient* is
for data that is only shown or stored for a restore (state, events): a value without a JSON form is
replaced with the nearest one, or with a description. *Plain* does the same and lists what it replaced.

Integers keep their digits: Python's ``json`` neither rounds nor reformats them.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Mapping
from typing import NamedTuple

_SURROGATE = re.compile("[\ud800-\udfff]")
_OWN_PARENT = "a reference to one of its own parents"


class JsonBytes(bytes):
    """Valid JSON text in UTF-8, sent unchanged."""


class NotJson(Exception):
    """A value has no JSON form. The message contains its location and what to return instead."""


def strict(value: object) -> JsonBytes:
    """The value as JSON. Pydantic models, dataclasses, dates, sets and bytes are written the way
    ADK writes them into an event.

    Raises:
      NotJson: the value holds NaN, an infinity, a lone surrogate, a reference to itself, or an
        object that ADK cannot write either.
    """
    try:
        return _encode(value)
    except TypeError:
        pass
    except (ValueError, RecursionError) as error:
        raise NotJson(_reason(value, error)) from error
    try:
        return _encode(_as_adk_writes(value))
    except NotJson:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise NotJson(_reason(value, error)) from error


def lenient(value: object) -> JsonBytes:
    """The value as JSON, with values that have no JSON form replaced by the nearest one or a description."""
    try:
        return _encode(value)
    except (TypeError, ValueError, RecursionError):
        return _encode(plain(value)[0])


class Replaced(NamedTuple):
    """A value that has no JSON form."""

    place: str
    """Where it is, such as ``$.rows[0]``."""
    value: str
    """What it is."""


def plain(value: object) -> tuple[object, list[Replaced]]:
    """The value as ``lenient`` writes it, and what that replaces."""
    try:
        _encode(value)
        return value, []
    except (TypeError, ValueError, RecursionError):
        pass
    replaced: list[Replaced] = []
    try:
        return _plain(value, "$", (), replaced), replaced
    except RecursionError:
        return described(value), [Replaced("$", "nested too deeply")]


def with_null_for_nan(value: object) -> tuple[JsonBytes, list[Replaced]]:
    """As ``strict``, with ``null`` for NaN and infinities, as google-adk sends a response to a model; and where
    they were.

    Raises:
      NotJson: as ``strict``, for anything else.
    """
    try:
        return strict(value), []
    except NotJson:
        written, replaced = plain(value)
        if not replaced or any(one.value not in _NOT_FINITE for one in replaced):
            raise
        return _encode(written), replaced


_NOT_FINITE = ("NaN", "Infinity", "-Infinity")


def _plain(value: object, place: str, parents: tuple[int, ...], replaced: list[Replaced]) -> object:
    def instead(of: str, plain: object) -> object:
        replaced.append(Replaced(place, of))
        return plain

    match value:
        case None | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else instead(_number_name(value), None)
        case str():
            hit = _SURROGATE.search(value)
            return instead(_lone_surrogate(hit), writable(value)) if hit else value
        case bytes() | bytearray():
            return instead(f"{len(value)} bytes", base64.urlsafe_b64encode(value).decode())
        case dict() | list() | tuple() | set() | frozenset():
            if id(value) in parents:
                return instead(_OWN_PARENT, described(value))
            inside = (*parents, id(value))
            if not isinstance(value, dict):
                items = enumerate(value)
                return [_plain(item, f"{place}[{at}]", inside, replaced) for at, item in items]
            keys = {key: writable(key if isinstance(key, str) else str(key)) for key in value}
            return {
                keys[key]: _plain(item, f"{place}.{keys[key]}", inside, replaced)
                for key, item in value.items()
            }

    def unknown(part: object) -> object:
        return instead(f"a {type(part).__module__}.{type(part).__qualname__}", described(part))

    try:
        from pydantic_core import to_jsonable_python

        written = to_jsonable_python(
            value, by_alias=True, bytes_mode="base64", inf_nan_mode="constants", fallback=unknown
        )
    except Exception:  # The value is only shown, so a description must not fail the call.
        return unknown(value)
    return _plain(written, place, parents, replaced)


def writable(text: str) -> str:
    """The text with each lone surrogate, which UTF-8 cannot encode, replaced by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def compose(members: Mapping[str, object]) -> JsonBytes:
    """A JSON object of the members in order. ``JsonBytes`` are inserted unchanged, other values are strict."""
    parts = []
    for key, value in members.items():
        text = value if isinstance(value, JsonBytes) else strict(value)
        parts.append(_encode(key) + b":" + text)
    return JsonBytes(b"{" + b",".join(parts) + b"}")


def listed(items: list[JsonBytes]) -> JsonBytes:
    """A JSON array of JSON texts."""
    return JsonBytes(b"[" + b",".join(items) + b"]")


def described(value: object) -> str:
    """A short description of a value that cannot be written."""
    try:
        text = repr(value)
    except Exception:
        text = ""
    text = _SURROGATE.sub("\ufffd", text)
    return f"<{type(value).__name__}> {text[:200]}".rstrip()


def _encode(value: object) -> JsonBytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Encoding detects lone surrogates (UnicodeEncodeError is a ValueError).
    return JsonBytes(text.encode("utf-8"))


def _as_adk_writes(value: object) -> object:
    from pydantic_core import to_jsonable_python

    return to_jsonable_python(
        value, by_alias=True, bytes_mode="base64", inf_nan_mode="constants"
    )


def _number_name(value: float) -> str:
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def _lone_surrogate(hit: re.Match[str]) -> str:
    return f"text with a lone surrogate (U+{ord(hit.group()):04X} at character {hit.start()})"


def _reason(value: object, error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply. Return a flatter value."
    found = _first_invalid(value)
    if found is not None:
        place, what, remedy = found
        return f"{place} is {what}. {remedy}"
    return f"{error}. Return plain values: text, numbers, booleans, null, lists and objects."


def _first_invalid(root: object) -> tuple[str, str, str] | None:
    """The location, description and fix of the first value that is not JSON, or ``None``."""
    pending: list[tuple[str, object, tuple[int, ...]]] = [("$", root, ())]
    while pending:
        place, value, parents = pending.pop()
        if value is None or isinstance(value, (bool, int)):
            continue
        if isinstance(value, float):
            if math.isnan(value) or math.isinf(value):
                return place, _number_name(value), "Return a finite number, null or text there."
            continue
        if isinstance(value, str):
            hit = _SURROGATE.search(value)
            if hit is not None:
                return (
                    place,
                    _lone_surrogate(hit),
                    "Decode the bytes with errors='replace' before returning them.",
                )
            continue
        if isinstance(value, (dict, list, tuple)):
            if id(value) in parents:
                return place, _OWN_PARENT, "Return a tree."
            inside = parents + (id(value),)
            if isinstance(value, dict):
                for key in value:
                    if isinstance(key, str) and _SURROGATE.search(key):
                        return place, "an object whose key holds a lone surrogate", "Rename the key."
                items = [(f"{place}.{key}", item, inside) for key, item in value.items()]
            else:
                items = [(f"{place}[{index}]", item, inside) for index, item in enumerate(value)]
            pending.extend(reversed(items))
            continue
        try:
            plain = _as_adk_writes(value)
        except Exception:
            return (
                place,
                f"a {type(value).__module__}.{type(value).__qualname__}",
                "Return plain values there, a pydantic model or a dataclass.",
            )
        if isinstance(plain, (dict, list, str, float)):
            pending.append((place, plain, parents))
    return None
