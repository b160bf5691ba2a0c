"""What of a message is somebody else's text or a game: pasted mails and chats, plays, jokes.

All is blanked, character by character, so that what is left stands where it stood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_I = re.IGNORECASE | re.MULTILINE
_HEADS = (
    r"from|to|cc|bcc|subject|re|date|sent|reply-to|发件人|寄件者|寄件人|收件人|收件者|主题|主旨"
    r"|抄送|日期|发送时间|时间"
)
_HEAD = re.compile(rf"^[ \t*>]*(?:{_HEADS})[ \t*]*[:：][ \t]*\S[^\n]*$", _I)
_STRONG = re.compile(
    r"^[ \t*>]*(?:(?:from|subject)|发件人|寄件者|寄件人|主题|主旨)[ \t*]*[:：][ \t]*\S", _I
)
# What stands before a text that was sent on, or before the mail that is answered.
_FORWARDED = re.compile(
    r"^[ \t>]*[-_=*]{2,}[ \t]*(?:original|forwarded|reply|begin|原始|转发|以下)[^\n]*$"
    r"|^[ \t>]*begin forwarded message[^\n]*$"
    r"|^[ \t>]*on [^\n]{6,90} wrote:[ \t]*$|^[ \t>]*在[^\n]{4,60}写道[:：][ \t]*$"
    r"|^[ \t>]*[^\n:]{2,40} (?:wrote|writes|emailed)(?: me)?:[ \t]*$",
    _I,
)
_SALUTATION = re.compile(
    r"^[ \t]*(?:(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|greetings|to whom it may"
    r" concern)\b[^\n,:!.]{0,40}[,:!.]?|(?:尊敬的|亲爱的|敬爱的)[^\n，：,:]{1,20}[，：,:]"
    r"|(?:您好|你好|[^\n，：,:]{1,8}[，,]?您好)[，：,:！!。]?)[ \t]*$",
    _I,
)
# A greeting that goes on in its line begins a mail only where it was announced (see _mail).
_GREETED = re.compile(r"^[ \t]*(?:您好|尊敬的|亲爱的|(?:dear|hi|hello) [^\n,]{1,30},)", _I)
_CLOSING = re.compile(
    r"^[ \t]*(?:(?:with )?(?:best|kind|warm|many|yours|all the|much|sincere)?[ \t]*(?:regards"
    r"|wishes"
    r"|sincerely|faithfully|truly|cheers|thanks|thank you|best|love|respectfully|cordially|xo+)"
    r"(?: and regards| in advance| so much| again)?[,.!]?[ \t]*(?:\n+[ \t]*[^\n]{1,50})?"
    r"|(?:此致|敬礼|祝好|顺颂|敬上|谨上|祝商祺|顺祝|祝您?"
    r"|谢谢)[^\n]{0,12}(?:\n+[ \t]*[^\n]{1,20})?)[ \t]*$",
    _I,
)
_LABEL = re.compile(
    r"^[ \t>*-]*(?P<time>[\[(（【]?\d{1,4}[-/.:年]\d{1,2}[^\]\n)）】]{0,20}[\])）】]?[ \t,-]*)?"
    r"[<*\[【]*(?P<who>@?[A-Z][\w'.-]{0,20}(?: [A-Z][\w'.-]{0,20}){0,2}|[\u4e00-\u9fff·]{1,6}"
    r"|you|me|user|assistant|human|ai|bot|system)[>*\]】]*"
    r"(?P<after>[ \t]*[\[(（]\d{1,2}:\d\d[^\])）\n]{0,12}[\])）])?[ \t]*[:：][*]*[ \t]*\S[^\n]*$",
    re.MULTILINE,
)
# Labels of a list that a person makes of himself, and of what he asks for.
_FIELDS = re.compile(
    r"name|age|city|home|job|work|role|email|e-mail|phone|address|note|notes|todo|to-do"
    r"|birthday|hobby|hobbies|likes|dislikes|allergies|diet|question|questions|answer|context"
    r"|background|goal|goals|task|example|input|output|title|step|language|location|company"
    r"|employer|occupation|status|correction|update|reminder|ps|edit|fact|facts|fyi|remember"
    r"|tl;dr|summary|option|plan|pets|pet|family|nickname|pronouns|height|weight|budget"
    r"|deadline|skills|tools|interests|btw|姓名|名字|年龄|城市|住址|地址|职业|工作|公司|电话"
    r"|手机|邮箱|生日|爱好|备注|待办|记住|问题|背景|目标|任务|示例|输入|输出|标题|语言|更正"
    r"|注意|提醒|昵称|过敏|宠物|性别|籍贯|学历|补充|总结|顺便说下|对了|另外|说明|请记住|请注意"
    r"|需求|结论|原因|决定",
    re.IGNORECASE,
)
_PLAY = re.compile(
    r"\b(?:let['’]?s|shall we|want to|wanna|time to|we (?:are|['’]re)|i want to|i['’]d like to"
    r"|can we|could we) (?:just |now |all )?(?:role-? ?play|play(?:ing)?(?=\s*[:.,—-]| (?:a"
    r" (?:game|role|scene"
    r"|character)|pretend|make-believe|an? \w+ game|out))|pretend|imagine|do (?:a|some) (?:role-?"
    r" ?play|improv|skit|scene)|make[- ]believe|act out)"
    r"|\brole-? ?play(?:ing)?\b|\bimprov (?:scene|game)\b"
    r"|\b(?:you|you['’]ll|you will) (?:are|be|play) (?:the|an?|my) (?!(?:best|only|one|great"
    r"|right)\b)[^\n.!?]{2,80}?[,;.]?"
    r"(?: and| while)? (?:i|i['’]m|i am|i['’]ll|i will) (?:am |be |play |are )?(?:playing |an? "
    r"|the "
    r"|your |called |named |(?-i:[A-Z]))"
    r"|\b(?:pretend|imagine) (?:that )?(?:to be|you|i|we|i['’]m|you['’]re|my)\b"
    r"|\b(?:act|answer|respond|talk|speak|reply|behave) (?:as if|as though|like) (?:i|you|we)\b"
    r"|\b(?:you are now|act as|play the (?:role|part)|in character|for this (?:game|scene|exercise"
    r"|story|role)|(?:our|my|the|this) (?:d&d|dnd|rpg|larp|campaign|improv|fanfic)\b"
    r"|i(?:['’]ll| will) (?:play|be) (?:the|an?) [\w ]{3,30}(?:,| and) you)\b"
    r"|角色扮演|扮演|假装|假裝|演一[个场段]|过家家|剧本杀|设定[:：是]|人设[:：是]|跑团"
    r"|你(?:是|来?演|当)[^\n。！？]{1,30}[，,；;]我(?:是|来?演|当)|我来?(?:演"
    r"|当)[^\n。！？]{1,20}[，,；;]你(?:来?演|当|是)",
    re.IGNORECASE,
)
_PLAYED = re.compile(
    r"\b(?:end of (?:the )?(?:role-? ?play|game|scene|story|play)|out of character|ooc|back to"
    r" reality"
    r"|game over|(?:the )?(?:role-? ?play|game|scene|play) (?:is )?(?:over|ends|ended|done)"
    r"|stop(?:ping)? the (?:role-? ?play|game)|(?:ok(?:ay)?|now|but),? (?:for real|seriously|in"
    r" real life)"
    r"|for real now|seriously now|seriously though|(?:all )?jok(?:es|ing) aside|all kidding aside"
    r"|in real life|irl)\b[\s,:;.!—-]*"
    r"|(?:角色扮演|扮演|游戏|剧本|表演)(?:到此)?(?:结束|完了|到这)[了啦]?[\s，。,！!：:]*"
    r"|说正经的[\s，。,！!：:]*|回到现实[\s，。,！!：:]*|言归正传[\s，。,！!：:]*"
    r"|玩笑归玩笑[\s，。,！!：:]*",
    re.IGNORECASE,
)
_JOKE = re.compile(
    r"(?<!no )(?<!not )\bkidding\b|\b(?:just|only|i['’]?m|i am|was|we['’]re|totally|obviously)"
    r" (?:joking"
    r"|messing with you|pulling your leg|trolling|teasing|fooling|having you on)\b(?! (?:around"
    r"|with my))"
    r"|(?<![\w/])j/?k\b|\b(?:just|only|as|was|it['’]?s|that['’]?s|bad|dad|silly) (?:a )?(?:bad "
    r"|silly "
    r"|dad )?jokes?\b|(?:^|[.!?,:;)D]\s*)jokes?[.!)]*\s*$|\bsarcasm\b|\bsarcastic(?:ally)?\b"
    r"|(?<!\S)/s\b(?!/)"
    r"|\bnot really[,!.]* (?:lol|haha|of course)|\bi made (?:that|it|this|all that) up\b"
    r"|\bgot(?:cha| you)!"
    r"|\bapril fools?\b|\byeah,? right[.!]|\bas if!|\b(?:none|nothing) of (?:that|this|it)"
    r" (?:is|was) true\b"
    r"|\b(?:i['’]?m|i am) (?:also )?the (?:queen|king|pope|emperor|easter bunny|tooth fairy)\b"
    r"|\bon (?:the moon|mars)\b"
    r"|开玩笑|開玩笑|说笑|說笑|逗你|骗你|騙你|瞎说|瞎編|瞎编|胡说的|玩笑|我编的|反话|别当真|愚人节"
    r"|不是真的[，,。！!]|才怪",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE_END = re.compile(r"[.!?。！？\n](?=[\s”\"')]|[\u4e00-\u9fff]|$)")
_TEMPLATE = re.compile(
    r"^.*(?:\[(?:your |the |my |insert )?[a-z][a-z _]{2,20}\]|\{\{?[\w ]{2,20}\}?\}"
    r"|<(?:your |insert )?[a-z][a-z _]{2,20}>(?!</)|_{4,}|\bX{3,}\b|\blorem ipsum\b).*$",
    _I,
)
_EXAMPLE = re.compile(
    r"(?:\b(?:for (?:example|instance)|e\.g\.|example(?: sentence| text| input| output)?s?\s*[:：]"
    r"|sample(?: text| sentence| input| data)?\s*[:：]|template\s*[:：]|placeholder\s*[:：]|say"
    r" something"
    r" like|something like|along the lines of|(?:sentences?|phrases?|things|statements?|text) like"
    r"|in the form)|(?:例子|示例|样例|模板|范例|例句)\s*[:：是]|比如说?|例如|譬如|打个比方)"
    r"[^\n.!?。！？]*(?:[.!?。！？]|$)",
    _I,
)
# A text that somebody wrote to be read by others, with a word that says which.
_TEXT = re.compile(
    r"\b(?:here(?:['’]s| is| are| was| comes)|this is|below is|see|attached(?: is)?|(?:i"
    r" )?(?:found|read|got|saw"
    r"|received)(?: this| an?| the)?|check(?: out)? this)[^\n:：.!?]{0,60}?\b(?:article|passage"
    r"|excerpt|paragraph"
    r"|text|transcript|e-?mail|mail|letter|post|tweet|thread|chat|conversation|log|story|poem"
    r"|lyrics"
    r"|essay|draft|bio|biography|cover letter|résumé|resume|cv|script|dialogue|dialog|review"
    r"|message"
    r"|quote|press release|blog|abstract|profile|chapter|novel|diary|note from \w+"
    r"|comment)\b[^\n:：.!?]{0,60}"
    r"(?:[:：]|\n)"
    r"|^[ \t#*]*(?:article|passage|excerpt|text|transcript|story|poem|lyrics|chapter|dialogue"
    r"|script"
    r"|quote|letter|e-?mail|cover letter|bio)\b[^\n:：.]{0,40}[:：]"
    r"|(?:下面|以下|这|如下|一[封段篇条])[^\n：:。]{0,12}(?:文章|段落|文字|原文|稿子|故事|小说"
    r"|歌词|诗|简历"
    r"|自我介绍|剧本|台词|帖子|评论|对话|聊天记录|内容)[^\n：:。]{0,12}[：:\n]"
    r"|(?:邮件|邮箱里|来信|信件|[封份这]信|短信|微信|消息|留言|公告|通知"
    r"|群里)[^\n：:。]{0,14}[：:\n]"
    r"|^[ \t#*【\[]*(?:文章|原文|正文|转发|邮件|来信|聊天记录|对话|歌词|小说|剧本"
    r"|台词)[】\]]?[：:\n]",
    _I,
)


# What the assistant said or showed, given back with a question about it.
_ASKED_BACK = re.compile(
    r"\b(?:where did you (?:get|find|read|hear|take) (?:this|that|it)|(?:is|are|was) (?:any "
    r"|all |some )?(?:of )?(?:this|that|it"
    r"|these|those)(?: all| still)? (?:right|true|correct|accurate|so|up to date|from me)|what"
    r" (?:do|did|does) (?:you|this|that) mean"
    r"|who told you|why do you (?:think|believe|say)|how do you know|did i (?:really )?(?:say"
    r"|tell you|write) (?:this|that)"
    r"|you (?:wrote|said|claimed|noted|told me|have (?:this|it) down)|your (?:notes?|memory)"
    r" (?:says?|about me)|what you (?:have|know|gave me)"
    r"|when did i (?:say|tell you|write)|you (?:gave|showed|sent) me)\b"
    r"|(?:从哪|从何|哪里|哪儿)来的|什么意思|(?:这|这些|那|以上)都?(?:对|正确|属实)吗|谁告诉你"
    r"|你(?:怎么知道|写了|说过|上次给我)"
    r"|我(?:什么时候|真的|何时)(?:这么)?说过",
    re.IGNORECASE,
)


def blank(text: str) -> str:
    """As many blanks, lines kept."""
    return "".join(c if c == "\n" else " " for c in text)


def without_others(text: str) -> str:
    """The text with all blanked that is not its speaker's own and meant."""
    for start, end in _spans(text):
        text = text[:start] + blank(text[start:end]) + text[end:]
    text = _TEMPLATE.sub(lambda match: blank(match[0]), text)
    return _EXAMPLE.sub(lambda match: blank(match[0]), text)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    if "\n" in text:
        yield from _mails(text)
        yield from _chats(text)
    handed = _TEXT.search(text)
    if handed:
        yield handed.end(), len(text)
    asked = _ASKED_BACK.search(text)
    if asked and "\n" in text:
        yield 0, len(text)
    yield from _plays(text)
    jokes = list(_JOKE.finditer(text))
    if jokes:  # it takes back what was said up to it; "jokes aside" begins anew
        end = _SENTENCE_END.search(text, jokes[-1].end())
        yield 0, len(text) if end is None else end.end()


