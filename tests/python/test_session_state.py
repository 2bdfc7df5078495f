"""The state that a mock gets: what it notes as changed."""

import sys

import pytest

from conftest import ROOT

sys.path.append(str(ROOT / "python"))

from rehearsal_adk.session_state import SessionState  # noqa: E402


def state():
    return SessionState({"patient": {"age": 55}, "seen": [1], "kept": {"a": 1}, "same": 1})


def test_what_is_set_or_changed_in_place_is_a_change():
    one = state()
    one["new"] = 1
    one["same"] = 1
    one.patient["age"] = 56
    one.session["seen"].append(2)
    assert one.setdefault("same", 2) == 1
    assert one.setdefault("other", []) == []
    one.update(more=True)
    assert one["kept"] == {"a": 1}
    assert one.changes() == {
        "patient": {"age": 56},
        "seen": [1, 2],
        "same": 1,
        "new": 1,
        "other": [],
        "more": True,
    }


def test_reading_changes_nothing():
    one = state()
    assert one.get("none") is None and one.to_dict() == dict(one)
    assert one.changes() == {}


def test_a_key_cannot_be_removed_and_an_unknown_scope_is_named():
    one = state()
    for remove in (lambda: one.pop("kept"), one.popitem, one.clear, lambda: one.__delitem__("kept")):
        with pytest.raises(TypeError, match="set the key to None"):
            remove()
    with pytest.raises(AttributeError, match="no scope patent; did you mean patient"):
        one.patent["age"] = 56
    assert one.changes() == {}


def test_scopes_with_a_prefix_are_the_keys_that_have_it():
    one = SessionState({"user:tier": "gold", "app:limit": 3}, ["app", "user", "temp"])
    assert one.user["tier"] == one["user"]["tier"] == "gold"
    assert one.user.get("age") is None and list(one.app) == ["limit"] and len(one.temp) == 0
    one.user["seen"] = [1]
    one.temp["step"] = 2
    assert one.changes() == {"user:seen": [1], "temp:step": 2}
    with pytest.raises(TypeError, match="set the key to None"):
        del one.app["limit"]
    with pytest.raises(KeyError):
        one["patient"]
