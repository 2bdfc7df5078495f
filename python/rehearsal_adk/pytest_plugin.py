"""Runs the cases of ``*.eval.yaml``, ``*.eval.yml`` and ``*.eval.json`` as tests of pytest.

Each case is a test, named ``triage.eval.yaml::chest-pain``, with the case's tags as marks. The selected cases of a
file run together, in one call of `rehearsal eval`, when the first of them is due.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from rehearsal_adk import eval as evaluation

ENDINGS = (".eval.yaml", ".eval.yml", ".eval.json")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects suites."""
    if file_path.name.endswith(ENDINGS):
        return EvalSuiteFile.from_parent(parent, path=file_path)
    return None


class EvalSuiteFile(pytest.File):
    """A suite."""

    _results: list[evaluation.EvalResult] | None = None

    def collect(self) -> Iterable[pytest.Item]:
        """A test for each case."""
        try:
            cases = evaluation.list_cases(self.path)
        except evaluation.SuiteError as error:
            raise self.CollectError(str(error)) from error
        for case in cases:
            item = EvalCaseItem.from_parent(self, name=case["name"])
            for tag in case["tags"]:
                mark = re.sub(r"\W", "_", tag)
                self.config.addinivalue_line("markers", f"{mark}: a tag of eval cases")
                item.add_marker(mark)
            yield item

    def result(self, name: str) -> evaluation.SuiteResult:
        """The results of a case, one for each repeat. The first call runs all cases that are selected."""
        if self._results is None:
            selected = [item.name for item in self.session.items if item.parent is self]
            options = [option for case in selected for option in ("--case", _pattern(case))]
            self._results = evaluation.run_suite_file(self.path, *options).results
        return evaluation.SuiteResult([one for one in self._results if one.name == name], {})


class EvalCaseItem(pytest.Item):
    """A case."""

    def runtest(self) -> None:
        """Fails unless the case passes."""
        assert isinstance(self.parent, EvalSuiteFile)
        self.parent.result(self.name).assert_passed()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Why it did not pass, without a traceback of this plugin."""
        if isinstance(excinfo.value, AssertionError | evaluation.SuiteError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the case is."""
        return self.path, None, self.name


def _pattern(name: str) -> str:
    """A pattern that matches this name only."""
    return re.sub(r"([\[\]*?])", r"[\1]", name)
