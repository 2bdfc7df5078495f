"""Every private name of google-adk that this package uses, with what it is for and what happens without it.

google-adk may rename or remove such a name in any release. So no other module names one: a test sees to that. Each is
looked for when a process starts (``check``). If one is missing without which a result could be wrong, the agent is not
loaded, and the error says what to install. If only a feature is missing, a warning says so in the page.

Modules that google-adk imports only for some models and toolsets are looked at once they are imported.
"""

from __future__ import annotations

import dataclasses
import dis
import importlib
import inspect
import re
import sys
from collections.abc import Iterable
from typing import Any, Literal

from rehearsal_adk import loading
from rehearsal_adk.faults import Fault

TESTED = ">=2.11,<2.14"
"""The versions of google-adk with which this package is tested."""

Part = Literal["rehearsal", "evaluation", "live"]
"""What uses a name: the worker of a rehearsal, a process of eval runs, or ``RehearsalPlugin``."""


class MissingName(Fault):
    """The installed google-adk has no such name."""

    def __init__(self, message: str) -> None:
        super().__init__("UnsupportedAdk", message)


@dataclasses.dataclass(frozen=True)
class Without:
    """What happens without a name."""

    consequence: str
    """A clause, to follow "without which"."""
    refuses: bool
    """Whether the agent is not loaded."""


def _refuse(consequence: str) -> Without:
    return Without(consequence, refuses=True)


def _warn(consequence: str) -> Without:
    return Without(consequence, refuses=False)


@dataclasses.dataclass(frozen=True)
class PrivateName:
    """A private name, and the access to it."""

    module: str
    """The module that defines it, which may be the only private part of the name."""
    path: str
    """The name in the module: of a class or function, or ``CLASS.ATTRIBUTE``."""
    since: tuple[int, int] = (2, 0)
    """The first version of google-adk that has what the name is for."""
    is_lazy: bool = False
    """Whether google-adk imports the module only if an agent needs it."""
    rehearsal: Without | None = None
    evaluation: Without | None = None
    live: Without | None = None

    @property
    def attribute(self) -> str:
        """The name itself, without its class."""
        return self.path.rpartition(".")[2]

    def exists(self) -> bool:
        """Whether the installed google-adk has it."""
        owner = self._owner()
        if owner is None:
            return False
        return hasattr(owner, self.attribute) or (isinstance(owner, type) and self._is_set_by(owner))

    def value(self) -> Any:
        """The object of the module, or what the class has under the name.

        Raises:
          MissingName: the installed google-adk does not have it.
        """
        owner = self._owner()
        if owner is None or not hasattr(owner, self.attribute):
            raise missing([self])
        return getattr(owner, self.attribute)

    def replace(self, value: Any) -> None:
        """Replaces what the class or the module has under the name."""
        setattr(self._owner(), self.attribute, value)

    def is_of(self, instance: Any) -> bool:
        """Whether the object is of the class that has the name."""
        owner = self.path.rpartition(".")[0]
        bases = type(instance).__mro__
        return any(base.__module__ == self.module and base.__name__ == owner for base in bases)

    def of(self, instance: Any) -> Any:
        """The attribute of an object of the class.

        Raises:
          MissingName: the object does not have it.
        """
        try:
            return getattr(instance, self.attribute)
        except AttributeError as error:
            if self.exists():
                raise
            raise missing([self]) from error

    def get(self, instance: Any, otherwise: Any = None) -> Any:
        """The attribute of an object, or ``otherwise`` for one of another class. Only for a name that ``check`` or
        ``check_model`` has looked for."""
        return getattr(instance, self.attribute, otherwise)

    def set_on(self, instance: Any, value: Any) -> None:
        """Sets the attribute of an object."""
        setattr(instance, self.attribute, value)

    def _owner(self) -> Any:
        try:
            owner = importlib.import_module(self.module)
        except ImportError:
            return None
        name = self.path.rpartition(".")[0]
        return getattr(owner, name, None) if name else owner

    def _is_set_by(self, of: type) -> bool:
        """Whether a method of the class sets the attribute on its objects."""
        functions = (value for base in of.__mro__ for value in vars(base).values() if inspect.isfunction(value))
        codes = (inspect.unwrap(function).__code__ for function in functions)
        return any(
            one.opname == "STORE_ATTR" and one.argval == self.attribute
            for code in codes
            if self.attribute in code.co_names
            for one in dis.get_instructions(code)
        )


# Where a model is called.

LLM_FLOW = PrivateName(
    "google.adk.agents.llm_agent",
    "LlmAgent._llm_flow",
    rehearsal=_refuse("callbacks around a model call do not run"),
)
"""The flow of an agent, which makes its requests and runs its callbacks."""

