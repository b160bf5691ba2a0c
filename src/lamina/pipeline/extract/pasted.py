"""What was pasted into a message: mails, quoted replies, chat logs, articles, examples.

Nothing in them is said by who pastes them. They are blanked, so that places in the text stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MAIL = 60  # lines of a mail, at most
PERSON = 40  # characters of a line that is a signature
ARTICLE = 400  # characters of a paragraph without "I", beyond which it is no talk
_F = re.IGNORECASE

_HEAD = re.compile(
    r"[ \t*]*(?:from|to|cc|bcc|subject|re|fwd?|date|sent|reply-to|发件人|發件人|寄件者|收件人|抄送"
    r"|主题|主題|主旨|日期|发送时间|發送時間|时间)\*{0,2}[ \t]*[:：]\*{0,2}[ \t]*\S.*",
    _F,
)
_QUOTED_FROM_HERE = re.compile(
    r"[ \t>]*(?:-{2,}[ \t]*(?:original message|forwarded message|forwarded by\b.*|原始邮件|原始郵件"
    r"|转发邮件|轉寄郵件|转发的邮件)[ \t]*-*|begin forwarded message:?|on\b.{5,120}\bwrote:"
    r"|(?:在|于)?.{2,60}(?:写道|寫道)[：:])[ \t]*",
    _F,
)
_SALUTED = re.compile(
    r"[ \t]*(?:(?:dear|to whom it may concern)\b[^.!?\n]{0,60}?[,:]?"
    r"|(?:尊敬的|敬爱的|敬愛的|亲爱的|親愛的)[^。！？\n]{1,20}[：:，,!！]?)[ \t]*",
    _F,
)
_GREETED = re.compile(
    r"[ \t]*(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings)\b[^.!?\n]{0,40}?[,!:]?"
    r"|[^。！？\n，,]{0,12}(?:您好|你好|大家好|各位好)[，,！!：:。]?)[ \t]*",
    _F,
)
_FORMAL = (
    r"(?:(?:best|kind|kindest|warm|warmest|with (?:best|kind|warm)|many|my best)[ \t]+"
    r"(?:regards|wishes)|regards|(?:yours|very)?[ \t]*(?:sincerely|faithfully|truly|respectfully)"
    r"(?:[ \t]+yours)?|yours|此致|敬礼|敬禮|此致[ \t]*敬[礼禮]|谨上|敬上|顺颂商祺|順頌商祺"
    r"|祝商祺|顺祝.{1,8})"
)
_CLOSED_FORMALLY = re.compile(rf"[ \t]*{_FORMAL}[ \t]*[,.!，。！]?[ \t]*", _F)
_CLOSED = re.compile(
    rf"[ \t]*(?:{_FORMAL}|best|cheers|(?:many )?thanks(?: (?:again|so much|in advance|a lot))?"
    r"|thank you(?: (?:again|so much|in advance|very much))?|love|take care|talk soon|see you"
    r"|warmly|cordially|all the best|xo+|祝好|谢谢|謝謝|祝.{1,8}"
    r"|.{1,8}[敬谨][上启])[ \t]*[,.!，。！～~]?[ \t]*",
    _F,
)
_SIGNATURE = re.compile(r"--[ \t]*")
_NAMED = re.compile(r"[ \t]*[-–—~]*[ \t]*\w[^.!?。！？:：\n]{0,38}[.。]?[ \t]*")

_CLOCK = r"\[?(?:\d{4}[-/.]\d\d?[-/.]\d\d?,?[ T])?\d{1,2}[:：.]\d\d(?:[:：]\d\d)?(?:[ ]?[ap]m)?\]?"
_SPOKEN = re.compile(
    rf"[ \t]*(?P<clock>{_CLOCK}[ \t]*[-–—]?[ \t]*)?<?\**"
    rf"(?P<name>(?-i:[A-Z])[\w.'-]*(?: (?-i:[A-Z])[\w.'-]*)?"
    rf"|[a-z]\w{{1,14}}"
    rf"|[\u4e00-\u9fff]{{1,6}})\**>?"
    rf"(?P<later>[ \t]*[(（\[]?{_CLOCK}[)）]?)?\**[ \t]*[:：]\**[ \t]*\S.*",
    _F,
)
_CLOCKED = re.compile(
    rf"[ \t]*{_CLOCK}[ \t]*[-–—]?[ \t]*<?\w[\w .'-]{{0,24}}>?[ \t]*(?:[:：].*)?", _F
)
# Labels that a speaker sets before his own words.
_LABEL = re.compile(
    r"(?:to-?do|todos?|notes?|ps|p\.s|fyi|update|edit|correction|question|q\d*|a\d*|answer|step"
    r"|option"
    r"|reminders?|remember|plan|task|goal|context|background|summary|problem|issue|fix|solution"
    r"|cause"
    r"|decision|name|home|city|job|role|age|allerg\w+|likes?|dislikes?|hobb\w+|pets?|also|btw|first"
    r"|second|third|finally|next|tool|version|language|email|phone|address|birthday|family|work"
    r"|employer|example|input|output|error|warning|info|debug|important|urgent|https?|today"
    r"|tomorrow"
    r"|morning|evening|(?:mon|tues|wednes|thurs|fri|satur|sun)day|待办|备注|记住|提醒|问题|原因"
    r"|解决|更正|补充"
    r"|姓名|年龄|职业|住址|爱好|过敏|生日|背景|目标|计划|任务|决定|另外|注意|周.|星期.|今天|明天"
    r"|第.步?)",
    _F,
)
_MINE = re.compile(r"\b(?:i|i['’]m|i['’]ve|my|me|we|our|us)\b|[我咱俺]", _F)
_PARAGRAPH = re.compile(r"(?:[^\n]+\n?)+")
# A line that says that what follows it is an example, a sample or somebody's text.
_SHOWN = re.compile(
    r"(?:^|(?<=[.!?。！？\n]))[^.!?。！？\n]{0,80}?(?:\b(?:examples?|e\.g\.|samples?|templates?"
    r"|placeholders?|boilerplate"
    r"|dummy|mock|fake|(?:test|sample|dummy|seed) (?:data|input|case|user|text|record|message)s?"
    r"|fixtures?"
    r"|articles?|blog ?posts?|posts?|essays?|e-?mails?|mails?|letters?|passages?|paragraphs?"
    r"|transcripts?"
    r"|excerpts?|reviews?|bios?|biograph(?:y|ies)|abstracts?|lyrics|poems?|stor(?:y|ies)|chats?"
    r"|chat logs?|conversations?"
    r"|(?:cover )?letters?|tweets?|comments?|press releases?|statements?|dialogues?|monologues?"
    r"|drafts?"
    r"|(?:said|wrote|writes|sent|posted|texted|replied) (?:to )?(?:me|us|this|that|the following"
    r"|back)?)\b"
    r"|例如|比如|例子|示例|样例|范例|模板|模版|测试数据|測試數據|测试用例|假数据|占位|文章|邮件"
    r"|郵件|来信|帖子|原文|短文"
    r"|简历|簡歷|评论|聊天记录|聊天紀錄|对话|這段話|这段话|下面这段|以下内容|草稿|台词)"
    r"[^.!?。！？:：\n]{0,40}(?:：|:(?=[\s\"“'*]|$))[ \t]*",
    _F | re.MULTILINE,
)

# Words that are asked about stand before the question, and are somebody's that came back.
_ASKED_ABOUT = re.compile(
    r"\b(?:(?:where|how|when) did you (?:get|find|learn|hear|come up with|know) (?:this|that|it)\b"
    r"|what did you mean|what(?:['’]s| is| does) (?:this|that|it) (?:supposed to )?(?:mean|from)\b"
    r"|(?:is|are|was) (?:all )?(?:of )?(?:this|that|these|it|any of this)(?: all| still"
    r"| really)* (?:right|correct"
    r"|true|accurate|up to date)\b|who (?:told|said|wrote) (?:you )?(?:this|that|it)\b"
    r"|why (?:did|do|would|are) you (?:say|saying|write|think|remember|tell(?:ing)? me) (?:this"
    r"|that|it|so)\b)[^\n]*[?]"
    r"|(?:这|這)(?:句|是|话|話|些)?.{0,6}(?:什么意思|什麼意思|哪来的|哪來的|从哪|從哪|谁说的"
    r"|誰說的|都?对吗|都?對嗎|没错吧)"
    r"|你(?:怎么|怎麼|从哪|從哪).{0,4}(?:知道|听说|得到|看到).{0,8}",
    _F,
)


def without_pasted(text: str) -> str:
    """The text with all that was pasted blanked, as long as it was."""
    for asked in _ASKED_ABOUT.finditer(text):
        text = blank(text[: asked.end()]) + text[asked.end() :]
    if "\n" in text:
        text = _without_lines(text)
        text = _PARAGRAPH.sub(_without_article, text)
    return _without_shown(text)


def blank(text: str) -> str:
    """As many blanks, lines kept."""
    return "".join(c if c == "\n" else " " for c in text)


def _without_lines(text: str) -> str:
    """Blank mails, quoted replies and chat logs, line by line."""
    lines = text.split("\n")
    gone: set[int] = set()
    for at, line in enumerate(lines):
        if at not in gone:
            gone.update(_mail(lines, at, line))
    gone.update(_chat(lines))
    return "\n".join(blank(line) if at in gone else line for at, line in enumerate(lines))


def _mail(lines: Sequence[str], at: int, line: str) -> range:
    """The lines of the mail that begins with a line; none where none does."""
    rest = lines[at + 1 : at + MAIL]
    begins = _HEAD.fullmatch(line) and any(
        _HEAD.fullmatch(other) or _SALUTED.fullmatch(other) or _GREETED.fullmatch(other)
        for other in [other for other in rest if other.strip()][:2]
    )
    if _SIGNATURE.fullmatch(line):
        return range(at, len(lines))
    if begins or _QUOTED_FROM_HERE.fullmatch(line) or _SALUTED.fullmatch(line):
        return range(at, _closing(lines, at + 1) or len(lines))
    if line.strip() and _GREETED.fullmatch(line):
        end = _closing(lines, at + 1)
        is_signed = end and not _CLOSED.fullmatch(lines[end - 1])
        return range(at, end if is_signed else at)
    if _CLOSED_FORMALLY.fullmatch(line) and any(other.strip() for other in lines[:at]):
        return range(_opening(lines, at), _signed(lines, at))
    return range(0)


def _closing(lines: Sequence[str], start: int) -> int:
    """Behind the closing words and the name of who signs; 0 where nobody closes."""
    for at in range(start, min(len(lines), start + MAIL)):
        if lines[at].strip() and _CLOSED.fullmatch(lines[at]):
            return _signed(lines, at)
    return 0


def _signed(lines: Sequence[str], at: int) -> int:
    """Behind the lines of a signature: what stands beneath the closing words up to a blank line."""
    end = at + 1
    while end < len(lines) and not lines[end].strip() and end <= at + 1:
        end += 1
    name = end
    while end < len(lines) and end < name + 4 and _NAMED.fullmatch(lines[end]):
        end += 1
    return end


def _opening(lines: Sequence[str], at: int) -> int:
    """Where a letter without a salutation begins: behind the last line that hands a text over."""
    for start in range(at - 1, -1, -1):
        if lines[start].rstrip().endswith((":", "：", "?", "？")):
            return start + 1
    return 0


def _chat(lines: Sequence[str]) -> set[int]:
    """The lines of a chat log: two or more that begin with who speaks, or with when."""
    said: dict[int, str] = {}
    clocked = 0
    for at, line in enumerate(lines):
        match = _SPOKEN.fullmatch(line)
        if match and not _LABEL.fullmatch(match["name"].strip(".")):
            said[at] = match["name"].casefold()
            clocked += bool(match["clock"] or match["later"])
        elif _CLOCKED.fullmatch(line) and ":" in line:
            said[at], clocked = "", clocked + 1
    if len(said) < 2 or (len(set(said.values())) < 2 and not clocked):
        return set()
    gone: set[int] = set()
    for at in said:
        end = at + 1
        while end < len(lines) and lines[end].strip() and end not in said:
            end += 1
        gone.update(range(at, end if clocked else at + 1))
    return gone


def _without_article(match: re.Match[str]) -> str:
    paragraph = match[0]
    is_long = len(paragraph) + sum(not c.isascii() for c in paragraph) > ARTICLE
    return blank(paragraph) if is_long and not _MINE.search(paragraph) else paragraph


def _without_shown(text: str) -> str:
    """Blank what is announced as an example or as a text: its line, or the paragraphs below."""
    for match in _SHOWN.finditer(text):
        line_end = text.find("\n", match.end())
        line_end = len(text) if line_end < 0 else line_end
        is_headed = not text[match.end() : line_end].strip()
        end = len(text) if is_headed else line_end
        text = text[: match.end()] + blank(text[match.end() : end]) + text[end:]
    return text
