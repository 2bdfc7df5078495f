"""What the processes that a case forks tell it."""

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))

from rehearsal_adk.evaluation.forked import Forked  # noqa: E402

TRIED = ("forbidden", "tried to write /etc/hosts", "agent.py:1 in tool")


def test_a_case_hears_what_its_forked_process_tried():
    taken = []
    loop = asyncio.new_event_loop()
    forked = Forked(loop, lambda *tried: taken.append(tried))
    assert not forked.read()
    if (child := os.fork()) == 0:
        if forked.is_here():
            forked.say(*TRIED)
        os._exit(0)
    os.waitpid(child, 0)
    assert forked.read()
    assert taken == [TRIED]
    forked.close()
    loop.close()


def test_a_case_that_has_ended_takes_nothing_from_files_that_have_its_numbers_now():
    loop = asyncio.new_event_loop()
    forked = Forked(loop, lambda *tried: None)
    # The system gives the lowest number that is free.
    forked.close()
    next_read, next_write = os.pipe()
    os.write(next_write, b"for the next case\n")
    assert not forked.read()
    forked.say(*TRIED)
    assert os.read(next_read, 1 << 16) == b"for the next case\n"
    for one in (next_read, next_write):
        os.close(one)
    loop.close()
