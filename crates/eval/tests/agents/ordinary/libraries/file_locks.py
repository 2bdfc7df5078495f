"""Locks a temporary file."""

NEEDS = ["filelock"]

import os
import tempfile

import filelock

LOCK = filelock.FileLock(os.path.join(tempfile.gettempdir(), "ordinary.lock"))


def callback():
    with LOCK:
        return LOCK.is_locked
