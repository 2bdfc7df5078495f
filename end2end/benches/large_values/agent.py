"""An agent whose tools return large values; reading them is what is measured."""

from google.adk.agents import LlmAgent


def thousand() -> dict:
    """Returns 1,000 values: 166 orders of five members each, and the list."""
    return {"orders": [order(number) for number in range(166)]}


def hundred_thousand() -> dict:
    """Returns 100,000 values under one megabyte, nested five deep."""
    return {"shelves": [{"rows": [row(shelf, number) for number in range(16)]} for shelf in range(516)]}


def long_text() -> dict:
    """Returns a text of 900 KB on one line."""
    return {"text": "word " * 180_000}


def order(number: int) -> dict:
    """Five members, so six values with the order itself; no two orders have the same names."""
    return {f"id{number}": number, "open": number % 2 == 0, "sum": number * 1.5, "to": "Lisbon", "by": None}


def row(shelf: int, number: int) -> list:
    """Twelve values with the list itself."""
    return [shelf, number, [1, 2, 3, 4], [True, None, 7]]


root_agent = LlmAgent(
    name="large_values",
    model="gemini-2.5-flash",
    instruction="Read.",
    tools=[thousand, hundred_thousand, long_text],
)
