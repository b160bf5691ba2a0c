"""Plays: from when on the speaker is somebody else, and when he is himself again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from lamina.pipeline.extract.pasted import blank

PAUSE = timedelta(minutes=30)  # after which nobody plays on without saying so

_YOU = r"(?:you|u)(?:['’]re| are|['’]ll be| will be| play| act| be)\b"
_I = r"i(?:['’]m| am|['’]ll be| will be| play|['’]ll play)\b"
_BEGUN = re.compile(
    r"\brole-?[ ]?play(?:ing|s)?\b(?! (?:games?|club|group|session|night|campaign|with my)\b)"
    r"|\blet['’]?s (?:all )?(?:pretend|make believe|imagine (?:that )?(?:i|you|we))\b"
    r"|\blet['’]?s play(?: (?:a (?:little )?game|make-?believe|doctors?|house|pretend|it out"
    r"|that))?"
    rf"(?=\s*(?:[:,.;–—-]|where\b|that\b|in which\b|you\b|{_YOU}))"
    r"|\b(?:pretend|make believe|imagine)\b[,:]? (?:that |for a (?:moment|second|minute),? )?"
    r"(?:you\b|i(?:['’]m| am| was| were)\b|we\b|to be\b|my name)"
    rf"|\b{_YOU}[^.!?\n]{{2,60}}(?:,| and| while)\s*(?:and )?{_I}"
    rf"|\b{_I}[^.!?\n]{{2,60}}(?:,| and| while)\s*(?:and )?(?:you['’]?(?:re| are|['’]ll be"
    rf"| will be) (?:my|the|an?)\b)"
    r"|\b(?:stay|you['’]re|be|remain|speak|answer) in character\b|\bin this (?:scene|game"
    r"|role-?play|scenario)\b"
    r"|\b(?:my|your) (?:character|role) (?:is|will be)\b"
    r"|角色扮演|(?:你|您)(?:来|來|现在|現在)?(?:扮演|扮成|饰演|飾演|演)|我(?:来|來)?(?:扮演|扮成"
    r"|饰演|飾演|演一?[个個位])"
    r"|(?:假装|假裝|假扮|装作|裝作)(?:你|我|咱|自己|成)|(?:咱们|咱們|我们|我們|来|來)(?:来"
    r"|來)?玩(?:一?[个個场場])?(?:游戏|遊戲|过家家|過家家)"
    r"|想象(?:一下)?(?:你|我)是|你(?:现在|現在)是.{1,20}[，,]我(?:现在|現在)?是"
    r"|我是.{1,20}[，,]你(?:现在|現在)?是",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"\b(?:(?:stop|end|quit|finish|leave|done with|enough of|exit|pause"
    r"|drop)\b[^.!?\n]{0,20}\b(?:role-?[ ]?play\w*"
    r"|game|playing|pretending|scene|character|act|acting)|(?:stop|quit|no more) (?:playing"
    r"|pretending|role-?play\w*|acting)"
    r"|game over|out of character|ooc|break(?:ing)? character|the end|back to (?:reality|normal"
    r"|business|real life|being me)"
    r"|(?:that['’]?s|that is) (?:the end|enough)|(?:game|play|scene) (?:is )?over|in real life"
    r"|for real now|end scene"
    r"|(?:i['’]m|i am) (?:me|myself) again|no longer (?:playing|pretending))\b"
    r"|(?:游戏|遊戲|扮演|表演|剧情|劇情)(?:到此)?(?:结束|結束|完了|停)|(?:结束|結束|停止|退出"
    r"|不玩|别玩|別玩|玩够|玩夠|到此为止"
    r"|到此為止|言归正传|言歸正傳|说正经的|說正經的|回到现实|回到現實|不演了|出戏|出戲|回到正题"
    r"|回到正題)",
    re.IGNORECASE,
)

# What is asked for as fiction: the rest of the message is its premise.
TALE = re.compile(
    r"\b(?:write|tell|compose|make up|invent|create|generate|draft|give|continue|finish|start"
    r"|begin)(?: (?:me|us|up))?"
    r"(?: (?:an?|the|my|this|our|some|another|one))?(?: [\w-]+){0,3}? (?:stor(?:y|ies)|tales?"
    r"|scenes?|dialogues?|monologues?"
    r"|fan-?fic(?:tion)?|novel(?:la)?|chapter|screenplay|script (?:where|in which|about|for a)"
    r"|skit|fable|legend|diary entry"
    r"|fairy[- ]tale|fiction|limerick|song|poem|verse|haiku|rap|adventure|jokes?)\b"
    r"|\bin the first person\b"
    r"|(?:写|寫|编|編|讲|講|续写|續寫|创作|創作)(?:我|给我|給我"
    r"|一下)?(?:一?[个個篇段首则則部])?[^，。！？\n]{0,12}(?:故事|小说|小說|童话|童話"
    r"|剧本|劇本|台词|對白|对白|对话|對話|诗|詩|歌词|歌詞|段子|日记|日記|独白|獨白)|第一人称"
    r"|第一人稱",
    re.IGNORECASE,
)


def without_play(text: str, *, playing: bool = False) -> tuple[str, bool]:
    """The text without what is said in a play, and whether one goes on behind it.

    `playing`: it had begun before this text.
    """
    at = 0
    while True:
        if not playing:
            begun = _BEGUN.search(text, at)
            if begun is None:
                return text, False
            over = next(
                (e for e in _ENDED.finditer(text) if e.start() <= begun.start() < e.end()), None
            )
            if over is not None:
                at = over.end()
                continue
            at = begun.start()
        ended = _ENDED.search(text, at)
        end = len(text) if ended is None else ended.end()
        text = text[:at] + blank(text[at:end]) + text[end:]
        if ended is None:
            return text, True
        playing, at = False, end


def is_played(said: Iterable[tuple[str, datetime]], until: datetime) -> bool:
    """Whether a play goes on at a time, after what the user said before it, oldest first."""
    playing, last = False, until
    for text, at in said:
        if at - last > PAUSE:
            playing = False
        _, playing = without_play(text, playing=playing)
        last = at
    return playing and until - last <= PAUSE
