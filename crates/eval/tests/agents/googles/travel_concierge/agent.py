"""The agent of Google's eval set travel-concierge: sub-agents in two levels, and one that is a tool."""

from google.adk.agents import LlmAgent
from google.adk.tools import ToolContext
from google.adk.tools.agent_tool import AgentTool
from scripted import Scripted


def memorize(key: str, value: str, tool_context: ToolContext) -> dict:
    """Keeps a value in the session."""
    tool_context.state[key] = value
    return {"status": f"Stored {key}"}


def flight_status_check(
    flight_number: str, flight_date: str, checkin_time: str, departure_time: str
) -> dict:
    """Checks a flight."""
    return {"status": f"{flight_number} is on time"}


def event_booking_check(event_name: str, event_date: str, event_location: str) -> dict:
    """Checks an event."""
    return {"status": "closed" if event_name == "Space Needle" else "open"}


def weather_impact_check(activity_name: str, activity_date: str, activity_location: str) -> dict:
    """Checks the weather."""
    return {"status": "no impact"}


_day_of = LlmAgent(name="day_of_agent", model=Scripted(fixed="Walk north."), description="Helps.")
_monitor = LlmAgent(
    name="trip_monitor_agent",
    model=Scripted(),
    description="Monitors a trip.",
    tools=[flight_status_check, event_booking_check, weather_impact_check],
)
_in_trip = LlmAgent(
    name="in_trip_agent",
    model=Scripted(),
    description="Helps on a trip.",
    tools=[memorize, AgentTool(agent=_day_of)],
    sub_agents=[_monitor],
)

root_agent = LlmAgent(name="root_agent", model=Scripted(), sub_agents=[_in_trip])
