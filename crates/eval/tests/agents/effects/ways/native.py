"""Effects of native code, of which Python sees nothing."""

from __future__ import annotations

import os
import signal
import socket
import struct

from . import Canary, way
from .programs import forked, program, wait


def c_library():
    import ctypes

    return ctypes.CDLL(None, use_errno=True)


def path(text: str) -> bytes:
    return os.fsencode(text)


def checked(result: int) -> int:
    import ctypes

    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


@way("native file")
def ctypes_creat(c: Canary):
    checked(c_library().creat(path(c.trace), 0o600))


@way("native file")
def ctypes_open(c: Canary):
    checked(c_library().open(path(c.present), os.O_WRONLY | os.O_TRUNC))


@way("native file")
def ctypes_openat(c: Canary):
    checked(c_library().openat(-100, path(c.trace), os.O_CREAT | os.O_WRONLY, 0o600))


@way("native file")
def ctypes_fopen(c: Canary):
    import ctypes

    library = c_library()
    library.fopen.restype = ctypes.c_void_p
    if not (file := library.fopen(path(c.trace), b"w")):
        checked(-1)
    library.fclose(ctypes.c_void_p(file))


@way("native file")
def ctypes_file_opened_by_python(c: Canary):
    with open(c.present) as file:
        again = checked(c_library().open(path(f"/proc/self/fd/{file.fileno()}"), os.O_WRONLY))
    checked(c_library().write(again, b"written", 7))


@way("native file")
def ctypes_rename(c: Canary):
    checked(c_library().rename(path(c.present), path(c.trace)))


@way("native file")
def ctypes_unlink(c: Canary):
    checked(c_library().unlink(path(c.present)))


@way("native file")
def ctypes_remove(c: Canary):
    checked(c_library().remove(path(f"{c.folder}/empty")))


@way("native file")
def ctypes_mkdir(c: Canary):
    checked(c_library().mkdir(path(c.trace), 0o700))


@way("native file")
def ctypes_link(c: Canary):
    checked(c_library().link(path(c.present), path(c.trace)))


@way("native file")
def ctypes_symlink(c: Canary):
    checked(c_library().symlink(b"present", path(c.trace)))


@way("native file")
def ctypes_mkfifo(c: Canary):
    checked(c_library().mkfifo(path(c.trace), 0o600))


@way("native file")
def ctypes_truncate(c: Canary):
    import ctypes

    checked(c_library().truncate(path(c.present), ctypes.c_long(1)))


@way("native mode")
def ctypes_chmod(c: Canary):
    checked(c_library().chmod(path(c.present), 0o600))


@way("native mode")
def ctypes_fchmod(c: Canary):
    with open(c.present) as file:
        checked(c_library().fchmod(file.fileno(), 0o600))


@way("native mode")
def ctypes_chown(c: Canary):
    checked(c_library().chown(path(c.present), os.getuid(), os.getgid()))


@way("native mode")
def ctypes_utimes(c: Canary):
    checked(c_library().utimes(path(c.present), struct.pack("4l", 1, 0, 2, 0)))


@way("native mode")
def ctypes_setxattr(c: Canary):
    import ctypes

    checked(c_library().setxattr(path(c.present), b"user.canary", b"a", ctypes.c_size_t(1), 0))


@way("native program")
def ctypes_system(c: Canary):
    checked(c_library().system(path(f": > '{c.trace}'")))


@way("native program")
def ctypes_popen(c: Canary):
    import ctypes

    library = c_library()
    library.popen.restype = ctypes.c_void_p
    if not (pipe := library.popen(path(f": > '{c.trace}'"), b"r")):
        checked(-1)
    library.pclose(ctypes.c_void_p(pipe))


@way("native program")
def ctypes_posix_spawn(c: Canary):
    import ctypes

    arguments = (ctypes.c_char_p * 4)(*(path(one) for one in program(c)), None)
    child = ctypes.c_int()
    done = c_library().posix_spawn(ctypes.byref(child), b"/bin/sh", None, None, arguments, None)
    if done:
        raise OSError(done, os.strerror(done))
    wait(child.value)


@way("native program")
def ctypes_execve(c: Canary):
    import ctypes

    arguments = (ctypes.c_char_p * 4)(*(path(one) for one in program(c)), None)
    library = c_library()
    forked(library.fork(), lambda: library.execv(b"/bin/sh", arguments))


