"""Works in forked processes."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

FORKS = multiprocessing.get_context("fork")


def tool():
    with FORKS.Pool(2) as pool:
        squares = pool.map(abs, [-1, 2])
    with ProcessPoolExecutor(2, mp_context=FORKS) as pool:
        return squares + list(pool.map(abs, [-3]))
