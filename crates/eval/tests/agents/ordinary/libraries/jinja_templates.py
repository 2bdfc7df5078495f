"""Renders a template beside the agent, and keeps it compiled."""

import pathlib

import jinja2

LOADER = jinja2.FileSystemLoader(pathlib.Path(__file__).parent / "data")
ENVIRONMENT = jinja2.Environment(loader=LOADER, bytecode_cache=jinja2.FileSystemBytecodeCache())


def callback():
    return ENVIRONMENT.get_template("prompt.j2").render(name="Ada")
