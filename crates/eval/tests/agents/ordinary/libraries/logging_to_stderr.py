"""Configures logging from a dictionary, with a queue."""

import logging.config
import logging.handlers
import queue
import sys

logging.config.dictConfig(
    {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"plain": {"format": "%(asctime)s %(processName)s %(message)s"}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
        "loggers": {"ordinary.console": {"handlers": ["console"], "level": "INFO"}},
    }
)


def callback():
    logging.getLogger("ordinary.console").info("hello")
    listener = logging.handlers.QueueListener(queue.Queue(), logging.StreamHandler(sys.stderr))
    listener.start()
    listener.stop()
