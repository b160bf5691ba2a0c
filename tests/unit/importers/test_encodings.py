"""Bytes of other people's files are read in the encoding that they show."""

import pytest

from lamina.importers.encodings import encoding_of

CHINESE = '{"text": "下周三下午两点我有一场技术面试，请记住。"}'


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gbk", "gb18030"]
)
def test_each_encoding_is_seen_by_how_a_file_begins(encoding: str) -> None:
    data = CHINESE.encode(encoding)
    assert data.decode(encoding_of(data)) == CHINESE


@pytest.mark.parametrize("cut", range(20, 40))
@pytest.mark.parametrize("encoding", ["utf-8", "gbk"])
def test_a_head_may_end_within_a_character(encoding: str, cut: int) -> None:
    data = CHINESE.encode(encoding)
    assert data.decode(encoding_of(data[:cut])) == CHINESE


@pytest.mark.parametrize("damage", [b"\xff", b"\xe4", b"\x80\x80", b"\xc3"])
def test_a_damaged_byte_does_not_turn_utf8_into_another(damage: bytes) -> None:
    data = CHINESE.encode()
    middle = data.index("面试".encode())
    assert encoding_of(data[:middle] + damage + data[middle:]) == "utf-8"


@pytest.mark.parametrize("head", [b"", b"{", b"\0\0\0\0{}", b'{"a": 1}', "é".encode()])
def test_what_shows_nothing_is_utf8(head: bytes) -> None:
    assert encoding_of(head) == "utf-8"


def test_an_astral_character_of_gb18030_is_read() -> None:
    text = '{"text": "𠮷野家在哪里，今天😀很高兴见到你们大家"}'
    data = text.encode("gb18030")
    assert data.decode(encoding_of(data)) == text
