"""Looks for data that is not there, and stems words."""

import nltk
from nltk.stem import PorterStemmer

try:
    nltk.data.find("tokenizers/no-such-data")
except LookupError:
    FOUND = False


def callback():
    return PorterStemmer().stem("running")
