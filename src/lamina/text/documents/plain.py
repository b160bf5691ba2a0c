"""Plain text: paragraphs."""

from __future__ import annotations

from lamina.text.documents.blocks import Block, Parsed, lines_of


def plain(text: str) -> Parsed:
    """Runs of lines between blank ones."""
    blocks: list[Block] = []
    held: list[str] = []
    for number, line in enumerate([*lines_of(text), ""], 1):
        if line.strip():
            held.append(line)
        elif held:
            blocks.append(Block("\n".join(held), number - len(held), number - 1))
            held = []
    return Parsed(blocks)
