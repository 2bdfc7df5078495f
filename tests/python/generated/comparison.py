"""What happened in a run, in a form in which two runs can be compared."""

from __future__ import annotations

import json
import re
from typing import Any

PENDING = re.compile(r"pending call ids: \[([^\]]*)\]")
"""What google-adk lists in no order."""
ID = re.compile(r"(adk-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def normal(happened: dict[str, Any], is_ordered: bool) -> list[str]:
    """What happened as lines that can be compared: ids are numbered, and changes that follow one another are joined."""
    numbers: dict[str, int] = {}

    def number(found: re.Match[str]) -> str:
        return f"id-{numbers.setdefault(found[0], len(numbers))}" if is_ordered else "id"

    joined: list[Any] = []
    for event in happened["events"]:
        if event[0] == "changes" and joined and joined[-1][0] == "changes":
            joined[-1] = ["changes", {**joined[-1][1], **event[1]}]
        else:
            joined.append(event[:1] if event[0] == "error" else event)
    if not is_ordered:
        joined = [event for event in joined if event[0] != "changes"]
    written = [PENDING.sub("", json.dumps(event, sort_keys=True, ensure_ascii=False)) for event in joined]
    lines = [ID.sub(number, line) for line in written]
    state = json.dumps(["state", happened["state"]], sort_keys=True, ensure_ascii=False)
    return [*(lines if is_ordered else sorted(lines)), state]
