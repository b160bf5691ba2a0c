"""What makes a sentence worth keeping in a summary: its numbers and names, and what it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lamina.pipeline.compact.lines import Section

FILE = re.compile(
    r"https?://[^\s\"'<>，。）)]+"
    r"|(?<![\w/.])(?:[A-Za-z]:\\|~?/|\.{1,2}/)?(?:[\w@.+-]+/)+[\w@.+-]*\w"
    r"|(?<![\w/.-])[\w-]+(?:\.[\w-]+)*\.(?:py|pyi|js|jsx|ts|tsx|txt|md|json|jsonl|toml|ya?ml|log|csv"
    r"|tsv|html?|css|go|rs|java|kt|c|cc|h|hpp|cpp|cs|rb|php|sh|sql|xml|ini|cfg|conf|lock|pdf|png|svg"
    r"|jpe?g|docx?|xlsx?|pptx?|ipynb|db|env|zip|gz)(?!\w)"
)
_HARD = re.compile(
    r"(?P<quoted>`[^`\n]{1,60}`|“[^”\n]{1,40}”|「[^」\n]{1,40}」|《[^》\n]{1,40}》|\"[^\"\n]{1,40}\")"
    r"|(?P<mail>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    r"|(?P<number>[$€£¥]?\d[\d,.:/\-]*(?<=\d)(?:\s?(?:%|°[CF]?|[a-zA-Z]{1,3}\b))?[年月日号点元块岁]?)"
    r"|(?P<ident>\b[A-Za-z]+_\w+|\b[a-z]+[A-Z]\w*|\b[A-Z]{2,}[\w-]*|\b[A-Za-z]+-?\d[\w.-]*)"
    r"|(?P<count>[一二两三四五六七八九十百千万]+"
    r"(?:个|天|年|月|日|号|点|块|元|岁|公里|斤|人|次|楼|室|倍|层|台|份))"
    r"|(?P<day>(?:上|下|这|本)?(?:周|星期|礼拜)[一二三四五六日天]|大?[后前]天|明天|昨天|今晚"
    r"|(?i:\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:tomorrow|yesterday|tonight)\b))"
    r"|(?P<name>(?<=[a-z0-9,;:)’'] )[A-Z][\w’'-]*(?: [A-Z][\w’'-]*)*)"
)
_WEIGHTS = {"day": 0.6, "quoted": 0.9, "count": 0.8, "name": 0.9}

_ERROR = re.compile(
    r"\b(?i:errors?|exceptions?|traceback|fail(?:ed|ure|s|ing)?|crash(?:ed|es)?|bugs?|panic|fatal"
    r"|refused|denied|time[ds]? ?out|not found|undefined|invalid|segfault|broken?|leak(?:s|ed)?)\b"
    r"|\b\w+(?:Error|Exception)\b|\bE[A-Z]{4,}\b"
    r"|错误|报错|出错|失败|异常|崩溃|超时|找不到|故障|缺陷|漏洞"
)
_FIXED = re.compile(
    r"\b(?i:fix(?:ed|es|ing)?|solved?|resolved?|workaround|patched|corrected|mended|caused? by"
    r"|the cause|root cause)\b|修复|修好|修正|解决|改正|原因"
)
_DECIDED = re.compile(
    r"\b(?i:decid\w+|agreed?|let's (?:go|use|take|keep)|go(?:ing|es)? with|chose|chosen|settled"
    r"|instead of|switch(?:ed|ing)? to|approved|confirmed|picked|conclusion|turns? out|turned out"
    r"|done|implemented|added|created|updated|renamed|moved to|deployed|released|merged"
    r"|pass(?:es|ed)"
    r"|works now|booked|ordered|bought|signed|cancell?ed|will use|we'll|noted|measured)\b"
    r"|决定|定了|定下|就用|改用|改成|采用|选了|选择|同意|敲定|确认|完成|做好|搞定|通过了|上线|发布|合并"
    r"|预订|订了|下单|原来是|结论|测得"
)
_OPEN = re.compile(
    r"\b(?i:to-?do|to do|needs? to|have to|has to|must|still|remain\w*|pending|next step|later"
    r"|follow up|don't forget|remember to|remind|waiting|blocked|not yet|open question|deadline"
    r"|due|unclear|undecided)\b|待办|需要|还要|还没|还得|尚未|必须|接下来|下一步|别忘|记得|提醒|等待"
    r"|截止|未完成|待定|没定"
)
_REQUEST = re.compile(
    r"^(?i:please|can you|could you|would you|help|i(?:'d| would) like|i want|i need you|let's|now "
    r"|next,|make|write|fix|add|find|explain|show|check|create|build|update|remove|look|open|run"
    r"|compare|plan|summari[sz]e|translate|review|tell me|start|stop|read|list|draft|design"
    r"|refactor)\b"
    r"|^(?:请|帮|麻烦|我想|我要|能不能|能否|可以帮|给我|改做|先|写|看看|检查|打开|列出|比较)"
    r"|帮我|改做|请你"
)
_OWN = re.compile(
    r"\b(?i:my|our|mine|i'm|i am|i was|i have|i've|i had|i got|i live|i work|i like|i love|i hate"
    r"|i prefer|we have|we are|we're|his|her|their|is called|named|allergic)\b"
    r"|我|我们|咱|他|她|叫|是"
)
_EMPTY = re.compile(
    r"(?i:ok(?:ay)?|thanks?(?: you)?(?: so much| a lot)?|sure|great|good|nice|cool|hi|hello|hey"
    r"|got it|you'?re welcome|no problem|sounds good|of course|yes|no|right|well|wow|bye|好的?|谢谢"
    r"|嗯|行|可以|没问题|不客气|你好|是的|对|哈哈|再见)[\s!.,，。！~]*"
)
_SOCIAL = re.compile(
    r"\b(?i:thanks?|thank you|congrat\w*|appreciate|proud of you|so (?:glad|happy|excited)|awesome"
    r"|amazing|lovely|gorgeous|sounds? (?:great|good|fun|nice|like)"
    r"|looks? (?:great|good|so|amazing)"
    r"|nice (?:job|work|to)|good (?:job|luck|for you|to hear)|great (?:job|to hear)"
    r"|can't wait"
    r"|keep (?:it|me|ya|you)|take care|talk (?:to you )?soon|see you|bye|miss(?:ed)? you|no way"
    r"|long time no|agree|you got this|let me know|happy to help|hope (?:this|that|you))\b"
    r"|谢谢|恭喜|加油|太棒|真棒|不错|厉害|哈哈|再见|辛苦|客气|没关系|希望对你"
)
_LEAD = re.compile(
    r"(?i:(?:well|so|oh|ah|hey|hi|okay|ok|yes|yeah|no|right|sure|great|also|and|but|by the way|btw"
    r"|actually|anyway|in fact|just so you know|for your information|fyi|one more thing|i think"
    r"|i mean|you know|please note(?: that)?|as i said|to be honest|honestly|of course|thanks)\b"
    r"[,:!]?(?: that)?\s+)"
    r"|(?:对了|顺便说一下|顺便|另外|其实|那个|嗯|好的|好|哦|说起来|话说|还有|而且|然后)[，,：、]\s*"
)
_QUESTION = re.compile(r"[?？][\"”’」）)\s]*$|[吗呢][。\s]*$")
_SENTENCE = re.compile(
    r"(?:[^.!?。！？；;\n]|[.;](?=\S)|(?<=\b[DMS]r)[.]|(?<=\bMrs)[.]|(?<=\b[A-Z])[.])+"
    r"[.!?。！？；;…]*[\"”’」）)]*"
)
_CODE = re.compile(r"^(?:```|~~~).*?(?:^(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_MARKUP = re.compile(r"^\s*(?:[-*•>]+|#{1,6}|\d{1,2}[.)])\s+|\*\*|__")
_LONG, _SHORT = 150, 40  # characters of a sentence that is cut at commas, and of a piece at least
_MOST = 240  # characters of a piece without commas


def hard_words(text: str) -> dict[str, float]:
    """Numbers, names, identifiers, quoted words, addresses and days in a text, with their worth."""
    found = {match[0].casefold(): 1.0 for match in FILE.finditer(text)}
    for match in _HARD.finditer(text):
        kind = match.lastgroup or ""
        found.setdefault(match[0].strip('`“”「」《》" ').casefold(), _WEIGHTS.get(kind, 1.0))
    found.pop("", None)
    return found


def section_of(sentence: str, *, by_user: bool) -> Section:
    """What a sentence is about."""
    if _ERROR.search(sentence) or _FIXED.search(sentence):
        return Section.ERRORS
    if by_user and is_request(sentence):
        return Section.INTENT
    if is_question(sentence) or _OPEN.search(sentence):
        return Section.OPEN
    return Section.DECIDED if _DECIDED.search(sentence) else Section.FACTS


def is_error(line: str) -> bool:
    """Whether a line of a tool's output tells of an error."""
    return bool(_ERROR.search(line))


