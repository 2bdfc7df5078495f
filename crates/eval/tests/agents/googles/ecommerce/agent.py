"""The agent of Google's eval set ecommerce_customer_service_agent."""

from google.adk.agents import LlmAgent
from scripted import Scripted

_ORDERS = {"1": "FINISHED", "2": "CANCELLED", "4": "PENDING"}


def get_order_status(order_id: str) -> str:
    """Gets the status of an order."""
    return _ORDERS[order_id]


def get_order_ids_for_user(user_id: str) -> list[str]:
    """Gets the orders of a user."""
    return ["1", "4"] if user_id == "user_a" else ["2"]


def cancel_order(order_id: str) -> str:
    """Cancels an order."""
    return f"{order_id} is cancelled"


async def send_email(user_id: str, email: str) -> dict:
    """Sends an email."""
    return {"sent": f"{user_id} <{email}>"}


root_agent = LlmAgent(
    name="ecommerce_agent",
    model=Scripted(),
    tools=[get_order_status, get_order_ids_for_user, cancel_order, send_email],
)
