"""Starts Sentry without a service, as development does."""

NEEDS = ["sentry_sdk"]
ALONE = True

import sentry_sdk

sentry_sdk.init()


def callback():
    sentry_sdk.capture_message("hello")
    with sentry_sdk.start_transaction(name="work"):
        pass
