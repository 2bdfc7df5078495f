"""Logs to the console through a queue, and to a temporary file."""

NEEDS = ["loguru"]
ALONE = True

import os
import sys
import tempfile

from loguru import logger

logger.add(os.path.join(tempfile.gettempdir(), "agent.log"), rotation="1 MB")


def callback():
    logger.add(sys.stderr, enqueue=True)
    logger.info("hello")
    logger.complete()
