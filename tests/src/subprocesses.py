"""Runs Python programs in processes that start with google-adk's evaluation imported.

The import takes seconds of a processor; a fork of a process that has done it takes milliseconds.
Each connection to the socket brings one program: a JSON object of `arguments` (as Python takes
them: `-c TEXT ...` or `-m MODULE ...`) and `variables`. The answer is one of `status`, `stdout` and
`stderr`. The end of standard input ends the server.
"""

import importlib
import json
import os
import runpy
import select
import shutil
import signal
import socket
import sys
import tempfile
import traceback
import warnings

IMPORTED = [
    "google.adk.cli.cli_eval",
    "google.adk.cli.cli_tools_click",
    "google.adk.evaluation.final_response_match_v1",
    "google.adk.evaluation.local_eval_service",
    "google.adk.evaluation.local_eval_set_results_manager",
    "google.adk.evaluation.local_eval_sets_manager",
]


def main(path):
    warnings.simplefilter("ignore")
    for name in IMPORTED:
        importlib.import_module(name)
    # Child processes of connections are not awaited.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print("ready", flush=True)
    while True:
        readable, _, _ = select.select([listener, 0], [], [])
        if 0 in readable:
            shutil.rmtree(os.path.dirname(path))
            os._exit(0)
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            answer(connection)
            os._exit(0)
        connection.close()


def answer(connection):
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with connection, connection.makefile("rw", encoding="utf-8") as stream:
        asked = json.loads(stream.readline())
        with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            child = os.fork()
            if child == 0:
                run(asked, stdout, stderr)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            result = {"status": status}
            for name, file in (("stdout", stdout), ("stderr", stderr)):
                file.seek(0)
                result[name] = file.read().decode("utf-8")
        stream.write(json.dumps(result))


def run(asked, stdout, stderr):
    """Runs the program and ends this process with its status."""
    status = 0
    try:
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        os.dup2(stdout.fileno(), 1)
        os.dup2(stderr.fileno(), 2)
        os.environ.update(asked["variables"])
        sys.path[:0] = [one for one in asked["variables"].get("PYTHONPATH", "").split(os.pathsep) if one]
        kind, program, *arguments = asked["arguments"]
        sys.argv = [kind, *arguments]
        if kind == "-m":
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


main(sys.argv[1])
