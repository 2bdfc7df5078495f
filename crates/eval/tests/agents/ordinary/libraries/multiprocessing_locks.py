"""Makes locks and queues at import."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

LOCK = multiprocessing.Lock()
QUEUE = multiprocessing.Queue()
COUNT = multiprocessing.Value("i", 0)
POOL = ProcessPoolExecutor(2)


def callback():
    with LOCK, COUNT.get_lock():
        COUNT.value += 1
    return COUNT.value
