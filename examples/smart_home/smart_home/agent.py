"""A smart home, as an example of every kind of tool that an ADK agent can have.

Nothing here talks to a real device: state and artifacts of the session stand for the house.
"""

from __future__ import annotations

import asyncio
import enum
import json
import os
import time
from typing import Literal

from google.adk.agents import LlmAgent
from google.adk.tools import FunctionTool, LongRunningFunctionTool, ToolContext
from google.genai import types
from pydantic import BaseModel, Field

ROOMS = ("kitchen", "bedroom", "office")
Room = Literal["kitchen", "bedroom", "office"]


class Unit(enum.Enum):
    """A unit of temperature."""

    celsius = "celsius"
    fahrenheit = "fahrenheit"


class Schedule(BaseModel):
    """When to apply the change."""

    start: str = Field(description="HH:MM local time")
    days: list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]] = []
    repeat: bool = False


def list_rooms() -> list[str]:
    """Lists the rooms of the home."""
    return list(ROOMS)


def set_temperature(
    room: Room,
    degrees: float,
    unit: Unit = Unit.celsius,
    schedule: Schedule | None = None,
    tags: list[str] = [],
    tool_context: ToolContext = None,
) -> dict:
    """Sets the target temperature of a room.

    Args:
      room: The room to change.
      degrees: Target temperature.
      unit: Unit of `degrees`.
      schedule: Optional schedule.
      tags: Free-form tags.
    """
    scale = unit.value if isinstance(unit, Unit) else str(unit)
    reading = {"degrees": degrees, "unit": scale}
    # A list or dict in the state is replaced rather than changed in place: ADK records assignments.
    temperatures = dict(tool_context.state.get("temperatures", {}))
    temperatures[room] = reading
    tool_context.state["temperatures"] = temperatures
    return {
        "room": room,
        **reading,
        "schedule": schedule.model_dump() if isinstance(schedule, Schedule) else schedule,
        "tags": tags,
    }


async def read_sensor(room: Room, sensor: Literal["temperature", "humidity"] = "temperature") -> dict:
    """Reads a sensor of a room.

    Args:
      room: The room to read.
      sensor: What to measure.
    """
    await asyncio.sleep(0.01)
    values = {"temperature": 20.5, "humidity": 41}
    return {"room": room, "sensor": sensor, "value": values[sensor]}


def remember_preference(name: str, value: str, tool_context: ToolContext) -> str:
    """Remembers a preference of the owner for the rest of the session.

    Args:
      name: What the preference is about, such as `wake_up_time`.
      value: The preference.
    """
    preferences = dict(tool_context.state.get("preferences", {}))
    preferences[name] = value
    tool_context.state["preferences"] = preferences
    return f"{name} is {value} from now on."


def recall_preferences(tool_context: ToolContext) -> dict:
    """Recalls every preference remembered so far."""
    return dict(tool_context.state.get("preferences", {}))


async def save_floor_plan(title: str, tool_context: ToolContext) -> dict:
    """Saves a drawing of the floor plan as an artifact.

    Args:
      title: The title to write on the drawing.
    """
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg" width="240" height="60"><title>{title}</title></svg>'
    part = types.Part.from_bytes(data=drawing.encode(), mime_type="image/svg+xml")
    version = await tool_context.save_artifact("floor_plan.svg", part)
    return {"artifact": "floor_plan.svg", "version": version}


async def list_drawings(tool_context: ToolContext) -> list[str]:
    """Lists the artifacts of this session."""
    return await tool_context.list_artifacts()


def write_journal(entry: str, mood: Literal["good", "neutral", "bad"] = "neutral") -> dict:
    """Writes a line into the journal of the house.

    The line goes to the file named by the environment variable SMART_HOME_JOURNAL, where it is set.

    Args:
      entry: What happened.
      mood: How it felt.
    """
    path = os.environ.get("SMART_HOME_JOURNAL")
    if path:
        with open(path, "a", encoding="utf-8") as journal:
            journal.write(json.dumps({"entry": entry, "mood": mood}, ensure_ascii=False) + "\n")
    return {"entry": entry, "mood": mood, "written": bool(path)}


async def run_scene(seconds: float) -> str:
    """Plays a light scene and waits for its end.

    Args:
      seconds: How long the scene lasts.
    """
    await asyncio.sleep(seconds)
    return f"The scene ran for {seconds} s."


def calibrate_heating(seconds: float) -> str:
    """Calibrates the heating. The driver blocks until it is done.

    Args:
      seconds: How long the calibration takes.
    """
    time.sleep(seconds)
    return f"Calibrated in {seconds} s."


def order_part(part: str, quantity: int = 1) -> dict:
    """Orders a spare part. The shop answers later.

    Args:
      part: The name of the part.
      quantity: How many.
    """
    return {"status": "pending", "part": part, "quantity": quantity, "ticket": f"{part}-{quantity}"}


def unlock_door(door: Literal["front", "back"]) -> dict:
    """Unlocks a door.

    Args:
      door: The door to unlock.
    """
    return {"door": door, "locked": False}


def pay_bill(amount: float, tool_context: ToolContext) -> dict:
    """Pays a bill. Above 100 the owner is asked first.

    Args:
      amount: The amount in euros.
    """
    if amount > 100 and not tool_context.tool_confirmation:
        tool_context.request_confirmation(
            hint=f"Pay {amount:.2f} euros?", payload={"amount": amount}
        )
        return {"status": "waiting for the owner"}
    return {"status": "paid", "amount": amount}


def open_garage(code: int) -> dict:
    """Opens the garage door. Always fails in this lab.

    Args:
      code: The code of the garage.
    """
    raise PermissionError(f"The garage refused the code {code}.")


def garage_status() -> dict:
    """Says whether the garage is open."""
    return {"open": False, "car": "inside"}


garage_agent = LlmAgent(
    name="garage_agent",
    model="gemini-2.5-flash",
    description="Looks after the garage.",
    instruction="You look after the garage of {owner?}. Never open it at night.",
    tools=[garage_status, open_garage],
)

root_agent = LlmAgent(
    name="smart_home",
    model="gemini-2.5-flash",
    description="Runs the smart home of one owner.",
    instruction="""\
You run the smart home of {owner?}.

# Rules

1. Use the tools for everything that concerns the house; never guess a reading.
2. Temperatures are in degrees Celsius unless the owner says otherwise.
3. Hand everything about the garage to the garage agent.

What is known of the owner's preferences: {preferences?}
Temperatures set so far: {temperatures?}
""",
    tools=[
        list_rooms,
        set_temperature,
        read_sensor,
        remember_preference,
        recall_preferences,
        save_floor_plan,
        list_drawings,
        write_journal,
        run_scene,
        calibrate_heating,
        LongRunningFunctionTool(order_part),
        FunctionTool(unlock_door, require_confirmation=True),
        pay_bill,
        open_garage,
    ],
    sub_agents=[garage_agent],
)
