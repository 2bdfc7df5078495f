"""A real host, and a person who answers through the contract."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from conftest import ROOT

sys.path.append(str(ROOT / "python"))

grpc = pytest.importorskip("grpc")

from rehearsal_adk.live import messages as wire  # noqa: E402

BINARY = os.environ.get("REHEARSAL_TEST_BINARY")
PATIENCE = 60
CONFIG = '[[agent]]\nname = "Maths"\nsource = "native"\nexample = "math"\n'

needs_binary = pytest.mark.skipif(
    BINARY is None, reason="REHEARSAL_TEST_BINARY is not set; cargo xtask test sets it"
)


class Host:
    """``rehearsal serve`` as a process that can be killed and started again at its address."""

    def __init__(self, folder: Path, asks: bool = False, base_path: str = ""):
        self.folder = folder
        self.base_path = base_path
        (folder / "rehearsal.toml").write_text(CONFIG)
        self.token = self.make_token("tests") if asks else None
        self.persons_token = self.make_token("person") if asks else None
        if asks:
            config = folder / "rehearsal.toml"
            name = 'name = "person"\n'
            responds = f'{name}responds_to = ["tests"]\n'
            config.write_text(config.read_text().replace(name, responds))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}{base_path}"
        self.start()

    def make_token(self, name: str) -> str:
        """A token; with it the host asks everybody who they are."""
        made = [BINARY, "token", "add", name]
        return subprocess.run(
            made, cwd=self.folder, stdout=subprocess.PIPE, text=True, check=True
        ).stdout.strip()

    def start(self):
        self.process = subprocess.Popen(
            [BINARY, "serve", "--listen", f"127.0.0.1:{self.port}", "--base-path", self.base_path],
            cwd=self.folder,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert time.monotonic() < until, "the host does not serve"
                time.sleep(0.02)

    def page(self, function: str, **arguments):
        """Asks what a page asks, through the server function of this name."""
        body = json.dumps(arguments).encode()
        headers = {"content-type": "application/json"}
        asked = urllib.request.Request(f"{self.url}/api/{function}", body, headers)
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answered:
            return json.load(answered)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Person:
    """A person at the page: sees the queue and responds to its head."""

    def __init__(self, host: Host, session_id: str):
        self.channel = grpc.insecure_channel(f"127.0.0.1:{host.port}")
        self.session_id = session_id
        self.service = f"{host.base_path}/{wire.SERVICE}"
        token = host.persons_token
        self.metadata = [("authorization", f"Bearer {token}")] if token else []

    def call(self, name: str, **fields):
        method = self.channel.unary_unary(
            f"{self.service}/{name}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=wire.message(f"{name}Response").FromString,
        )
        asked = wire.message(f"{name}Request")(session_id=self.session_id, **fields)
        return method(
            asked, timeout=PATIENCE, wait_for_ready=True, metadata=self.metadata
        )

    def list_sessions(self, search: str):
        """The sessions whose description holds the words, newest first."""
        method = self.channel.unary_unary(
            f"{self.service}/ListSessions",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=wire.message("ListSessionsResponse").FromString,
        )
        asked = wire.message("ListSessionsRequest")(search=search)
        return method(asked, metadata=self.metadata).sessions

    def wait_for_turn(self):
        """Waits for the head of the queue."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                queue = self.call("GetSession").summary.queue
                if queue.HasField("up"):
                    return queue.up
            except grpc.RpcError as error:
                assert error.code() in (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNAVAILABLE)
            time.sleep(0.02)
        raise AssertionError("no request arrived")

    def answer(self, *parts, turn_id=None):
        turn_id = turn_id or self.wait_for_turn().turn_id
        candidate = {"role": wire.ROLE_MODEL, "parts": list(parts)}
        return self.call(
            "SubmitDecision",
            turn_id=turn_id,
            response={"candidates": [candidate]},
            by={"display_name": "Ann"},
        )

    def events(self):
        """Every event so far."""
        method = self.channel.unary_stream(
            f"{self.service}/Subscribe",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=wire.message("SubscribeResponse").FromString,
        )
        asked = wire.message("SubscribeRequest")(session_id=self.session_id)
        events = []
        stream = method(asked, timeout=PATIENCE, metadata=self.metadata)
        for update in stream:
            kind = update.WhichOneof("update")
            if kind == "events":
                events.extend(update.events.events)
            if kind == "history_end":
                stream.cancel()
                return events

    def request(self):
        """The request at the head of the queue."""
        turn = self.wait_for_turn()
        return next(event.request for event in self.events() if event.sequence == turn.sequence)


def text(words):
    return {"text": words}


def call(name, args):
    return {"function_call": {"name": name, "args": json.dumps(args)}}
