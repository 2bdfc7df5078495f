"""Converts values to JSON text, or reports why it cannot.

There are two encodings. *Strict* is for results: a value without a JSON form is an error with its
location and the fix, because a golden trace must contain exactly what the tool returned. *Lenient* is
for data that is only shown or stored for a restore (state, events): a value without a JSON form is
replaced with a description.

Integers keep their digits: Python's ``json`` neither rounds nor reformats them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

_SURROGATE = re.compile("[\ud800-\udfff]")


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
    """The value as JSON, with values that have no JSON form replaced by a description."""
    try:
        return _encode(value)
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        from pydantic_core import to_jsonable_python

        plain = to_jsonable_python(
            value, by_alias=True, bytes_mode="base64", inf_nan_mode="null", fallback=described
        )
        return _encode(_without_surrogates(plain))
    except Exception:  # The value is only shown, so a description must not fail the call.
        return _encode(described(value))


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


def _without_surrogates(value: object) -> object:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    return value


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
                name = "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
                return place, name, "Return a finite number, null or text there."
            continue
        if isinstance(value, str):
            hit = _SURROGATE.search(value)
            if hit is not None:
                return (
                    place,
                    f"text with a lone surrogate (U+{ord(hit.group()):04X} at character {hit.start()})",
                    "Decode the bytes with errors='replace' before returning them.",
                )
            continue
        if isinstance(value, (dict, list, tuple)):
            if id(value) in parents:
                return place, "a reference to one of its own parents", "Return a tree."
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
