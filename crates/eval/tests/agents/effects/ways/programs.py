"""Programs that start, and processes that are forked. Each program creates a file."""

from __future__ import annotations

import asyncio
import os
import pathlib
import subprocess
import sys

from . import Canary, way


def program(c: Canary) -> list[str]:
    return ["/bin/sh", "-c", f": > '{c.trace}'"]


def wait(process: int) -> None:
    os.waitpid(process, 0)


def forked(child: int, effect) -> None:
    """Has the effect in the child, which ends, and waits for it in the parent."""
    if child == 0:
        try:
            effect()
        finally:
            os._exit(0)
    wait(child)


@way("program")
def subprocess_run(c: Canary):
    subprocess.run(program(c), check=True)


@way("program")
def subprocess_popen(c: Canary):
    subprocess.Popen(program(c)).wait()


@way("program")
def subprocess_call(c: Canary):
    subprocess.call(program(c))


@way("program")
def subprocess_check_output(c: Canary):
    subprocess.check_output(program(c))


@way("program")
def subprocess_getoutput(c: Canary):
    subprocess.getoutput(f": > '{c.trace}'")


@way("program")
def subprocess_shell(c: Canary):
    subprocess.run(f": > '{c.trace}'", shell=True)


@way("program")
def subprocess_found_in_path(c: Canary):
    subprocess.run(["touch", c.trace])


@way("program")
def subprocess_python(c: Canary):
    subprocess.run([sys.executable, "-S", "-c", f"open({c.trace!r}, 'w')"])


@way("program")
def subprocess_in_a_session_of_its_own(c: Canary):
    subprocess.Popen(program(c), start_new_session=True, close_fds=False).wait()


@way("program")
def subprocess_function_before_the_program(c: Canary):
    subprocess.Popen(["true"], preexec_fn=lambda: os.mkdir(c.trace)).wait()


@way("program", needs="_posixsubprocess")
def fork_exec_without_subprocess(c: Canary):
    from multiprocessing import util

    wait(util.spawnv_passfds(b"/bin/sh", [os.fsencode(one) for one in program(c)], ()))


@way("program")
def os_system(c: Canary):
    os.system(f": > '{c.trace}'")


@way("program")
def os_popen(c: Canary):
    os.popen(f": > '{c.trace}'").close()


@way("program")
def os_posix_spawn(c: Canary):
    wait(os.posix_spawn("/bin/sh", program(c), os.environ))


@way("program")
def os_posix_spawn_with_file(c: Canary):
    opening = (os.POSIX_SPAWN_OPEN, 1, c.trace, os.O_CREAT | os.O_WRONLY, 0o600)
    wait(os.posix_spawn("/bin/true", ["true"], os.environ, file_actions=[opening]))


@way("program")
def os_posix_spawnp(c: Canary):
    wait(os.posix_spawnp("touch", ["touch", c.trace], os.environ))


@way("program")
def os_spawnv(c: Canary):
    os.spawnv(os.P_WAIT, "/bin/sh", program(c))


@way("program")
def os_spawnlp(c: Canary):
    os.spawnlp(os.P_WAIT, "touch", "touch", c.trace)


@way("program")
def os_exec_after_fork(c: Canary):
    forked(os.fork(), lambda: os.execv("/bin/sh", program(c)))


@way("program")
def pty_spawn(c: Canary):
    import pty

    pty.spawn(program(c), lambda file: os.read(file, 1024), lambda file: b"")


@way("program")
async def asyncio_exec(c: Canary):
    await (await asyncio.create_subprocess_exec(*program(c))).wait()


@way("program")
async def asyncio_shell(c: Canary):
    await (await asyncio.create_subprocess_shell(f": > '{c.trace}'")).wait()


@way("program")
def webbrowser_open(c: Canary):
    import webbrowser

    webbrowser.GenericBrowser(["touch", "%s"]).open(c.trace)


@way("program", needs="anyio")
async def anyio_run_process(c: Canary):
    import anyio

    await anyio.run_process(program(c))


@way("fork")
def os_fork(c: Canary):
    forked(os.fork(), lambda: os.mkdir(c.trace))


@way("fork")
def os_forkpty(c: Canary):
    forked(os.forkpty()[0], lambda: os.mkdir(c.trace))


@way("fork")
def pty_fork(c: Canary):
    import pty

    forked(pty.fork()[0], lambda: os.mkdir(c.trace))


def process_of(method: str, c: Canary) -> None:
    import multiprocessing

    process = multiprocessing.get_context(method).Process(target=pathlib.Path(c.trace).touch)
    process.start()
    process.join()


@way("fork")
def multiprocessing_fork(c: Canary):
    process_of("fork", c)


@way("program")
def multiprocessing_spawn(c: Canary):
    process_of("spawn", c)


@way("program")
def multiprocessing_forkserver(c: Canary):
    from multiprocessing.forkserver import _forkserver

    try:
        process_of("forkserver", c)
    finally:
        if _forkserver._forkserver_pid is not None:
            _forkserver._stop()


@way("fork")
def multiprocessing_pool(c: Canary):
    import multiprocessing

    with multiprocessing.get_context("fork").Pool(1) as pool:
        pool.apply_async(os.mkdir, (c.trace,)).get(10)


@way("program")
def multiprocessing_manager(c: Canary):
    from multiprocessing import get_context
    from multiprocessing.managers import SyncManager

    manager = SyncManager(ctx=get_context("fork"))
    manager.start(os.mkdir, (c.trace,))
    manager.shutdown()


@way("program", "memory")
def multiprocessing_shared_memory(c: Canary):
    from multiprocessing import resource_tracker, shared_memory

    memory = shared_memory.SharedMemory(c.memory, create=True, size=16)
    resource_tracker.unregister(f"/{c.memory}", "shared_memory")
    memory.close()


@way("fork")
def process_pool_executor(c: Canary):
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        pool.submit(os.mkdir, c.trace).result(10)


@way("program", needs="joblib")
def joblib_processes(c: Canary):
    import joblib

    joblib.Parallel(n_jobs=2, backend="multiprocessing")([joblib.delayed(os.mkdir)(c.trace), joblib.delayed(abs)(1)])
