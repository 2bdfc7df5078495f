"""Has Linux join the pages of this process's memory, so that a fork takes less time.

A fork copies an entry for each page, and the end of the process removes it again: 21,000 with google-adk imported.
A huge page has one entry for 512, until the process of a case changes something in it. Joining them takes as long as
some ten forks save by it.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator

_HUGE = 2 << 20
_COLLAPSE = 25
"""``MADV_COLLAPSE`` of Linux 6.1. An older one refuses it."""


def join_pages() -> int:
    """Joins what can be joined. Returns the number of bytes, 0 where the system cannot do it."""
    if sys.platform != "linux":
        return 0
    try:
        advise = ctypes.CDLL(None).madvise
        advise.argtypes = [ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]
        regions = list(_regions())
    except (AttributeError, OSError, ValueError):
        return 0
    return sum(size for start, size in regions if advise(start, size, _COLLAPSE) == 0)


def _regions() -> Iterator[tuple[int, int]]:
    """The parts of the process's own memory that are whole huge pages: their start and size."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            addresses, permissions, _, _, _, *name = line.split(maxsplit=5)
            if permissions != "rw-p" or (name and name[0].strip() != "[heap]"):
                continue
            start, end = (int(one, 16) for one in addresses.split("-"))
            start, end = -(-start // _HUGE) * _HUGE, end // _HUGE * _HUGE
            if start < end:
                yield start, end - start
