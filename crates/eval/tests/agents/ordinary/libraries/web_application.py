"""Is part of a web application, which is tested in memory."""

import fastapi
import uvicorn
from starlette.testclient import TestClient

APP = fastapi.FastAPI()
SERVER = uvicorn.Server(uvicorn.Config(APP))


@APP.get("/")
def root():
    return {"ok": True}


def tool():
    return TestClient(APP).get("/").json()