PREPROCESS = PrivateName(
    "google.adk.flows.llm_flows.base_llm_flow",
    "BaseLlmFlow._preprocess_async",
    rehearsal=_warn("only the agent's own instruction and tools are shown, not what google-adk adds"),
)
"""Makes the request that the model would get, for the view."""

BEFORE_MODEL = PrivateName(
    "google.adk.flows.llm_flows.base_llm_flow",
    "BaseLlmFlow._handle_before_model_callback",
    rehearsal=_refuse("before-model callbacks do not run"),
)
"""Runs the before-model callbacks of plugins and of an agent."""

AFTER_MODEL = PrivateName(
    "google.adk.flows.llm_flows.base_llm_flow",
    "BaseLlmFlow._handle_after_model_callback",
    rehearsal=_refuse("after-model callbacks do not run"),
)
"""Runs the after-model callbacks of plugins and of an agent."""

AGENT_TO_RUN = PrivateName(
    "google.adk.flows.llm_flows.base_llm_flow",
    "BaseLlmFlow._get_agent_to_run",
    rehearsal=_refuse("an agent could transfer to one that google-adk does not allow"),
)
"""Finds the agent of a transfer, and rejects one that is not allowed."""

# The start and the end of an agent.

BEFORE_AGENT = PrivateName(
    "google.adk.agents.base_agent",
    "BaseAgent._handle_before_agent_callback",
    rehearsal=_refuse("before-agent callbacks do not run"),
)
"""Runs the before-agent callbacks of plugins and of an agent."""

AFTER_AGENT = PrivateName(
    "google.adk.agents.base_agent",
    "BaseAgent._handle_after_agent_callback",
    rehearsal=_refuse("after-agent callbacks do not run"),
)
"""Runs the after-agent callbacks of plugins and of an agent."""

SAVE_OUTPUT = PrivateName(
    "google.adk.agents.llm_agent",
    "LlmAgent._LlmAgent__maybe_save_output_to_state",
    rehearsal=_refuse("the final response is not saved under the agent's `output_key`"),
)
"""Saves the final response in the state."""

INVOCATION_CONTEXT = PrivateName(
    "google.adk.agents.readonly_context",
    "ReadonlyContext._invocation_context",
    rehearsal=_warn("nobody can act as an agent that is a tool"),
    evaluation=_refuse("the tokens of user agents cannot be counted"),
)
"""The context of the run behind that of a callback or a tool."""

EVENT_QUEUE = PrivateName(
    "google.adk.agents.invocation_context",
    "InvocationContext._event_queue",
    rehearsal=_refuse("events of tools that run as nodes of a workflow are lost"),
)
"""Takes the events of nodes that a tool runs."""

CLEANUP_RUN = PrivateName(
    "google.adk.runners",
    "Runner._cleanup_root_task",
    evaluation=_refuse("a run that the agent's code canceled counts as complete"),
)
"""Ends the task of a run, where a cancellation is noticed."""

# Tools.

DECLARATION = PrivateName(
    "google.adk.tools.base_tool",
    "BaseTool._get_declaration",
    evaluation=_refuse("the arguments and results of tools are not checked"),
)
"""What the model sees of a tool."""

DEFERS_RESPONSE = PrivateName(
    "google.adk.tools.base_tool",
    "BaseTool._defers_response",
    rehearsal=_refuse("the call of an agent in task mode ends without a result"),
    live=_warn("the call of an agent in task mode is recorded before it has a result"),
)
"""Whether a call delegates a task to another agent."""

FUNCTION_CONFIRMATION = PrivateName(
    "google.adk.tools.function_tool",
    "FunctionTool._require_confirmation",
    rehearsal=_warn("the page does not say which functions ask for a confirmation"),
    evaluation=_refuse("the function that decides about a confirmation counts as the tool's own"),
)
"""Whether calls of a function ask for a confirmation, or a function that decides it."""

MCP_CONFIRMATION = PrivateName(
    "google.adk.tools.mcp_tool.mcp_tool",
    "McpTool._require_confirmation",
    is_lazy=True,
    rehearsal=_warn("the page does not say which tools of MCP servers ask for a confirmation"),
)
"""The same of a tool of an MCP server."""

INVOKE_CALLABLE = PrivateName(
    "google.adk.tools.function_tool",
    "FunctionTool._invoke_callable",
    evaluation=_refuse("functions run that a case mocks"),
)
"""Calls the function of a tool. In a rehearsal, functions get their threads here where `SYNC_RUNNER` is missing."""

SYNC_RUNNER = PrivateName(
    "google.adk.utils._sync_runner",
    "_use_sync_callable_runner",
    since=(2, 12),
    rehearsal=_warn("a tool that blocks may delay other sessions, and its call may not be canceled"),
)
"""Chooses what runs synchronous functions."""

