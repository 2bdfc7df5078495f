"""Looks for Google credentials where there are none."""

import os
import tempfile

import google.auth
from google.auth.exceptions import DefaultCredentialsError

ALONE = True

os.environ.pop("GOOGLE_APPLICATION_CREDENTIALS", None)
os.environ["CLOUDSDK_CONFIG"] = tempfile.mkdtemp()
try:
    google.auth.default()
except DefaultCredentialsError:
    FOUND = False
else:
    raise AssertionError("there are credentials")
