"""Makes channels, without a call."""

import grpc


async def callback():
    grpc.insecure_channel("localhost:1").close()
    await grpc.aio.insecure_channel("localhost:1").close()
