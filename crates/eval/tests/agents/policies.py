"""The policies that the triage agent reads in eval cases."""

from rehearsal_adk.eval import ToolError

POLICIES = {"chest_pain": "Call 999 when the pain spreads to an arm."}


def read(policy_id: str) -> dict:
    """The mock of the tool."""
    if policy_id not in POLICIES:
        raise ToolError(f"there is no policy {policy_id}")
    return {"policy": POLICIES[policy_id]}
