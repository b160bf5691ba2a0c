"""An address, a model and a key, checked, and never shown with their secrets."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from lamina.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an adapter asks. `family` is what its settings begin with: embedder, rerank or llm.

    `example` is a model to name where none was given.

    Raises:
        SettingsError: `url` is no http address, `model` is empty, or `key` is no key. An empty key
            is one: servers at home want none.
    """

    family: str
    url: str
    model: str
    key: str = field(default="", repr=False)
    example: str = ""
    host: str = field(init=False)  # with the port

    def __post_init__(self) -> None:
        object.__setattr__(self, "host", _host(self.url))
        if not self.host:
            raise SettingsError(
                f"{self.family}_url is {_bare(self.url)!r}; it must be the endpoint's base URL, "
                "such as https://api.openai.com/v1"
            )
        if not self.model:
            raise SettingsError(
                f"{self.family}_model is empty; it must be the name of a model of {self.host}, "
                f"such as {self.example}"
            )
        if not (self.key.isascii() and self.key.isprintable()):
            raise SettingsError(
                f"{self.family}_key holds a line end or a character that no key has; copy it again"
            )

    @property
    def who(self) -> str:
        """How errors call it: without a password in the address."""
        return f"{_bare(self.url)} ({self.model})"

    def said(self, fault: BaseException, most: int) -> str:
        """An error's own words and its cause's, at most so many.

        Without the key, which some endpoints repeat.
        """
        return self.hushed(f"{fault} {fault.__cause__ or ''}".strip())[:most]

    def hushed(self, words: str) -> str:
        """An endpoint's words without the key."""
        return words.replace(self.key, "***") if self.key else words


def _bare(url: str) -> str:
    return re.sub("//[^/]*@", "//", url)


def _host(base_url: str) -> str:
    """Host and port of an http address, "" where it is none."""
    try:
        address = urlsplit(base_url)
        address.port  # noqa: B018 - raises where it is no number of a port
    except ValueError:
        return ""
    if address.scheme not in {"http", "https"} or not address.hostname:
        return ""
    return address.netloc.rpartition("@")[2]
