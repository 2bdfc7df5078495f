"""Ways of the standard library, and of packages, to create, change and remove files."""

from __future__ import annotations

import os
import pathlib
import shutil
import tempfile

from . import Canary, way

TEXT = "written"


# Opening.


@way("file")
def open_w(c: Canary):
    with open(c.trace, "w") as file:
        file.write(TEXT)


@way("file")
def open_a(c: Canary):
    with open(c.present, "a") as file:
        file.write(TEXT)


@way("file")
def open_x(c: Canary):
    open(c.trace, "x").close()


@way("file")
def open_r_plus(c: Canary):
    with open(c.present, "r+") as file:
        file.write(TEXT)


@way("file")
def open_w_plus_unbuffered(c: Canary):
    with open(c.trace, "w+b", buffering=0) as file:
        file.write(b"written")


@way("file")
def open_path_in_bytes(c: Canary):
    open(os.fsencode(c.trace), "wb").close()


@way("file")
def open_with_opener(c: Canary):
    open(c.trace, "w", opener=lambda path, flags: os.open(path, flags, 0o600)).close()


@way("file")
def open_relative(c: Canary):
    before = os.getcwd()
    os.chdir(c.folder)
    try:
        open("trace", "w").close()
    finally:
        os.chdir(before)


@way("file")
def io_file_io(c: Canary):
    import io

    io.FileIO(c.trace, "w").close()


@way("file")
def codecs_open(c: Canary):
    import codecs

    codecs.getwriter("utf-8")(open(c.trace, "wb", 0)).write(TEXT)


@way("file")
def os_open(c: Canary):
    os.close(os.open(c.trace, os.O_CREAT | os.O_WRONLY))


