"""Watches itself."""

import cProfile
import faulthandler
import gc
import os
import resource
import sys
import threading
import tracemalloc
import warnings

faulthandler.enable()
sys.setrecursionlimit(sys.getrecursionlimit())


def callback():
    tracemalloc.start()
    tracemalloc.stop()
    cProfile.Profile().runcall(str, 1)
    resource.setrlimit(resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE))
    warnings.warn("hello", stacklevel=1)
    gc.collect()
    with open("/proc/self/status") as file:
        assert file.read()
    os.nice(0)
    os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0))
    return os.cpu_count(), os.getloadavg(), os.sched_getaffinity(0), os.umask(0o22), threading.enumerate()
