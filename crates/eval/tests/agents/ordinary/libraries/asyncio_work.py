"""Uses queues, timers, threads, signals and streams of asyncio."""

import asyncio
import contextlib
import signal
import socket

LOCK = asyncio.Lock()


async def tool():
    loop, queue = asyncio.get_running_loop(), asyncio.Queue()
    loop.call_later(0.001, queue.put_nowait, 1)
    loop.add_signal_handler(signal.SIGUSR2, lambda: None)
    loop.remove_signal_handler(signal.SIGUSR2)
    assert await queue.get() == 1
    assert await asyncio.to_thread(lambda: 2) == 2
    assert await loop.run_in_executor(None, lambda: 3) == 3
    with contextlib.suppress(asyncio.TimeoutError):
        async with LOCK:
            await asyncio.wait_for(asyncio.sleep(10), 0.001)
    ours, theirs = socket.socketpair()
    reader, _ = await asyncio.open_connection(sock=ours)
    theirs.sendall(b"hello\n")
    theirs.close()
    return await reader.readline()
