"""Locks a temporary file."""

NEEDS = ["filelock"]

import os
import tempfile

import filelock


def callback():
    with filelock.FileLock(os.path.join(tempfile.gettempdir(), "ordinary.lock")) as lock:
        return lock.is_locked
