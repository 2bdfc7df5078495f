"""Prints the modules, as JSON, without importing them, and makes the files of theirs that are no text in a folder."""

import ast
import importlib.util
import json
import pathlib
import sqlite3
import sys


def constants(file: pathlib.Path) -> dict:
    found = {}
    for line in ast.parse(file.read_text()).body:
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            if line.targets[0].id in ("NEEDS", "ALLOW", "REFUSED", "ALONE"):
                found[line.targets[0].id.lower()] = ast.literal_eval(line.value)
    return found


def is_missing(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is None
    except ModuleNotFoundError:
        return True


with sqlite3.connect(pathlib.Path(sys.argv[1]) / "cities.db") as connection:
    connection.execute("create table cities(name)")
    connection.executemany("insert into cities values (?)", [("Rome",), ("Oslo",)])

libraries = []
for file in sorted(pathlib.Path(__file__).parent.glob("[a-z]*.py")):
    says = constants(file)
    missing = [name for name in says.get("needs", ()) if is_missing(name)]
    libraries.append(
        {
            "name": file.stem,
            "missing": missing,
            "allow": says.get("allow", []),
            "refused": says.get("refused"),
            "is_alone": says.get("alone", False) or "allow" in says,
        }
    )
print(json.dumps(libraries))
