"""Makes clients of Google Cloud at import, one of them with gRPC."""

import vertexai
from google.auth.credentials import AnonymousCredentials
from google.cloud import bigquery, storage, texttospeech

STORAGE = storage.Client(project="p", credentials=AnonymousCredentials())
TABLES = bigquery.Client(project="p", credentials=AnonymousCredentials())
vertexai.init(project="p", location="us-central1", credentials=AnonymousCredentials())


def callback():
    texttospeech.TextToSpeechClient(credentials=AnonymousCredentials())
    return STORAGE.bucket("b").blob("x").name
