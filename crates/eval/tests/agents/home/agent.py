"""An agent with the tools that Google's eval sets of a home automation agent call."""

from google.adk.agents import LlmAgent


def get_device_info(device_id: str) -> dict:
    """Gets the status and location of a device."""
    return {"device_id": device_id, "status": "OFF", "location": "Bedroom"}


def set_device_info(device_id: str, status: str = "", location: str = "") -> str:
    """Sets the status or location of a device."""
    return f"Device {device_id} information updated: status -> {status}, location -> {location}."


def get_temperature(location: str) -> int:
    """Gets the temperature of a location."""
    return 22


root_agent = LlmAgent(
    name="Home_automation_agent",
    model="gemini-2.5-flash",
    tools=[get_device_info, set_device_info, get_temperature],
)
