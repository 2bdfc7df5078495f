"""Databases that are files."""

from __future__ import annotations

import os
import sqlite3

from . import Canary, way


def create(path: str, **options) -> None:
    with sqlite3.connect(path, **options) as connection:
        connection.execute("create table t(x)")
    connection.close()


@way("database")
def sqlite_new(c: Canary):
    create(c.trace)


@way("database")
def sqlite_existing(c: Canary):
    create(f"{c.folder}/store.db")


@way("database")
def sqlite_uri(c: Canary):
    create(f"file:{c.trace}?mode=rwc", uri=True)


@way("database")
def sqlite_read_only_in_the_name(c: Canary):
    create(f"{c.trace}.mode=ro")


@way("database")
def sqlite_memory_in_the_name(c: Canary):
    create(f"{c.trace}?mode=memory")


@way("database")
def sqlite_read_only_in_the_fragment(c: Canary):
    create(f"file:{c.trace}?mode=rwc#mode=ro", uri=True)


@way("database")
def sqlite_read_only_in_another_parameter(c: Canary):
    create(f"file:{c.trace}?mode=rwc&note=mode=ro", uri=True)


@way("database")
def sqlite_two_modes(c: Canary):
    create(f"file:{c.trace}?x=mode=memory&mode=rwc", uri=True)


@way("database")
def sqlite_attach(c: Canary):
    connection = sqlite3.connect(":memory:")
    connection.execute("attach ? as other", (c.trace,))
    connection.execute("create table other.t(x)")
    connection.close()


@way("database")
def sqlite_vacuum_into(c: Canary):
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t(x)")
    connection.execute("vacuum into ?", (c.trace,))
    connection.close()


@way("database")
def sqlite_backup(c: Canary):
    connection, target = sqlite3.connect(":memory:"), sqlite3.connect(c.trace)
    connection.execute("create table t(x)")
    connection.backup(target)
    target.close()


@way("database")
def sqlite_write_ahead_log(c: Canary):
    connection = sqlite3.connect(f"file:{c.folder}/store.db", uri=True)
    connection.execute("pragma journal_mode=wal")
    connection.close()


@way("database", needs="aiosqlite")
async def aiosqlite_connect(c: Canary):
    import aiosqlite

    async with aiosqlite.connect(c.trace) as connection:
        await connection.execute("create table t(x)")


@way("database", needs="pandas")
def pandas_to_sql(c: Canary):
    import pandas

    connection = sqlite3.connect(c.trace)
    pandas.DataFrame({"a": [1]}).to_sql("t", connection)
    connection.close()


@way("database", needs="sqlalchemy")
def sqlalchemy_connect(c: Canary):
    import sqlalchemy

    with sqlalchemy.create_engine(f"sqlite:///{c.trace}").begin() as connection:
        connection.execute(sqlalchemy.text("create table t(x)"))


@way("database")
def dbm_dumb(c: Canary):
    from dbm import dumb

    dumb.open(c.trace, "c").close()


@way("database", needs="_gdbm")
def dbm_gnu(c: Canary):
    from dbm import gnu

    gnu.open(c.trace, "c").close()


@way("database", needs="_dbm")
def dbm_ndbm(c: Canary):
    from dbm import ndbm

    ndbm.open(c.trace, "c").close()


@way("database")
def shelve_open(c: Canary):
    import shelve

    with shelve.open(os.fspath(c.trace)) as shelf:
        shelf["a"] = 1
