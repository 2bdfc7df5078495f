"""Looks for libraries in C, and calls one."""

import ctypes
import ctypes.util

NAME = ctypes.util.find_library("c")
assert NAME


def callback():
    assert ctypes.util.find_library("m") and not ctypes.util.find_library("no-such-library")
    return ctypes.CDLL(NAME).getpid() > 0
