"""An agent with a tool for each way in which Python finds the method that runs it.

With `REPLACED` in the environment, the agent also replaces the method of google-adk's own class of function tools.
"""

import functools
import os

from google.adk.agents import LlmAgent
from google.adk.tools import AgentTool, BaseTool, FunctionTool, exit_loop
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.set_model_response_tool import SetModelResponseTool
from google.adk.tools.transfer_to_agent_tool import TransferToAgentTool
from google.genai import types

RAN = []
"""The tools whose code has run, as often as it has."""

MODEL = "gemini-2.5-flash"


def real(name: str) -> dict:
    RAN.append(name)
    return {"result": "real"}


async def run(self, *, args, tool_context):
    return real(self.name)


class Tool(BaseTool):
    """A tool of the author, without code."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name, description="Runs.")

    def _get_declaration(self) -> types.FunctionDeclaration:
        parameters = types.Schema(type="OBJECT", properties={})
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters=parameters
        )


class InTheClass(Tool):
    run_async = run


class InTheBase(InTheClass):
    pass


class CallsItsBase(InTheClass):
    async def run_async(self, *, args, tool_context):
        return await super().run_async(args=args, tool_context=tool_context)


class Mixin:
    async def run_async(self, *, args, tool_context):
        return await self.call()

    async def call(self):
        return real(self.name)


class FromAMixin(Mixin, Tool):
    pass


class LaterMixin:
    pass


class FromALaterMixin(LaterMixin, Tool):
    pass


LaterMixin.run_async = run


class AssignedLater(Tool):
    pass


AssignedLater.run_async = run


class OnTheInstance(Tool):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.run_async = functools.partial(run, self)


class Positional(Tool):
    async def run_async(self, args, tool_context, more=None):
        return real(self.name)


class AProperty(Tool):
    @property
    def run_async(self):
        return functools.partial(run, self)


class ByGetattr(Tool):
    @property
    def run_async(self):
        raise AttributeError("not here")

    def __getattr__(self, name):
        if name == "run_async":
            return functools.partial(run, self)
        raise AttributeError(name)


class ByGetattribute(Tool):
    def __getattribute__(self, name):
        if name == "run_async":
            return functools.partial(run, self)
        return object.__getattribute__(self, name)


class Lookup:
    def __getattribute__(self, name):
        found = object.__getattribute__(self, "__dict__").get("called_" + name)
        return found or object.__getattribute__(self, name)


class ByAMixinsGetattribute(Lookup, Tool):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.called_run_async = functools.partial(run, self)


class ByALaterGetattribute(Tool):
    pass


ByALaterGetattribute.__getattribute__ = ByGetattribute.__dict__["__getattribute__"]


class Meta(type(BaseTool)):
    def __new__(cls, name, bases, namespace):
        return super().__new__(cls, name, bases, {**namespace, "run_async": run})

    def __setattr__(cls, name, value):
        if name in ("run_async", "__getattribute__"):
            raise AttributeError("this class is final")
        super().__setattr__(name, value)


class FromAMetaclass(Tool, metaclass=Meta):
    pass


class Silent(Tool):
    def __init_subclass__(cls, **kwargs):
        """Tells its bases of no subclass."""


class OfASilentClass(Silent):
    run_async = run


class APartialMethod(Tool):
    async def _run(self, how, *, args, tool_context):
        return real(self.name)

    run_async = functools.partialmethod(_run, "fast")


class Callable:
    async def __call__(self, *, args, tool_context):
        return real("a_callable_object")


class ACallableObject(Tool):
    run_async = Callable()


def function(name: str, code=None):
    """A function of this name."""

    def called() -> dict:
        return real(name)

    called = code or called
    called.__name__ = called.__qualname__ = name
    called.__doc__ = "Runs."
    return called


class FunctionsRun(FunctionTool):
    async def run_async(self, *, args, tool_context):
        return real(self.name)


class FunctionsSuper(FunctionTool):
    async def run_async(self, *, args, tool_context):
        return await super().run_async(args=args, tool_context=tool_context)


class FunctionsInvoke(FunctionTool):
    async def _invoke_callable(self, target, args_to_call):
        return real(self.name)


class FunctionsGenerator(FunctionTool):
    async def _run_generator_as_node(self, *, args_to_call, tool_context):
        return real(self.name)

    async def _invoke_callable(self, target, args_to_call):
        return real(self.name)  # Older versions of google-adk run generators like this.


class FunctionOfAProperty(FunctionTool):
    """Its function is another object each time."""

    def body(self) -> dict:
        """Runs."""
        return real(self.name)

    @property
    def func(self):
        return self.body

    @func.setter
    def func(self, value):
        pass


def generator():
    yield from ()


def replaced_function() -> FunctionTool:
    tool = FunctionTool(function("function_replaced", lambda: {}))
    tool.func = function("function_replaced")
    return tool


def instance_invoke(function, name: str) -> FunctionTool:
    tool = FunctionTool(function)
    tool.name = name

    async def invoke(target, args_to_call):
        return real(tool.name)

    tool._invoke_callable = invoke
    return tool


class OwnAgentTool(AgentTool):
    run_async = run


def agent_tool_of_instance() -> AgentTool:
    tool = AgentTool(LlmAgent(name="agent_tools_instance", model=MODEL, description="Helps."))
    tool.run_async = functools.partial(run, tool)
    return tool


@functools.wraps(exit_loop)
def wrapped_exit_loop(tool_context) -> dict:
    return real("wrapped_exit_loop")


wrapped_exit_loop.__name__ = "wrapped_exit_loop"


class OwnTransfer(TransferToAgentTool):
    run_async = run


class OwnResponse(SetModelResponseTool):
    run_async = run


def control_flow(tool: BaseTool, name: str) -> BaseTool:
    tool.name = name
    return tool


def property_tool() -> FunctionOfAProperty:
    tool = FunctionOfAProperty(function("function_of_a_property"))
    tool.name = "function_of_a_property"
    return tool


TOOLS = [
    InTheClass("in_the_class"),
    InTheBase("in_the_base"),
    CallsItsBase("calls_its_base"),
    FromAMixin("from_a_mixin"),
    FromALaterMixin("from_a_later_mixin"),
    AssignedLater("assigned_later"),
    OnTheInstance("on_the_instance"),
    Positional("positional"),
    AProperty("a_property"),
    ByGetattr("by_getattr"),
    ByGetattribute("by_getattribute"),
    ByAMixinsGetattribute("by_a_mixins_getattribute"),
    ByALaterGetattribute("by_a_later_getattribute"),
    FromAMetaclass("from_a_metaclass"),
    OfASilentClass("of_a_silent_class"),
    APartialMethod("a_partial_method"),
    ACallableObject("a_callable_object"),
    FunctionTool(function("function")),
    FunctionsRun(function("functions_run")),
    FunctionsSuper(function("functions_super")),
    FunctionsInvoke(function("functions_invoke")),
    FunctionsGenerator(function("functions_generator", generator)),
    replaced_function(),
    instance_invoke(function("f"), "functions_instance_invoke"),
    instance_invoke(exit_loop, "exit_loops_instance_invoke"),
    property_tool(),
    OwnAgentTool(LlmAgent(name="own_agent_tool", model=MODEL, description="Helps.")),
    agent_tool_of_instance(),
    FunctionTool(wrapped_exit_loop),
    control_flow(OwnTransfer(["resolved"]), "own_transfer"),
    control_flow(OwnResponse({"type": "object"}), "own_response"),
]

class Wrapped:
    """Stands for a tool, and is none by its class."""

    def __init__(self, tool: BaseTool) -> None:
        self._tool = tool

    def __getattr__(self, name):
        return getattr(self._tool, name)

    async def process_llm_request(self, *, tool_context, llm_request) -> None:
        llm_request.append_tools([self])

    async def run_async(self, *, args, tool_context):
        return real(self.name)


class WrappedByGetattribute(Wrapped):
    run_async = None

    def __getattribute__(self, name):
        if name == "run_async":
            return functools.partial(run, self)
        return super().__getattribute__(name)


class Tools(BaseToolset):
    async def get_tools(self, readonly_context=None):
        return [Wrapped(Tool("wrapped")), WrappedByGetattribute(Tool("wrapped_by_getattribute"))]

    async def close(self) -> None:
        pass


if "REPLACED" in os.environ:
    FunctionTool.run_async = run


async def call_directly(callback_context) -> None:
    """Calls the tools that the state names, on the object and on its class."""
    state = callback_context.state
    for tool in TOOLS:
        name = getattr(tool, "name", "")
        if name in state.get("on_object", ()):
            called = tool.run_async
        elif name in state.get("on_class", ()):
            called = functools.partial(type(tool).run_async, tool)
        else:
            continue
        state[f"result_of_{name}"] = await called(args={}, tool_context=callback_context)


def note(callback_context) -> None:
    callback_context.state["ran"] = sorted(RAN)
    RAN.clear()


root_agent = LlmAgent(
    name="resolved",
    model=MODEL,
    tools=[*TOOLS, Tools()],
    before_agent_callback=call_directly,
    after_agent_callback=note,
)
