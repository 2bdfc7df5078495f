"""Writes an eval set for the agent ``looker``: the arguments are the number of cases and the file."""

import json
import sys


def content(role: str, text: str) -> dict:
    return {"role": role, "parts": [{"text": text}]}


def case(number: int) -> dict:
    calls = [{"id": str(at), "name": "look", "args": {"at": f"x{at}"}} for at in range(2)]
    return {
        "eval_id": f"case-{number}",
        "conversation": [
            {
                "user_content": content("user", "Look at both"),
                "final_response": content("model", "Seen both"),
                "intermediate_data": {"tool_uses": calls},
            }
        ],
    }


with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump({"eval_set_id": "looks", "eval_cases": [case(at) for at in range(int(sys.argv[1]))]}, file)
