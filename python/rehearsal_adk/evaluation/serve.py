"""Imports one agent and forks a process for each case, or for several cases that follow one another; or runs several
cases at once without a fork.

Standard input has the lines ``{"case": ID}``, which begins a case, ``{"end": ID}``, which kills its process, and
``{"models": NAME}``, before the first case that asks this model, or, with null, those that the agents name.
Standard output has one line with what the import gave, then one for each process that ended, ``{"ended": ID, "status":
STATUS, "output": TEXT}``, and ``{"models_loaded": NAME}``. The process is single-threaded up to the fork, because a fork while another thread holds a lock can hang. An agent that
starts threads when it is imported therefore gets a new process for each case.

With the argument ``batch``, a process whose case has ended connects again with the same id, for the next case. With
``shared``, all cases run in this process, each as a task; then ``end`` cancels the task, and ``ended`` has status 0.
"""

from __future__ import annotations

import asyncio
import functools
import gc
import json
import logging
import os
import sys
from typing import Any

from rehearsal_adk import faults, loading
from rehearsal_adk.evaluation import current
from rehearsal_adk.evaluation.barrier import Barrier
from rehearsal_adk.evaluation.forks import Forks
from rehearsal_adk.evaluation.import_threads import ImportThreads
from rehearsal_adk.evaluation.lean_import import lean_import
from rehearsal_adk.evaluation.messages import say
from rehearsal_adk.evaluation.until_done import until_done


def main() -> None:
    """Serves until standard input ends. The arguments are the agent's folder, the engine's socket, and perhaps ``batch``
    or ``shared``."""
    agent_dir, socket_path = sys.argv[1:3]
    is_batch, is_shared = "batch" in sys.argv[3:], "shared" in sys.argv[3:]
    gc.disable()  # While modules are imported there is little to collect, and looking for it takes a quarter longer.
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    requests, answers = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    barrier = Barrier()
    loaded = None
    try:
        loading.adk_version()
        with lean_import():
            from rehearsal_adk.evaluation import case_run, gate, given_model, warm_up

            gate.install()
            given_model.install()
        warm_up.warm_up()
        # Python may keep google-adk's modules compiled. Of the subject nothing is written, which the barrier forbids too.
        sys.dont_write_bytecode = True
        barrier.raise_up()
        threads = ImportThreads()
        loaded = loading.load(agent_dir)
        gate.look_again()
        warm_up.note_missing_modules()
        unseen = _unseen(loaded)
        warm_up.declare(loaded.root)
        started = threads.end()
    except BaseException as error:  # SystemExit at import is a load error too.
        say(answers, {"fault": faults.describe(error)})
        return
    # Otherwise each case would look through, and so copy, all that was imported.
    gc.freeze()
    gc.enable()
    ready = {
        "threads": started,
        "python": sys.version.split()[0],
        "unseen": unseen,
        "names": _names(loaded),
    }
    say(answers, {"ready": ready})

    def run(case: str) -> None:
        is_next = True
        while is_next:
            is_next = until_done(case_run.CaseRun(loaded, barrier).connect(socket_path, case))

    def load_models(name: str | None) -> None:
        warm_up.load_models(loaded.root, name)
        gc.freeze()
        say(answers, {"models_loaded": name})

    if is_shared:
        current.share()

        def start(case: str) -> Any:
            return case_run.CaseRun(loaded, barrier).connect(socket_path, case)

        until_done(_run_at_once(requests, answers, start, load_models))
    elif not started:
        Forks(requests, answers, run, load_models).serve()
    else:
        for line in os.fdopen(requests, "rb"):
            request = json.loads(line)
            if "models" in request:
                load_models(request["models"])
            else:
                run(request["case"])
                return


def _unseen(loaded: Any) -> list[dict[str, str]]:
    from rehearsal_adk.evaluation import unseen

    return unseen.look(loaded.root)


def _names(loaded: Any) -> dict[str, list[str] | None]:
    from rehearsal_adk.evaluation import names

    return names.of(loaded.root)


async def _run_at_once(requests: int, answers: int, start: Any, load_models: Any) -> None:
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), os.fdopen(requests, "rb", 0)
    )
    cases: dict[str, asyncio.Task[None]] = {}

    async def run(case: str) -> None:
        try:
            await start(case)
        except Exception as error:
            logging.getLogger("rehearsal_adk").exception("The case ended: %s", error)

    def end(case: str, _: asyncio.Task[None]) -> None:
        del cases[case]
        say(answers, {"ended": case, "status": 0})

    while line := await lines.readline():
        request = json.loads(line)
        if "models" in request:
            load_models(request["models"])
        elif case := request.get("case"):
            cases[case] = asyncio.create_task(run(case))
            cases[case].add_done_callback(functools.partial(end, case))
        elif ended := cases.get(request["end"]):
            ended.cancel()


if __name__ == "__main__":
    main()
