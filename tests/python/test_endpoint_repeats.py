"""A person who takes longer than a client waits: a request that comes again finds its own turn."""

from __future__ import annotations

import time

import pytest

from endpoint_fixture import (  # noqa: F401 - two of them are fixtures
    anthropic,
    ask,
    asking,
    endpoint,
    host,
    openai,
)
from google.genai import types
from live_host import PATIENCE, text, needs_binary

pytestmark = needs_binary


LONGER = 5.0


def late(endpoint, *parts):
    """Answers once the client has given up at least once."""
    endpoint.person.wait_for_turn()
    time.sleep(LONGER)
    endpoint.person.answer(*parts)


@pytest.mark.parametrize("vendor", ["chat", "responses", "anthropic", "gemini"])
def test_a_repeated_request_finds_its_own_turn(endpoint, vendor):
    message = {"role": "user", "content": "Rain?"}
    if vendor == "gemini":
        client = endpoint.gemini(
            timeout=2000, retry_options=types.HttpRetryOptions(attempts=9, max_delay=0.5)
        )
        asked = asking(lambda: client.models.generate_content(model="m", contents="Rain?").text)
    elif vendor == "anthropic":
        client = endpoint.anthropic(timeout=2.0, max_retries=9)
        create = client.messages.create
        asked = asking(lambda: create(model="m", max_tokens=9, messages=[message]).content[0].text)
    elif vendor == "chat":
        create = endpoint.openai(timeout=2.0, max_retries=9).chat.completions.create
        asked = asking(lambda: create(model="m", messages=[message]).choices[0].message.content)
    else:
        create = endpoint.openai(timeout=2.0, max_retries=9).responses.create
        asked = asking(lambda: create(model="m", input="Rain?").output_text)
    late(endpoint, text("No rain."))
    assert asked.result(PATIENCE) == "No rain."
    assert endpoint.kinds() == ["request", "response"], "one turn, however often it was asked"


@pytest.mark.parametrize("vendor", ["chat", "responses", "anthropic", "gemini"])
def test_a_stream_outlives_the_read_timeout(endpoint, vendor):
    message = {"role": "user", "content": "Rain?"}

    def chat():
        create = endpoint.openai(timeout=2.0).chat.completions.create
        chunks = create(model="m", messages=[message], stream=True)
        return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)

    def responses():
        with endpoint.openai(timeout=2.0).responses.stream(model="m", input="Rain?") as events:
            return events.get_final_response().output_text

    def messages():
        client = endpoint.anthropic(timeout=2.0)
        with client.messages.stream(model="m", max_tokens=9, messages=[message]) as events:
            return events.get_final_message().content[0].text

    def gemini():
        client = endpoint.gemini(timeout=2000)
        chunks = client.models.generate_content_stream(model="m", contents="Rain?")
        return "".join(chunk.text or "" for chunk in chunks)

    work = {"chat": chat, "responses": responses, "anthropic": messages, "gemini": gemini}[vendor]
    asked = asking(work)
    late(endpoint, text("No rain."))
    assert asked.result(PATIENCE) == "No rain."
    assert endpoint.kinds() == ["request", "response"]


def test_a_repeated_request_is_new_unless_its_response_was_missed(endpoint):
    first = ask(endpoint)
    endpoint.person.answer(text("one"))
    assert first.result(PATIENCE) == "one"
    second = ask(endpoint)
    endpoint.person.answer(text("two"))
    assert second.result(PATIENCE) == "two"
    # Gives up, and is answered while it is away.
    third = ask(endpoint, timeout=0.5)
    with pytest.raises(openai.APITimeoutError):
        third.result(PATIENCE)
    endpoint.person.answer(text("three"))
    assert ask(endpoint).result(PATIENCE) == "three"
    assert endpoint.kinds().count("request") == 3


def test_equal_concurrent_requests_are_separate(endpoint):
    asked = [ask(endpoint) for _ in range(3)]
    until = time.monotonic() + PATIENCE
    while endpoint.kinds().count("request") < 3:
        assert time.monotonic() < until
        time.sleep(0.05)
    for number in range(3):
        endpoint.person.answer(text(str(number)))
    assert sorted(one.result(PATIENCE) for one in asked) == ["0", "1", "2"]


def test_a_restarted_host_recognizes_a_repeated_request(host, endpoint):
    asked = ask(endpoint, max_retries=9, timeout=PATIENCE)
    endpoint.person.wait_for_turn()
    host.kill()
    host.start()
    endpoint.person.answer(text("still here"))
    assert asked.result(PATIENCE) == "still here"
    assert endpoint.kinds() == ["request", "response"]


def test_an_idempotency_key_identifies_one_request(endpoint):
    def keyed(words):
        headers = {"idempotency-key": "k-1"}
        create = endpoint.openai().chat.completions.create
        messages = [{"role": "user", "content": words}]
        return create(model="m", messages=messages, extra_headers=headers).choices[0].message.content

    first = asking(lambda: keyed("Rain?"))
    endpoint.person.answer(text("no"))
    assert first.result(PATIENCE) == "no"
    assert keyed("Rain?") == "no"
    with pytest.raises(openai.ConflictError, match="idempotency-key: already used"):
        keyed("Snow?")
