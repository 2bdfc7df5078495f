"""The types of the arguments of generated tools, and what these tools and their mocks tell about arguments."""

from __future__ import annotations

import hashlib
import json
from enum import Enum
from typing import Any, Optional

from pydantic import BaseModel
from pydantic_core import to_jsonable_python


class Color(Enum):
    """A choice."""

    RED = "red"
    BLUE = "blue"


class Item(BaseModel):
    """A part of an order."""

    sku: str
    count: int = 1


class Order(BaseModel):
    """An argument that is a model with others in it."""

    who: str
    items: list[Item] = []
    note: Optional[str] = None


def shown(value: Any) -> Any:
    """The value as JSON that shows the types of what is not JSON."""
    if isinstance(value, BaseModel):
        return {"model": type(value).__name__, "fields": shown(dict(value))}
    if isinstance(value, Enum):
        return {"enum": value.value}
    if isinstance(value, dict):
        return {str(key): shown(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return {type(value).__name__: [shown(item) for item in value]}
    return value if value is None or isinstance(value, (str, bool, int)) else repr(value)


def plain(value: Any) -> Any:
    """The value as JSON, as it is in an event."""
    return to_jsonable_python(value, by_alias=True, bytes_mode="base64")


def digest(value: Any) -> int:
    """A number that depends on the whole value."""
    text = json.dumps(value, sort_keys=True, default=repr)
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)
