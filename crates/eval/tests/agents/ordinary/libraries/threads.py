"""Works in threads."""

import functools
import threading
from concurrent.futures import ThreadPoolExecutor

LOCAL = threading.local()


@functools.cache
def slow(number):
    return number + 1


def callback():
    with ThreadPoolExecutor(3) as pool:
        return list(pool.map(slow, [1, 1, 2]))
