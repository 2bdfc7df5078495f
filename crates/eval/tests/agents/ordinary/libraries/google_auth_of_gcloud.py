"""Loads the credentials of gcloud, which is asked for the project."""

import os
import pathlib
import shutil
import tempfile

import google.auth

ALONE = True

os.environ["CLOUDSDK_CONFIG"] = tempfile.mkdtemp()
shutil.copy(
    pathlib.Path(__file__).parent / "data" / "user.json",
    os.path.join(os.environ["CLOUDSDK_CONFIG"], "application_default_credentials.json"),
)
CREDENTIALS, PROJECT = google.auth.default()
