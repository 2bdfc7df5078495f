"""Writes an agent of google-adk at random, the same for the same seed, and mocks that do what its tools do.

The agent is a package ``agent_SEED`` with the tools and callbacks as source text, so that it can be read and run
alone. The mocks are functions in ``mocks_SEED.py`` beside it.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from random import Random

from .tools import ToolWriter

HERE = Path(__file__).parent

HEADER = '''"""Made by tests/python/generated/agents.py from the seed {seed}."""

import asyncio
import datetime
from typing import Any, Literal, Optional

{imports}
'''

AGENT_IMPORTS = """from google.adk import Context
from google.adk.agents import BaseAgent, LlmAgent, LoopAgent, ParallelAgent, SequentialAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.apps import App, ResumabilityConfig
from google.adk.events.event import Event
from google.adk.events.request_input import RequestInput
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools import AgentTool, BaseTool, FunctionTool, LongRunningFunctionTool, ToolContext, exit_loop
from google.adk.tools.base_toolset import BaseToolset
from google.adk.workflow import JoinNode, Workflow, node
from google.genai import types

from .model import RandomModel
from .shapes import Color, Item, Order, digest, plain, shown"""

MOCK_IMPORTS = """from rehearsal_adk.eval import MockContext, ToolError

from {package}.shapes import Color, Item, Order, digest, plain, shown"""


@dataclass
class Generated:
    """What there is to know about an agent that was written."""

    name: str
    folder: Path
    tools: list[str]
    """The tools and nodes, which a case has to name."""
    mocked: list[str]
    """Those of them for which a mock does the same."""
    is_ordered: bool
    """Whether events have one order, which they do not where agents run in parallel."""


class AgentWriter(ToolWriter):
    """Writes agents with their callbacks."""

    def llm(self, depth: int = 0, tools: int = 3, ends_loop: bool = False, is_tool: bool = False) -> str:
        """Writes an agent with a model, and returns the name of the variable."""
        name = f"agent_{self.agents}"
        self.agents += 1
        has = [
            # google-adk cannot run generators everywhere.
            self.class_tool() if self.chance(0.08) else self.tool(self.kind == "llm" and depth == 0)
            for _ in range(self.random.randrange(tools + 1))
        ]
        if ends_loop:
            has.append("exit_loop")
        if depth < 2 and self.most_calls == 1 and self.chance(0.4):
            options = ", include_plugins=False" if self.chance(0.3) else ""
            options += ", skip_summarization=True" if self.chance(0.1) else ""
            has.append(f"AgentTool({self.llm(depth + 1, 2, is_tool=True)}{options})")
        below = []
        if depth < 2 and self.kind in ("llm", "sequential") and self.chance(0.35):
            below = [self.llm(depth + 1, 2) for _ in range(self.random.randrange(1, 3))]
        mode = self.pick(["task", "single_turn", "chat"])
        has_mode = depth > 0 and self.kind == "llm" and self.most_calls == 1 and self.chance(0.1)
        instruction = self.pick(
            [
                '"Work."',
                '"Work in {city?} for {user:tier?}, {app:motto?}."',
                '"Begin."' if has_mode else '"Begin in {city}."',
                "lambda context: f\"Work for {context.state.get('user:tier')}.\"",
                '"Read {city?}: {nested?} {temp:x?} {{no?}}"',
            ]
        )
        settings = f"most_calls={self.most_calls}, is_ordered={self.is_ordered}"
        arguments = [
            f'name="{name}"',
            f'model=RandomModel(model="{name}", seed={self.seed}, {settings})',
            f"instruction={instruction}",
            f'description="Is {name}."',
            f"tools=[{', '.join(has)}]",
        ]
        if below:
            arguments.append(f"sub_agents=[{', '.join(below)}]")
        if self.chance(0.2):
            arguments.append(f'output_key="{self.pick(["", "user:", "temp:"])}said_{name}"')
        if not below and not has_mode and self.chance(0.1):
            arguments.append(f"output_schema={self.pick(['Item', 'Order', 'list[Item]'])}")
        # Two agents that transfer to each other would never end.
        if depth == 0 and not below and self.chance(0.1):
            arguments.append('include_contents="none"')
        if self.chance(0.1):
            arguments.append('static_instruction="Be brief."')
        if self.chance(0.1):
            arguments.append("disallow_transfer_to_peers=True")
        if is_tool and self.chance(0.2):
            arguments.append("input_schema=Order")
        if has_mode:
            arguments.append(f'mode="{mode}"')
        if depth == 0 and self.chance(0.1):
            arguments.append('global_instruction="All in {city?}."')
        arguments += self.callbacks(name)
        self.agent.append(f"{name} = LlmAgent(\n    " + ",\n    ".join(arguments) + ",\n)\n")
        return name

    def callbacks(self, agent: str) -> list[str]:
        """Writes callbacks, and returns the arguments of the agent for them."""
        arguments = []
        at = f" {agent}"
        # Callbacks of calls that are made together run in any order where a mock is among them.
        of_call = "tool.name + str(digest(shown(args)))"

        def add(kind: str, parameters: str, lines: list[str], probability: float = 0.2) -> None:
            if not self.chance(probability):
                return
            define = "async def" if self.chance(0.3) else "def"
            body = "".join(f"    {line}\n" for line in lines)
            self.agent.append(f"{define} {kind}_of_{agent}({parameters}):\n{body}")
            arguments.append(f"{kind}_callback={kind}_of_{agent}")

        count = f'state["{{0}}{at}"] = state.get("{{0}}{at}", 0) + 1'
        answer = "types.Content(role='model', parts=[types.Part(text='{0}')])"
        for kind in ("before_agent", "after_agent"):
            lines = ["state = callback_context.state", count.format(kind)]
            if self.chance(0.3):
                lines += [f"if state['{kind}{at}'] % 3 == 2:", f"    return {answer.format(kind)}"]
            add(kind, "callback_context", lines)
        lines = ["state = callback_context.state", count.format("before_model")]
        if self.chance(0.5):
            lines.append(f"llm_request.append_instructions(['Request ' + str(state['before_model{at}'])])")
        if self.chance(0.3):
            lines += [
                f"if state['before_model{at}'] % 4 == 3:",
                f"    return LlmResponse(content={answer.format('instead')})",
            ]
        add("before_model", "callback_context, llm_request", lines)
        lines = ["state = callback_context.state", count.format("after_model")]
        if self.chance(0.5):
            lines += [
                "if llm_response.content and llm_response.content.parts[-1].text:",
                "    llm_response.content.parts[-1].text += '!'",
            ]
        add("after_model", "callback_context, llm_response", lines)
        lines = ["state = tool_context.state", f"state['before_tool' + {of_call}] = shown(args)"]
        if self.chance(0.3):
            lines.append("args['a'] = args.get('a', 5)")
        if self.chance(0.3):
            lines += ["if digest(shown(args)) % 5 == 0:", "    return {'instead': tool.name}"]
        add("before_tool", "tool, args, tool_context", lines)
        lines = ["state = tool_context.state", f"state['after_tool' + {of_call}] = shown(args)"]
        if self.chance(0.6):
            lines += ["if isinstance(tool_response, dict):", "    return {**tool_response, 'checked': True}"]
        else:
            lines += ["return {'seen': plain(tool_response)}"]
        add("after_tool", "tool, args, tool_context, tool_response", lines)
        lines = [f"tool_context.state['failed' + {of_call}] = str(error)", "return {'error': str(error)}"]
        add("on_tool_error", "tool, args, tool_context, error", lines, 0.6)
        return arguments

    def own_agent(self) -> str:
        """Writes an agent of a class of its own, and returns the expression for it."""
        self.agent.append(
            "class Own(BaseAgent):\n    async def _run_async_impl(self, ctx):\n"
            "        yield Event(author=self.name, invocation_id=ctx.invocation_id, branch=ctx.branch,\n"
            "                    content=types.Content(role='model', parts=[types.Part(text='by myself')]))\n"
            "        for agent in self.sub_agents:\n            async for event in agent.run_async(ctx):\n"
            "                yield event\n"
        )
        return f'Own(name="own", sub_agents=[{self.llm(2)}])'

    def workflow(self) -> str:
        """Writes a workflow, and returns the name of its variable."""

        def one() -> str:
            roll = self.random.random()
            if roll < 0.25:
                return self.llm(1, 2)
            return self.asking_node() if roll < 0.35 else self.function_node()

        first, last = one(), one()
        edges = [f'("START", {first})']
        match self.kind:
            case "chain":
                edges.append(f"({first}, {one()}, {last})")
            case "route":
                router = self.routing_node()
                left, right = one(), one()
                edges += [f"({first}, {router})", f'({router}, {{"left": {left}, "right": {right}}})']
                edges += [f"({left}, {last})", f"({right}, {last})"]
            case "join":
                self.agent.append('joined = JoinNode(name="joined")\n')
                left, right = self.function_node(), self.function_node()
                edges += [f"({first}, ({left}, {right}), joined, {last})"]
        self.agent.append(f'workflow = Workflow(name="workflow", edges=[{", ".join(edges)}])\n')
        return "workflow"

    def root(self) -> None:
        """Writes the root agent and the app."""
        match self.kind:
            case "llm":
                root = self.llm()
            case "sequential" | "parallel":
                inside = [self.llm(1) for _ in range(self.random.randrange(2, 4))]
                if self.chance(0.3):
                    inside.append(self.own_agent())
                kind = self.kind.capitalize()
                self.agent.append(f'several = {kind}Agent(name="several", sub_agents=[{", ".join(inside)}])\n')
                root = "several"
            case "loop":
                inside = [self.llm(1, ends_loop=self.chance(0.5)) for _ in range(self.random.randrange(1, 3))]
                self.agent.append(
                    f'several = LoopAgent(name="several", max_iterations=3, sub_agents=[{", ".join(inside)}])\n'
                )
                root = "several"
            case _:
                root = self.workflow()
        self.agent.append(f"root_agent = {root}\n")
        if self.chance(0.35):
            self.app()

    def app(self) -> None:
        """Writes an app around the root agent."""
        plugins = ""
        if self.chance(0.6):
            at = "" if self.is_ordered else " + tool.name + str(digest(shown(tool_args)))"
            self.agent.append(
                "class Counting(BasePlugin):\n"
                "    async def before_tool_callback(self, *, tool, tool_args, tool_context):\n"
                f"        key = 'plugin'{at}\n"
                "        tool_context.state[key] = tool_context.state.get(key, 0) + 1\n\n"
                "    async def on_tool_error_callback(self, *, tool, tool_args, tool_context, error):\n"
                "        return {'plugin': str(error)} if tool.name.endswith('1') else None\n"
            )
            plugins = ', plugins=[Counting(name="counting")]'
        resumable = ", resumability_config=ResumabilityConfig(is_resumable=True)" if self.chance(0.4) else ""
        self.agent.append(f'app = App(name="agent_{self.seed}", root_agent=root_agent{plugins}{resumable})\n')


def cases(seed: int, count: int) -> list[dict]:
    """Conversations with the agent: each has a name, the state before it, and what the user says."""
    made = []
    for number in range(count):
        random = Random(f"{seed} {number}")
        state = {
            key: value
            for key, value in (
                ("user:tier", random.choice(["gold", None, 3])),
                ("app:motto", "Zoë says “hi”"),
                ("temp:x", 1),
                ("n", random.randrange(5)),
                ("nested", {"deep": [1, {"er": None}]}),
            )
            if random.random() < 0.5
        }
        if random.random() < 0.95:
            state["city"] = random.choice(["Rome", "", "Åre"])
        said = [random.choice(["Go", "Go on, please", "{city}?", "7"]) for _ in range(random.randrange(1, 4))]
        picture = {"inline_data": {"mime_type": "image/png", "data": "iVBORw0KGgo="}}
        messages = [
            {"parts": [{"text": text}, picture]} if random.random() < 0.15 else text for text in said
        ]
        made.append({"name": f"{seed}-{number}", "state": state, "messages": messages})
    return made


def write(folder: Path, seed: int) -> Generated:
    """Writes the agent of the seed and its mocks into the folder."""
    writer = AgentWriter(seed)
    writer.root()
    name = f"agent_{seed}"
    package = folder / name
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").write_text("")
    for file in ("model.py", "shapes.py"):
        shutil.copy(HERE / file, package / file)
    header = HEADER.format(seed=seed, imports=AGENT_IMPORTS)
    (package / "agent.py").write_text("\n\n".join([header, *writer.agent]), "utf-8")
    header = HEADER.format(seed=seed, imports=MOCK_IMPORTS.format(package=name))
    (folder / f"mocks_{seed}.py").write_text("\n\n".join([header, *writer.mocks]), "utf-8")
    return Generated(name, package, writer.tools, writer.mocked, writer.is_ordered)
