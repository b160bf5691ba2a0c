"""Made-up dialogues of fifty turns with one known fact in every five, in English and Chinese.

A fact is a value in one of several wordings; who says it, where in the turn, and what stands around
it are drawn from the seed. Each has the question that it answers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

TURNS, EACH = 50, 5  # turns of a dialogue, and turns for each fact
Value = Callable[[random.Random], str]


@dataclass(frozen=True, slots=True)
class Fact:
    """What must be known afterwards: a value, word for word, and the question for it."""

    value: str
    question: str


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Messages (role and content) with the facts in them."""

    name: str
    messages: Sequence[Mapping[str, str]]
    facts: Sequence[Fact]


def _of(words: str) -> Value:
    pool = words.split(", ")
    return lambda chance: chance.choice(pool)


def _number(low: int, high: int, before: str = "", after: str = "") -> Value:
    return lambda chance: f"{before}{chance.randint(low, high)}{after}"


_NAMES = "Marta, Tobias, Ingrid, Oskar, Leila, Bram, Yusuf, Celeste, Anouk, Dmitri"
_ZH_NAMES = "王芳, 李雷, 陈静, 赵强, 周敏, 孙浩, 林雪, 何伟"
Slot = tuple[Value, str, tuple[str, ...]]
ENGLISH: Sequence[Slot] = [
    (_number(100, 999, "SK"), "Which flight does the user take?",
     ("My flight to Oslo is {}.", "I'm booked on {} on Friday morning.", "They put me on {} in the end.")),
    (_number(3000, 9999), "Which port does the staging server use?",
     ("The staging server listens on port {}.", "Staging moved, it answers on {} now.",
      "For staging you need port {}, not the usual one.")),
    (_of(_NAMES), "What is the name of the user's sister?",
     ("My sister {} is coming to stay with us.", "{}, that's my sister, rang me last night.",
      "I have to pick up my sister {} at the station.")),
    (_of("turquoise, ochre, crimson, lavender, mustard, teal"), "In which colour is the hall painted?",
     ("We decided to paint the hall {}.", "So {} it is for the hall.",
      "After all that back and forth the hall gets {}.")),
    (_of("shellfish, walnuts, penicillin, lupin, sesame, celery"), "What is the user allergic to?",
     ("I'm allergic to {}.", "Please nothing with {}, I get a rash from it.",
      "The doctor says I must avoid {}.")),
    (lambda chance: f"{chance.randint(200, 999)}.{chance.randint(10, 99)}", "How much was the invoice?",
     ("The invoice came to {} euros.", "They billed me {} euros for it.", "In total it was {} on the bill.")),
    (_of("Tuesday, Thursday, Friday, Saturday"), "To which day was the meeting moved?",
     ("The meeting moved to {}.", "We meet on {} instead.", "Nobody had time, so it's {} for the meeting.")),
    (lambda chance: f"{chance.choice(('parser', 'scheduler', 'cache', 'router'))}_{chance.choice(('utils', 'core'))}.py",
     "In which file is the bug?",
     ("The bug is in {}.", "I traced it down to {}.", "It crashes somewhere inside {}.")),
    (_of("Pickle, Mochi, Biscuit, Nutmeg, Ziggy"), "What is the cat called?",
     ("Our cat is called {}.", "{} knocked the vase over again, what a cat.", "The vet says {} is too fat for a cat.")),
    (_of("Ljubljana, Porto, Ghent, Tallinn, Aarhus"), "Which city does the user move to?",
     ("I'm moving to {} in spring.", "We found a flat in {} and signed.", "From May on I live in {}.")),
    (_of("bassoon, accordion, cello, banjo, oboe"), "Which instrument does the user learn?",
     ("I've started to learn the {}.", "My {} lessons are on Mondays.", "I practise the {} every evening.")),
    (_of("PostgreSQL, SQLite, DuckDB, Redis, MariaDB"), "Which database was chosen?",
     ("We settled on {} for the new service.", "The team wants {}, so that's decided.",
      "I compared them and {} won.")),
]  # fmt: skip
CHINESE: Sequence[Slot] = [
    (_number(1000, 9999, "CA"), "用户坐哪个航班？",
     ("我的航班号是{}。", "最后给我改签到了{}。", "周五早上我坐{}走。")),
    (_number(3000, 9999), "测试服务器用哪个端口？",
     ("测试服务器的端口是{}。", "测试环境搬了，现在走{}端口。", "连测试机要用{}，不是原来那个。")),
    (_of(_ZH_NAMES), "用户的姐姐叫什么？",
     ("我姐姐{}下周要来住。", "昨晚我姐{}给我打了电话。", "我得去车站接我姐姐{}。")),
    (_of("青绿色, 赭石色, 米白色, 雾霾蓝, 姜黄色"), "客厅刷成什么颜色？",
     ("我们决定把客厅刷成{}。", "商量来商量去，客厅还是用{}。", "客厅就定{}了。")),
    (_of("花生, 青霉素, 虾蟹, 芒果, 芝麻"), "用户对什么过敏？",
     ("我对{}过敏。", "别放{}，我一碰就起疹子。", "医生叫我避开{}。")),
    (_number(200, 999, "", "元"), "发票多少钱？",
     ("发票一共{}。", "他们收了我{}。", "账单最后是{}。")),
    (_of("周二, 周四, 周五, 周六"), "会议改到哪天？",
     ("会议改到{}下午三点。", "大家都没空，会就挪到{}了。", "我们{}再碰头开会。")),
    (_of("年糕, 豆包, 小橘, 芝士, 汤圆"), "猫叫什么？",
     ("我家的猫叫{}。", "{}又把花瓶打翻了，这猫真皮。", "兽医说我家猫{}太胖了。")),
    (_of("昆明, 厦门, 青岛, 成都, 苏州"), "用户要搬去哪个城市？",
     ("我春天要搬去{}。", "我们在{}租好房子了，合同也签了。", "五月起我就住{}了。")),
    (_of("大提琴, 古筝, 手风琴, 二胡, 长笛"), "用户在学什么乐器？",
     ("我最近开始学{}。", "我的{}课在周一。", "每天晚上我都练{}。")),
    (_of("星河小学, 明德中学, 育英小学, 南开中学"), "孩子在哪个学校？",
     ("孩子今年上{}。", "我们给儿子报了{}。", "{}的老师说孩子很努力。")),
]  # fmt: skip
ENGLISH_TALK: Mapping[str, Sequence[str]] = {
    "user": (
        "How is it going so far?", "That sounds good to me, thanks for checking.",
        "Let me think about it for a moment.", "I see what you mean, please go on.",
        "It was a long day and the weather was grey.", "I'm not sure whether that is the right way.",
        "Could you say that in simpler words?", "Hm, I had hoped it would be easier.",
        "Anyway, what would you do in my place?", "I talked to a colleague and he sees it the same way.",
        "Maybe we should come back to this later.", "What else should I look out for?",
    ),
    "assistant": (
        "Sure, I can help you with that.", "There are several things to keep in mind with this kind of work.",
        "People often overlook this, but it matters a lot in practice.",
        "We could look at this from another side as well.", "It usually takes about 20 minutes, give or take.",
        "A good rule is to begin with the smallest part and to check each step before the next one.",
        "In most cases the simple way is the better one, and it is easy to change later.",
        "Some prefer to write everything down first; others find out as they go.",
        "If it does not work at once, wait a little and try again before you change anything else.",
        "Here is a general overview of the options that people usually consider in such a case.",
        "You could make a short list of what speaks for it and what against it.",
    ),
}  # fmt: skip
CHINESE_TALK: Mapping[str, Sequence[str]] = {
    "user": (
        "最近怎么样？", "听起来不错，谢谢你帮忙看看。", "让我再想一想。", "明白你的意思，请继续说。",
        "今天很累，天气也不好。", "我还不确定这样做对不对。", "能说得简单一点吗？", "我还以为会更容易一些呢。",
        "换成你会怎么办？", "我跟同事聊过，他也这么看。", "要不这个以后再说吧。", "还有什么要注意的吗？",
    ),
    "assistant": (
        "当然可以，我来帮你。", "做这类事情要注意几点。", "很多人会忽略这一点，但实际上很重要。",
        "我们也可以换个角度来看。", "一般来说大概要二十分钟左右。", "可以先从最小的一步开始，每一步都检查一下再往下走。",
        "多数情况下简单的办法更好，以后改起来也方便。", "有人喜欢先全部写下来，也有人边做边看。",
        "如果一次不成功，先等一等再试，不要马上改别的。", "一般来说大家会考虑这几种办法，各有各的好处。",
        "你可以列个清单，看看利和弊各有哪些。",
    ),
}  # fmt: skip
# Talk about this and that, which nobody need know afterwards, with words and numbers of its own.
ENGLISH_ASIDES = (
    "I read something about {a} the other day.", "Someone at the {b} told a long story about {a}.",
    "Isn't it funny how everybody talks about {a} these days?", "There was a queue of {n} people at the {b}.",
    "Many begin with {a} and only then think of {c}.", "Think of the {b}: there too {a} comes before {c}.",
    "The {b} was closed again, so I walked home.", "It reminds me of {a}, in a way.",
    "With {a} it is often {n} parts of patience and one of luck.", "Compare {a} with {c} and you see what I mean.",
)  # fmt: skip
CHINESE_ASIDES = (
    "前几天看到一篇讲{a}的文章。", "在{b}有人讲了半天{a}。", "现在好像人人都在说{a}。", "{b}门口排了{n}个人。",
    "很多人先想到{a}，然后才想到{c}。", "就像在{b}，{a}总是比{c}先来。", "{b}又关门了，我就走回家了。",
    "这让我想起{a}。", "说到{a}，多半靠耐心，少半靠运气。", "把{a}和{c}比一比就明白了。",
)  # fmt: skip
_THINGS = {
    "en": "gardening, old maps, sourdough, bicycles, chess openings, glaciers, weather balloons, typefaces, beekeeping, tramways, paper planes, sea shanties, lighthouses, crosswords, mushrooms, pottery",
    "zh": "园艺, 旧地图, 面包, 自行车, 象棋, 冰川, 气球, 字体, 养蜂, 电车, 纸飞机, 民歌, 灯塔, 填字游戏, 蘑菇, 陶艺",
}
_PLACES = {
    "en": "library, market, swimming pool, post office, bakery, museum, barber, town hall",
    "zh": "图书馆, 菜市场, 游泳馆, 邮局, 面包店, 博物馆, 理发店, 市政厅",
}
_SAID_BACK = {"en": "Noted: {}", "zh": "记下了：{}"}


