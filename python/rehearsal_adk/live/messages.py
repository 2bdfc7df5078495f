"""The messages of ``proto/rehearsal/v1``, made from its descriptors when first imported.

No generated code is kept: it would tie the package to the version of protobuf that generated it.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_SET = descriptor_pb2.FileDescriptorSet.FromString(
    (files(__package__) / "rehearsal_v1.binpb").read_bytes()
)
# A pool of its own: another package may bring another version of the contract.
_POOL = descriptor_pool.DescriptorPool()
for _file in _SET.file:
    _POOL.Add(_file)

SERVICE = "rehearsal.v1.LiveService"


def message(name: str) -> Any:
    """The class of the message with this name."""
    descriptor = _POOL.FindMessageTypeByName(f"rehearsal.v1.{name}")
    return message_factory.GetMessageClass(descriptor)


def number(enum: str, name: str) -> int:
    """The number of an enum's value."""
    return _POOL.FindEnumTypeByName(f"rehearsal.v1.{enum}").values_by_name[name].number


Content = message("Content")
Part = message("Part")
Tool = message("Tool")
SimulatedLlmRequest = message("SimulatedLlmRequest")
HumanResponse = message("HumanResponse")
SubmitRequest = message("SubmitRequestRequest")
RecordEvent = message("RecordEventRequest")
ROLE_USER = number("Role", "ROLE_USER")
ROLE_MODEL = number("Role", "ROLE_MODEL")
ROLE_FUNCTION = number("Role", "ROLE_FUNCTION")
RUN_COMPLETED = number("RunOutcome", "RUN_OUTCOME_COMPLETED")
RUN_FAILED = number("RunOutcome", "RUN_OUTCOME_FAILED")
RUN_CANCELLED = number("RunOutcome", "RUN_OUTCOME_CANCELLED")
