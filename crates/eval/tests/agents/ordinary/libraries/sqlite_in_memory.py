"""Keeps a database in memory, and one in the folder for temporary files."""

import os
import sqlite3
import tempfile

MEMORY = sqlite3.connect(":memory:", check_same_thread=False)
MEMORY.execute("create table notes(text)")


def tool():
    MEMORY.execute("insert into notes values ('hello')")
    sqlite3.connect("file:shared?mode=memory&cache=shared", uri=True).execute("create table t(x)")
    MEMORY.execute("create temp table large(x)")
    MEMORY.executemany("insert into large values (?)", [("x" * 1000,)] * 20_000)
    MEMORY.execute("create index by_x on large(x)")
    with sqlite3.connect(os.path.join(tempfile.mkdtemp(), "notes.db")) as connection:
        connection.execute("pragma journal_mode=wal")
        connection.execute("create table notes(text)")
    return MEMORY.execute("select count(*) from notes").fetchone()
