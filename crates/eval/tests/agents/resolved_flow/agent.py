"""A workflow with a node for each way in which Python finds the method that runs it."""

from types import MethodType

from google.adk.events import Event
from google.adk.workflow import BaseNode, FunctionNode, JoinNode, Node, Workflow


async def run(self, *, ctx, node_input):
    ctx.state[f"ran_{self.name}"] = ctx.state.get(f"ran_{self.name}", 0) + 1
    yield "real"


def function(ctx, node_input) -> str:
    ctx.state["ran_function"] = ctx.state.get("ran_function", 0) + 1
    return "real"


class InTheClass(BaseNode):
    _run_impl = run


class InTheBase(InTheClass):
    pass


class CallsItsBase(InTheClass):
    async def _run_impl(self, *, ctx, node_input):
        async for one in super()._run_impl(ctx=ctx, node_input=node_input):
            yield one


class Mixin:
    _run_impl = run


class FromAMixin(Mixin, BaseNode):
    pass


class AssignedLater(BaseNode):
    pass


AssignedLater._run_impl = run


class ByGetattribute(BaseNode):
    def __getattribute__(self, name):
        if name == "_run_impl":
            return MethodType(run, self)
        return super().__getattribute__(name)


class OwnNode(Node):
    run_node_impl = run


class OwnFunctionNode(FunctionNode):
    async def _run_impl(self, *, ctx, node_input):
        async for one in run(self, ctx=ctx, node_input=node_input):
            yield one


class CallsFunctionNode(FunctionNode):
    async def _run_impl(self, *, ctx, node_input):
        async for one in super()._run_impl(ctx=ctx, node_input=node_input):
            yield one


class OwnJoin(JoinNode):
    _run_impl = run


class OwnRun(BaseNode):
    async def run(self, *, ctx, node_input):
        async for one in run(self, ctx=ctx, node_input=node_input):
            yield Event(output=one)


class OwnRunOfABase(OwnRun):
    pass


class OwnWorkflow(Workflow):
    _run_impl = run


def calls_function_node(ctx, node_input) -> str:
    ctx.state["ran_calls_function_node"] = ctx.state.get("ran_calls_function_node", 0) + 1
    return "real"


on_the_instance = JoinNode(name="on_the_instance")
on_the_instance._run_impl = MethodType(run, on_the_instance)

nodes = [
    function,
    InTheClass(name="in_the_class"),
    InTheBase(name="in_the_base"),
    CallsItsBase(name="calls_its_base"),
    FromAMixin(name="from_a_mixin"),
    AssignedLater(name="assigned_later"),
    ByGetattribute(name="by_getattribute"),
    OwnNode(name="own_node"),
    OwnNode(name="parallel_node", parallel_worker=True),
    OwnFunctionNode(func=function, name="own_function_node"),
    CallsFunctionNode(func=calls_function_node),
    OwnJoin(name="own_join"),
    OwnRun(name="own_run"),
    OwnRunOfABase(name="own_run_of_a_base"),
    OwnWorkflow(name="own_workflow", edges=[("START", FunctionNode(func=function, name="never_run"))]),
    on_the_instance,
]
root_agent = Workflow(name="resolved_flow", edges=[("START", *nodes, JoinNode(name="join"))])
