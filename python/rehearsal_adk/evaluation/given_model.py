"""The model that a case gives an agent: one whose responses come from the engine, a real one, or a person.

It replaces the model of every agent at every depth by replacing the accessors through which google-adk
gets it, so that limits on model calls and streaming hold. The accessors ask the case that runs.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Callable
from functools import cached_property
from typing import Any
from urllib.parse import quote

from google.adk.agents.llm_agent import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.google_llm import Gemini
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.genai import Client, types

from rehearsal_adk import adk_private, faults
from rehearsal_adk.evaluation import apart, barrier, current, endpoints

ModelOf = Callable[[LlmAgent], BaseLlm]
"""The model of each agent in a case."""


class GivenModel(BaseLlm):
    """The model of one agent in a case."""

    agent: str
    peer: Any
    then: BaseLlm | None = None
    """The model that responds when the engine gives no response any more."""

    async def generate_content_async(
        self, llm_request: Any, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Asks the engine for the response."""
        given = await self.peer.ask(
            "model",
            {
                "agent": self.agent,
                "asked_by": apart.asker(llm_request),
                "contents": [
                    one.model_dump(mode="json", by_alias=True, exclude_none=True)
                    for one in llm_request.contents
                ],
            },
        )
        while given.get("person"):
            # A person has taken the place, until they hand it back.
            given = await self.peer.ask("person", _for_person(self.agent, llm_request))
            if given.get("handed_back"):
                given = await self.peer.ask("model", {"agent": self.agent, "asked_by": None})
        if given.get("error"):
            raise RuntimeError(given["error"])
        if given.get("goes_on") and self.then is not None:
            async with contextlib.aclosing(
                self.then.generate_content_async(llm_request, stream=stream)
            ) as responses:
                async for response in responses:
                    yield response
            return
        parts = [types.Part(text=given["text"])] if given.get("text") else []
        parts += [
            types.Part(
                function_call=types.FunctionCall(
                    id=one.get("id"), name=one["tool"], args=one["args"]
                )
            )
            for one in given.get("calls") or ()
        ]
        yield LlmResponse(
            content=types.Content(role="model", parts=parts), model_version=self.model
        )


def _for_person(agent: str, llm_request: Any) -> dict[str, Any]:
    """What the model of the agent would be asked."""
    case = current.case()
    if case is not None:
        case.changes.apply(llm_request)
    config = llm_request.config
    return {
        "agent": agent,
        "instruction": _text_of(config.system_instruction),
        "contents": [
            one.model_dump(mode="json", by_alias=True, exclude_none=True)
            for one in llm_request.contents
        ],
        "tools": [
            {
                "name": one.name,
                "description": one.description or "",
                "parameters": _schema_of(one),
            }
            for tool in config.tools or ()
            for one in getattr(tool, "function_declarations", None) or ()
        ],
    }


def _text_of(instruction: Any) -> str:
    if isinstance(instruction, (list, tuple)):
        return "\n\n".join(filter(None, map(_text_of, instruction)))
    if isinstance(instruction, types.Content):
        return _text_of(instruction.parts or [])
    return (getattr(instruction, "text", instruction)) or ""


def _schema_of(declaration: types.FunctionDeclaration) -> Any:
    schema = declaration.parameters
    if schema is not None:
        # Forms read the service's own type too.
        return schema.model_dump(mode="json", exclude_none=True)
    return declaration.parameters_json_schema


class UnusableModelError(Exception):
    """google-adk does not know the model, or a package or a key for it is missing."""


class Person(Gemini):
    """A person who responds in a live session, at its endpoint for Gemini."""

    key: str
    headers: dict[str, str]

    @cached_property
    def api_client(self) -> Client:
        """The client of the session."""
        options = types.HttpOptions(base_url=self.base_url, headers=self.headers)
        return Client(api_key=self.key, http_options=options)


