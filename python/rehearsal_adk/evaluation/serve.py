"""Imports one agent and forks a process for each case, or for several cases that follow one another; or runs several
cases at once without a fork.

Standard input is a socket. Its lines are ``{"case": ID}``, which begins a case, and ``{"end": ID}``, which kills its
process. With the first comes the case's connection to the engine. ``{"models": NAME}`` imports, before the first case that
asks this model, what it needs, or, with null, what those need that the agents name. ``{"ports": true}`` asks for the TCP
ports that those may need.
Standard output has one line with what the import gave, then one for each process that ended, ``{"ended": ID, "status":
STATUS, "output": TEXT}``, ``{"models_loaded": NAME}`` and ``{"ports": [NUMBER, ...]}``. The process is single-threaded up to
the fork, because a fork while another thread holds a lock can hang. An agent that starts threads when it is imported
therefore gets a new process for each case.

With the isolation ``batch``, a process whose case has ended takes another one with ``{"next": ID}``, with which its connection
comes. With ``shared``, all cases run in this process, each as a task; then ``end`` cancels the task, and ``ended`` has
status 0.
"""

from __future__ import annotations

import asyncio
import functools
import gc
import json
import logging
import os
import socket
import sys
from collections.abc import Callable, Coroutine
from typing import Any

from rehearsal_adk import adk_private, faults, loading
from rehearsal_adk.evaluation import barrier, current, seal, semaphores, shared_libraries
from rehearsal_adk.evaluation.forks import Following, Forks
from rehearsal_adk.evaluation.import_threads import ImportThreads
from rehearsal_adk.evaluation.lean_import import lean_import
from rehearsal_adk.evaluation.messages import Requests, say
from rehearsal_adk.evaluation.scratch import Scratch
from rehearsal_adk.evaluation.until_done import until_done


def main() -> None:
    """Serves until standard input ends.

    The argument is a JSON object. ``agent`` is the agent's folder, and ``isolation`` may be ``batch`` or ``shared``.
    ``files`` and ``homes`` are folders for temporary files and homes. ``folders``, ``programs`` and ``hosts`` are what cases
    allow. ``is_sealed`` says that the kernel closes this process, and ``is_offline`` that it refuses it the network.
    ``program_filter`` refuses programs, unless it is empty.
    """
    arguments = json.loads(sys.argv[1])
    agent_dir, isolation = arguments["agent"], arguments["isolation"]
    gc.disable()  # While modules are imported there is little to collect, and looking for it takes a quarter longer.
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    requests, answers = Requests(os.dup(0)), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    barrier.hosts = frozenset(arguments["hosts"])
    is_sealed = arguments["is_sealed"]
    files, homes = arguments["files"], arguments["homes"]
    scratch = Scratch(files, homes if is_sealed else None)
    scratch.begin("import")
    loaded = None
    try:
        loading.adk_version()
        with lean_import():
            adk_private.check("evaluation")
            from rehearsal_adk.evaluation import case_run, gate, given_model, warm_up

            gate.install()
            given_model.install()
        warm_up.warm_up()
        uncompiled = warm_up.uncompiled()
        if digits := arguments["program_filter"]:
            seal.refuse_programs(digits)
        # Python may keep google-adk's modules compiled. Of the subject nothing is written, which the barrier forbids too.
        sys.dont_write_bytecode = True
        folders = [files, homes, *arguments["folders"]]
        if is_sealed:
            semaphores.install()
            shared_libraries.install()
        barrier.Barrier(
            folders=folders,
            programs=arguments["programs"],
            caches=scratch.caches,
            is_sealed=is_sealed,
            is_offline=arguments["is_offline"],
        ).raise_up()
        threads = ImportThreads()
        gc.freeze()  # What can be looked through from here on is the subject's.
        loaded = loading.load(agent_dir)
        # The agent may have imported the modules of toolsets and models.
        adk_private.check("evaluation")
        gate.look_again()
        warm_up.note_missing_modules()
        unseen, names, texts = _unseen(loaded), _names(loaded), _texts(loaded)
        warm_up.declare(loaded.root)
        started = threads.end()
        # The code may have caught the error.
        if barrier.forbidden_at_import:
            raise _forbidden()
    except BaseException as error:  # SystemExit at import is a load error too.
        if barrier.forbidden_at_import:
            error = _forbidden(error)
        say(answers, {"fault": faults.describe(error)})
        return
    # Otherwise each case would look through, and so copy, all that was imported.
    gc.freeze()
    gc.enable()
    ready = {
        "threads": started,
        "python": sys.version.split()[0],
        "unseen": unseen,
        "names": names,
        "texts": texts,
        "uncompiled": uncompiled,
    }
    say(answers, {"ready": ready})

    def start(connection: int) -> Any:
        return case_run.CaseRun(loaded).serve(socket.socket(fileno=connection))

    def run(process: str, connection: int, following: Following) -> None:
        next_one: int | None = connection
        while next_one is not None:
            scratch.begin(process)
            is_released = until_done(start(next_one))
            next_one = following() if is_released else None

    def answer(message: dict[str, Any]) -> None:
        if "ports" in message:
            say(answers, {"ports": warm_up.model_ports(loaded.root)})
            return
        warm_up.load_models(loaded.root, message["models"])
        gc.freeze()
        say(answers, {"models_loaded": message["models"]})

    if isolation == "shared":
        current.share()
        until_done(_run_at_once(requests, answers, start, answer))
    elif not started:
        Forks(requests, answers, run, answer, scratch).serve()
    else:
        while (messages := requests.read()) is not None:
            for message in messages:
                if "case" in message:
                    run(message["case"], message["connection"], lambda: None)
                    return
                answer(message)


