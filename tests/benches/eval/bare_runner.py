"""Prints the processor time that google-adk's own runner takes for cases of the agent ``looker``.

The arguments are the folder of the agent and the number of cases. The import is not in the time.
"""

import asyncio
import sys
import time
import warnings

warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])

from google.adk.runners import InMemoryRunner
from google.genai import types
from looker.agent import root_agent


async def case() -> None:
    runner = InMemoryRunner(agent=root_agent, app_name="looks")
    session = await runner.session_service.create_session(app_name="looks", user_id="user")
    message = types.Content(role="user", parts=[types.Part(text="Look at both")])
    async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=message):
        pass


async def main() -> None:
    await case()
    begin = time.process_time()
    for _ in range(int(sys.argv[2])):
        await case()
    print(time.process_time() - begin)


asyncio.run(main())
