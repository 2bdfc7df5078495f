"""Connections and datagrams. Whoever is connected to closes the connection at once."""

from __future__ import annotations

import asyncio
import socket

from . import Canary, way

HOST = "127.0.0.1"
SECONDS = 5


@way("connection", "tcp")
def socket_connect(c: Canary):
    with socket.socket() as one:
        one.connect((HOST, c.tcp))


@way("connection", "tcp")
def socket_connect_ex(c: Canary):
    with socket.socket() as one:
        if number := one.connect_ex((HOST, c.tcp)):
            raise OSError(number, "not connected")


@way("connection", "tcp")
def socket_create_connection(c: Canary):
    socket.create_connection((HOST, c.tcp)).close()


@way("connection", "tcp")
def socket_without_blocking(c: Canary):
    import select

    with socket.socket() as one:
        one.setblocking(False)
        one.connect_ex((HOST, c.tcp))
        select.select([], [one], [], SECONDS)


@way("connection", "tcp")
def socket_mapped_to_version_6(c: Canary):
    with socket.socket(socket.AF_INET6) as one:
        one.connect((f"::ffff:{HOST}", c.tcp))


@way("connection", "tcp", needs="socket:MSG_FASTOPEN")
def socket_fast_open(c: Canary):
    with socket.socket() as one:
        one.sendto(b"written", socket.MSG_FASTOPEN, (HOST, c.tcp))


@way("connection", "tcp")
def socket_by_name(c: Canary):
    socket.create_connection(("localhost", c.tcp)).close()


@way("datagram", "udp")
def socket_sendto(c: Canary):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendto(b"written", (HOST, c.udp))


@way("datagram", "udp")
def socket_connected_datagram(c: Canary):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.connect((HOST, c.udp))
        one.send(b"written")


@way("datagram", "udp")
def socket_sendmsg(c: Canary):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendmsg([b"written"], [], 0, (HOST, c.udp))


@way("path", "stream")
def socket_connect_to_path(c: Canary):
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(c.stream)


@way("path", "datagram")
def socket_sendto_path(c: Canary):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as one:
        one.sendto(b"written", c.datagram)


@way("path", "datagram")
def socket_of_a_pair_sendto_path(c: Canary):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with ours, theirs:
        ours.sendto(b"written", c.datagram)


@way("path", "datagram")
def socket_of_a_pair_connected_to_path(c: Canary):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with ours, theirs:
        ours.connect(c.datagram)
        ours.send(b"written")


@way("path")
def socket_bind_path(c: Canary):
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(c.trace)


@way("server", "listen")
def socket_server(c: Canary):
    with socket.create_server((HOST, c.listen), reuse_port=True) as one:
        one.settimeout(SECONDS)
        one.accept()[0].close()


@way("server", "listen")
async def asyncio_server(c: Canary):
    met = asyncio.Event()
    server = await asyncio.start_server(lambda *_: met.set(), HOST, c.listen, reuse_port=True)
    async with server:
        assert server.sockets, "no socket could be made"  # asyncio goes on without.
        await asyncio.wait_for(met.wait(), SECONDS)


@way("connection", "tcp")
async def asyncio_connection(c: Canary):
    _, writer = await asyncio.open_connection(HOST, c.tcp)
    writer.close()


@way("datagram", "udp")
async def asyncio_datagram(c: Canary):
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(asyncio.DatagramProtocol, remote_addr=(HOST, c.udp))
    transport.sendto(b"written")
    transport.close()


@way("path", "stream")
async def asyncio_connection_to_path(c: Canary):
    _, writer = await asyncio.open_unix_connection(c.stream)
    writer.close()


@way("connection", "tcp")
async def asyncio_sock_connect(c: Canary):
    with socket.socket() as one:
        one.setblocking(False)
        await asyncio.get_running_loop().sock_connect(one, (HOST, c.tcp))


@way("client", "tcp")
def http_client(c: Canary):
    from http import client

    client.HTTPConnection(HOST, c.tcp, timeout=SECONDS).request("GET", "/")


