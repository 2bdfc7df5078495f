"""Makes a session at import, without a request."""

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

SESSION = requests.Session()
SESSION.mount("https://", HTTPAdapter(max_retries=Retry(3)))


def callback():
    return SESSION.prepare_request(requests.Request("GET", "https://example.com")).url
