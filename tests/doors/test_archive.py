"""Documents: kept, found on request with their lines, kept in step with their files, and erased."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pdfs import pdf_of

import lamina
from lamina import Archived, Filter, Hit, Kind, Layer, Memory

ARCHIVE = Filter(layers=(Layer.ARCHIVAL,))
TOKEN = "ghp_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z0A7b"
GUIDE = """\
# Guide

About the zebra house.

## Install

Feed the zebra at dawn.
Close the gate.

## Clean

Wash the walls.
"""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(tmp_path / "store", embedder="none", background=False) as opened:
        yield opened


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "guide.md").write_text(GUIDE, "utf-8")
    return folder


def found(memory: Memory, query: str, where: Filter = ARCHIVE) -> list[Hit]:
    return list(memory.search(query, filter=where))


def texts(memory: Memory) -> list[str]:
    return [record.content for record in memory.list(filter=ARCHIVE, limit=10_000)]


# --- what a hit says


def test_a_hit_tells_title_path_file_and_lines(memory: Memory, notes: Path) -> None:
    done = memory.archive.add(notes / "guide.md")
    assert (len(done.added), done.passages) == (1, 3)
    hit = found(memory, "when to feed")[0]
    assert hit.kind is Kind.DOCUMENT
    assert hit.layer is Layer.ARCHIVAL
    assert hit.role == "document"
    assert hit.text == "## Install\n\nFeed the zebra at dawn.\nClose the gate."
    (source,) = hit.source
    assert source.kind is Kind.DOCUMENT
    assert source.id == done.id
    assert source.name == "Guide > Install"
    assert source.quote == f"{notes / 'guide.md'}#L5-L8"
    record = memory.get(hit.id)
    assert record.metadata["path"] == str(notes / "guide.md")
    assert record.metadata["lines"] == [5, 8]
    assert record.metadata["section"] == "Guide > Install"


def test_a_passage_is_found_by_its_headings_and_its_file(memory: Memory, notes: Path) -> None:
    (notes / "voyage-1911.txt").write_text("It rained.\n\nThen it snowed.\n", "utf-8")
    memory.archive.add(notes)
    assert "Wash" in found(memory, "guide clean")[0].text
    assert "rained" in found(memory, "voyage 1911")[0].text


def test_the_archive_is_searched_only_when_asked_for(memory: Memory, notes: Path) -> None:
    memory.archive.add(notes)
    memory.add("a zebra note")
    results = memory.search("zebra")
    assert [hit.text for hit in results] == ["a zebra note"]
    assert results.archival == 2
    assert "Feed" not in memory.context("zebra").text
    asked = memory.search("zebra", filter=ARCHIVE)
    assert len(asked) == 2
    assert asked.archival is None
    both = Filter(layers=(Layer.ARCHIVAL, Layer.LONG_TERM))
    assert {hit.kind for hit in found(memory, "zebra", both)} == {Kind.DOCUMENT, Kind.MEMORY}


def test_a_listing_of_memories_leaves_passages_out_unless_asked(memory: Memory) -> None:
    rows = "\n\n".join(f"## Part {n}\n\nline {n}" for n in range(250))
    for name in ("One", "Two"):
        memory.archive.add(rows, title=name)
    kept = [memory.add(f"note {n}").id for n in range(3)]
    early = lamina.MemoryRecord("a", "an odd id", memory.get(kept[0]).created_at)
    memory.add(early)
    late = memory.add(lamina.MemoryRecord("zz", "another", early.created_at)).id
    assert {record.id for record in memory.list()} == {*kept, "a", late}
    assert [record.id for record in memory.list(limit=2)] == ["zz", "a"]
    assert len(memory.list(filter=ARCHIVE, limit=1000)) == 500
    assert [(one.title, one.passages) for one in memory.archive.list()] == [
        ("One", 250),
        ("Two", 250),
    ]


def test_a_memory_drawn_from_a_document_is_a_memory(memory: Memory) -> None:
    at = memory.get(memory.add("x").id).created_at
    source = lamina.Source(Kind.DOCUMENT, "d", name="Guide")
    memory.add(lamina.MemoryRecord("m", "zebras eat hay", at, sources=(source,)))
    assert [hit.kind for hit in memory.search("hay")] == [Kind.MEMORY]
    assert "m" in {record.id for record in memory.list()}


# --- formats


def test_front_matter_is_metadata_that_words_find(memory: Memory, notes: Path) -> None:
    (notes / "post.md").write_text("---\ntitle: A post\ntags: [walrus]\n---\nText.\n", "utf-8")
    memory.archive.add(notes / "post.md")
    (hit,) = found(memory, "walrus")
    assert hit.text == "Text."
    assert hit.source[0].name == "A post"
    assert memory.get(hit.id).metadata["front_matter"] == "title: A post\ntags: [walrus]"


def test_html_is_read_without_its_scripts(memory: Memory, notes: Path) -> None:
    page = "<title>Quay</title><script>zebra()</script>\n<h1>Boats</h1>\n<p>Two\nbarges.</p>"
    (notes / "quay.html").write_text(page, "utf-8")
    memory.archive.add(notes / "quay.html")
    (hit,) = found(memory, "barges")
    assert hit.text == "Boats\nTwo barges."
    assert hit.source[0].name == "Quay > Boats"
    assert hit.source[0].quote.endswith("quay.html#L2-L4")
    assert not found(memory, "zebra")


def test_pdf_tells_its_pages(memory: Memory, notes: Path) -> None:
    pytest.importorskip("pypdf")
    filler = "\n".join(["nothing of note on this line of the page"] * 50)
    (notes / "log.pdf").write_bytes(pdf_of([filler, f"the heron came\n{filler}", "the end"]))
    memory.archive.add(notes / "log.pdf")
    hit = found(memory, "heron")[0]
    assert hit.source[0].name == "log"
    assert hit.source[0].quote == f"{notes / 'log.pdf'}#page=2"
    assert memory.get(hit.id).metadata["pages"] == [2, 2]


def test_a_broken_pdf_is_reported(memory: Memory, notes: Path) -> None:
    pytest.importorskip("pypdf")
    (notes / "bad.pdf").write_bytes(b"%PDF-1.4\nnothing")
    done = memory.archive.add(notes)
    assert len(done.added) == 1
    (sentence,) = done.unread
    assert sentence.startswith(str(notes / "bad.pdf"))


def test_without_its_package_a_pdf_is_reported_and_named(
    memory: Memory, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    (notes / "log.pdf").write_bytes(pdf_of(["a heron"]))
    done = memory.archive.add(notes)
    assert len(done.added) == 1
    assert "lamina[pdf]" in done.unread[0]
    with pytest.raises(lamina.MissingPackageError, match=r"lamina\[pdf\]"):
        memory.archive.add(notes / "log.pdf")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_encodings_are_told_apart(memory: Memory, notes: Path, encoding: str) -> None:
    (notes / "a.txt").write_text("熊猫住在竹林里\r\n\r\n第二段\r\n", encoding, newline="")
    memory.archive.add(notes / "a.txt")
    (hit,) = found(memory, "熊猫")
    assert hit.text == "熊猫住在竹林里\n\n第二段"
    assert hit.source[0].quote.endswith("a.txt#L1-L3")


# --- in step with the files


def test_what_did_not_change_is_passed_over(memory: Memory, notes: Path) -> None:
    first = memory.archive.add(notes)
    again = memory.archive.add(notes)
    assert again == Archived(unchanged=first.added)
    told = memory.archive.add(notes, metadata={"topic": "zoo"})
    assert told.changed == first.added
    assert memory.archive.list()[0].metadata == {"topic": "zoo"}
    assert (
        len(found(memory, "zebra", Filter(layers=ARCHIVE.layers, metadata={"topic": "zoo"}))) == 2
    )


def test_a_changed_file_has_new_passages_in_place_of_the_old(memory: Memory, notes: Path) -> None:
    first = memory.archive.add(notes)
    (notes / "guide.md").write_text(GUIDE.replace("dawn", "noon").split("## Clean")[0], "utf-8")
    done = memory.archive.add(notes)
    assert done.changed == first.added
    assert len(texts(memory)) == done.passages == 2
    assert not any("dawn" in text or "walls" in text for text in texts(memory))
    assert "noon" in found(memory, "feed zebra")[0].text
    (notes / "guide.md").write_text(GUIDE, "utf-8")
    assert memory.archive.add(notes).passages == 3


def test_a_file_that_lost_all_text_leaves_the_archive(memory: Memory, notes: Path) -> None:
    first = memory.archive.add(notes)
    (notes / "guide.md").write_text(" \n", "utf-8")
    assert memory.archive.add(notes).removed == first.added
    assert not memory.archive.list()


def test_files_that_are_gone_are_pruned_on_request(memory: Memory, notes: Path) -> None:
    deep = notes / "deep" / "er"
    deep.mkdir(parents=True)
    (deep / "a.txt").write_text("a yak", "utf-8")
    other = notes.parent / "notes-2"
    other.mkdir()
    (other / "b.txt").write_text("a second yak", "utf-8")
    memory.archive.add(notes)
    memory.archive.add(other)
    memory.archive.add("a third yak", title="Yak")
    (deep / "a.txt").unlink()
    (other / "b.txt").unlink()
    assert memory.archive.add(notes).removed == ()
    assert len(found(memory, "yak")) == 3
    done = memory.archive.add(notes, prune=True)
    assert len(done.removed) == 1
    assert not done.pending
    assert {hit.text for hit in found(memory, "yak")} == {"a second yak", "a third yak"}


def test_the_same_text_under_two_paths_is_two_documents(memory: Memory, notes: Path) -> None:
    (notes / "copy.md").write_text(GUIDE, "utf-8")
    done = memory.archive.add(notes)
    assert len(done.added) == 2
    assert len({one.path for one in memory.archive.list()}) == 2
    removed = memory.archive.remove(notes / "copy.md")
    assert not removed.pending
    assert [one.path for one in memory.archive.list()] == [str(notes / "guide.md")]
    assert len(texts(memory)) == 3


def test_a_passage_deleted_by_hand_does_not_break_its_document(memory: Memory, notes: Path) -> None:
    memory.archive.add(notes)
    memory.delete(found(memory, "house")[0].id)  # the first passage
    assert len(memory.archive.list()) == 1
    (notes / "guide.md").write_text(GUIDE + "\nMore.\n", "utf-8")
    assert memory.archive.add(notes).passages == 3
    memory.archive.remove(notes)
    assert not texts(memory)


def test_a_passage_cannot_be_changed(memory: Memory, notes: Path) -> None:
    memory.archive.add(notes)
    with pytest.raises(lamina.InvalidInputError, match="archive it again"):
        memory.update(found(memory, "dawn")[0].id, "noon")


# --- folders


def test_what_is_no_document_is_passed_over_and_said(memory: Memory, notes: Path) -> None:
    for name in (".git", "node_modules", "sub/.cache"):
        (notes / name).mkdir(parents=True)
        (notes / name / "x.txt").write_text("a dodo", "utf-8")
    (notes / ".env").write_text("a dodo", "utf-8")
    (notes / "photo.jpg").write_bytes(bytes(range(256)) * 9)
    (notes / "empty.txt").write_bytes(b"")
    (notes / "sub" / "good.txt").write_text("a heron", "utf-8")
    shares: list[float] = []
    done = memory.archive.add(notes, progress=shares.append)
    assert len(done.added) == 2
    assert {Path(one.split(": ")[0]).name for one in done.skipped} == {
        ".git", "node_modules", ".cache", ".env", "photo.jpg",
    }  # fmt: skip
    assert [Path(one.split(": ")[0]).name for one in done.unread] == ["empty.txt"]
    assert not found(memory, "dodo")
    assert shares == sorted(shares)
    assert shares[-1] <= 1


def test_links_are_not_followed_into_a_circle(memory: Memory, notes: Path) -> None:
    try:
        (notes / "loop").symlink_to(notes, target_is_directory=True)
        (notes / "gone.md").symlink_to(notes / "nowhere.md")
    except OSError:
        pytest.skip("no links here")
    done = memory.archive.add(notes)
    assert len(done.added) == 1
    assert "link" in done.skipped[0]
    assert "gone.md" in done.unread[0]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="rights bind nobody here")
def test_what_may_not_be_read_is_reported(memory: Memory, notes: Path) -> None:
    (notes / "shut.md").write_text("a dodo", "utf-8")
    (notes / "shut.md").chmod(0)
    done = memory.archive.add(notes)
    assert len(done.added) == 1
    assert "shut.md" in done.unread[0]


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="names are text there")
def test_a_name_that_is_no_text_is_kept_and_not_pruned(memory: Memory, notes: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(notes) + b"/caf\xe9.txt")).write_text("a lynx", "utf-8")
    except OSError:
        pytest.skip("this disk takes no such name")
    memory.archive.add(notes)
    assert memory.archive.add(notes, prune=True).removed == ()
    assert found(memory, "lynx")[0].source[0].name == "caf\ufffd"


# --- texts, titles, scopes


def test_a_text_is_a_document_by_its_title(memory: Memory) -> None:
    first = memory.archive.add("# Beds\n\nrows of leeks", title="The garden")
    (hit,) = found(memory, "leeks")
    assert hit.source[0].name == "The garden > Beds"
    assert hit.source[0].quote == "The garden#L1-L3"
    (document,) = memory.archive.list()
    assert (document.id, document.title, document.path) == (first.id, "The garden", None)
    assert memory.archive.add("rows of kale", title="The  garden").changed == first.added
    assert not found(memory, "leeks")


def test_a_title_may_be_given_to_a_file(memory: Memory, notes: Path) -> None:
    memory.archive.add(str(notes / "guide.md"), title="The zoo")
    assert found(memory, "dawn")[0].source[0].name == "The zoo > Guide > Install"


def test_an_archive_of_any_size_is_kept(memory: Memory, notes: Path) -> None:
    (notes / "big.txt").write_text("the tide came and went\n\n" * 60_000 + "a narwhal\n", "utf-8")
    assert (notes / "big.txt").stat().st_size > 1 << 20
    done = memory.archive.add(notes / "big.txt")
    assert done.passages > 500
    assert found(memory, "narwhal")[0].source[0].quote.endswith("-L120001")


def test_each_scope_has_its_own_documents(memory: Memory, notes: Path) -> None:
    ann, bob = memory.for_user("ann"), memory.for_user("bob")
    mine, common = ann.archive.add(notes), memory.for_everyone().archive.add(notes)
    assert mine.id != common.id
    assert [one.id for one in bob.archive.list()] == [common.id]
    assert {one.id for one in ann.archive.list()} == {mine.id, common.id}
    with pytest.raises(lamina.ScopeError):
        bob.archive.remove(common.id)
    with pytest.raises(lamina.NotFoundError):
        bob.archive.remove(mine.id)
    assert ann.archive.remove(notes).removed == (mine.id,)
    assert [one.id for one in ann.archive.list()] == [common.id]


def test_what_cannot_be_archived_is_refused(memory: Memory, notes: Path) -> None:
    (notes / "photo").write_bytes(bytes(range(256)))
    (notes / "empty.md").write_text("\n", "utf-8")
    archive = memory.archive
    refused: list[tuple[Any, dict[str, Any], str]] = [
        ("no/such.md", {}, "title"),
        (Path("no/such.md"), {}, "not there"),
        (notes / "photo", {}, "not a text"),
        (notes / "empty.md", {}, "no text"),
        (" \n", {"title": "Blank"}, "no text"),
        (notes, {"title": "All"}, "is a folder"),
        (notes / "guide.md", {"prune": True}, "prune"),
        (notes, {"metadata": {"path": "x", "lines": 1}}, "lines, path"),
        (notes, {"metadata": [1]}, "mapping"),
        ("text", {"title": " "}, "empty"),
        ("text", {"title": 3}, "give a str"),
    ]
    for given, options, said in refused:
        with pytest.raises(lamina.InvalidInputError, match=said):
            archive.add(given, **options)
    with pytest.raises(lamina.NotFoundError):
        archive.remove("doc_none")
    with pytest.raises(lamina.InvalidInputError, match="empty"):
        archive.remove(" ")
    assert archive.list() == []


# --- secrets and the end


def test_secrets_are_masked_and_lines_stay(memory: Memory, notes: Path, tmp_path: Path) -> None:
    key = "\n".join(
        ["-----BEGIN RSA PRIVATE KEY-----", *["Mx9Z" * 16] * 60, "-----END RSA PRIVATE KEY-----"]
    )
    (notes / "keys.md").write_text(
        f"# Keys\n\n{TOKEN}\n\n{key}\n\n<private>\nthe kakapo\n</private>\n\nlast words\n", "utf-8"
    )
    done = memory.archive.add(notes / "keys.md")
    assert done.masked == {"token": 1, "private_key": 1}
    whole = "\n".join(texts(memory))
    assert "[secret:private_key]" in whole
    for secret in (TOKEN, "Mx9Z", "kakapo"):
        assert secret not in whole
        for file in (tmp_path / "store").rglob("*"):
            assert secret.encode() not in file.read_bytes()
    hit = found(memory, "last words")[0]
    assert hit.source[0].quote.endswith("-L72")


def test_removed_is_gone_from_the_files(memory: Memory, notes: Path, tmp_path: Path) -> None:
    (notes / "long.md").write_text(
        "\n\n".join(f"## P{n}\n\nOKAPI-{n}" for n in range(300)), "utf-8"
    )
    memory.archive.add(notes)
    done = memory.archive.remove(str(notes))
    assert len(done.removed) == 2
    assert not done.pending
    assert not found(memory, "okapi")
    memory.close()
    for file in (tmp_path / "store").rglob("*"):
        assert b"OKAPI-" not in file.read_bytes()
        assert b"Feed the zebra" not in file.read_bytes()
