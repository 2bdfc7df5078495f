"""Mocks and users of the club."""

from rehearsal_adk.eval import with_state_change


def visit(day, context):
    """Changes the state by key, by scope and by appending."""
    assert context.state.user["tier"] == context.state["user:tier"] == "gold"
    context.state.app["limit"] = 4
    return with_state_change({"day": day}, {"user": {"visits": {"$append": [day]}}})


def member(prompt, context):
    """Changes a scope, once."""
    if context.state["user:tier"] == "gold":
        return with_state_change("Again", {"user": {"tier": "silver"}})
    return None
