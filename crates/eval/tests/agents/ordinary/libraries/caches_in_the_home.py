"""Makes folders in the user's home for caches and settings."""

NEEDS = ["platformdirs"]

import os
import pathlib

import platformdirs

NAME = os.path.basename(os.environ["ORDINARY_FOLDER"])
CACHE = platformdirs.user_cache_path(NAME, ensure_exists=True)
(CACHE / "at_import").write_text("kept")


def callback():
    for folder in (platformdirs.user_data_path, platformdirs.user_config_path, platformdirs.user_state_path):
        (folder(NAME, ensure_exists=True) / "settings").write_text("kept")
    below_home = pathlib.Path(os.path.expanduser("~"), NAME)
    below_home.mkdir(exist_ok=True)
    (below_home / "x").write_text("kept")
    return (CACHE / "at_import").read_text()
