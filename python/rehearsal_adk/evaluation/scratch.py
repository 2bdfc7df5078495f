"""The folder for temporary files of each case."""

from __future__ import annotations

import os
import shutil
import tempfile


class Scratch:
    """A folder with one folder for each process of a case, which temporary files come to."""

    def __init__(self, root: str) -> None:
        self._root = root

    def begin(self, process: str) -> None:
        """Gives this process, and all that it starts, a new folder for temporary files."""
        self.end(process)
        folder = self._of(process)
        os.mkdir(folder)
        os.environ["TMPDIR"] = folder
        # Python remembers the last one.
        tempfile.tempdir = None

    def end(self, process: str) -> None:
        """Removes the folder of a process."""
        # What cannot be removed goes with the folder of all.
        shutil.rmtree(self._of(process), ignore_errors=True)

    def _of(self, process: str) -> str:
        return os.path.join(self._root, f"case-{process}")
