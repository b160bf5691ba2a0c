"""All settings: one flat value. Argument > environment > file > default; read by `build` alone.

The environment's names are LAMINA_ and the field in capitals. The file is `lamina.toml` in the
store's folder.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal, get_args, get_origin, get_type_hints

from lamina.errors import SettingsError
from lamina.types import Json

Redact = Literal["memories", "messages", "off"]
Extract = Literal["all", "rules", "model", "off"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What an owner may set; every field has the right default for one person on one machine."""

    embedder: str = "e5"  # e5, openai, local, none, or the name of a registered one
    embedder_url: str = ""  # openai: the endpoint's base URL, used as given
    embedder_model: str = ""  # openai: the model's name; local: the folder
    embedder_key: str = ""  # openai: the API key
    embedder_dimensions: int = 0  # openai: 0 asks the endpoint
    rerank_url: str = ""  # base URL of an endpoint with /rerank; "" reranks nothing
    rerank_model: str = ""  # the name of its model
    rerank_key: str = ""  # its API key
    threads: int = 2  # of the embedder
    llm: str = ""  # openai, anthropic, or the name of a registered one; "" works without a model
    llm_url: str = ""  # the endpoint's base URL, used as given; anthropic: "" is its own
    llm_model: str = ""  # the model's name
    llm_key: str = ""  # the API key
    llm_daily_tokens: int = 200_000  # that the model may take a day; what is over waits
    store: str = "sqlite"  # sqlite, memory, or the name of a registered one
    busy_seconds: float = 30.0  # how long a write waits for another process
    index_megabytes: int = 512  # memory for loaded indexes, least recently used dropped
    max_text_bytes: int = 1 << 20  # of one memory; messages may be larger
    redact: Redact = "memories"  # memories, messages (these too), or off
    extract: Extract = "all"  # facts from what users say: by rules and model (all), one, or off
    extract_every: int = 10  # messages of a user until the model reads; 0: only on request
    extract_instructions: str = ""  # for the model, in your words: what matters, examples
    extract_skip: str = ""  # categories that nothing is drawn of, such as "profile, events"
    session_days: float = 7.0  # idle days after which a conversation's notes are ended
    zone: str = ""  # IANA name; "" is the system's
    background: bool = True  # embed in a thread of its own; False: only when asked


def settings_from(
    arguments: Mapping[str, Json], environment: Mapping[str, str], file: str
) -> Settings:
    """Settings from what was given in code, in the environment, and in the text of a TOML file.

    Raises:
        SettingsError: an unknown name, or a value of the wrong type.
    """
    try:
        filed = tomllib.loads(file)
    except tomllib.TOMLDecodeError as fault:
        raise SettingsError(
            f"lamina.toml does not read as TOML: {fault}; mend or remove it"
        ) from None
    named = {
        field.name: environment[f"LAMINA_{field.name.upper()}"]
        for field in fields(Settings)
        if f"LAMINA_{field.name.upper()}" in environment and field.name != "store"
    }
    values: dict[str, Json] = {}
    for given, where in ((filed, "lamina.toml"), (named, "the environment"), (arguments, "open()")):
        for name, value in given.items():
            if value is not None:
                values[name] = _checked(name, value, where)
    return Settings(**values)


def _checked(name: str, value: Json, where: str) -> Json:
    hints = get_type_hints(Settings)
    if name not in hints:
        known = ", ".join(sorted(hints))
        raise SettingsError(f"{where} sets {name!r}, which is no setting; known ones: {known}")
    wanted = hints[name]
    if get_origin(wanted) is Literal:
        if value in get_args(wanted):
            return value
        raise SettingsError(f"{where} sets {name} to {value!r}; it is one of {get_args(wanted)}")
    if isinstance(value, str) and wanted is not str:
        return _parsed(name, value, wanted, where)
    if isinstance(value, wanted) or (wanted is float and isinstance(value, int)):
        return wanted(value)
    raise SettingsError(f"{where} sets {name} to {value!r}; it takes {wanted.__name__}")


def _parsed(name: str, value: str, wanted: type, where: str) -> Json:
    if wanted is bool:
        known = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
        if value.strip().lower() in known:
            return known[value.strip().lower()]
        raise SettingsError(f"{where} sets {name} to {value!r}; say true or false")
    try:
        return wanted(value)
    except ValueError:
        raise SettingsError(
            f"{where} sets {name} to {value!r}; it takes {wanted.__name__}"
        ) from None
