"""Reads a database, opened in each of the usual ways."""

import os
import sqlite3

FILE = os.environ["ORDINARY_FOLDER"] + "/cities.db"
CITIES = sqlite3.connect(FILE).execute("select name from cities").fetchall()


def tool():
    for name, is_uri in ((f"file:{FILE}?mode=ro", True), (f"file:{FILE}?mode=ro&immutable=1", True), (FILE, False)):
        connection = sqlite3.connect(name, uri=is_uri)
        assert connection.execute("select count(*) from cities").fetchone() == (2,)
        connection.close()
    return CITIES
