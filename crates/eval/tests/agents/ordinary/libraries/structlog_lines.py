"""Logs lines with fields."""

NEEDS = ["structlog"]

import structlog

LOG = structlog.get_logger()


def callback():
    LOG.info("asked", city="Rome")
