"""The agent of Google's eval sets home_automation_agent."""

from google.adk.agents import LlmAgent
from scripted import Scripted


def get_device_info(device_id: str) -> dict:
    """Gets the status and location of a device."""
    return {"device_id": device_id, "status": "OFF", "location": "Bedroom"}


def set_device_info(device_id: str, status: str = "", location: str = "") -> str:
    """Sets the status or location of a device."""
    return f"Device {device_id} is {status} in {location}."


root_agent = LlmAgent(
    name="Home_automation_agent",
    model=Scripted(),
    tools=[get_device_info, set_device_info],
)
