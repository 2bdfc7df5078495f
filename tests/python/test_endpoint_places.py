"""Which session a request gets to, and who may send one."""

from __future__ import annotations

import time
import uuid

import pytest

from endpoint_fixture import (  # noqa: F401 - two of them are fixtures
    Endpoint,
    anthropic,
    asking,
    endpoint,
    host,
    openai,
)
from google.genai import errors
from live_host import PATIENCE, Host, Person, text, needs_binary

pytestmark = needs_binary


def test_headers_name_the_session_and_a_completed_name_opens_another(host):
    client = openai.OpenAI(base_url=f"{host.url}/v1", api_key="none", max_retries=0)
    headers = {"x-rehearsal-session": "My test", "x-rehearsal-agent": "planner"}

    def create():
        return client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "x"}], extra_headers=headers
        )

    nobody = Person(host, str(uuid.uuid4()))

    def sessions():
        listed = nobody.list_sessions("My test")
        return [(one.session.id, one.session.status, one.queue.depth) for one in listed]

    def opened(count):
        until = time.monotonic() + PATIENCE
        while len(sessions()) < count or sessions()[0][2] == 0:
            assert time.monotonic() < until
            time.sleep(0.05)
        return sessions()[0][0]

    first = asking(create)
    person = Person(host, opened(1))
    person.answer(text("one"))
    first.result(PATIENCE)
    assert person.events()[0].agent_name == "planner"
    person.call("CompleteSession")
    second = asking(create)
    other = opened(2)
    assert other != person.session_id
    Person(host, other).answer(text("two"))
    assert second.result(PATIENCE).choices[0].message.content == "two"


def test_a_host_with_authentication_takes_a_token_as_each_vendors_key(tmp_path):
    host = Host(tmp_path, asks=True)
    try:
        endpoint = Endpoint(host)
        message = {"role": "user", "content": "Rain?"}
        with pytest.raises(openai.AuthenticationError, match="rehearsal token add"):
            endpoint.openai().chat.completions.create(model="m", messages=[message])
        with pytest.raises(anthropic.AuthenticationError):
            endpoint.anthropic().messages.create(model="m", max_tokens=9, messages=[message])
        with pytest.raises(errors.ClientError) as refused:
            stranger = endpoint.gemini()
            stranger.models.generate_content(model="m", contents="Rain?")
        assert refused.value.status == "UNAUTHENTICATED"

        endpoint.key = host.token
        # It closes its connections once nobody refers to it.
        gemini = endpoint.gemini()
        asked = [
            lambda: endpoint.openai().responses.create(model="m", input="Rain?").output_text,
            lambda: (
                endpoint.anthropic()
                .messages.create(model="m", max_tokens=9, messages=[message])
                .content[0]
                .text
            ),
            lambda: gemini.models.generate_content(model="m", contents="Rain?").text,
        ]
        for work in asked:
            future = asking(work)
            endpoint.person.answer(text("No rain."))
            assert future.result(PATIENCE) == "No rain."
        answer = endpoint.person.events()[1]
        assert answer.by.display_name == "person", "the token's name, whatever the message says"
    finally:
        host.kill()
