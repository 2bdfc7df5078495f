"""Logs to a file in a folder that the case allows."""

import logging
import os
from logging.handlers import RotatingFileHandler

ALLOW = ["{folder}/logs/"]

FOLDER = os.environ["ORDINARY_FOLDER"] + "/logs"
os.makedirs(FOLDER, exist_ok=True)
logger = logging.getLogger("ordinary")
logger.addHandler(RotatingFileHandler(f"{FOLDER}/agent.log", maxBytes=200, backupCount=2))


def callback():
    for number in range(20):
        logger.warning("This is line %s", number)
    return len(os.listdir(FOLDER)) > 1
