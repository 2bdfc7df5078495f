"""Which functions of a suite are called in the order of the calls: those that may use the state of the session."""

import functools

import pytest

from rehearsal_adk.eval import MockContext, with_state_change
from rehearsal_adk.evaluation import functions


def plain(row):
    return {"row": row}


def beside_state(row, context):
    return {"row": row, "id": context.call_id, "at": context.now(), "again": context.tool_confirmation is not None}


def asks(euros, here: MockContext):
    here.request_confirmation(hint="How much?")
    here.actions.skip_summarization = True
    return {"status": here.tool_name}


def reads(row, context):
    return {"row": context.state["row"]}


def gives_on(row, context):
    return reads(row, context)


def renames(row, context):
    same = context
    return {"row": same.state["row"]}


def by_any_name(row, context):
    return {"row": eval("context.state")["row"]}


def by_a_text(row, context):
    return {"row": getattr(context, "state")["row"]}


def within(row, context):
    def inner():
        return context.state["row"]

    return inner()


def by_scope(row):
    return with_state_change({}, {"session": {"row": row}})


def decorated(function):
    @functools.wraps(function)
    def call(row, context):
        context.state["row"] = row
        return function(row, context)

    return call


wrapped = decorated(beside_state)
made = eval("lambda row, context: {'row': row}")


@pytest.mark.parametrize("mock", [plain, beside_state, asks])
def test_leaves_the_state_alone(mock):
    assert not functions._uses_state(mock)


@pytest.mark.parametrize(
    "mock",
    [reads, gives_on, renames, by_any_name, by_a_text, within, by_scope, wrapped, made, functools.partial(reads, "A")],
)
def test_may_use_the_state(mock):
    assert functions._uses_state(mock)
