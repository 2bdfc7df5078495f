"""Mocks and users of the club."""

from rehearsal_adk.eval import with_state_change


def visit(day, context):
    """Changes the state by key, by scope and by appending."""
    assert context.state.user["tier"] == context.state["user:tier"] == "gold"
    context.state.app["limit"] = 4
    return with_state_change({"day": day}, {"user": {"visits": {"$append": [day]}}})


def format_prompt(context):
    """The agent's text, with what it read."""
    assert context.events[0]["type"] == "initial_state" and context.tool is None
    return f"{context.text} ({context.state['user:tier']}, heard {len(context.conversation)})"


async def format_response(output, context):
    """The answer, and how often the users were heard."""
    return f"{output}, {context.text}!"


def no_text(context):
    """Not a prompt."""
    return 7


def echo(prompt):
    """Says what it hears, once."""
    return None if "!" in prompt else prompt


def member(prompt, context):
    """Changes a scope, once."""
    if context.state["user:tier"] == "gold":
        return with_state_change("Again", {"user": {"tier": "silver"}})
    return None
