"""Makes prompts of another framework."""

NEEDS = ["langchain_core"]

from langchain_core.prompts import ChatPromptTemplate

PROMPT = ChatPromptTemplate.from_messages([("user", "{question}")])


def callback():
    return PROMPT.invoke({"question": "Why?"})
