"""Refuses programs to this process and its children, the last part of the seal that the engine has put on it."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import re
from typing import Any

_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_INSTRUCTION = 8
"""The size of an instruction of a filter, in bytes."""


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def refuse_programs(digits: str) -> None:
    """Applies the filter of system calls that these hexadecimal digits are.

    Raises:
      OSError: the kernel refuses it.
    """
    instructions = bytes.fromhex(digits)
    program = _Program(len(instructions) // _INSTRUCTION, instructions)
    call = ctypes.CDLL(None, use_errno=True).prctl
    call.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p]
    if call(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program)) != 0:
        raise OSError(ctypes.get_errno(), "the filter that refuses programs cannot be applied")


def find_libraries_without_programs() -> None:
    """Has `ctypes.util.find_library` look in the list of libraries as it is now, for which it otherwise starts `ldconfig`,
    and start no compiler for what is not there."""
    ask = getattr(ctypes.util, "_findSoname_ldconfig", None)
    if ask is None:  # This system finds them without programs.
        return
    names = _known_libraries()

    @functools.wraps(ask)
    def find(name: str) -> str | None:
        pattern = re.compile(rf"lib{re.escape(name)}\.[^\s]+")
        return next((one for one in names if pattern.fullmatch(one)), None)

    for function, instead in (
        ("_findSoname_ldconfig", find),
        ("_findLib_gcc", _finds_nothing),
        ("_findLib_ld", _finds_nothing),
    ):
        setattr(ctypes.util, function, instead)


def _finds_nothing(name: str) -> Any:
    return None


def _known_libraries() -> list[str]:
    """The names of the libraries of this machine, as `ldconfig -p` prints them."""
    import subprocess

    try:
        printed = subprocess.run(
            ["/sbin/ldconfig", "-p"], capture_output=True, check=False, env={"LC_ALL": "C"}
        ).stdout
    except OSError:  # There is no such program.
        return []
    # Each line has a name, the kind of library in parentheses, and its path.
    return [line.split()[0] for line in printed.decode(errors="replace").splitlines() if "=>" in line]
