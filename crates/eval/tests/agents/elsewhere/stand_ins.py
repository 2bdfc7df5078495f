"""Modules that stand in for packages that are not installed, so that google-adk's own classes can be imported."""

import importlib.abc
import importlib.machinery
import sys
import types

from pydantic_core import core_schema

PACKAGES = ("a2a", "langchain_core", "langgraph", "google.antigravity")


class _Anything(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return cls


class _StandIn(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        members = {
            "__module__": self.__name__,
            "__init__": lambda self, *_, **members: vars(self).update(members),
            "__class_getitem__": classmethod(lambda cls, _: cls),
            "__get_pydantic_core_schema__": classmethod(lambda *_: core_schema.any_schema()),
            "Value": staticmethod(lambda _: 0),
        }
        made = _Anything(name, (), members)
        setattr(self, name, made)
        return made


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if any(name == package or name.startswith(f"{package}.") for package in PACKAGES):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _StandIn(spec.name)

    def exec_module(self, module):
        pass


# Behind the others: packages that are installed are used.
sys.meta_path.append(_Finder())