RUN_GENERATOR = PrivateName(
    "google.adk.tools.function_tool",
    "FunctionTool._run_generator_as_node",
    since=(2, 12),
    evaluation=_refuse("generator functions run that a case mocks"),
)
"""Runs a tool that is a generator function."""

GENERATOR_NODE = PrivateName(
    "google.adk.tools.function_tool",
    "FunctionTool._get_generator_node",
    since=(2, 12),
    evaluation=_refuse("a generator function that may run is asked about twice"),
)
"""The node as which google-adk runs a generator function."""

CONTEXT_PARAMETER = PrivateName(
    "google.adk.tools.function_tool",
    "FunctionTool._context_param_name",
    evaluation=_refuse("the context of a function that is called without plugins is not known"),
)
"""The name of the parameter through which a function gets its context."""

CONVERT_ARGUMENTS = PrivateName(
    "google.adk.tools.function_tool",
    "FunctionTool._preprocess_args",
    evaluation=_refuse("functions of a suite do not get the objects that they declare"),
)
"""Converts the arguments of a call to what the function declares."""

RESPONSE_SCHEMA = PrivateName(
    "google.adk.tools._function_tool_declarations",
    "_build_response_json_schema",
    evaluation=_refuse("results of mocks are not checked against what the function returns"),
)
"""The JSON Schema of what a function returns."""

# Agents that are tools.

SINGLE_TURN_TOOL = PrivateName(
    "google.adk.tools.agent_tool",
    "_SingleTurnAgentTool",
    rehearsal=_warn('nobody can act as a sub-agent with `mode="single_turn"`'),
)
"""The tool that a sub-agent with ``mode="single_turn"`` is."""

INPUT_SCHEMA = PrivateName(
    "google.adk.tools.agent_tool",
    "_get_input_schema",
    rehearsal=_warn("nobody can act as an agent that is a tool"),
)
"""What the agent takes."""

OUTPUT_SCHEMA = PrivateName(
    "google.adk.tools.agent_tool",
    "_get_output_schema",
    rehearsal=_warn("nobody can act as an agent that is a tool"),
)
"""What the agent returns."""

VALIDATE_SCHEMA = PrivateName(
    "google.adk.utils._schema_utils",
    "validate_schema",
    rehearsal=_warn("nobody can act as an agent that is a tool"),
)
"""Checks a final response against what the agent returns."""

VALIDATE_INPUT = PrivateName(
    "google.adk.workflow._base_node",
    "BaseNode._validate_input_data",
    rehearsal=_warn("nobody can act as an agent that is a tool"),
)
"""Checks the input of a sub-agent with ``mode="single_turn"``."""

FORWARDING_ARTIFACTS = PrivateName(
    "google.adk.tools._forwarding_artifact_service",
    "ForwardingArtifactService",
    rehearsal=_warn("nobody can act as an agent that is a tool"),
)
"""The artifacts of the caller, for the agent."""

TO_ACT_AS_TOOL = (
    INVOCATION_CONTEXT,
    INPUT_SCHEMA,
    OUTPUT_SCHEMA,
    VALIDATE_SCHEMA,
    VALIDATE_INPUT,
    FORWARDING_ARTIFACTS,
)
"""What a person needs to act as an agent that is a tool."""

# Agents in task mode.

FINISH_TASK_TOOL = PrivateName(
    "google.adk.agents.llm.task._finish_task_tool",
    "FinishTaskTool",
    evaluation=_refuse("the end of a task counts as a call that a case must name"),
)
"""The tool that ends a task."""

TASK_WRAPPER = PrivateName(
    "google.adk.agents.llm.task._finish_task_tool",
    "FinishTaskTool._wrapper_key",
    rehearsal=_refuse("the result of a task is saved in another form under the agent's `output_key`"),
)
"""The argument that has the result of a task, where it is not all of them."""

FINISHES_TASK = PrivateName(
    "google.adk.agents.llm.task._finish_task_tool",
    "is_finish_task_terminal_fr",
    rehearsal=_warn("the run of an agent in task mode does not end with its task"),
)
"""Whether an event ends a task. Versions before 2.8 may not have it."""

# Nodes of workflows.

NODE_CODE = PrivateName(
    "google.adk.workflow._base_node",
    "BaseNode._run_impl",
    evaluation=_refuse("nodes of workflows run that a case mocks"),
)
"""The code of a node."""

TOOL_NODE_CODE = PrivateName(
    "google.adk.workflow._tool_node",
    "_ToolNode._run_impl",
    evaluation=_refuse("a tool that a workflow runs counts as the call of a model"),
)
"""The code of a node that is a tool."""

NODE_FUNCTION = PrivateName(
    "google.adk.workflow._function_node",
    "FunctionNode._func",
    evaluation=_refuse("a name in a case may be rejected that a function of a workflow uses"),
)
"""The function that is a node."""

