"""Writes live sessions through the contract, for stories and benches, and prints their ids.

`python live_sessions.py HOST:PORT[/PATH] SESSIONS [MESSAGES]`: so many sessions with one request of so many
messages each, named "Session 1" and so on. Every third session is completed, unless there is only one.
"""

from __future__ import annotations

import asyncio
import sys
import uuid
from pathlib import Path

import grpc

sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))

from rehearsal_adk.live import messages as wire  # noqa: E402


def message(number: int) -> dict:
    role = wire.ROLE_USER if number % 2 == 0 else wire.ROLE_MODEL
    return {"role": role, "parts": [{"text": f"Message {number + 1}. " + "It rains. " * 8}]}


async def write(address: str, sessions: int, messages: int) -> list[str]:
    options = [("grpc.max_send_message_length", -1)]
    host, slash, path = address.partition("/")
    async with grpc.aio.insecure_channel(host, options=options) as channel:

        async def call(name: str, **fields):
            method = channel.unary_unary(
                f"{slash}{path}/{wire.SERVICE}/{name}",
                request_serializer=lambda message: message.SerializeToString(),
                response_deserializer=wire.message(f"{name}Response").FromString,
            )
            return await method(wire.message(f"{name}Request")(**fields))

        ids = []
        contents = [message(number) for number in range(messages)]
        for number in range(1, sessions + 1):
            created = await call("CreateSession", description=f"Session {number}")
            session = created.session.id
            ids.append(session)
            await call(
                "SubmitRequest",
                session_id=session,
                turn_id=str(uuid.uuid4()),
                agent_name="weather",
                invocation_id="run",
                request={"contents": contents},
            )
            if sessions > 1 and number % 3 == 0:
                await call(
                    "CompleteSession",
                    session_id=session,
                    cancel_pending=True,
                    by={"display_name": "Ann"},
                )
        return ids


if __name__ == "__main__":
    for id in asyncio.run(write(sys.argv[1], int(sys.argv[2]), int((sys.argv + ["1"])[3]))):
        print(id)
