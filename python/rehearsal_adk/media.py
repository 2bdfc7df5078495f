"""The images, sounds and files in what a tool returned."""

from __future__ import annotations


def media_in(value: object, place: str = "", level: int = 0) -> list[str]:
    """The JSON Pointers of the parts that ADK takes out of a result: down to the second level."""
    from google.genai import types

    if isinstance(value, types.Part):
        inline, file = value.inline_data, value.file_data
        has_data = inline is not None and inline.data is not None and inline.mime_type
        has_file = file is not None and file.file_uri and file.mime_type
        return [place] if has_data or has_file else []
    if level > 1 or not isinstance(value, (dict, list, tuple)):
        return []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[str] = []
    for key, item in items:
        escaped = str(key).replace("~", "~0").replace("/", "~1")
        found.extend(media_in(item, f"{place}/{escaped}", level + 1))
    return found
