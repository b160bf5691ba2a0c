"""Prompts for language models: Markdown files beside this one, and how they are filled in.

In a prompt `{{name}}` stands for a value, and a paragraph from `{{#name}}` to `{{/name}}` for one
that is there only where the value is not empty. Values are put in as they are, and never read as
parts of the prompt.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_PARTS = re.compile(
    r"\{\{#(?P<if>\w+)\}\}\n(?P<then>.*?)\{\{/(?P=if)\}\}\n|\{\{(?P<value>\w+)\}\}", re.DOTALL
)


def prompt(name: str, **values: str) -> str:
    """The prompt of this name with its values; those not given are empty."""

    def filled(part: re.Match[str]) -> str:
        if part["value"]:
            return values.get(part["value"], "")
        return _PARTS.sub(filled, part["then"]) if values.get(part["if"]) else ""

    return _PARTS.sub(filled, _text(name))


@cache
def _text(name: str) -> str:
    return (files(__name__) / f"{name}.md").read_text("utf-8").strip() + "\n"
