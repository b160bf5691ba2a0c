from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from lamina.pipeline.extract.rules import drawn
from lamina.pipeline.extract.sift import statements
from lamina.types import Message, Role

MAIL = """Can you make this shorter?

From: Ida Brandt
Subject: Saturday

I live in Bergen now and I work at Nordvik. My dog is called Pluto."""
CLOSED_MAIL = """Got this today, no idea what to say.

Dear Tove,
I'm a violinist from Graz and I love your courtyard.
My number is 555-0192.

Kind regards,
Emil"""
FORWARDED = """What should I do here?

---------- Forwarded message ---------
I am allergic to nuts. Please call me Bo."""
QUOTED_REPLY = """Fine with me.

On Tue, 3 Mar 2026 at 10:11, Ida Brandt wrote:
I live in Bergen."""
CHAT = """Who is right here?
Tom: I live in Oslo.
Ida: I hate Oslo.
Tom: My name is Tom."""
TIMED_CHAT = """[10:32] Tom: I live in Oslo.
[10:33] Ida: I prefer Bergen."""
CHAT_ZH = """谁说得对？
小王：我住在成都。
老李：我讨厌成都。"""
MAIL_ZH = """帮我看看。
发件人：李雷
主题：你好
我住在成都，我喜欢吃辣。"""
MAIL_ZH_PLAIN = """收到一封信，怎么回？
尊敬的王先生：
我是一名律师，住在武汉。
此致
敬礼
李雷"""
ARTICLE = """Here's an article I found:
I was born in Cork. I love the sea. I work as a fisherman."""
NOTHING = [
    MAIL, CLOSED_MAIL, FORWARDED, QUOTED_REPLY, CHAT, TIMED_CHAT, CHAT_ZH, MAIL_ZH, MAIL_ZH_PLAIN,
    ARTICLE,
    "Let's play: you are a dragon and I'm Edda, a thief from Bree. I live in a cave.",
    "Let's role-play. I am a waiter. I hate soup.",
    "我们来角色扮演，我是一名将军。我住在皇宫。",
    "I'm the queen of Denmark. Just kidding!",
    "I work as an astronaut. Joke.",
    "我是亿万富翁，逗你的。",
    "If I lived in Rome I would eat ice cream every day.",
    "Imagine I worked at a zoo.",
    "In my novel I live in Prague.",
    "Translate into French: I live in Rome and I like tea.",
    "Summarise this text:\nI live in Rome. I am a baker.",
    "A sentence for example: my name is Otto.",
    "比如我叫小明。",
    "My name is [your name] and I live in [city].",
    "My boss told me: “I live in Rome.”",
    "User likes green tea\nWhere did you get this from?",
]  # fmt: skip
STATED = [
    ("End of the role-play. I live in Oslo.", "I live in Oslo."),
    ("Let's role-play, I am a king. Okay, game over. I live in Oslo.", "I live in Oslo."),
    ("I'm a millionaire. Just kidding. I live in Oslo.", "I live in Oslo."),
    ("角色扮演，我是将军。角色扮演结束。我住在成都。", "我住在成都。"),
    ("Some notes:\nName: Ida\nCity: Oslo\nI live in Oslo.", "I live in Oslo."),
    ("I live in Oslo.\n\nFrom: Ida\nSubject: Hi\n\nI live in Rome.", "I live in Oslo."),
    ("No kidding, I live in Oslo.", "No kidding, I live in Oslo."),
    ("You are right, I live in Oslo.", "You are right, I live in Oslo."),
    ("My brother plays the cello.", "My brother plays the cello."),
]


def said(text: str) -> list[str]:
    return [s.text for s in statements(text) if s.reported < 0]


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_not_the_speakers_own_is_left_out(text: str) -> None:
    message = Message("1", "s", Role.USER, text, datetime(2026, 3, 4, 10, tzinfo=UTC))
    found = drawn(message, text, zone=ZoneInfo("UTC"))
    assert [one.content for one in found if not one.doubt] == []


@pytest.mark.parametrize(("text", "kept"), STATED)
def test_what_stands_outside_is_kept(text: str, kept: str) -> None:
    assert kept in said(text)
