"""The addresses that a model's request may reach: those that its client is configured for.

These are the URLs in the model's own configuration, in variables such as ``OPENAI_BASE_URL``, and in those that name a
proxy; the services' own hosts; and what the case allows. A connection is made to a number, so the names that were
looked up for it decide.
"""

from __future__ import annotations

import functools
import ipaddress
import os
import re
import socket
import sys
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from typing import Any
from urllib.parse import urlsplit

_OF_SERVICES = (
    "generativelanguage.googleapis.com",
    "aiplatform.googleapis.com",
    "*-aiplatform.googleapis.com",
    "aiplatform.*.rep.googleapis.com",
    "oauth2.googleapis.com",
    "sts.googleapis.com",
    "iamcredentials.googleapis.com",
    "metadata.google.internal",
    "api.openai.com",
    "api.anthropic.com",
    "*.openai.azure.com",
    "*.services.ai.azure.com",
    "*.cognitiveservices.azure.com",
    "login.microsoftonline.com",
    "bedrock-runtime.*.amazonaws.com",
    "sts.*.amazonaws.com",
    "api.cohere.com",
    "api.cohere.ai",
    "openrouter.ai",
    "api.fireworks.ai",
    "api.cerebras.ai",
    "api.replicate.com",
    "router.huggingface.co",
    "api-inference.huggingface.co",
)
"""The hosts of services for models, and of the keys for them. LiteLLM has a list of its own besides."""

_LOCAL = (("localhost", 11434), ("127.0.0.1", 11434), ("169.254.169.254", 80))
"""Where Ollama listens, and where clouds give their machines credentials."""

_THIS_MACHINE = {"localhost", "127.0.0.1", "::1"}
"""What the machine calls itself."""

_VARIABLES = re.compile(
    r".*_BASE_URL|.*_API_BASE|OLLAMA_HOST|AZURE_.*ENDPOINT|(HTTP|HTTPS|ALL)_PROXY", re.IGNORECASE
)
"""The variables that name the address of a service or a proxy."""

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "socks5": 1080, "socks5h": 1080}
_DEEPEST = 4
_DNS = 53

_names: dict[str, set[str]] = {}
"""The names that were looked up, by their addresses."""


class Endpoints:
    """What one request may reach."""

    def __init__(self, configured: Iterable[tuple[str, int]], allowed: Iterable[str]) -> None:
        self._configured = frozenset(configured)
        self._allowed = frozenset(allowed)

    def permits(self, host: str, port: int) -> bool:
        """Whether a connection to this name or number may be made."""
        names = {host, host.lower(), *_names.get(host, ())}
        if names & _THIS_MACHINE:
            names |= _THIS_MACHINE
        return any(self._permits_name(name, port) for name in names) or (
            port == _DNS and host in _name_servers()
        )

    def permits_lookup(self, host: str) -> bool:
        """Whether the addresses of this name may be asked for."""
        host = host.lower().rstrip(".")
        return (
            _is_number(host)
            or host in ("localhost", socket.gethostname().lower())
            or any(name == host for name, _ in self._configured)
            or any(name.rpartition(":")[0] == host or name == host for name in self._allowed)
            or _is_of_service(host)
        )

    def _permits_name(self, name: str, port: int) -> bool:
        return (
            (name, port) in self._configured
            or name in self._allowed
            or f"{name}:{port}" in self._allowed
            or (_is_of_service(name) and port in (80, 443))
        )


def of(model: Any, allowed: Iterable[str]) -> Endpoints:
    """What requests of this model may reach, and whatever the case allows: ``HOST`` or ``HOST:PORT``."""
    return Endpoints(_configured(model), allowed)


def ports(models: Iterable[Any]) -> list[int]:
    """The TCP ports that requests of these models may need, and those of services."""
    found = {80, 443, _DNS, *(port for _, port in (*_LOCAL, *_of_environment()))}
    for model in models:
        found.update(port for _, port in _configured(model))
    return sorted(found)


def _configured(model: Any) -> set[tuple[str, int]]:
    configured = {*_LOCAL, *_of_environment()}
    for part in (model, _own_client(model)):
        for url in _urls(part, _DEEPEST, set()):
            configured.update(_address(url))
    return configured


def _own_client(model: Any) -> Any:
    """The client of a class that derives from google-adk's ``Gemini`` and makes it itself."""
    google = sys.modules.get("google.adk.models.google_llm")
    if google is None or not isinstance(model, google.Gemini):
        return None
    made = getattr(type(model), "api_client", None)
    if made is getattr(google.Gemini, "api_client", None):
        return None
    try:
        return model.api_client
    except Exception:  # The author's code. The request meets the error again.
        return None


def install() -> None:
    """Remembers which names are looked up for which addresses."""
    lookup = socket.getaddrinfo

    @functools.wraps(lookup)
    def getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        found = lookup(host, *args, **kwargs)
        name = text(host).lower().rstrip(".")
        for entry in found:
            _names.setdefault(str(entry[4][0]), set()).add(name)
        return found

    socket.getaddrinfo = getaddrinfo


def look_up_in_python() -> None:
    """Keeps aiohttp from looking names up in C, where nobody sees for which name an address was found."""
    if connector := sys.modules.get("aiohttp.connector"):
        in_python = sys.modules["aiohttp.resolver"].ThreadedResolver
        setattr(connector, "DefaultResolver", in_python)


def text(host: Any) -> str:
    """The name of a host, or the path of a socket."""
    return host.decode(errors="replace") if isinstance(host, bytes) else str(host or "")


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _is_of_service(host: str) -> bool:
    return any(fnmatch(host, pattern) for pattern in _OF_SERVICES) or host in _of_litellm()


def _of_litellm() -> frozenset[str]:
    known = getattr(sys.modules.get("litellm"), "openai_compatible_endpoints", ())
    return _hosts(tuple(one for one in known if isinstance(one, str)))


@functools.cache
def _hosts(urls: tuple[str, ...]) -> frozenset[str]:
    return frozenset(host for url in urls for host, _ in _address(url if "://" in url else f"https://{url}"))


@functools.cache
def _name_servers() -> frozenset[str]:
    try:
        with open("/etc/resolv.conf", encoding="utf-8", errors="replace") as lines:
            found = [line.split() for line in lines]
    except OSError:
        return frozenset()
    return frozenset(words[1] for words in found if len(words) > 1 and words[0] == "nameserver")


def _of_environment() -> Iterator[tuple[str, int]]:
    for name, value in os.environ.items():
        if value and _VARIABLES.fullmatch(name):
            yield from _address(value if "://" in value else f"http://{value}")


def _address(url: str) -> Iterator[tuple[str, int]]:
    try:
        parts = urlsplit(url.strip())
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return
    if parts.hostname and port:
        yield parts.hostname.lower(), port


def _urls(value: Any, depth: int, seen: set[int]) -> Iterator[str]:
    """The URLs in a model's fields and in those of its clients."""
    if isinstance(value, str):
        if "://" in value[:16]:
            yield value
        return
    if depth == 0 or value is None or isinstance(value, (int, float, bytes, type)) or id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, dict):
        inner: list[Any] = list(value.values())
    elif isinstance(value, (list, tuple, set)):
        inner = list(value)
    elif hasattr(value, "raw_path") and hasattr(value, "scheme"):  # The URL of a client of httpx.
        inner = [str(value)]
    else:
        fields = getattr(value, "__dict__", {})
        inner = [*fields.values(), getattr(value, "__pydantic_private__", None)]
    for one in inner:
        yield from _urls(one, depth - 1, seen)