def is_social(sentence: str) -> bool:
    """Whether it greets, thanks or praises."""
    return bool(_SOCIAL.search(sentence))


def is_request(sentence: str) -> bool:
    """Whether it asks for something to be done."""
    return bool(_REQUEST.search(sentence.lstrip()))


def is_question(sentence: str) -> bool:
    """Whether it ends as a question does."""
    return bool(_QUESTION.search(sentence))


def is_own(sentence: str) -> bool:
    """Whether its speaker says it of himself or his."""
    return bool(_OWN.search(sentence))


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, code left out, the long ones in pieces, without how they begin."""
    for match in _SENTENCE.finditer(_CODE.sub("\n", text)):
        sentence = tight(match[0])
        if not sentence or _EMPTY.fullmatch(sentence):
            continue
        yield from _pieces(sentence) if len(sentence) > _LONG else (sentence,)


def tight(sentence: str) -> str:
    """Without marks of lists and headings, fillers at its beginning, and the full stop."""
    said = " ".join(_MARKUP.sub("", sentence.strip()).split())
    while (lead := _LEAD.match(said)) and lead.end() < len(said):
        said = said[lead.end() :]
    return said.rstrip(" .。；;")


def _pieces(sentence: str) -> Iterator[str]:
    piece = ""
    for part in re.split(r"(?<=[,，:：、—])\s*", sentence):
        if piece and len(piece) + len(part) > _LONG - _SHORT:
            yield piece.rstrip(" ,，、")[:_MOST]
            piece = ""
        piece = (
            f"{piece} {part}" if piece and part[:1].isascii() and piece.isascii() else piece + part
        )
    if piece:
        yield piece.rstrip(" ,，、")[:_MOST]