NODE_CONTEXT_PARAMETER = PrivateName(
    "google.adk.workflow._function_node",
    "FunctionNode._context_param_name",
    evaluation=_refuse("a name in a case may be rejected that a function of a workflow uses"),
)
"""The name of the parameter through which that function gets its context, with which it can run other nodes."""

# MCP toolsets.

MCP_SESSIONS = PrivateName(
    "google.adk.tools.mcp_tool.mcp_toolset",
    "McpToolset._mcp_session_manager",
    is_lazy=True,
    evaluation=_refuse("an MCP server is started to list its tools"),
)
"""Connects a toolset to its server."""

MCP_RESOURCES = PrivateName(
    "google.adk.tools.mcp_tool.mcp_toolset",
    "McpToolset._use_mcp_resources",
    is_lazy=True,
    evaluation=_refuse("the tool that loads resources of an MCP server is not known"),
)
"""Whether a toolset has a tool for resources too."""

MCP_TOOL = PrivateName(
    "google.adk.tools.mcp_tool.mcp_tool",
    "McpTool._mcp_tool",
    is_lazy=True,
    evaluation=_refuse("results of mocks are not checked against what the MCP server declares"),
)
"""What the server declares of a tool."""

# Models.

ANTHROPIC_CLIENT = PrivateName(
    "google.adk.models.anthropic_llm",
    "AnthropicLlm._anthropic_client",
    is_lazy=True,
    evaluation=_refuse("its client repeats requests beyond the limit of the run"),
)
"""The client of Anthropic's models."""

OPENAI_CLIENT = PrivateName(
    "google.adk.integrations.openai._openai_llm",
    "OpenAILlm._openai_client",
    is_lazy=True,
    evaluation=_refuse("a missing key is not found before the run"),
)
"""The client of OpenAI's models."""

OPENAI_RESPONSES_CLIENT = PrivateName(
    "google.adk.integrations.openai._openai_responses_llm",
    "OpenAIResponsesLlm._openai_client",
    is_lazy=True,
    evaluation=_refuse("a missing key is not found before the run"),
)
"""The client of OpenAI's models, for its newer API."""

LITELLM_ARGUMENTS = PrivateName(
    "google.adk.models.lite_llm",
    "LiteLlm._additional_args",
    is_lazy=True,
    evaluation=_refuse("tools that the model's service runs are not found"),
)
"""What the author adds to the requests of a model of LiteLLM."""

IMPORT_LITELLM = PrivateName(
    "google.adk.models.lite_llm",
    "_ensure_litellm_imported",
    is_lazy=True,
    evaluation=_refuse("each case imports LiteLLM, within its time limit"),
)
"""Imports LiteLLM, as google-adk sets it up."""

MODEL_CLIENTS = (ANTHROPIC_CLIENT, OPENAI_CLIENT, OPENAI_RESPONSES_CLIENT)
"""The clients of models, which find their keys when they are made."""

NAMES = tuple(value for value in list(globals().values()) if isinstance(value, PrivateName))
"""All of them."""


def check(part: Part) -> list[str]:
    """Looks for the names that a part uses. Returns a warning for each that is missing.

    Raises:
      MissingName: one is missing without which results could be wrong.
    """
    version = _version()
    lacking = [
        name
        for name in NAMES
        if getattr(name, part) is not None
        and name.since <= version
        and (not name.is_lazy or name.module in sys.modules)
        and not name.exists()
    ]
    if refusing := [name for name in lacking if getattr(name, part).refuses]:
        raise missing(refusing, part)
    return [_message([name], part) for name in lacking]


def check_model(model: Any) -> None:
    """Looks for the names that an eval run uses with a model of this class.

    Raises:
      MissingName: one is missing.
    """
    modules = {base.__module__ for base in type(model).__mro__}
    used = [name for name in NAMES if name.is_lazy and name.evaluation and name.module in modules]
    if lacking := [name for name in used if not name.exists()]:
        raise missing(lacking)


def missing(names: Iterable[PrivateName], part: Part | None = None) -> MissingName:
    """The error that these names are missing, in the words of a part or of the first that uses each."""
    return MissingName(_message(names, part))


def _message(names: Iterable[PrivateName], part: Part | None) -> str:
    lacks = ", and no ".join(_lack(name, part) for name in names)
    command = loading.install_command(f'"google-adk{TESTED}"')
    remedy = f"Install a version that Rehearsal is tested with: `{command}`."
    return f"google-adk {loading.adk_version()} has no {lacks}. {remedy}"


def _lack(name: PrivateName, part: Part | None) -> str:
    found: Any = getattr(name, part) if part else name.evaluation or name.rehearsal or name.live
    return f"{name.path} in {name.module}, without which {found.consequence}"


def _version() -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", loading.adk_version())[:2]))