def _forbidden(error: BaseException | None = None) -> faults.Fault:
    """Why an agent is not run that tried something when it was imported."""
    what, where = barrier.forbidden_at_import[0]
    message = (
        f"the agent {what} while it was imported, at {where}. Do it in a tool that the case allows with `real`, or name "
        'the folder, program or host in the case, as in `allow: [./logs/, git, "localhost:4318"]`'
    )
    return faults.Fault("ForbiddenEffect", message, error or barrier.ForbiddenEffect(message))


def _unseen(loaded: Any) -> list[dict[str, str | bool]]:
    from rehearsal_adk.evaluation import unseen

    return unseen.look(loaded.root)


def _names(loaded: Any) -> dict[str, Any]:
    from rehearsal_adk.evaluation import names

    return names.of(loaded.root)


def _texts(loaded: Any) -> dict[str, dict[str, str]]:
    from rehearsal_adk.evaluation import request_changes

    return request_changes.own_texts(loaded.root)


async def _run_at_once(
    requests: Requests,
    answers: int,
    start: Callable[[int], Coroutine[Any, Any, Any]],
    answer: Callable[[dict[str, Any]], None],
) -> None:
    cases: dict[str, asyncio.Task[None]] = {}
    loop = asyncio.get_running_loop()
    ended = loop.create_future()

    async def run(connection: int) -> None:
        try:
            await start(connection)
        except Exception as error:
            logging.getLogger("rehearsal_adk").exception("The case ended: %s", error)

    def end(case: str, _: asyncio.Task[None]) -> None:
        del cases[case]
        say(answers, {"ended": case, "status": 0})

    def take(message: dict[str, Any]) -> None:
        if case := message.get("case"):
            cases[case] = loop.create_task(run(message["connection"]))
            cases[case].add_done_callback(functools.partial(end, case))
        elif "end" not in message:
            answer(message)
        elif running := cases.get(message["end"]):
            running.cancel()

    def read() -> None:
        if (messages := requests.read()) is None:
            loop.remove_reader(requests)
            ended.set_result(None)
        for message in messages or ():
            take(message)

    loop.add_reader(requests, read)
    await ended


if __name__ == "__main__":
    main()
