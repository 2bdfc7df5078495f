"""Uses locales, time zones and translations."""

import contextlib
import datetime
import gettext
import locale
import time
import zoneinfo

import tzlocal

with contextlib.suppress(locale.Error):
    locale.setlocale(locale.LC_ALL, "")


def callback():
    gettext.translation("ordinary", fallback=True)
    time.tzset()
    assert zoneinfo.available_timezones() and tzlocal.get_localzone()
    return datetime.datetime.now(zoneinfo.ZoneInfo("Europe/Berlin")), locale.localeconv()
