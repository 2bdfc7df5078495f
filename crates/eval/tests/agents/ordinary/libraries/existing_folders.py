"""Makes sure of folders that exist, and removes files that do not."""

import contextlib
import os
import pathlib
import shutil

HERE = pathlib.Path(__file__).parent
os.makedirs(HERE, exist_ok=True)
HERE.mkdir(parents=True, exist_ok=True)


def callback():
    os.makedirs("/tmp", exist_ok=True)
    (HERE / "no-such-file").unlink(missing_ok=True)
    with contextlib.suppress(FileNotFoundError):
        os.remove(HERE / "no-such-file")
    shutil.rmtree(HERE / "no-such-folder", ignore_errors=True)
    with contextlib.suppress(FileExistsError):
        os.mkdir(HERE)