@way("client", "tcp")
def urllib_request(c: Canary):
    from urllib import request

    request.build_opener(request.ProxyHandler({})).open(f"http://{HOST}:{c.tcp}/", timeout=SECONDS)


@way("client", "tcp")
def xmlrpc_client(c: Canary):
    from xmlrpc import client

    client.ServerProxy(f"http://{HOST}:{c.tcp}").touch()


@way("client", "tcp")
def smtplib_client(c: Canary):
    import smtplib

    smtplib.SMTP(HOST, c.tcp, timeout=SECONDS)


@way("client", "tcp")
def ftplib_client(c: Canary):
    import ftplib

    ftplib.FTP().connect(HOST, c.tcp, timeout=SECONDS)


@way("client", "tcp")
def imaplib_client(c: Canary):
    import imaplib

    imaplib.IMAP4(HOST, c.tcp, timeout=SECONDS)


@way("client", "tcp", needs="telnetlib")
def telnetlib_client(c: Canary):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import telnetlib

    telnetlib.Telnet(HOST, c.tcp, timeout=SECONDS).close()


@way("client", "tcp")
def ssl_certificate(c: Canary):
    import ssl

    ssl.get_server_certificate((HOST, c.tcp), timeout=SECONDS)


@way("client", "tcp")
def multiprocessing_client(c: Canary):
    from multiprocessing import connection

    connection.Client((HOST, c.tcp)).close()


@way("client", "tcp")
def logging_socket(c: Canary):
    import logging
    from logging import handlers

    handler = handlers.SocketHandler(HOST, c.tcp)
    handler.emit(logging.makeLogRecord({"msg": "written"}))
    handler.close()


@way("client", "udp")
def logging_datagram(c: Canary):
    import logging
    from logging import handlers

    handler = handlers.DatagramHandler(HOST, c.udp)
    handler.emit(logging.makeLogRecord({"msg": "written"}))
    handler.close()


@way("client", "datagram")
def logging_syslog(c: Canary):
    import logging
    from logging import handlers

    handler = handlers.SysLogHandler(c.datagram)
    handler.emit(logging.makeLogRecord({"msg": "written"}))
    handler.close()


@way("client", "tcp")
def logging_http(c: Canary):
    import logging
    from logging import handlers

    handler = handlers.HTTPHandler(f"{HOST}:{c.tcp}", "/")
    handler.handleError = lambda record: None
    handler.emit(logging.makeLogRecord({"msg": "written"}))


@way("client", "tcp", needs="httpx")
def httpx_get(c: Canary):
    import httpx

    httpx.get(f"http://{HOST}:{c.tcp}", timeout=SECONDS, trust_env=False)


@way("client", "tcp", needs="httpx")
async def httpx_asynchronous_get(c: Canary):
    import httpx

    async with httpx.AsyncClient(timeout=SECONDS, trust_env=False) as client:
        await client.get(f"http://{HOST}:{c.tcp}")


@way("client", "tcp", needs="requests")
def requests_post(c: Canary):
    import requests

    session = requests.Session()
    session.trust_env = False
    session.post(f"http://{HOST}:{c.tcp}", json={}, timeout=SECONDS)


@way("client", "tcp", needs="urllib3")
def urllib3_request(c: Canary):
    import urllib3

    urllib3.PoolManager().request("GET", f"http://{HOST}:{c.tcp}", retries=False, timeout=SECONDS)


@way("client", "tcp", needs="aiohttp")
async def aiohttp_get(c: Canary):
    import aiohttp

    async with aiohttp.ClientSession() as session:
        await session.get(f"http://{HOST}:{c.tcp}")


@way("client", "tcp", needs="websockets")
async def websockets_connect(c: Canary):
    import websockets

    await websockets.connect(f"ws://{HOST}:{c.tcp}", open_timeout=SECONDS)


@way("client", "tcp", needs="google.auth")
def google_auth_request(c: Canary):
    from google.auth.transport.requests import Request

    Request()(f"http://{HOST}:{c.tcp}", timeout=SECONDS)


@way("client", "tcp", needs="anyio")
async def anyio_connect(c: Canary):
    import anyio

    await (await anyio.connect_tcp(HOST, c.tcp)).aclose()
