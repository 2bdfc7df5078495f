"""Writes tools, nodes of workflows and mocks that do the same."""

from __future__ import annotations

from .source import Source

PARAMETERS = [
    ("int", "3"),
    ("float", "0.5"),
    ("str", "'x'"),
    ("bool", "True"),
    ("list[str]", ""),
    ("list[int]", ""),
    ("dict[str, int]", ""),
    ("dict", ""),
    ("Optional[str]", "None"),
    ("int | None", "None"),
    ("Optional[list[int]]", "None"),
    ("Literal['north', 'south']", "'north'"),
    ("str", ""),
    ("int", ""),
    ("str", "None"),
]
"""Annotations of parameters with their defaults, which are empty where there is none."""

OBJECTS = [
    ("Item", ""),
    ("Optional[Item]", "None"),
    ("list[Item]", ""),
    ("Order", ""),
    ("Color", ""),
    ("Color", "Color.BLUE"),
]
"""Those that google-adk converts, or that are not JSON."""

RESULTS = [
    ("dict", '{{"got": got, "n": {n}}}'),
    ("dict[str, Any]", '{{"got": [got, None, 1.5], "text": "Zoë"}}'),
    ("str", 'f"{name} {{digest(got) % 1000}}"'),
    ("list[int]", "[digest(got) % 10, {n}]"),
    ("list[dict]", "[{{'got': got}}, {{}}]"),
    ("int", "digest(got) % 100"),
    ("float", "digest(got) % 100 / 8"),
    ("bool", "digest(got) % 2 == 0"),
    ("None", "None"),
    ("Optional[str]", "None if digest(got) % 2 else 'some'"),
    ("dict", "{{}}"),
    ("dict", '{{"error": "no " + str(digest(got) % 10)}}'),
    ("Item", "Item(sku='s', count=digest(got) % 10)"),
    ("Color", "Color.RED"),
    ("list[Item]", "[Item(sku='s'), Item(sku='t', count=2)]"),
    ("tuple[int, datetime.date]", "(1, datetime.date(2026, 1, 1 + digest(got) % 28))"),
]
"""Annotations of results, with the expressions that give them."""


