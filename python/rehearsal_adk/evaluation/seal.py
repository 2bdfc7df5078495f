"""Refuses programs to this process and its children, the last part of the seal that the engine has put on it."""

from __future__ import annotations

import ctypes

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
