"""Signals to another process, and changes of it."""

from __future__ import annotations

import os
import signal

from . import Canary, way


@way("signal", "process")
def os_kill(c: Canary):
    os.kill(c.process, signal.SIGTERM)


@way("signal", "process")
def os_killpg(c: Canary):
    os.killpg(c.process, signal.SIGTERM)


@way("signal", "process")
def os_kill_of_group(c: Canary):
    os.kill(-c.process, signal.SIGTERM)


@way("signal", "process", needs="os:pidfd_open signal:pidfd_send_signal")
def pidfd_send_signal(c: Canary):
    process = os.pidfd_open(c.process)
    try:
        signal.pidfd_send_signal(process, signal.SIGTERM)
    finally:
        os.close(process)


@way("other process", "process", needs="resource:prlimit")
def resource_prlimit(c: Canary):
    import resource

    resource.prlimit(c.process, resource.RLIMIT_CORE, (0, 0))


@way("other process", "process")
def os_setpriority(c: Canary):
    os.setpriority(os.PRIO_PROCESS, c.process, 19)


@way("other process", "process", needs="os:sched_setscheduler")
def os_sched_setscheduler(c: Canary):
    os.sched_setscheduler(c.process, os.SCHED_BATCH, os.sched_param(0))


@way("other process", "process", needs="os:sched_setaffinity")
def os_sched_setaffinity(c: Canary):
    os.sched_setaffinity(c.process, {min(os.sched_getaffinity(c.process))})
