"""The source text of a generated agent as it is written, and the choices that concern all of it."""

from __future__ import annotations

from random import Random
from typing import Any

PREFIXES = ["", "", "", "user:", "app:", "temp:"]


class Source:
    """The source of one agent and its mocks."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = Random(seed)
        self.agent: list[str] = []
        self.mocks: list[str] = []
        self.tools: list[str] = []
        self.mocked: list[str] = []
        self.kind = self.pick(["llm"] * 5 + ["sequential", "loop", "parallel", "chain", "route", "join"])
        self.is_ordered = self.kind not in ("parallel", "join")
        self.has_objects = self.chance(0.25)
        self.most_calls = self.pick([1, 3])
        self.is_racy = not self.is_ordered
        self.agents = 0

    def pick(self, among: list) -> Any:
        """One of them."""
        return self.random.choice(among)

    def chance(self, probability: float) -> bool:
        """Whether it happens."""
        return self.random.random() < probability

    def state_of(self, name: str) -> tuple[str, str]:
        """A statement that changes the state, and an expression that reads it."""
        if self.is_racy:
            # What is read depends on what else runs at the same time.
            return f'state[f"{name} {{digest(got)}}"] = got', "1"
        key = f"{self.pick(PREFIXES)}{name}"
        change = self.pick(
            [
                f'state["{key}"] = state.get("{key}", 0) + 1',
                f'state["{key}"] = [*state.get("{key}", []), got]',
                f'state["{key}"] = {{"last": got, "city": state.get("city")}}',
                f'state.update({{"{key}": digest(got) % 9}})',
                'state["n"] = state.get("n", 0) + 1',
                "pass",
            ]
        )
        return change, f'digest(state.get("{key}")) % 9'
