"""Opens and closes a session without a request."""

import aiohttp


async def callback():
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=5)) as session:
        return session.closed
