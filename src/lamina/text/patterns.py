"""Patterns that people write, matched in time that grows with the text alone, whatever they are.

`glob` has `*` and `?` within a part of a path, `**` over parts. `Regex` has the usual regular
expressions less what looks around or back: they become an automaton whose states are made as they
are met, so that no text makes it try again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from lamina.errors import InvalidInputError
from lamina.plain import shown

LONGEST = 1000  # characters of a pattern
MOST_STATES = 500  # of an automaton: what repeats are written out to
MOST_KEPT = 2000  # of the states that were met; beyond it they are made anew
DEEPEST = 50  # groups in groups
REPEATS = 100  # the highest number in {m,n}


def checked_pattern(pattern: str) -> str:
    """A pattern that may be tried.

    Raises:
        InvalidInputError: it is no text, empty, or too long.
    """
    if not isinstance(pattern, str) or not pattern:
        raise InvalidInputError(f"the pattern is {shown(pattern)}; give a text that is not empty")
    if len(pattern) > LONGEST:
        raise InvalidInputError(
            f"the pattern has {len(pattern):,} characters, over the limit of {LONGEST:,}; give less"
        )
    return pattern


# --- paths


def glob_steps(pattern: Sequence[str], at: Collection[int], name: str) -> frozenset[int]:
    """How far a pattern of parts has come behind one more name of a path; empty where it fails."""
    found: set[int] = set()
    for place in at:
        if place < len(pattern):
            if pattern[place] == "**":
                found.add(place)
            elif glob(pattern[place], name):
                found.add(place + 1)
    return glob_starts(pattern, found)


def glob_starts(pattern: Sequence[str], at: Collection[int] = (0,)) -> frozenset[int]:
    """These places of a pattern, and those reached from them because `**` may stand for nothing."""
    found = set(at)
    for place in sorted(at):
        end = place
        while end < len(pattern) and pattern[end] == "**":
            end += 1
            found.add(end)
    return frozenset(found)


def glob(pattern: str, name: str) -> bool:
    """Whether a name is of a pattern with `*` and `?`; case does not matter."""
    pattern, name = pattern.casefold(), name.casefold()
    p = n = 0
    star = mark = -1
    while n < len(name):
        if p < len(pattern) and pattern[p] == "*":
            star, mark = p, n
            p += 1
        elif p < len(pattern) and pattern[p] in {"?", name[n]}:
            p += 1
            n += 1
        elif star >= 0:  # the last star takes one character more
            mark += 1
            p, n = star + 1, mark
        else:
            return False
    return not pattern[p:].strip("*")


# --- regular expressions

Test = Callable[[str], bool]  # of one character
_WORD: Test = lambda c: c.isalnum() or c == "_"  # noqa: E731 - a test among tests
_CLASSES: dict[str, Test] = {"d": str.isdigit, "w": _WORD, "s": str.isspace}
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}


@dataclass(slots=True)
class _State:
    """A state of the automaton: with a test it takes a character, else it leads on at once."""

    test: Test | None = None
    look: str = ""  # ^ $ b B: leads on only there
    out: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Node:
    """A part of an expression."""

    kind: str  # test, look, row, either or repeat
    parts: tuple[_Node, ...] = ()
    test: Test | None = None
    look: str = ""
    least: int = 0
    most: int | None = None


class Regex:
    """A regular expression without regard to case; `find` takes linear time."""

    def __init__(self, pattern: str) -> None:
        self._states: list[_State] = []
        end = self._add(_State())
        self._start = self._built(_Parser(pattern).node(), end)
        self._end = end
        self._met: dict[tuple[frozenset[int], str], dict[str, frozenset[int] | None]] = {}

    def find(self, line: str) -> int | None:
        """Behind which character the first match to end ends; None where there is none."""
        at: frozenset[int] = frozenset()
        before = "^"
        for place, char in enumerate(line):
            known = self._met.setdefault((at, before), {})
            if char not in known:
                if len(self._met) > MOST_KEPT:
                    self._met = {(at, before): known}
                known[char] = self._step(at, before, char)
            after = known[char]
            if after is None:
                return place
            at, before = after, "w" if _WORD(char) else "-"
        return len(line) if self._end in self._reached(at, before, "$") else None

    def _step(self, at: frozenset[int], before: str, char: str) -> frozenset[int] | None:
        """The states behind a character; None where a match ends before it."""
        reached = self._reached(at, before, "w" if _WORD(char) else "-")
        if self._end in reached:
            return None
        found: set[int] = set()
        for number in reached:
            state = self._states[number]
            if state.test is not None and state.test(char):
                found.update(state.out)
        return frozenset(found)

    def _reached(self, at: frozenset[int], before: str, after: str) -> set[int]:
        """These states and the start, with all that they lead to between two characters."""
        waiting, found = [self._start, *at], set[int]()
        while waiting:
            number = waiting.pop()
            if number not in found:
                found.add(number)
                state = self._states[number]
                if state.test is None and (not state.look or _holds(state.look, before, after)):
                    waiting += state.out
        return found

    def _add(self, state: _State) -> int:
        if len(self._states) >= MOST_STATES:
            raise InvalidInputError("the pattern repeats too much; use smaller numbers in {m,n}")
        self._states.append(state)
        return len(self._states) - 1

    def _built(self, node: _Node, end: int) -> int:
        """States for a part that leads to `end`; where it begins."""
        if node.kind in {"test", "look"}:
            return self._add(_State(node.test, node.look, [end]))
        if node.kind == "row":
            for part in reversed(node.parts):
                end = self._built(part, end)
            return end
        if node.kind == "either":
            return self._add(_State(out=[self._built(part, end) for part in node.parts]))
        (part,) = node.parts
        if node.most is None:
            again = self._add(_State(out=[end]))
            self._states[again].out.append(self._built(part, again))
            start = again
        else:
            start = end
            for _ in range(node.most - node.least):
                start = self._add(_State(out=[end, self._built(part, start)]))
        for _ in range(node.least):
            start = self._built(part, start)
        return start


def _holds(look: str, before: str, after: str) -> bool:
    if look in "^$":
        return (before if look == "^" else after) == look
    return ((before == "w") != (after == "w")) == (look == "b")


class _Parser:
    """From a pattern to its parts, by descent."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0

    def node(self) -> _Node:
        """All of the pattern."""
        found = self._either()
        if self._at < len(self._pattern):
            self._refuse("closes a group that nothing opens")
        return found

    def _refuse(self, what: str) -> NoReturn:
        raise InvalidInputError(
            f"the pattern {shown(self._pattern)} {what}, at character {self._at}; mend it, or "
            "search for it as plain text"
        )

    def _next(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _takes(self, text: str) -> bool:
        if not self._pattern.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def _either(self) -> _Node:
        parts = [self._row()]
        while self._takes("|"):
            parts.append(self._row())
        return parts[0] if len(parts) == 1 else _Node("either", tuple(parts))

    def _row(self) -> _Node:
        parts: list[_Node] = []
        while self._next() not in {"", "|", ")"}:
            part = self._one()
            while repeated := self._repeat(part):
                part = repeated
            parts.append(part)
        return _Node("row", tuple(parts))

    def _repeat(self, part: _Node) -> _Node | None:
        least, most = 0, None
        if self._takes("+"):
            least = 1
        elif self._takes("?"):
            most = 1
        elif self._next() == "{":
            found = self._numbers()
            if found is None:
                return None
            least, most = found
        elif not self._takes("*"):
            return None
        self._takes("?")  # as little as may be: whether it matches is the same
        if part.kind == "look":
            self._refuse("repeats what has no width")
        return _Node("repeat", (part,), least=least, most=most)

    def _numbers(self) -> tuple[int, int | None] | None:
        """The numbers of {m}, {m,}, {,n} or {m,n}; None where the bracket is a plain character."""
        end = self._pattern.find("}", self._at)
        first, comma, last = self._pattern[self._at + 1 : max(end, 0)].partition(",")
        if end < 0 or not (first or last) or not (first + last).isdecimal():
            return None
        least = int(first or 0)
        most = least if not comma else int(last) if last else None
        if max(least, most or 0) > REPEATS or (most is not None and most < least):
            self._refuse(f"repeats what cannot be (from 0 to {REPEATS} times)")
        self._at = end + 1
        return least, most

    def _one(self) -> _Node:
        if self._takes("("):
            return self._group()
        if self._takes("["):
            return _Node("test", test=self._set())
        if self._takes("."):
            return _Node("test", test=lambda _: True)
        if self._next() in {"^", "$"}:
            self._at += 1
            return _Node("look", look=self._pattern[self._at - 1])
        if self._takes("\\"):
            if self._next() in {"b", "B"}:
                self._at += 1
                return _Node("look", look=self._pattern[self._at - 1])
            return _Node("test", test=self._escape())
        if self._next() in {"*", "+", "?"}:
            self._refuse("repeats nothing")
        self._at += 1
        return _Node("test", test=_is(self._pattern[self._at - 1]))

    def _group(self) -> _Node:
        if self._next() == "?" and not self._takes("?:"):
            self._refuse("has a group that looks around or has options, which are not known here")
        self._depth += 1
        if self._depth > DEEPEST:
            self._refuse(f"is over {DEEPEST} groups deep")
        found = self._either()
        if not self._takes(")"):
            self._refuse("opens a group that nothing closes")
        self._depth -= 1
        return found

    def _escape(self) -> Test:
        """What stands behind a backslash."""
        char = self._next()
        self._at += 1
        if char.lower() in _CLASSES:
            test = _CLASSES[char.lower()]
            return test if char.islower() else lambda c: not test(c)
        if char in _ESCAPED:
            return _is(_ESCAPED[char])
        if not char or char.isalnum():
            self._at -= 1
            self._refuse(f"has \\{char}, which is not known here")
        return _is(char)

    def _set(self) -> Test:
        """What stands between square brackets."""
        turned = self._takes("^")
        tests: list[Test] = []
        start = self._at
        while self._next() != "]" or self._at == start:
            if not self._next():
                self._refuse("opens a set that nothing closes")
            first = self._next()
            self._at += 1
            if first == "\\":
                tests.append(self._escape())
            elif self._next() == "-" and self._pattern[self._at + 1 : self._at + 2] not in {
                "",
                "]",
            }:
                last = self._pattern[self._at + 1]
                self._at += 2
                tests.append(_between(first, last))
            else:
                tests.append(_is(first))
        self._at += 1
        return lambda c: any(test(c) for test in tests) != turned


def _is(char: str) -> Test:
    forms = {char, char.lower(), char.upper()}
    return lambda c: c in forms


def _between(first: str, last: str) -> Test:
    return lambda c: any(first <= form <= last for form in (c, c.lower(), c.upper()))
