"""Prints the ways, as JSON."""

import json

from . import WAYS

print(
    json.dumps(
        [
            {"name": one.name, "kind": one.kind, "watched": one.watched, "missing": one.missing()}
            for one in WAYS.values()
        ]
    )
)
