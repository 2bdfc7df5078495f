"""Shows progress, for which a thread watches, and works in threads."""

ALONE = True

from tqdm.auto import tqdm
from tqdm.contrib.concurrent import thread_map

for _ in tqdm(range(3)):
    pass


def callback():
    return thread_map(str, [1, 2], max_workers=2)
