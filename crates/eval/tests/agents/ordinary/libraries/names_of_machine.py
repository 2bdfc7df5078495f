"""Asks who and where it is."""

import email.utils
import getpass
import os
import platform
import socket
import uuid

import distro

NODE = uuid.uuid1(), uuid.getnode(), uuid.uuid4()
SYSTEM = platform.platform(), platform.uname(), platform.architecture(), platform.libc_ver()


def callback():
    assert socket.gethostbyname("localhost") and socket.getaddrinfo("127.0.0.1", 80)
    assert email.utils.make_msgid() and socket.gethostname() and socket.getfqdn()
    assert platform.processor() is not None and distro.info()
    return getpass.getuser() if "USER" in os.environ else os.getuid()
