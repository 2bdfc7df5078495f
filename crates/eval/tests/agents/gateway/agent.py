"""An agent whose model, within its request, also uses an address that is not its own."""

import asyncio
import os
import socket

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.genai import types


async def reach_another(way: str, port: int) -> None:
    match way:
        case "await":
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
        case "by name":
            _, writer = await asyncio.open_connection("localhost", port)
            writer.close()
        case "block":
            socket.create_connection(("127.0.0.1", port)).close()
        case "thread":
            await asyncio.to_thread(lambda: socket.create_connection(("127.0.0.1", port)).close())
        case "datagram":
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
                datagrams.sendto(b"hello", ("127.0.0.1", port))
        case "look up":
            await asyncio.get_running_loop().getaddrinfo("secret.canary.invalid", 443)


class Gateway(BaseLlm):
    """A model that is asked at an address of its own."""

    base_url: str

    async def generate_content_async(self, llm_request, stream=False):
        host, port = self.base_url.removeprefix("http://").split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        writer.close()
        if way := os.environ.get("CANARY_WAY"):
            await reach_another(way, int(os.environ["CANARY_PORT"]))
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text="Done")]))


root_agent = LlmAgent(
    name="gateway",
    model=Gateway(model="gateway", base_url=f"http://localhost:{os.environ['GATEWAY_PORT']}"),
)
