"""The support desk of a shop, with a flaw: a tool gives amounts in cents, and nothing says so.

Orders are a table here, and refunds are kept in the state of the session.
"""

from __future__ import annotations

from google.adk.agents import LlmAgent
from google.adk.tools import ToolContext

from .model import RuleModel

ORDERS = {
    "A-1001": {"item": "desk lamp", "total": 3450, "arrives_on": "Thursday"},
    "A-1002": {"item": "headphones", "total": 8900, "days_since_delivery": 70},
    "A-1003": {"item": "kettle", "total": 4990, "days_since_delivery": 3},
}


def find_order(order_id: str) -> dict:
    """Finds an order.

    Args:
      order_id: The number of the order, such as A-1001.
    """
    return ORDERS.get(order_id) or {"error": f"There is no order {order_id}."}


def refund(order_id: str, euros: float, tool_context: ToolContext) -> dict:
    """Refunds money for an order.

    Args:
      order_id: The number of the order.
      euros: The amount in euros.
    """
    tool_context.state["refunds"] = {**tool_context.state.get("refunds", {}), order_id: euros}
    return {"refunded": euros}


root_agent = LlmAgent(
    name="support_desk",
    # Rules, so that the example needs no key. `rehearsal eval --model NAME` puts a real model in their place.
    model=RuleModel(model="rules"),
    description="Responds to customers of a shop.",
    instruction="""\
You respond to customers of a shop. Look up their order before you say anything about it.
If it arrived broken, refund its total, until 30 days after the delivery.""",
    tools=[find_order, refund],
)
