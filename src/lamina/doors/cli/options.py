"""Options that several commands share, each said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

WHERE, NARROW = "Whose memory", "Narrow it down"

Store = Annotated[
    Path | None,
    typer.Option(
        envvar="LAMINA_STORE",
        help="Folder of the store. Default: a data folder of your account.",
        rich_help_panel=WHERE,
    ),
]
User = Annotated[
    str | None,
    typer.Option(
        envvar="LAMINA_USER",
        help="Whose memory. Default: the store's default user.",
        rich_help_panel=WHERE,
    ),
]
Agent = Annotated[
    str | None,
    typer.Option(help="One agent's own part, beside what is shared.", rich_help_panel=WHERE),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for other programs.")]
Id = Annotated[str, typer.Argument(help="Id of a memory or message.", show_default=False)]
Query = Annotated[
    str, typer.Argument(help="A question or some words, in any language.", show_default=False)
]

Session = Annotated[
    str | None, typer.Option(help="Only this conversation.", rich_help_panel=NARROW)
]
Layers = Annotated[
    list[str] | None,
    typer.Option("--layer", help="session, long_term or archival.", rich_help_panel=NARROW),
]
Categories = Annotated[
    list[str] | None,
    typer.Option("--category", help="preferences, events, ...", rich_help_panel=NARROW),
]
Origins = Annotated[
    list[str] | None,
    typer.Option("--origin", help="Who said it: user, assistant, ...", rich_help_panel=NARROW),
]
Since = Annotated[
    str | None, typer.Option(help="From this day or time on.", rich_help_panel=NARROW)
]
Until = Annotated[str | None, typer.Option(help="Before this day or time.", rich_help_panel=NARROW)]
Project = Annotated[str | None, typer.Option(help="Of this project.", rich_help_panel=NARROW)]
Where = Annotated[
    str | None,
    typer.Option("--metadata", help='JSON such as {"topic": "tea"}.', rich_help_panel=NARROW),
]
AsOf = Annotated[str | None, typer.Option(help="What was true then.", rich_help_panel=NARROW)]

Category = Annotated[str | None, typer.Option(help="preferences, events, profile, ...")]
Importance = Annotated[float | None, typer.Option(help="0.0 to 1.0.")]
Metadata = Annotated[str | None, typer.Option(help='JSON such as {"topic": "tea"}.')]