_ACCESSORS = (
    "canonical_model",
    "canonical_live_model",
    "canonical_model_async",
    "canonical_live_model_async",
)
_OWN = {name: vars(LlmAgent)[name] for name in _ACCESSORS if name in vars(LlmAgent)}
"""What google-adk defines."""


def chosen(peer: Any, choice: dict[str, Any] | None) -> ModelOf | None:
    """The models of a case; None if the agents have their own.

    ``choice`` has ``given``, the label of a `GivenModel`; ``named``, the name of a real one; ``person`` with the
    ``url`` of a live session, its ``key`` and the ``headers`` of requests to it; or ``fork`` with the choice that follows a
    `GivenModel`, None for the agents' own.

    Raises `UnusableModelError` for a name that google-adk cannot use.
    """
    if choice is None:
        return None
    if name := choice.get("named"):
        named = _named(name)
    if "fork" in choice:
        following = chosen(peer, choice["fork"]) or own

        def of_fork(agent: LlmAgent) -> BaseLlm:
            then = following(agent)
            # google-adk writes requests for the model of this name.
            return GivenModel(model=then.model, agent=agent.name, peer=peer, then=then)

        return of_fork

    def model_of(agent: LlmAgent) -> BaseLlm:
        if name:
            return named
        if session := choice.get("person"):
            url = f"{session['url']}/a/{quote(agent.name, safe='')}"
            return Person(
                model="person", base_url=url, key=session["key"], headers=session["headers"]
            )
        return GivenModel(model=choice["given"], agent=agent.name, peer=peer)

    return model_of


def taken(peer: Any, agent: LlmAgent, model: BaseLlm | None) -> BaseLlm:
    """A model in place of ``model``, or of the agent's own, that asks the person who has the place."""
    then = model or own(agent)
    return GivenModel(model=then.model, agent=agent.name, peer=peer, then=then)


def _named(name: str) -> BaseLlm:
    from rehearsal_adk.evaluation import own_models

    try:
        model = LLMRegistry.new_llm(name)
        with barrier.in_model_call(endpoints.of(model, ())):
            open_client(model)
    except barrier.ForbiddenEffect:
        raise
    except Exception as error:
        reason = faults.reason_of(error)
        hint = own_models.near(name) if "not found" in reason else ""
        message = f"google-adk cannot use the model {name}: {reason}{hint}"
        raise UnusableModelError(message) from error
    return model


def open_client(model: BaseLlm) -> None:
    """Lets the model find its key, which google-adk does at the first request. Raises if it has none."""
    adk_private.check_model(model)
    getattr(model, "api_client", None)
    for name in adk_private.MODEL_CLIENTS:
        name.get(model)
    if type(model).__name__ == "LiteLlm":
        import litellm

        missing = litellm.validate_environment(model.model)["missing_keys"]
        # What else it names, such as the address of a local service, has a default.
        if keys := [key for key in missing if key.endswith("_API_KEY")]:
            raise ValueError(f"Set {' and '.join(keys)}.")


def install() -> None:
    """Replaces the accessors. Call it before agents are imported."""
    for name, own in _OWN.items():
        replace = _later if name.endswith("_async") else _now
        setattr(LlmAgent, name, replace(own))


def own(agent: LlmAgent) -> BaseLlm:
    """The model that the agent names itself."""
    model: BaseLlm = _OWN["canonical_model"].__get__(agent)
    return model


def _now(own: Any) -> Any:
    return property(lambda agent: _given(agent) or own.__get__(agent))


def _later(own: Any) -> Any:
    async def model_of(agent: LlmAgent, ctx: Any) -> Any:
        return _given(agent) or await own(agent, ctx)

    return model_of


def _given(agent: LlmAgent) -> BaseLlm | None:
    case = current.case()
    if case is None and current.is_shared():
        raise barrier.forbid(f"asked for the model of {agent.name} in code that belongs to no case")
    model: BaseLlm | None = case.model_of(agent) if case is not None else None
    return model
