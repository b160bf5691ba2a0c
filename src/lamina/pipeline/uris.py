"""URIs: `lamina://<user>/<category>/<slug>~<id>`. Pure.

The slug is for people, and changes with the content; the id alone resolves, so that an old URI
leads to the same memory for ever. Nothing of a URI is stored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

from lamina.errors import InvalidInputError
from lamina.plain import shown
from lamina.text.fold import nfkc
from lamina.types import DEFAULT_USER, EVERYONE, Document, MemoryRecord

SCHEME = "lamina://"
ARCHIVE, SESSIONS = "archive", "sessions"  # folders beside those of the categories
ID = "~"  # what stands before an id; no slug holds it
NAMES = {DEFAULT_USER: "default", EVERYONE: "everyone"}  # a user called so is percent-encoded
LONGEST = 8192  # characters of a URI
SLUG_WORDS, SLUG_WIDTH = 8, 40  # a Chinese character is two wide
_UNKEPT = re.compile(r"[^\w.~\-]+")
_WORD = re.compile(r"[\u3400-\u9fff]+|[^\W_\u3400-\u9fff]+")
_ODD = re.compile(r"[\x00-\x1f\x7f\\\ud800-\udfff]")
_OTHER = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a URI leads: whose memory ("" for the root above all), and the way below it."""

    user: str = ""
    path: tuple[str, ...] = ()

    @property
    def uri(self) -> str:
        """The URI of the place."""
        if not self.user:
            return SCHEME
        return SCHEME + "/".join([_user_name(self.user), *map(quoted, self.path)])

    def below(self, *names: str) -> Place:
        """A place further down."""
        return Place(self.user, (*self.path, *names))


def _user_name(user: str) -> str:
    if user in NAMES:
        return NAMES[user]
    if user in {ID, *NAMES.values()}:
        return f"%{ord(user[0]):02X}{user[1:]}"
    return quoted(user)


def quoted(name: str) -> str:
    """A name as one part of a URI: letters and digits of every script as they are."""
    if set(name) == {"."}:
        return name.replace(".", "%2E")
    return _UNKEPT.sub(lambda found: quote(found[0], safe=""), name)


def named(slug: str, id: str) -> str:
    """The last part of a URI as it stands in a `Place`: the words and the id."""
    return f"{slug}{ID}{id}"


def place_of(record: MemoryRecord, user: str) -> Place:
    """Where a memory stands."""
    document = record.document
    if document is not None:
        title = record.metadata.get("title", "")
        number = record.id.removeprefix(f"{document.id}.").lstrip("0") or "0"
        return Place(user, (ARCHIVE, named(slug(str(title)), document.id), number))
    return Place(user, (str(record.category), named(slug(record.content), record.id)))


def document_place(document: Document, user: str) -> Place:
    """Where a document stands."""
    return Place(user, (ARCHIVE, named(slug(document.title), document.id)))


def slug(text: str) -> str:
    """The first words of a text, in small letters and joined: "likes-oat-milk", "喜欢燕麦奶"."""
    words: list[str] = []
    room = SLUG_WIDTH
    for found in _WORD.finditer(nfkc(text[: SLUG_WIDTH * 4]).lower()):
        word, wide = found[0], 2 if found[0] >= "\u3400" else 1
        if words and wide == 1 and len(word) > room:
            break
        word = word[: max(0, room) // wide]
        room -= len(word) * wide + 1
        words.append(word)
        if len(words) == SLUG_WORDS or room < wide:
            break
    return "-".join(filter(None, words))


def parsed(uri: str, home: str) -> Place:
    """The place that a URI names. Without a scheme it is a path below what is `home`'s.

    Raises:
        InvalidInputError: it cannot be one.
    """
    if not isinstance(uri, str):
        raise InvalidInputError(f"the URI is {shown(uri)}; give a text such as {SCHEME}")
    if len(uri) > LONGEST or _ODD.search(uri):
        raise InvalidInputError(
            f"the URI {shown(uri)} is over {LONGEST:,} characters, or holds a backslash or a "
            "control character; percent-encode it, or take it from ls"
        )
    scheme = _OTHER.match(uri)
    if scheme is None:
        return Place(home, _names(uri.strip("/"), uri))
    if scheme[0].lower() != SCHEME:
        raise InvalidInputError(f"{shown(uri)} is not of {SCHEME}; take a URI from ls")
    whose, _, path = uri[len(SCHEME) :].strip("/").partition("/")
    if not whose:
        return Place()
    users = {name: user for user, name in NAMES.items()} | {ID: home}
    return Place(users.get(whose) or _names(whose, uri)[0], _names(path, uri))


def _names(path: str, uri: str) -> tuple[str, ...]:
    if not path:
        return ()
    parts = path.split("/")
    if not all(part.strip(".") for part in parts):
        raise InvalidInputError(
            f"the URI {shown(uri)} has an empty part, or one of dots; there is no way up from here"
        )
    try:
        return tuple(unquote_to_bytes(part).decode() for part in parts)
    except UnicodeDecodeError:
        raise InvalidInputError(
            f"the URI {shown(uri)} is percent-encoded otherwise than in UTF-8; take it from ls"
        ) from None


def is_uri(text: str) -> bool:
    """Whether a text has a scheme, as URIs have and paths have not."""
    return _OTHER.match(text) is not None
