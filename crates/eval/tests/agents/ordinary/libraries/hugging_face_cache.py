"""Takes a file of a model from the cache."""

import os
import pathlib
import tempfile

ALONE = True

HOME = pathlib.Path(tempfile.mkdtemp())
os.environ["HF_HOME"] = str(HOME)
COMMIT = "c" * 40
REPOSITORY = HOME / "hub" / "models--ordinary--model"
(REPOSITORY / "snapshots" / COMMIT).mkdir(parents=True)
(REPOSITORY / "refs").mkdir()
(REPOSITORY / "refs" / "main").write_text(COMMIT)
(REPOSITORY / "snapshots" / COMMIT / "config.json").write_text("{}")

import huggingface_hub


def callback():
    assert huggingface_hub.try_to_load_from_cache("ordinary/model", "config.json")
    return huggingface_hub.hf_hub_download("ordinary/model", "config.json")
