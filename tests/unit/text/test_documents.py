"""Readers of documents: blocks, their titles, and exactly the lines they stand on."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lamina.text.documents.blocks import Block, lines_of, packed
from lamina.text.documents.html import html
from lamina.text.documents.markdown import markdown
from lamina.text.documents.plain import plain
from lamina.text.tokens import count_tokens

GUIDE = """\
# Guide

Welcome.

## Install

Run this:

```sh
# not a heading

pip install lamina
```

### On Windows ###
Use `py`.

Upgrade
-------
Do it *again*.
"""


def told(blocks: list[Block]) -> list[tuple[str, int, int, str]]:
    return [(" > ".join(b.titles), b.first, b.last, b.text.split("\n")[0]) for b in blocks]


def test_headings_give_the_path_and_the_lines_are_those_of_the_file() -> None:
    made = markdown(GUIDE)
    assert made.title == "Guide"
    assert told(packed(made.blocks, 400)) == [
        ("Guide", 1, 3, "# Guide"),
        ("Guide > Install", 5, 13, "## Install"),
        ("Guide > Install > On Windows", 15, 16, "### On Windows ###"),
        ("Guide > Upgrade", 18, 20, "Upgrade"),
    ]


def test_a_passage_is_the_text_of_its_lines() -> None:
    lines = GUIDE.split("\n")
    for block in packed(markdown(GUIDE).blocks, 400):
        assert block.text == "\n".join(lines[block.first - 1 : block.last])


def test_headings_without_a_text_go_with_what_follows() -> None:
    made = packed(markdown("# A\n\n## B\n\n## C\ntext\n## D\n").blocks, 400)
    assert told(made) == [("A > C", 1, 6, "# A"), ("A > D", 7, 7, "## D")]


@pytest.mark.parametrize(
    "text",
    [
        "```\n# one\n\n# two\n```",
        "~~~~ python\n# one\n~~~\n# two\n~~~~",
        "- item\n\n    ```\n    # one\n    ```",
        "```\n# one\n\nleft open",
    ],
)
def test_nothing_in_a_fence_is_a_heading_or_a_border(text: str) -> None:
    blocks = markdown(text).blocks
    assert not any(block.heading for block in blocks)
    assert blocks[-1].last == len(text.split("\n"))


@pytest.mark.parametrize(
    "text",
    ["a | b\n-----\n", "- item\n---\n", "#no heading\n", "one\ntwo\n---\n", "text ```x```\n"],
)
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    headings = [block for block in markdown(text).blocks if block.heading]
    assert not headings or text.startswith("a | b")


def test_a_fence_is_not_cut_where_it_fits_a_passage() -> None:
    words = "\n\n".join(["word " * 40] * 5)
    fence = "```\n" + "\n\n".join(["value = compute(1)"] * 40) + "\n```"
    assert count_tokens(fence) < 400
    made = packed(markdown(f"{words}\n\n{fence}\n\n{words}").blocks, 400)
    assert any(fence in block.text for block in made)
    assert all(count_tokens(block.text) <= 400 for block in made)


def test_front_matter_is_kept_apart_and_may_name_the_document() -> None:
    made = markdown('---\ntitle: "The garden"\ntags: [a]\n---\n# Beds\n\nrows\n')
    assert made.title == "The garden"
    assert made.front == 'title: "The garden"\ntags: [a]'
    assert told(packed(made.blocks, 400)) == [("Beds", 5, 7, "# Beds")]


def test_a_rule_at_the_start_is_no_front_matter() -> None:
    made = markdown("---\nSome words.\n\n---\nMore.\n")
    assert made.front == ""
    assert made.blocks[0].first == 1


def test_one_long_line_is_cut_at_sentences_and_stays_one_line() -> None:
    made = packed(plain("first\n\n" + "水是温的。" * 600 + "\n").blocks, 400)
    assert len(made) > 3
    assert {(block.first, block.last) for block in made[1:]} == {(3, 3)}
    assert all(count_tokens(block.text) <= 400 for block in made)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_whatever_ends_them(end: str) -> None:
    text = end.join(["one", "", "two\x0b\x85\u2028", "three", "", "", "four"])
    assert [(b.first, b.last) for b in plain(text).blocks] == [(1, 1), (3, 4), (7, 7)]


PAGE = """\
<!doctype html><html><head><title>Harbour
 notes</title><style>p { color: red }</style></head>
<body><nav><a href="/">Home</a></nav>
<h1>Harbour</h1>
<script>
var secret = "no text";
</script>
<p>The <b>pilot</b> boat &amp; the
tug leave at six.</p><p>Twice.</p>
<h2>Tides</h2>
<ul><li>high: 4&nbsp;m
<li>low: 1 m</ul>
<pre>
 06:00  in
 12:00  out
</pre>
<table><tr><th>Day</th><th>Ship</th></tr>
<tr><td>Mon</td><td>Alma</td></tr></table>
after<br>all
</body></html>
"""


def test_html_gives_its_texts_under_their_headings_with_the_lines_of_the_source() -> None:
    made = html(PAGE)
    assert made.title == "Harbour notes"
    assert [(b.text, b.first, b.last) for b in made.blocks] == [
        ("Home", 3, 3),
        ("Harbour", 4, 4),
        ("The pilot boat & the tug leave at six.", 8, 9),
        ("Twice.", 9, 9),
        ("Tides", 10, 10),
        ("- high: 4 m", 11, 11),
        ("- low: 1 m", 12, 12),
        (" 06:00  in\n 12:00  out", 14, 15),
        ("Day | Ship", 17, 17),
        ("Mon | Alma", 18, 18),
        ("after\nall", 19, 19),
    ]
    assert [block.titles for block in made.blocks[1:5]] == [("Harbour",)] * 3 + [
        ("Harbour", "Tides")
    ]


pieces = st.sampled_from(
    ["# T", "## U", "", "  ", "word", "a b c " * 30, "```", "~~~", "---", "===", "- x", "    code",
     "长句子。" * 60, "<private>", "\t", "1. x"]
)  # fmt: skip


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(pieces, max_size=30), st.sampled_from([plain, markdown]), st.integers(20, 400))
def test_passages_hold_every_line_that_is_not_blank(
    lines: list[str], reader: object, most: int
) -> None:
    text = "\n".join(lines)
    assert callable(reader)
    made = reader(text)
    blocks = packed(made.blocks, most)
    covered = {number for block in blocks for number in range(block.first, block.last + 1)}
    body = len(made.front.split("\n")) + 2 if made.front else 0
    for number, line in enumerate(lines_of(text), 1):
        assert number in covered or not line.strip() or number <= body, (number, line)
    for before, after in pairwise(blocks):
        assert before.last <= after.first
    for block in blocks:
        whole = "\n".join(lines_of(text)[block.first - 1 : block.last])
        flat = "".join(block.text.split())
        assert flat in "".join(whole.split())
    assert "".join("".join(b.text.split()) for b in blocks) == "".join(
        "".join(line.split()) for line in lines_of(text)[body:]
    )


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=300), st.sampled_from([plain, markdown, html]))
def test_any_text_is_read(text: str, reader: object) -> None:
    assert callable(reader)
    for block in packed(reader(text).blocks, 50):
        assert block.text.strip()
        assert 1 <= block.first <= block.last <= len(lines_of(text))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text("<>/=\"'! -abprehtilscypt&;#\n", max_size=300))
def test_any_html_is_read(text: str) -> None:
    for block in html(text).blocks:
        assert block.text.strip()
        assert 1 <= block.first <= block.last <= len(lines_of(text))