class ToolWriter(Source):
    """Writes what agents call."""

    def parameters(self) -> list[tuple[str, str, str]]:
        """The names, annotations and defaults of the parameters of a tool."""
        choices = PARAMETERS + OBJECTS * 2 if self.has_objects else PARAMETERS
        parameters = []
        for number in range(self.random.randrange(4)):
            annotation, default = self.pick(choices)
            parameter = self.pick(["context", "state_id"]) + str(number) if self.chance(0.1) else "abc"[number]
            if number == 0 and self.chance(0.05):
                parameter = "context"
            parameters.append((parameter, annotation if self.chance(0.95) else "", default))
        parameters.sort(key=lambda it: it[2] != "")
        return parameters

    def signature(self, parameters: list[tuple[str, str, str]]) -> list[str]:
        """The parameters as source text."""
        signature = [
            name + (f": {annotation}" if annotation else "") + (f" = {default}" if default else "")
            for name, annotation, default in parameters
        ]
        if signature and self.chance(0.1):
            signature.insert(self.random.randrange(len(signature) + 1), "*")
            if signature[-1] == "*":
                signature.pop()
        elif self.chance(0.05):
            signature.append("**more")
        return signature

    def tool(self, can_be_generator: bool = False) -> str:
        """Writes a tool and its mock, and returns the expression for an agent's list of tools."""
        name = f"tool_{len(self.tools)}"
        self.tools.append(name)
        self.mocked.append(name)
        parameters = self.parameters()
        signature = self.signature(parameters)
        of_tool, of_mock = list(signature), list(signature)
        is_generator = can_be_generator and self.chance(0.2)
        # What a generator changes in the state, google-adk notes before the result.
        is_stateful = not is_generator and self.chance(0.6)
        context = self.pick(["tool_context: ToolContext", "ctx: ToolContext", "here: Context", "tool_context"])
        if is_stateful:
            of_tool.insert(0, context)
            of_mock.insert(0, "here: MockContext")
        elif of_tool and "*" not in "".join(of_tool) and self.chance(0.1):
            of_tool.insert(1, "/")
        change, reads = self.state_of(name) if is_stateful else ("pass", "0")
        is_async = self.chance(0.4)
        is_long_running = not is_generator and self.chance(0.15)
        annotation, result = self.pick(RESULTS)
        is_object = any(of in annotation for of in ("Item", "Color", "tuple"))
        if is_long_running:
            annotation, result = self.pick([("None", "None"), ("dict", '{{"status": "pending"}}'), ("dict", "None")])
            is_object = False
        # A mock gives JSON. Only what is declared can be made of it.
        arrow = f" -> {annotation}" if is_object or self.chance(0.8) else ""
        # An error ends the calls that are made together, wherever they are.
        modulus = 0 if self.is_racy or self.most_calls > 1 else self.pick([0, 0, 0, 3, 7])
        asks = is_stateful and not is_long_running and self.chance(0.15)
        # The model does not see the result, or not what is returned before the confirmation.
        skips = is_stateful and not is_long_running and self.chance(0.5 if asks else 0.05)
        got = ", ".join(f'"{name}": shown({name})' for name, *_ in parameters)

        def body(state: str, error: str) -> str:
            lines = [f"got = {{{got}}}"]
            # A mock that changes the state is not interrupted by other calls.
            if is_async and self.seed % 2 and not (is_stateful and self.most_calls > 1):
                lines.append("await asyncio.sleep(0)")
            if is_stateful:
                lines += [f"state = {state}", change]
            here = state.removesuffix(".state")
            skip = f"{here}.actions.skip_summarization = True"
            if asks:
                lines += [
                    f"confirmation = {here}.tool_confirmation",
                    "if confirmation is None and digest(got) % 3:",
                    f'    {here}.request_confirmation(hint="{name}?", payload={{"n": 1}})',
                    *[f"    {skip}" for _ in range(skips)],
                    f'    return {{"asks": "{name}"}}',
                    "if confirmation is not None:",
                    '    got["confirmed"] = [confirmation.confirmed, confirmation.hint, confirmation.payload]',
                ]
            elif skips:
                lines.append(skip)
            if modulus:
                lines += [f"if digest(got) % {modulus} == 1:", f'    raise {error}("{name} fails")']
            lines.append("return " + result.format(name=name, n=reads))
            return "".join(f"    {line}\n" for line in lines)

        define = "async def" if is_async else "def"
        in_tool = body(context.split(":")[0] + ".state", "ValueError")
        if is_generator:
            in_tool, arrow = in_tool.replace("    return ", "    yield "), ""
        if is_generator and is_object:
            self.mocked.remove(name)
        self.agent.append(f'{define} {name}({", ".join(of_tool)}){arrow}:\n    """Does {name}."""\n{in_tool}')
        self.mocks.append(f"{define} {name}({', '.join(of_mock)}):\n{body('here.state', 'ToolError')}")
        if is_long_running:
            return f"LongRunningFunctionTool({name})"
        return self.wrapped(name, parameters, can_be_generator and not is_stateful)

    def wrapped(self, name: str, parameters: list[tuple[str, str, str]], can_be_node: bool) -> str:
        """The expression for a tool of a function, which may ask for confirmation, be a node, or be of a toolset."""
        if self.chance(0.15):
            confirmation = "True"
            if self.chance(0.5) and parameters:
                of = parameters[-1][0]
                confirmation = f"{name}_asks"
                self.agent.append(f"def {confirmation}(**args):\n    return digest(shown(args.get('{of}'))) % 2 == 0\n")
            return f"FunctionTool({name}, require_confirmation={confirmation})"
        if can_be_node and self.chance(0.2):
            self.mocked = [one for one in self.mocked if one != name]
            return f'node({name}, parameter_binding="node_input")'
        if self.chance(0.1):
            self.agent.append(
                f"class Set_{name}(BaseToolset):\n    async def get_tools(self, readonly_context=None):\n"
                f"        return [FunctionTool({name})]\n"
            )
            self.name(name, f"box_{name}")
            return f'Set_{name}(tool_name_prefix="box")'
        return name

    def name(self, function: str, tool: str) -> None:
        """Gives the tool of a function another name."""
        self.tools.remove(function)
        self.tools.append(tool)
        if function in self.mocked:
            self.mocked.remove(function)
            self.mocked.append(tool)
            self.mocks.append(f"{tool} = {function}\n")

    def class_tool(self) -> str:
        """Writes a tool with a class of its own, and returns the expression for it."""
        name = f"tool_{len(self.tools)}"
        self.tools.append(name)
        self.mocked.append(name)
        change, reads = self.state_of(name)

        def body(indent: str, state: str) -> str:
            lines = ["got = shown(args)", f"state = {state}", change, f"return {{'got': got, 'n': {reads}}}"]
            return "".join(f"{indent}{line}\n" for line in lines)

        self.agent.append(
            f"class Class_{name}(BaseTool):\n    def _get_declaration(self):\n"
            "        schema = {'type': 'object', 'properties': {'a': {'type': 'integer'}}, 'required': ['a']}\n"
            "        return types.FunctionDeclaration(name=self.name, parameters_json_schema=schema)\n\n"
            f"    async def run_async(self, *, args, tool_context):\n{body('        ', 'tool_context.state')}"
        )
        self.mocks.append(f"def {name}(here: MockContext, **args):\n{body('    ', 'here.state')}")
        return f'Class_{name}(name="{name}", description="Does.")'

    def function_node(self) -> str:
        """Writes a function that is a node of a workflow, and its mock, and returns its name."""
        name = f"node_{len(self.tools)}"
        self.tools.append(name)
        self.mocked.append(name)
        is_stateful = self.chance(0.5)
        change, reads = self.state_of(name) if is_stateful else ("pass", "0")
        annotation, result = self.pick(
            [("dict", '{{"got": got}}'), ("str", "f'{name} {{digest(got) % 100}}'"), ("", "[1, got]"), ("int", "7")]
        )
        arrow = f" -> {annotation}" if annotation and self.chance(0.7) else ""
        define = "async def" if self.chance(0.4) else "def"

        def body(state: str) -> str:
            given = "[node_input, city]" if of_state and state == "ctx.state" else "node_input"
            lines = [f"got = plain({given})"]
            if is_stateful:
                lines += [f"state = {state}", change]
            lines.append("return " + result.format(name=name, n=reads))
            return "".join(f"    {line}\n" for line in lines)

        context, here = ("ctx: Context, ", "here: MockContext, ") if is_stateful else ("", "")
        of_input = self.pick([": Any", ": Any", ""])
        of_state = ""
        if self.chance(0.15):
            # A mock does not get it.
            of_state = ", city: str = 'none'"
            self.mocked.remove(name)
        self.agent.append(f"{define} {name}({context}node_input{of_input}{of_state}){arrow}:\n{body('ctx.state')}")
        self.mocks.append(f"{define} {name}({here}node_input):\n{body('here.state')}")
        return name

    def asking_node(self) -> str:
        """Writes a node that asks a person, and returns its name."""
        name = f"node_{len(self.tools)}"
        self.tools.append(name)
        self.agent.append(
            f"def {name}(node_input: Any):\n"
            "    yield RequestInput(message='What about ' + str(digest(plain(node_input)) % 9))\n"
        )
        return name

    def routing_node(self) -> str:
        """Writes a node that chooses what follows, and returns its name."""
        name = f"node_{len(self.tools)}"
        self.tools.append(name)
        define = self.pick(["async def", "def"])
        self.agent.append(
            f"{define} {name}(node_input: Any):\n    got = plain(node_input)\n"
            f"    yield Event(output={{'got': got}}, route='left' if digest(got) % 2 else 'right', "
            f"state={{'{name}': digest(got) % 9}})\n"
        )
        return name