def _mails(text: str) -> Iterator[tuple[int, int]]:
    sent_on = _FORWARDED.search(text)
    if sent_on:
        yield sent_on.start(), len(text)
    heads = list(_HEAD.finditer(text))
    if len(heads) > 1 or any(_STRONG.match(head[0]) for head in heads):
        yield heads[0].start(), len(text)
    for closing in _CLOSING.finditer(text):
        greeting = _SALUTATION.search(text, 0, closing.start())
        if greeting is None:
            greeting = _GREETED.search(text, 0, closing.start())
            if greeting is not None and not text[: greeting.start()].strip():
                greeting = None
        if greeting is not None:
            yield greeting.start(), closing.end()


def _chats(text: str) -> Iterator[tuple[int, int]]:
    """Where several speak in turn: from the first labelled line to the last."""
    lines = [line for line in _LABEL.finditer(text) if not _FIELDS.fullmatch(line["who"])]
    timed = [line for line in lines if line["time"] or line["after"]]
    for found in (timed, lines):
        if len(found) > 1:
            yield found[0].start(), found[-1].end()
            return


def _plays(text: str) -> Iterator[tuple[int, int]]:
    """From where a play begins to where it is ended, else to the end."""
    at = 0
    while play := _PLAY.search(text, at):
        over = next((end for end in _PLAYED.finditer(text) if end.end() > play.start()), None)
        at = len(text) if over is None else over.end()
        begin = max((text.rfind(stop, 0, play.start()) for stop in ".!?。！？\n"), default=-1) + 1
        yield begin, at