@way("native program")
def ctypes_fork(c: Canary):
    library = c_library()
    forked(library.fork(), lambda: library.mkdir(path(c.trace), 0o700))


@way("native network", "tcp")
def ctypes_connect(c: Canary):
    library = c_library()
    number = checked(library.socket(socket.AF_INET, socket.SOCK_STREAM, 0))
    try:
        checked(library.connect(number, address(c.tcp), 16))
    finally:
        os.close(number)


@way("native network", "udp")
def ctypes_sendto(c: Canary):
    library = c_library()
    number = checked(library.socket(socket.AF_INET, socket.SOCK_DGRAM, 0))
    try:
        checked(library.sendto(number, b"written", 7, 0, address(c.udp), 16))
    finally:
        os.close(number)


@way("native network", "datagram")
def ctypes_send_to_path(c: Canary):
    library = c_library()
    number = checked(library.socket(socket.AF_UNIX, socket.SOCK_DGRAM, 0))
    to = struct.pack("=H", socket.AF_UNIX) + path(c.datagram) + b"\0"
    try:
        checked(library.sendto(number, b"written", 7, 0, to, len(to)))
    finally:
        os.close(number)


@way("native network", "datagram")
def ctypes_send_to_path_from_a_pair(c: Canary):
    import ctypes

    numbers = (ctypes.c_int * 2)()
    library = c_library()
    checked(library.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM, 0, numbers))
    to = struct.pack("=H", socket.AF_UNIX) + path(c.datagram) + b"\0"
    try:
        checked(library.sendto(numbers[0], b"written", 7, 0, to, len(to)))
    finally:
        os.close(numbers[0])
        os.close(numbers[1])


def address(port: int) -> bytes:
    return struct.pack("=H", socket.AF_INET) + struct.pack("!H4s8x", port, socket.inet_aton("127.0.0.1"))


@way("native signal", "process")
def ctypes_kill(c: Canary):
    checked(c_library().kill(c.process, signal.SIGTERM))


@way("native signal", "process")
def ctypes_setpriority(c: Canary):
    checked(c_library().setpriority(os.PRIO_PROCESS, c.process, 19))


@way("native signal", "process")
def ctypes_ptrace(c: Canary):
    attach, detach = 16, 17
    library = c_library()
    checked(library.ptrace(attach, c.process, None, None))
    wait(c.process)
    checked(library.ptrace(detach, c.process, None, signal.SIGTERM))


@way("native file", needs="cffi")
def cffi_creat(c: Canary):
    import cffi

    library = cffi.FFI()
    library.cdef("int creat(const char *path, int mode);")
    if library.dlopen(None).creat(path(c.trace), 0o600) == -1:
        raise OSError(library.errno, os.strerror(library.errno))


@way("native mode", needs="cffi")
def cffi_chmod(c: Canary):
    import cffi

    library = cffi.FFI()
    library.cdef("int chmod(const char *path, int mode);")
    if library.dlopen(None).chmod(path(c.present), 0o600) == -1:
        raise OSError(library.errno, os.strerror(library.errno))


@way("native file")
def ssl_key_log(c: Canary):
    import ssl

    ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).keylog_filename = c.trace


@way("native file", needs="readline:write_history_file")
def readline_history(c: Canary):
    import readline

    readline.write_history_file(c.trace)


@way("native file", needs="tokenizers")
def tokenizers_save(c: Canary):
    import tokenizers

    tokenizers.Tokenizer(tokenizers.models.BPE()).save(c.trace)


@way("native network", "tcp", needs="grpc")
def grpc_channel(c: Canary):
    import grpc

    with grpc.insecure_channel(f"127.0.0.1:{c.tcp}") as channel:
        call = channel.unary_unary("/canary/Touch")
        call(b"written", timeout=5)


@way("native network", "tcp", needs="grpc")
async def grpc_asynchronous_channel(c: Canary):
    import grpc

    async with grpc.aio.insecure_channel(f"127.0.0.1:{c.tcp}") as channel:
        await channel.unary_unary("/canary/Touch")(b"written", timeout=5)


@way("native network", "stream", needs="grpc")
def grpc_channel_to_path(c: Canary):
    import grpc

    with grpc.insecure_channel(f"unix:{c.stream}") as channel:
        call = channel.unary_unary("/canary/Touch")
        call(b"written", timeout=5)
