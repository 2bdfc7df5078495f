"""What a model's service would run, wherever the request has it from."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from google.adk.agents import LlmAgent
from google.adk.models import LlmRequest
from google.genai import types

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))

from rehearsal_adk.evaluation import service_tools  # noqa: E402

SEARCH = [{"google_search": {}}]


@pytest.mark.parametrize(
    ("extra_body", "of_model", "name"),
    [
        ({"tools": SEARCH}, None, "google_search"),
        (None, {"web_search_options": {"search_context_size": "low"}}, "web_search_options"),
        (None, {"extra_body": {"tools": [{"type": "code_interpreter"}]}}, "code_interpreter"),
        (None, {"extra_body": {"plugins": [{"id": "web"}]}}, "web"),
        (None, {"tools": [{"type": "web_search"}]}, "web_search"),
        ({"labels": {"a": "b"}}, {"temperature": 0}, None),
        (None, None, None),
    ],
)
def test_what_the_body_of_a_request_names_is_refused_without_allow(extra_body, of_model, name):
    config = types.GenerateContentConfig(http_options=types.HttpOptions(extra_body=extra_body))
    request = LlmRequest(model="any", config=config)
    model = SimpleNamespace(_additional_args=of_model)
    root = LlmAgent(name="asks", model="any")
    found = service_tools.refused(request, root, (), model)
    assert (found and found["name"]) == name
    if name is not None:
        assert service_tools.refused(request, root, (name,), model) is None
