"""Which errors of a run came of the one that a mock names."""

import asyncio
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))

from rehearsal_adk.evaluation.mock_error import MockError, is_cause_of  # noqa: E402


def raised(how):
    """What `how` lets out for the error of a mock."""
    with pytest.raises(Exception) as caught:
        try:
            raise MockError("the database is gone")
        except MockError as error:
            how(error)
    return caught.value


def again(error):
    raise error


def as_another(error):
    raise RuntimeError("the tool failed") from error


def by_mistake(_):
    {}["missing"]


@pytest.mark.parametrize(("how", "is_of_mock"), [(again, True), (as_another, True), (by_mistake, False)])
def test_an_error_is_of_a_mock_if_it_was_raised_from_its_error(how, is_of_mock):
    assert is_cause_of(raised(how)) == is_of_mock


@pytest.mark.skipif(not hasattr(asyncio, "TaskGroup"), reason="groups of exceptions are of Python 3.11")
def test_an_error_in_a_group_is_found():
    async def run():
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(0))
            raise MockError("the database is gone")

    with pytest.raises(Exception) as caught:
        asyncio.run(run())
    assert is_cause_of(caught.value)
