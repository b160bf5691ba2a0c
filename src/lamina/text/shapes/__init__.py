"""Messages in the forms of the APIs: read in, kept as they came, and written out in any of them."""

from lamina.text.shapes.counting import (
    Calibration,
    Counter,
    calibrated,
    message_tokens,
    request_tokens,
    tools_tokens,
)
from lamina.text.shapes.parts import (
    Call,
    Media,
    Other,
    Part,
    Result,
    Text,
    Thinking,
    calls,
    inner,
    part_of,
    parts,
    results,
)
from lamina.text.shapes.reading import Shape, detect, is_plain, own, read, shape_of
from lamina.text.shapes.sending import sendable
from lamina.text.shapes.writing import Lost, Written, write

__all__ = [
    "Calibration",
    "Call",
    "Counter",
    "Lost",
    "Media",
    "Other",
    "Part",
    "Result",
    "Shape",
    "Text",
    "Thinking",
    "Written",
    "calibrated",
    "calls",
    "detect",
    "inner",
    "is_plain",
    "message_tokens",
    "own",
    "part_of",
    "parts",
    "read",
    "request_tokens",
    "results",
    "sendable",
    "shape_of",
    "tools_tokens",
    "write",
]
