"""Writes to the standard streams by their paths."""

import os
import sys


def callback():
    print("to stdout")
    print("to stderr", file=sys.stderr)
    for path in ("/dev/stderr", "/dev/stdout", "/proc/self/fd/2", "/dev/fd/1", os.devnull):
        with open(path, "w") as file:
            print("by its path", file=file)
    with open(2, "w", closefd=False) as file:
        print("by its number", file=file)
    os.write(1, b"by its number\n")


callback()
