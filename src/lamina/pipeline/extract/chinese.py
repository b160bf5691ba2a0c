"""How Chinese marks what its speaker does not state himself (see sift.py).

All patterns are for simplified characters without blanks beside Latin words (`plain`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lamina.pipeline.extract import BLANK
from lamina.text.fold import simplify

TASK = re.compile(
    r"翻译|改写|润色|校对|总结|概括|扮演|假装|写一?[篇封段首个份条则]|编一?个|[帮替给]我[写编拟]|造句|模仿|续写|仿写"
    r"|缩写|扩写|纠错|改错|起草|朗读|解释|分析|检查|修改"
)
# A text that is handed over to be worked on: it and what comes after it are left out.
HANDED = re.compile(
    r"(?:^|[，,。：:\s]|请|[帮替给]我|麻烦你?|一下|把[^，,。\n]{1,30})(?:翻译|译成|改写|润色|校对|总结一下|概括|造句|续写|仿写|缩写|扩写"
    r"|纠错|改错|朗读|复述)(?!工作|官|员|专业|公司|家|软件|行业|的)[^，,。！!；;\n]{0,14}[，,：:\n\s。]"
    r"|(?:下面|以下|上面|这)(?:这|是|的)?(?:一?[段句篇封首条]|些|个)?(?:话|句子|文字|内容|文本|文章|短文|邮件|评论|对话|聊天记录|例句|日记|作文|简历)"
    r"[^。！!\n]{0,20}[，,：:。\n]"
    r"|(?<![我在])(?:写|编|续|讲|来)[^，,。！!\n]{0,12}(?:小说|故事|剧本|歌词|台词|相声|段子|作文|日记|独白|旁白)[^。！!\n]{0,24}[，,：:。\n]"
    r"|(?:扮演|假装|模仿|第一人称|人设|虚构|角色设定|假设定)[^。！!\n]{0,24}[，,：:。\n]"
    r"|(?:^|[。，,\n]|[帮替给]我|请|麻烦你?)(?:写|编|拟|起草|生成|解释|分析|检查|修改|改一下|看看|看一下|读一下)[^，,。！!\n]{0,24}[：:\n]"
    r"|(?:例句|例如|比如|譬如|示例|样例|范文|原文|正文|转发|摘录|引用)[：:]",
    re.MULTILINE,
)
# Headers of a mail and lines of a chat that were pasted.
PASTED = re.compile(
    r"^(?:发件人|收件人|寄件者|收件者|抄送|主题|主旨)[：:].*\Z", re.MULTILINE | re.DOTALL
)
TALK = re.compile(
    r"^[ \t]*(?:[\[【(（]?[\d\-/年月日: ：]{4,20}[\]】)）]?\s*)?"
    r"(?:[甲乙丙丁AB]|客服|顾客|客户|老板|同事|同学|老师|学生|医生|患者|记者|主持人|男|女|他|她|妈妈|爸爸|老婆|老公|面试官"
    r"|助手|助理|用户|[小老阿][\u4e00-\u9fff]|[A-Z][a-z]{1,12}(?=[：:]\s*[\u4e00-\u9fff])"
    r"|(?!周[一二三四五六日末])[王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡丁魏薛叶][\u4e00-\u9fff]{1,2}"
    r")(?:[(（][^()（）\n]{1,12}[)）])?[：:].*$",
    re.MULTILINE,
)

_A_NOT_A = r"([\u4e00-\u9fff])[不没]\1"
_ASKS = (
    r"吗|么[？?]|什么(?!都|时候都)|怎么|哪[里儿个些种家]?(?!怕)|谁(?!都)|为何|多少|几[个点号时岁月天次年位种]|"
    + _A_NOT_A
    + r"|有没有|如何|还是|请问|求推荐|推荐一?[下个些]"
)
_ASKING = re.compile(_ASKS)
_QUESTION_END = re.compile(r"[?？][\"”’」』）)\s]*$")
_CLAUSE = re.compile(r"[，,、：:；;]\s*|(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])")
_TAG = re.compile(
    r"^(?:是|对|好|行|可以|没错|不是|明白|懂|知道|记住了?|记得)(?:不是|不对|不好|不行|不可以)?[吗吧么呢]?[？?。\s]*$"
)
# "Can you answer in English from now on?" asks for something to be done, not to be told.
_REQUEST = re.compile(
    r"(?P<ask>[你您]?(?:能不能|能否|可不可以|可以|能|麻烦你?|请)(?:帮我|给我|请)?)(?=.{0,8}(?:记住|记一下|记下|提醒我|叫我|称呼我"
    r"|用[\u4e00-\u9fffA-Za-z]{1,8}[文语话]?(?:回答|回复|答复|交流|跟我)"
    r"|(?:回答|回复|说).{0,4}(?:简短|简洁|短|详细|简单))|别|不要)"
)
QUESTION = re.compile(
    r"(?:吗|么)[。！!~～…\s]*$|^[^，,]{0,4}呢[。！!~～…\s]*$"
    r"|(?:哪|谁|什么|(?<!不)怎么|几[个点岁]|多少|还是|如何|为何|干嘛|啥)[^，。]*呢[。！!~～…\s]*$"
    r"|^(?:谁|什么|哪|怎么|为什么|为何|几[个点]|多少|是不是|有没有|能不能|可不可以|要不要|会不会|请问|想问|问一下|问下)"
    r"|(?:是谁|叫什么|在哪[里儿]?|多少|怎么办|怎么样|什么|为什么|如何|好不好|行不行|对不对|是不是|吃啥|咋办|咋样)[。！!~～…\s]*$"
    r"|^(?:我|你|咱们?|我们)(?:是不是|有没有|能不能|可不可以|要不要|会不会|该不该|应不应该)"
)
SUPPOSED = re.compile(
    r"^(?:要是|如果|假如|假设|若是|倘若|万一|即使|即便|就算|哪怕|比如|例如|譬如|假定|想象|设想|除非|只要|只有|除非|一旦|如若|若)"
    r"|(?<![了掉成存启新])就好了[。！!~～…\s]*$|该多好|的话[就，,]|(?:多好啊|多好呀)[。！!~～…\s]*$|多么?希望|恨不得|巴不得"
    r"|(?:[，,\s]|但|不过|我)(?:要是|如果|假如|假设|万一|倘若)|梦见|梦到|做梦|幻想|本来(?:想|要|打算)|原本(?:想|要|打算)|差点|险些"
    r"|(?:还|一直|本来|原来|原本)?以为|好像是?我|装作|假装|冒充|上辈子|下辈子|来生|小说里|电影里|游戏里|剧里|书里|故事里|歌里唱"
)
JOKE = re.compile(
    r"开[个了]?玩笑|说笑|逗你|骗你的?|瞎说|胡说|玩笑话|瞎编|随口一说|才怪|愚人节|反话|讽刺|[（(]不是[)）]|你信吗|信不信|别当真|当我没说|狗头"
)
_OTHERS = (
    r"他|她|它|人家|对方|别人|有人|大家|网友|网上|新闻|报道|书上|广告|算命的|专家|医生|大夫|老师|老板|领导|同事|同学|朋友|客户|邻居|室友|闺蜜"
    r"|[他她](?:的|家)?[\u4e00-\u9fff]{1,4}|我(?:的|家)[\u4e00-\u9fff]{1,4}|我?[\u4e00-\u9fff]{0,3}(?:妈|爸|姐|妹|哥|弟|婆|公|爷|奶|姨|叔|舅|婶|总|工|经理)"
    r"|[小老阿][\u4e00-\u9fff]|[A-Z][a-z]+|[王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯董程曹袁邓许傅沈曾彭吕苏卢蒋蔡丁魏薛叶]"
    r"[\u4e00-\u9fff]{1,2}"
)
# Somebody else's words or thoughts: what follows is his, not the speaker's.
REPORTED = re.compile(
    r"(?:说|觉得|认为|问|告诉我|回复|回答|写道|表示|喊)(?:过|道)?[：:，,]?\s*"
    + BLANK
    + r"|听[^，,。]{0,8}说|据说|传说|据[\u4e00-\u9fff]{1,6}(?:说|报道)"
    r"|(?:^|[，,；;：:。\s]|但|可是|而|因为|昨天|今天|刚才|上次)(?:" + _OTHERS + r")(?:们)?"
    r"(?:都|也|还|总|老|常|就|却|一直|总是|老是|经常|刚刚?|刚才|昨天|今天|曾经?|跟我|对我|和我|给我|老跟我|突然|自己|笑着){0,3}"
    r"(?:说(?!话|不|服|法|谎|唱|明|的一口|得一口|[\u4e00-\u9fff]{1,3}[语话文])|问|觉得|认为|以为|告诉|声称|自称|宣称|回我|回复|写道|表示|发消息|发微信|吐槽|抱怨|吹牛|猜|希望我|建议我)"
    r"|(?:你|您)(?:说过?|觉得|认为|刚才说|之前说|上次说|不是说|猜|以为|知道(?!吗|不|么))|不(?:认为|觉得|相信)|怀疑|谣传|谁说|并不是说|不代表|不等于"
)
HEDGED = re.compile(
    r"可能|也许|大概(?!是[\u4e00-\u9fff]{1,3}点)|好像|似乎|说不定|不确定|不太确定|(?<![错对不][，,])(?<![错对])应该(?:是|会|有|在)|估计|或许|没准"
    r"|我猜|猜测|感觉像|记不清|不太记得|兴许|搞不好|还没想好|还没定|没决定|考虑(?:要|去|换|搬|买|学|辞)|在考虑|犹豫|在想要不要"
)

_INNER_BLANK = re.compile(
    r"(?<=[\u3400-\u9fff])[ \t]+(?=[!-~])|(?<=[!-~])[ \t]+(?=[\u3400-\u9fff])"
)


# Talk in which English is mixed whose forms may say something: "We use Docker，挺满意。"
MIXED = re.compile(
    r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur|[Pp]lease|[Rr]emember|TODO|User(?:['’]s)?)\b(?=['’\s:])"
)
_WIDE = {
    ord(c) - 0x21 + 0xFF01: c for c in map(chr, range(0x21, 0x7F)) if c.isalnum() or c in "+-._@#/"
}
_WIDE[0x3000] = " "
_NARROW = str.maketrans("，。；：！？（）、", ",.;:!?(),")


def narrow(text: str) -> str:
    """The text with half-width punctuation: as English patterns read what is mixed."""
    return text.translate(_NARROW)


def plain(text: str) -> tuple[str, Sequence[int]]:
    """The text as patterns read it, and the place in the text of each of its characters."""
    simple = simplify(text).translate(_WIDE)
    blanks = [match.span() for match in _INNER_BLANK.finditer(simple)]
    if not blanks:
        return simple, range(len(simple))
    left_out = {place for start, end in blanks for place in range(start, end)}
    places = [place for place in range(len(simple)) if place not in left_out]
    return "".join(simple[place] for place in places), places


def without_question(sentence: str) -> str:
    """The sentence up to the clause that asks; all of it where it asks for something to be done."""
    if not _QUESTION_END.search(sentence):
        return sentence
    simple = simplify(sentence)
    request = _REQUEST.search(simple)
    if request:  # as long as it was, so that places in it stay
        start, end = request.span("ask")
        return (sentence[:start] + " " * (end - start) + sentence[end:]).rstrip(" ?？")
    starts = [0, *(match.end() for match in _CLAUSE.finditer(simple) if match.end() < len(simple))]
    ends = [*starts[1:], len(simple)]
    clauses = [simple[start:end] for start, end in zip(starts, ends, strict=True)]
    if _TAG.search(clauses[-1]) or "还是" in simple:
        return sentence
    asking = (
        start for start, clause in zip(starts, clauses, strict=True) if _ASKING.search(clause)
    )
    begin = next(asking, starts[-1])
    return sentence[:begin] if begin else sentence
