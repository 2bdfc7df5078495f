"""Prints what eval runs of agents cost that import large libraries, and what the seal costs: `cargo xtask bench -- imports`.

Each agent is ``looker`` with one import more, and a tool that is never called. All run the same cases with mocked tools.
Processor time of the whole process tree is measured, because the machine may be shared: that of a run of one case, most
of which is the start with the import, and that of each further case. A round measures every agent once. The ratios to
``looker`` without an import are of one round each, and the median of them counts.

``REHEARSAL_TEST_BINARY`` names the program. Libraries that this interpreter does not have are skipped. Linux only.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

BINARY = os.environ["REHEARSAL_TEST_BINARY"]
HERE = Path(__file__).parent
LIBRARIES = ["numpy", "pandas", "pyarrow", "grpc", "litellm", "tiktoken", "polars", "torch"]
FURTHER_CASES = 20
ROUNDS = 5
HOME_ENTRIES = 300

NEVER_CALLED = '''

def other() -> dict:
    """Does something else."""
    return {}


root_agent.tools.append(other)
'''


@dataclass
class Run:
    """A way to run the cases, and what it takes."""

    name: str
    agent: Path
    home: Path
    other: object = field(default_factory=lambda: {"returns": {}})
    """What the case has for the tool that is never called."""
    threads: str = ""
    """The threads because of which the process cannot be forked."""
    starts: list[float] = field(default_factory=list)
    cases: list[float] = field(default_factory=list)

    def measure(self) -> None:
        """Measures one round, in seconds."""
        start = self.seconds(1)
        self.starts.append(start)
        self.cases.append((self.seconds(1 + FURTHER_CASES) - start) / FURTHER_CASES)

    def seconds(self, cases: int) -> float:
        """The processor time of a run."""
        tools = {"look": {"returns": {"seen": True}}, "other": self.other}
        suite = self.agent / "suite.eval.json"
        suite.write_text(
            json.dumps(
                {
                    "subject": {"adk": "looker"},
                    "tools": tools,
                    "cases": [{"name": f"case-{at}", "first_message": "Look at both"} for at in range(cases)],
                }
            )
        )
        command = [BINARY, "eval", suite, "--store", self.agent / "eval.sqlite", "--python", sys.executable]
        ran = self.python("processor_time.py", *command)
        if found := re.search(r"cannot be forked: (.*)", ran.stderr):
            self.threads = found[1]
        return float(ran.stdout)

    def python(self, script: str, *arguments: object) -> subprocess.CompletedProcess:
        """Runs a script that is beside this one."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("REHEARSAL_")}
        environment["HOME"] = str(self.home)
        # Modules are compiled, as from the second run on a person's machine.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["PYTHONPYCACHEPREFIX"] = str(self.agent.parent / "compiled")
        command = [sys.executable, HERE / script, *map(str, arguments)]
        ran = subprocess.run(command, cwd=self.agent, env=environment, capture_output=True, text=True)
        assert ran.returncode in (0, 3), ran.stderr
        return ran

    def show(self, beside: "Run") -> None:
        """Prints a line, with the ratios to another run."""
        ratios = [
            median(ours / others for ours, others in zip(taken, reference))
            for taken, reference in ((self.starts, beside.starts), (self.cases, beside.cases))
        ]
        forks = f"no, {self.threads}" if self.threads else "yes"
        print(
            f"{self.name:30} {median(self.starts):7.2f} s {ratios[0]:6.2f}"
            f" {median(self.cases) * 1000:8.1f} ms {ratios[1]:6.2f}   {forks}"
        )


def agent(folder: Path, library: str | None) -> Path:
    """Writes an agent that imports the library, and returns the folder that it is in."""
    package = folder / (library or "none") / "looker"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text((HERE / "looker/__init__.py").read_text())
    begin = f"import {library}\n\n" if library else ""
    (package / "agent.py").write_text(begin + (HERE / "looker/agent.py").read_text() + NEVER_CALLED)
    return package.parent


def main() -> None:
    """Measures everything."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        empty, full = folder / "empty", folder / "full"
        for home in (empty, full):
            home.mkdir()
        for number in range(HOME_ENTRIES):
            (full / f"entry-{number}").touch()
        plain = agent(folder, None)
        beside = Run("no import, an empty home", plain, empty)
        seal = [
            Run(f"a home of {HOME_ENTRIES} entries", plain, full),
            Run("without the seal", plain, empty, other="real"),
        ]
        found = [library for library in LIBRARIES if importlib.util.find_spec(library)]
        imports = [Run(library, agent(folder, library), empty) for library in found]
        runs = [beside, *seal, *imports]
        for run in runs:
            # Compiles the modules.
            run.python("bare_runner.py", run.agent, 1)
            run.seconds(1)
        for _ in range(ROUNDS):
            for run in runs:
                run.measure()
    print(f"{ROUNDS} rounds of 1 and of {1 + FURTHER_CASES} cases")
    print(f"{'':30} {'one case':>9} {'ratio':>6} {'each further':>11} {'ratio':>6}   forks")
    for run in runs:
        run.show(beside)
    for library in LIBRARIES:
        if library not in found:
            print(f"{library:30} skipped, because it is not installed")


if __name__ == "__main__":
    main()
