"""A small ADK agent: two tools, one of which can fail."""

from google.adk.agents import Agent

REPORTS = {
    "lisbon": {"sky": "clear", "celsius": 24},
    "bergen": {"sky": "rain", "celsius": 9},
    "nairobi": {"sky": "cloudy", "celsius": 21},
}


def get_weather(city: str) -> dict:
    """Reports today's weather in a city.

    Args:
        city: The city's name in English.
    """
    report = REPORTS.get(city.strip().lower())
    if report is None:
        raise LookupError(f"no report for {city!r}; there are {', '.join(sorted(REPORTS))}")
    return {"city": city, **report}


def convert_temperature(celsius: float, to: str = "fahrenheit") -> float:
    """Converts a temperature.

    Args:
        celsius: Degrees Celsius.
        to: "fahrenheit" or "kelvin".
    """
    if to == "kelvin":
        return celsius + 273.15
    return celsius * 9 / 5 + 32


root_agent = Agent(
    name="weather",
    model="gemini-2.5-flash",
    description="Tells the weather.",
    instruction=(
        "You tell the weather.\n\n"
        "- Look reports up; never guess.\n"
        "- When no city is named, take {home_city}.\n"
        "- Answer in one sentence."
    ),
    tools=[get_weather, convert_temperature],
)
