"""Counts tokens with an encoding that would have to be loaded."""

import os
import tempfile

import tiktoken

REFUSED = "openaipublic.blob.core.windows.net"
ALONE = True

os.environ["TIKTOKEN_CACHE_DIR"] = tempfile.mkdtemp()


def callback():
    return tiktoken.get_encoding("cl100k_base")
