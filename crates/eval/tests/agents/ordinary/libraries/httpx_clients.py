"""Makes clients at import, and tests one with a transport of its own."""

import httpx

CLIENT = httpx.Client(timeout=3, follow_redirects=True)
LATER = httpx.AsyncClient(base_url="https://example.com")


async def tool():
    transport = httpx.MockTransport(lambda request: httpx.Response(200, text="ok"))
    async with httpx.AsyncClient(transport=transport) as client:
        return (await client.get("https://example.com")).text
