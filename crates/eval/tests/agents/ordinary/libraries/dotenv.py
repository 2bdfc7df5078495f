"""Loads settings from a file beside the agent."""

import pathlib

from dotenv import dotenv_values, find_dotenv, load_dotenv

load_dotenv()
load_dotenv(find_dotenv(usecwd=True))


def tool():
    return dotenv_values(pathlib.Path(__file__).parent / "data" / "settings.env")["GREETING"]
