"""The folder for temporary files and caches of each case."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator

from rehearsal_adk.evaluation.barrier import lowered

_NESTED = ("", ".cache", ".config", ".local", ".local/share", ".local/state")
"""The folders in a home in which programs make folders of their own."""

_VARIABLES = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
"""The variables that name such folders, wherever they are."""


class Scratch:
    """Folders with one folder for each process of a case.

    Temporary files come to the first. With homes, the second has a home for each: what is in the user's real one can be
    read through links, and what is not there yet can be made.
    """

    def __init__(self, files: str, homes: str | None) -> None:
        self._files, self._homes = files, homes
        home = os.environ.get("HOME", "")
        self.caches = [os.path.join(home, one) for one in _NESTED if one and home]
        """The folders of caches and settings in the real home."""
        self.caches += [os.environ[name] for name in _VARIABLES if os.environ.get(name)]
        self._entries: dict[str, list[tuple[str, str]]] = {}
        if homes is not None:
            self._entries = {
                name: list(_entries(os.environ[name], nested))
                for name, nested in (("HOME", _NESTED), *((name, ("",)) for name in _VARIABLES))
                if os.environ.get(name)
            }

    def begin(self, process: str) -> None:
        """Gives this process, and all that it starts, a new folder for temporary files, and a new home."""
        self.end(process)
        with lowered():
            os.environ["TMPDIR"] = _made(self._files, process)
            # Python remembers the last one.
            tempfile.tempdir = None
            if self._homes is not None:
                self._make_homes(_made(self._homes, process))

    def _make_homes(self, folder: str) -> None:
        for name, entries in self._entries.items():
            os.environ[name] = home = _made(folder, name.lower())
            if name == "HOME":
                for nested in _NESTED:
                    os.makedirs(os.path.join(home, nested), exist_ok=True)
            for path, real in entries:
                os.symlink(real, os.path.join(home, path))

    def end(self, process: str) -> None:
        """Removes the folders of a process."""
        with lowered():
            for folder in (self._files, self._homes):
                if folder is not None:
                    # What cannot be removed goes with the folder of all.
                    shutil.rmtree(os.path.join(folder, process), ignore_errors=True)


def _made(folder: str, name: str) -> str:
    path = os.path.join(folder, name)
    os.mkdir(path)
    return path


def _entries(home: str, nested: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """What is in a home, and in these folders of it: the paths there, and the real ones."""
    for inner in nested:
        try:
            names = os.listdir(os.path.join(home, inner))
        except OSError:  # There is none, or the user may not read it.
            continue
        for name in names:
            if (path := os.path.join(inner, name)) not in nested:
                yield path, os.path.join(home, path)
