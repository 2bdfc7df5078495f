"""Counts tokens with an encoding that is in its cache."""

import hashlib
import os
import tempfile

import tiktoken
from tiktoken.load import load_tiktoken_bpe

FOLDER = tempfile.mkdtemp()
URL = "https://encodings.invalid/ordinary.tiktoken"
os.environ["TIKTOKEN_CACHE_DIR"] = FOLDER
with open(os.path.join(FOLDER, hashlib.sha1(URL.encode()).hexdigest()), "w") as file:
    file.write("YQ== 0\nYg== 1\nYWI= 2\n")
RANKS = load_tiktoken_bpe(URL)


def callback():
    encoding = tiktoken.Encoding("ordinary", pat_str=".+", mergeable_ranks=RANKS, special_tokens={})
    return encoding.encode("ab")
