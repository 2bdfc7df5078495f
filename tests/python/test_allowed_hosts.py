"""Which connections the hosts permit that a case allows."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))

from rehearsal_adk.evaluation.endpoints import Endpoints  # noqa: E402


def test_this_machine_has_one_name_however_it_is_written():
    for name in ("localhost", "127.0.0.1"):
        allowed = Endpoints((), [f"{name}:4318"])
        for host in ("localhost", "Localhost", "127.0.0.1", "::1"):
            assert allowed.permits(host, 4318), (name, host)
            assert not allowed.permits(host, 4317), (name, host)
        assert not allowed.permits("10.0.0.7", 4318), name
    assert not Endpoints((), ["10.0.0.7:4318"]).permits("localhost", 4318)
