"""Loads Google credentials from a file."""

import os
import pathlib

import google.auth

ALONE = True

os.environ["GOOGLE_APPLICATION_CREDENTIALS"] = str(pathlib.Path(__file__).parent / "data" / "user.json")
CREDENTIALS, PROJECT = google.auth.default()


def callback():
    return CREDENTIALS.refresh_token