@way("file")
def os_open_in_folder(c: Canary):
    folder = os.open(c.folder, os.O_RDONLY)
    try:
        os.close(os.open("trace", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
    finally:
        os.close(folder)


@way("file")
def open_with_opener_in_folder(c: Canary):
    folder = os.open(c.folder, os.O_RDONLY)
    try:
        os.chdir(tempfile.gettempdir())
        open("trace", "w", opener=lambda path, flags: os.open(path, flags, dir_fd=folder)).close()
    finally:
        os.close(folder)


@way("file")
def posix_open_in_folder(c: Canary):
    import posix

    folder = posix.open(c.folder, os.O_RDONLY)
    try:
        posix.close(posix.open("trace", os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=folder))
    finally:
        os.close(folder)


@way("file")
def os_open_as_it_was_before(c: Canary):
    own = getattr(os.open, "__wrapped__", os.open)
    folder = os.open(c.folder, os.O_RDONLY)
    try:
        os.close(own("trace", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
    finally:
        os.close(folder)


@way("file")
def os_open_truncating(c: Canary):
    os.close(os.open(c.present, os.O_RDONLY | os.O_TRUNC))


@way("file")
def os_pwrite(c: Canary):
    file = os.open(c.present, os.O_RDWR)
    os.pwrite(file, b"written", 1)
    os.close(file)


@way("file")
def os_writev(c: Canary):
    file = os.open(c.present, os.O_WRONLY)
    os.writev(file, [b"writ", b"ten"])
    os.close(file)


@way("file")
def posix_open(c: Canary):
    import posix

    posix.close(posix.open(c.trace, os.O_CREAT | os.O_RDWR))


@way("file", needs="os:O_TMPFILE")
def unnamed_file_that_is_linked(c: Canary):
    file = os.open(c.folder, os.O_TMPFILE | os.O_WRONLY, 0o600)
    folder = os.open(c.folder, os.O_RDONLY)
    try:
        # With a folder, Python follows the link to the file.
        os.link(f"/proc/self/fd/{file}", "trace", src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        os.close(folder)
        os.close(file)


@way("file")
def file_opened_again_by_its_number(c: Canary):
    with open(c.present) as file, open(f"/proc/self/fd/{file.fileno()}", "w") as again:
        again.write(TEXT)


@way("file")
def print_to_file(c: Canary):
    print(TEXT, file=open(c.trace, "w"), flush=True)


@way("file")
def fileinput_in_place(c: Canary):
    import fileinput

    with fileinput.input(c.present, inplace=True) as lines:
        for line in lines:
            print(line.upper())


@way("file")
def path_write_text(c: Canary):
    pathlib.Path(c.trace).write_text(TEXT)


@way("file")
def path_write_bytes(c: Canary):
    pathlib.Path(c.trace).write_bytes(b"written")


@way("file")
def path_open(c: Canary):
    pathlib.Path(c.present).open("a").close()
    with pathlib.Path(c.present).open("a") as file:
        file.write(TEXT)


@way("file")
def path_touch(c: Canary):
    pathlib.Path(c.trace).touch()


@way("file")
def mmap_of_file(c: Canary):
    import mmap

    with open(c.present, "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[0:1] = b"W"


# Folders.


@way("folder")
def os_mkdir(c: Canary):
    os.mkdir(c.trace)


@way("folder")
def os_mkdir_in_folder(c: Canary):
    folder = os.open(c.folder, os.O_RDONLY)
    try:
        os.mkdir("trace", dir_fd=folder)
    finally:
        os.close(folder)


@way("folder")
def os_makedirs(c: Canary):
    os.makedirs(f"{c.trace}/below", exist_ok=True)


@way("folder")
def path_mkdir(c: Canary):
    pathlib.Path(c.trace).mkdir(parents=True, exist_ok=True)


@way("folder")
def os_rmdir(c: Canary):
    os.rmdir(f"{c.folder}/empty")


@way("folder")
def os_rmdir_in_folder(c: Canary):
    folder = os.open(c.folder, os.O_RDONLY)
    try:
        os.rmdir("empty", dir_fd=folder)
    finally:
        os.close(folder)


@way("folder")
def os_removedirs(c: Canary):
    os.removedirs(f"{c.folder}/empty")


@way("folder")
def shutil_rmtree(c: Canary):
    shutil.rmtree(f"{c.folder}/full")


@way("folder")
def shutil_rmtree_quietly(c: Canary):
    shutil.rmtree(f"{c.folder}/full", ignore_errors=True)


# Removing, renaming, linking.


@way("remove")
def os_remove(c: Canary):
    os.remove(c.present)


@way("remove")
def os_unlink_in_folder(c: Canary):
    folder = os.open(c.folder, os.O_RDONLY)
    try:
        os.unlink("present", dir_fd=folder)
    finally:
        os.close(folder)


@way("remove")
def path_unlink(c: Canary):
    pathlib.Path(c.present).unlink(missing_ok=True)


@way("rename")
def os_rename(c: Canary):
    os.rename(c.present, c.trace)


@way("rename")
def os_rename_in_folder(c: Canary):
    folder = os.open(c.folder, os.O_RDONLY)
    try:
        os.rename("present", "trace", src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        os.close(folder)


@way("rename")
def os_replace(c: Canary):
    os.replace(c.present, c.trace)


@way("rename")
def os_renames(c: Canary):
    os.renames(c.present, f"{c.trace}/below")


@way("rename")
def path_rename(c: Canary):
    pathlib.Path(c.present).rename(c.trace)


@way("rename")
def shutil_move(c: Canary):
    shutil.move(c.present, c.trace)


@way("rename")
def move_out_of_scratch_folder(c: Canary):
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(b"written")
    shutil.move(file.name, c.trace)


@way("rename")
def move_into_scratch_folder(c: Canary):
    shutil.move(c.present, tempfile.mkdtemp())


@way("link")
def os_link(c: Canary):
    os.link(c.present, c.trace)


@way("link")
def os_link_in_folder(c: Canary):
    folder = os.open(c.folder, os.O_RDONLY)
    try:
        os.link("present", "trace", src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        os.close(folder)


@way("link")
def os_symlink(c: Canary):
    os.symlink(c.present, c.trace)


@way("link")
def os_symlink_in_folder(c: Canary):
    folder = os.open(c.folder, os.O_RDONLY)
    try:
        os.symlink("present", "trace", dir_fd=folder)
    finally:
        os.close(folder)


@way("link")
def path_symlink_to(c: Canary):
    pathlib.Path(c.trace).symlink_to(c.present)


@way("link")
def path_hardlink_to(c: Canary):
    pathlib.Path(c.trace).hardlink_to(c.present)


@way("link")
def symbolic_link_in_scratch_folder(c: Canary):
    link = f"{tempfile.mkdtemp()}/link"
    os.symlink(c.trace, link)
    with open(link, "w") as file:
        file.write(TEXT)


@way("link")
def symbolic_link_to_folder_in_scratch_folder(c: Canary):
    link = f"{tempfile.mkdtemp()}/link"
    os.symlink(c.folder, link)
    os.mkdir(f"{link}/trace")


@way("link")
def hard_link_in_scratch_folder(c: Canary):
    link = f"{tempfile.mkdtemp(dir=os.path.dirname(c.folder))}/link"
    os.link(c.present, link)
    with open(link, "a") as file:
        file.write(TEXT)


@way("link")
def path_that_leaves_scratch_folder(c: Canary):
    folder = tempfile.mkdtemp()
    with open(f"{folder}/{os.path.relpath(c.trace, folder)}", "w") as file:
        file.write(TEXT)


@way("special file")
def os_mknod(c: Canary):
    os.mknod(c.trace)


@way("special file")
def os_mkfifo(c: Canary):
    os.mkfifo(c.trace)


@way("special file", needs="root")
def os_mknod_of_device(c: Canary):
    import stat

    os.mknod(c.trace, stat.S_IFCHR | 0o600, os.makedev(1, 3))


# Sizes and copies.


@way("size")
def os_truncate(c: Canary):
    os.truncate(c.present, 1)


@way("size")
def os_ftruncate(c: Canary):
    with open(c.present, "r+b") as file:
        os.ftruncate(file.fileno(), 1)


@way("size")
def os_posix_fallocate(c: Canary):
    file = os.open(c.present, os.O_WRONLY)
    os.posix_fallocate(file, 0, 10_000)
    os.close(file)


@way("copy")
def shutil_copy(c: Canary):
    shutil.copy(c.present, c.trace)


@way("copy")
def shutil_copy2(c: Canary):
    shutil.copy2(c.present, f"{c.folder}/empty")


@way("copy")
def shutil_copyfile(c: Canary):
    shutil.copyfile(c.present, c.trace)


@way("copy")
def shutil_copytree(c: Canary):
    shutil.copytree(f"{c.folder}/full", c.trace)


@way("copy")
def os_sendfile(c: Canary):
    with open(c.present, "rb") as source, open(c.trace, "wb") as target:
        os.sendfile(target.fileno(), source.fileno(), 0, 100)


@way("copy", needs="os:copy_file_range")
def os_copy_file_range(c: Canary):
    source, target = os.open(c.present, os.O_RDONLY), os.open(c.trace, os.O_CREAT | os.O_WRONLY)
    os.copy_file_range(source, target, 100)
    os.close(source)
    os.close(target)


@way("copy", needs="os:splice")
def os_splice(c: Canary):
    read, write = os.pipe()
    os.write(write, b"written")
    target = os.open(c.trace, os.O_CREAT | os.O_WRONLY)
    os.splice(read, target, 7)
    for one in (read, write, target):
        os.close(one)


# Modes, owners, times, attributes.


@way("mode")
def os_chmod(c: Canary):
    os.chmod(c.present, 0o600)


@way("mode")
def os_chmod_in_folder(c: Canary):
    folder = os.open(c.folder, os.O_RDONLY)
    try:
        os.chmod("present", 0o600, dir_fd=folder)
    finally:
        os.close(folder)


@way("mode")
def os_fchmod(c: Canary):
    with open(c.present) as file:
        os.fchmod(file.fileno(), 0o600)


@way("mode")
def path_chmod(c: Canary):
    pathlib.Path(c.present).chmod(0o600)


@way("mode")
def shutil_copymode(c: Canary):
    shutil.copymode(f"{c.folder}/empty", c.present)


@way("mode")
def os_chown(c: Canary):
    os.chown(c.present, os.getuid(), os.getgid())


@way("mode")
def os_fchown(c: Canary):
    with open(c.present) as file:
        os.fchown(file.fileno(), os.getuid(), os.getgid())


@way("mode")
def os_lchown(c: Canary):
    os.lchown(c.present, os.getuid(), os.getgid())


@way("times")
def os_utime(c: Canary):
    os.utime(c.present, (1, 2))


@way("times")
def os_utime_of_open_file(c: Canary):
    with open(c.present) as file:
        os.utime(file.fileno(), ns=(1, 2))


@way("times")
def shutil_copystat(c: Canary):
    shutil.copystat(__file__, c.present)


@way("attributes")
def os_setxattr(c: Canary):
    os.setxattr(c.present, "user.canary", b"written")


@way("attributes")
def flags_of_file(c: Canary):
    import fcntl
    import struct

    read, write, no_access_times = 0x80086601, 0x40086602, 0x80
    with open(c.present) as file:
        (flags,) = struct.unpack("=i4x", fcntl.ioctl(file, read, bytes(8)))
        fcntl.ioctl(file, write, struct.pack("=i4x", flags | no_access_times))


# Temporary files, elsewhere than they belong.


@way("temporary file")
def tempfile_named(c: Canary):
    tempfile.NamedTemporaryFile(dir=c.folder, delete=False).close()


@way("temporary file")
def tempfile_removed_at_once(c: Canary):
    tempfile.NamedTemporaryFile(dir=c.folder).close()


@way("temporary file")
def tempfile_mkstemp(c: Canary):
    os.close(tempfile.mkstemp(dir=c.folder)[0])


@way("temporary file")
def tempfile_mkdtemp(c: Canary):
    tempfile.mkdtemp(dir=c.folder)


# Archives and formats.


@way("format")
def zipfile_write(c: Canary):
    import zipfile

    with zipfile.ZipFile(c.trace, "w") as archive:
        archive.writestr("a", TEXT)


@way("format")
def zipfile_extract(c: Canary):
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(), "w") as archive:
        archive.writestr("trace", TEXT)
        archive.extractall(c.folder)


@way("format")
def tarfile_write(c: Canary):
    import tarfile

    tarfile.open(c.trace, "w:gz").close()


@way("format")
def shutil_make_archive(c: Canary):
    shutil.make_archive(c.trace, "tar", f"{c.folder}/full")


@way("format")
def gzip_open(c: Canary):
    import gzip

    gzip.open(c.trace, "wb").close()


@way("format")
def lzma_open(c: Canary):
    import lzma

    lzma.open(c.trace, "wb").close()


@way("format")
def pickle_dump(c: Canary):
    import pickle

    with open(c.trace, "wb") as file:
        pickle.dump({}, file)


@way("format")
def xml_write(c: Canary):
    from xml.etree import ElementTree

    ElementTree.ElementTree(ElementTree.Element("a")).write(c.trace)


@way("format")
def wave_write(c: Canary):
    import wave

    with wave.open(c.trace, "wb") as sound:
        sound.setparams((1, 1, 8000, 0, "NONE", "NONE"))


@way("format")
def mailbox_add(c: Canary):
    import mailbox

    mailbox.mbox(c.trace).add("From: a\n\nb")


@way("format")
def cookies_save(c: Canary):
    from http import cookiejar

    cookiejar.MozillaCookieJar(c.trace).save()


@way("format")
def profile_dump(c: Canary):
    import cProfile

    profile = cProfile.Profile()
    profile.runcall(str, 1)
    profile.dump_stats(c.trace)


@way("format")
def module_compiled(c: Canary):
    import py_compile

    py_compile.compile(__file__, cfile=f"{c.folder}/trace.pyc", doraise=True)


@way("format")
def module_imported(c: Canary):
    import importlib.util
    import sys

    before = sys.dont_write_bytecode, sys.pycache_prefix
    sys.dont_write_bytecode, sys.pycache_prefix = False, c.trace
    try:
        importlib.util.find_spec("this").loader.get_code("this")
    finally:
        sys.dont_write_bytecode, sys.pycache_prefix = before


@way("log")
def logging_file(c: Canary):
    import logging

    logging.FileHandler(c.trace).close()


@way("log")
def logging_rotating(c: Canary):
    import logging
    from logging import handlers

    handler = handlers.RotatingFileHandler(c.present, maxBytes=1, backupCount=1)
    handler.emit(logging.makeLogRecord({"msg": TEXT}))
    handler.close()


@way("log")
def logging_configured(c: Canary):
    import logging.config

    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "handlers": {"h": {"class": "logging.FileHandler", "filename": c.trace}},
        }
    )


# Files that are not on a disk.


@way("file in memory", "memory")
def file_in_shared_memory(c: Canary):
    open(f"/dev/shm/{c.memory}", "w").close()


@way("file of the system", "process")
def oom_score_of_another_process(c: Canary):
    with open(f"/proc/{c.process}/oom_score_adj", "w") as file:
        file.write("500")


# Packages.


@way("package", needs="numpy")
def numpy_tofile(c: Canary):
    import numpy

    numpy.ones(3).tofile(c.trace)


@way("package", needs="numpy")
def numpy_save(c: Canary):
    import numpy

    numpy.save(c.trace, numpy.ones(3))


@way("package", needs="numpy")
def numpy_savetxt(c: Canary):
    import numpy

    numpy.savetxt(c.trace, numpy.ones(3))


@way("package", needs="numpy")
def numpy_memmap(c: Canary):
    import numpy

    numpy.memmap(c.trace, mode="w+", shape=(3,)).flush()


@way("package", needs="numpy")
def numpy_memmap_of_file(c: Canary):
    import numpy

    numpy.memmap(c.present, mode="r+")[0] = 1


@way("package", needs="pandas")
def pandas_to_csv(c: Canary):
    import pandas

    pandas.DataFrame({"a": [1]}).to_csv(c.trace)


@way("package", needs="pandas")
def pandas_to_pickle(c: Canary):
    import pandas

    pandas.DataFrame({"a": [1]}).to_pickle(c.trace)


@way("package", needs="pandas openpyxl")
def pandas_to_excel(c: Canary):
    import pandas

    pandas.DataFrame({"a": [1]}).to_excel(f"{c.trace}.xlsx")


@way("package", needs="pandas pyarrow")
def pandas_to_parquet(c: Canary):
    import pandas

    pandas.DataFrame({"a": [1]}).to_parquet(c.trace)


@way("package", needs="pyarrow")
def pyarrow_write(c: Canary):
    import pyarrow

    with pyarrow.OSFile(c.trace, "wb") as file:
        file.write(b"written")


@way("package", needs="scipy")
def scipy_savemat(c: Canary):
    from scipy import io

    io.savemat(c.trace, {"a": [1]})


@way("package", needs="joblib")
def joblib_dump(c: Canary):
    import joblib

    joblib.dump([1], c.trace)


@way("package", needs="dotenv")
def dotenv_set_key(c: Canary):
    import dotenv

    dotenv.set_key(c.trace, "A", "b")


@way("package", needs="fsspec")
def fsspec_open(c: Canary):
    import fsspec

    with fsspec.open(c.trace, "w") as file:
        file.write(TEXT)


@way("package", needs="filelock")
def filelock_acquire(c: Canary):
    import filelock

    with filelock.FileLock(c.trace):
        pass


@way("package", needs="ruamel.yaml")
def yaml_dump(c: Canary):
    from ruamel.yaml import YAML

    YAML().dump({"a": 1}, pathlib.Path(c.trace))


@way("package", needs="jinja2")
def jinja_dump(c: Canary):
    import jinja2

    jinja2.Template("a").stream().dump(c.trace)
