"""A clinical triage agent: it asks, looks up policies and escalates. Its tools would have effects."""

from google.adk.agents import LlmAgent
from google.adk.tools import FunctionTool, LongRunningFunctionTool, ToolContext


def read(policy_id: str) -> dict:
    """Reads a policy.

    Args:
      policy_id: The policy.
    """
    raise RuntimeError("the policies' database was asked")


def record_answer(question: str, answer: str, tool_context: ToolContext) -> dict:
    """Records the patient's answer.

    Args:
      question: What was asked.
      answer: What the patient answered.
    """
    beliefs = dict(tool_context.state.get("beliefs") or {})
    beliefs[question] = answer
    tool_context.state["beliefs"] = beliefs
    return {"recorded": len(beliefs)}


def escalate(urgency_level: str, reason: str, tool_context: ToolContext) -> dict:
    """Escalates the case.

    Args:
      urgency_level: How urgent it is, for example emergency_999.
      reason: Why.
    """
    tool_context.state["escalation"] = {"urgencyLevel": urgency_level, "reason": reason}
    return {"escalated": True}


def ask(question: str) -> None:
    """Asks the patient a question.

    Args:
      question: The question.
    """
    raise RuntimeError("a patient was asked")


def book(day: str) -> dict:
    """Books an appointment; the patient names the hour.

    Args:
      day: The day.
    """
    raise RuntimeError("a patient was asked")


def page_doctor(name: str) -> dict:
    """Pages a doctor.

    Args:
      name: The doctor.
    """
    raise RuntimeError("a doctor was paged")


root_agent = LlmAgent(
    name="triage",
    model="gemini-2.5-flash",
    instruction="You triage patients. Ask, read the policy, and escalate emergencies.",
    tools=[
        read,
        record_answer,
        escalate,
        LongRunningFunctionTool(ask),
        LongRunningFunctionTool(book),
        FunctionTool(page_doctor, require_confirmation=True),
    ],
)
