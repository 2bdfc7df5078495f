"""Keeps results in a cache on the disk."""

NEEDS = ["diskcache"]

import diskcache

CACHE = diskcache.Cache()


@CACHE.memoize()
def square(number):
    return number * number


def tool():
    with diskcache.Cache() as other:
        other["a"] = 1
    return square(3)
