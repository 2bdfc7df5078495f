"""Writes a live session of many events through the contract, and prints its id.

`python long_session.py HOST:PORT EVENTS`: a twentieth of the events are requests of two kilobytes with
their answers, the rest what tools answered.
"""

from __future__ import annotations

import asyncio
import sys
import uuid
from pathlib import Path

import grpc

sys.path.append(str(Path(__file__).resolve().parents[2] / "python"))

from rehearsal_adk.live import messages as wire  # noqa: E402

AT_ONCE = 256
HISTORY = "What will the weather be in Lisbon, and what shall I wear? " * 30


async def write(address: str, events: int) -> str:
    async with grpc.aio.insecure_channel(address) as channel:

        async def call(name: str, **fields):
            method = channel.unary_unary(
                f"/{wire.SERVICE}/{name}",
                request_serializer=lambda message: message.SerializeToString(),
                response_deserializer=wire.message(f"{name}Response").FromString,
            )
            return await method(wire.message(f"{name}Request")(**fields))

        async def all_of(calls):
            gate = asyncio.Semaphore(AT_ONCE)

            async def one(made):
                async with gate:
                    await made

            await asyncio.gather(*(one(made) for made in calls))

        session = (await call("CreateSession", description="A long one")).session.id
        of_agent = {"session_id": session, "agent_name": "weather", "invocation_id": "run"}
        turns = [str(uuid.uuid4()) for _ in range(events // 40)]
        # One after the other, so that each is up when it is answered.
        for turn in turns:
            contents = [{"role": wire.ROLE_USER, "parts": [{"text": HISTORY}]}]
            await call("SubmitRequest", **of_agent, turn_id=turn, request={"contents": contents})
            said = {"role": wire.ROLE_MODEL, "parts": [{"text": "Sunny. A coat."}]}
            await call(
                "SubmitDecision",
                session_id=session,
                turn_id=turn,
                response={"candidates": [said]},
                by={"display_name": "Ann"},
            )

        def result(number: int):
            response = f'{{"hour": {number}, "text": "{"rain " * 60}"}}'
            answered = {"id": f"call-{number}", "name": "forecast", "response": response}
            return call(
                "RecordEvent",
                **of_agent,
                event_id=str(uuid.uuid4()),
                turn_id=turns[number % len(turns)],
                tool_result={"response": answered, "duration_ms": 12},
            )

        await all_of(result(number) for number in range(events - 2 * len(turns)))
        return session


if __name__ == "__main__":
    print(asyncio.run(write(sys.argv[1], int(sys.argv[2]))))
