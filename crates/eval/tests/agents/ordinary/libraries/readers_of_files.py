"""Reads tables, JSON, XML, TOML and ZIP, of files and of resources."""

import csv
import gzip
import importlib.metadata
import importlib.resources
import io
import json
import mimetypes
import mmap
import pathlib
import pkgutil
import tarfile
import zipfile
from xml.etree import ElementTree

DATA = pathlib.Path(__file__).parent / "data"
with open(DATA / "table.csv", newline="") as file:
    ROWS = list(csv.DictReader(file))


def tool():
    with open(DATA / "user.json", "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as memory:
        assert json.loads(memory[:])["type"] == "authorized_user"
    with zipfile.ZipFile(io.BytesIO(), "w") as archive:
        archive.writestr("a", "b")
    tarfile.open(fileobj=io.BytesIO(), mode="w").close()
    assert gzip.decompress(gzip.compress(b"x")) == b"x"
    assert ElementTree.fromstring("<a/>").tag == "a"
    mimetypes.init()
    assert importlib.resources.files("certifi").joinpath("cacert.pem").is_file()
    with importlib.resources.as_file(importlib.resources.files("certifi") / "cacert.pem") as path:
        assert path.exists()
    assert pkgutil.get_data("certifi", "py.typed") is not None
    return importlib.metadata.version("google-adk"), len(ROWS)
