"""Asks whether processes exist, and handles signals to itself."""

import contextlib
import os
import signal

os.kill(os.getpid(), 0)


def callback():
    os.kill(os.getpid(), 0)
    with contextlib.suppress(PermissionError):  # There is one.
        os.kill(os.getppid(), 0)
    got = []
    before = signal.signal(signal.SIGUSR1, lambda *_: got.append(1))
    os.kill(os.getpid(), signal.SIGUSR1)
    signal.raise_signal(signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, before)
    signal.setitimer(signal.ITIMER_REAL, 100)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return len(got)
