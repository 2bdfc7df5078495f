"""Users for cases of the triage agent."""

from rehearsal_adk.eval import with_state_change


def patient(prompt, context):
    """Says one thing, and goes."""
    said = [message.text for message in context.conversation if message.role == "user"]
    if len(said) > 2:
        return None
    return with_state_change(
        f"You said: {prompt} ({context.state['patient']['age']}, {len(said)} before)",
        {"patient": {"pain": True}},
    )


def answers(prompt, context):
    """Responds to the tool that waits."""
    return {"answer": f"{context.tool_name}: {context.args['question']}"}


def reveal(condition, context):
    """A tool of a persona."""
    return with_state_change({"noted": condition}, {"patient": {"revealed": [condition]}})


def reveal_more(condition, context):
    """A tool of a persona that adds to what was revealed before."""
    before = context.state["patient"].get("revealed", [])
    return with_state_change({"noted": condition}, {"patient": {"revealed": [*before, condition]}})


def leaves(prompt):
    """Changes the state and goes without a word."""
    return with_state_change(None, {"patient": {"left": True}})


def unwell(prompt):
    """Fails."""
    raise ValueError("not today")