def dialogue(seed: int, language: str) -> Dialogue:
    """One dialogue of this seed."""
    chance = random.Random(f"{language} {seed}")
    slots, talk = (CHINESE, CHINESE_TALK) if language == "zh" else (ENGLISH, ENGLISH_TALK)
    drawn = chance.sample(slots, TURNS // EACH)
    places = {EACH * part + chance.randrange(EACH): slot for part, slot in enumerate(drawn)}
    messages, facts = [], []
    for turn in range(TURNS):
        role = "user" if turn % 2 == 0 else "assistant"
        said = chance.sample(talk[role], chance.randint(1, 2))
        said += [_aside(chance, language) for _ in range(chance.randint(0, 2))]
        chance.shuffle(said)
        if turn in places:
            value, question, wordings = places[turn]
            fact = Fact(value(chance), question)
            text = chance.choice(wordings).format(fact.value)
            text = text if role == "user" else _SAID_BACK[language].format(text)
            said.insert(chance.randint(0, len(said)), text)
            facts.append(fact)
        messages.append({"role": role, "content": ("" if language == "zh" else " ").join(said)})
    return Dialogue(f"{language}-{seed}", messages, facts)


def _aside(chance: random.Random, language: str) -> str:
    """Something that is said by the way."""
    a, c = chance.sample(_THINGS[language].split(", "), 2)
    form = chance.choice(CHINESE_ASIDES if language == "zh" else ENGLISH_ASIDES)
    place = chance.choice(_PLACES[language].split(", "))
    return form.format(a=a, b=place, c=c, n=chance.randint(3, 40))
