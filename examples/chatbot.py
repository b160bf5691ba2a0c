"""A chat bot that remembers, for any OpenAI-compatible endpoint.

export OPENAI_BASE_URL=https://api.deepseek.com OPENAI_API_KEY=sk-...
python examples/chatbot.py deepseek-chat zhang
"""

import sys
from datetime import date
from typing import Any

from openai import OpenAI

import lamina

SYSTEM = "You are a helpful companion. Answer in the language of the last message."


def chat(model: str, user: str) -> None:
    """Talk until the input ends; everything said is kept in the folder `chatbot-memory`."""
    client = OpenAI()  # reads OPENAI_BASE_URL and OPENAI_API_KEY
    with lamina.open("chatbot-memory") as store:
        session = store.for_user(user).session(date.today().isoformat())
        while said := input("> ").strip():
            session.append("user", said)
            prompt = session.prompt(max_tokens=16_000, system=SYSTEM)
            messages: list[Any] = list(prompt.messages)
            answer = client.chat.completions.create(model=model, messages=messages)
            reply = answer.choices[0].message.content or ""
            session.append("assistant", reply)
            print(reply)


if __name__ == "__main__":
    try:
        chat(*sys.argv[1:3])
    except (EOFError, KeyboardInterrupt):
        print()
