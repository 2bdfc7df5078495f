"""Starts Sentry, which asks git for a version, and reports an error to its service."""

NEEDS = ["sentry_sdk"]
REFUSED = "o1.ingest.sentry.invalid"
ALONE = True

import sentry_sdk

sentry_sdk.init(dsn="https://key@o1.ingest.sentry.invalid/1", traces_sample_rate=1.0)


def callback():
    sentry_sdk.capture_message("hello")
    sentry_sdk.flush(5)
