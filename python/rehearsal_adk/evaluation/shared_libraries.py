"""Lets ``ctypes.util.find_library`` find what it finds elsewhere, where no program may start.

Python asks ``ldconfig``, and if that does not know the library, the compiler and the linker. On Linux with glibc,
``ldconfig`` prints a file that can be read without it.
"""

from __future__ import annotations

import importlib
import platform
import struct
from collections.abc import Iterator

_CACHE = "/etc/ld.so.cache"
_BEGIN = b"glibc-ld.so.cache1.1"
_HEADER = 48
"""The size of what comes before the entries: the mark, how many there are, and what is not needed here."""
_ENTRY = struct.Struct("=iIIIQ")
_X86_64 = 0x303
"""The flags of libraries for x86-64, beside which there may be those for 32 bits."""


def install() -> None:
    """Replaces how Python looks for libraries, where the cache can be read."""
    util = importlib.import_module("ctypes.util")
    if hasattr(util, "_findSoname_ldconfig") and next(_entries(), None):
        setattr(util, "_findSoname_ldconfig", _file_name)
        for other in ("_findLib_gcc", "_findLib_ld"):
            setattr(util, other, lambda name: None)


def _file_name(name: str) -> str | None:
    """The file name of a library that programs name without ``lib`` and the ending, such as ``c``."""
    return next((one for one in _entries() if one.startswith(f"lib{name}.")), None)


def _entries() -> Iterator[str]:
    """The names of the libraries that this process can load, in the order of ``ldconfig -p``."""
    try:
        with open(_CACHE, "rb") as file:
            data = file.read()
    except OSError:
        return
    begin = data.find(_BEGIN)
    if begin < 0:
        return
    (count,) = struct.unpack_from("=I", data, begin + len(_BEGIN))
    is_x86_64 = platform.machine() == "x86_64" and struct.calcsize("P") == 8
    for number in range(count):
        flags, name, _, _, _ = _ENTRY.unpack_from(data, begin + _HEADER + number * _ENTRY.size)
        if flags == _X86_64 or not is_x86_64:
            end = data.index(b"\0", begin + name)
            yield data[begin + name : end].decode(errors="replace")
