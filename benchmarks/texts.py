"""Turns to measure with: seeded, distinct, half Chinese, half English, about 30 tokens each.

Words come from lists by a law like that of real talk (the n-th with a weight of 1/n), and every
turn names something rare, so that the index meets both common and rare words.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

WHO = [
    "I",
    "we",
    "they",
    "my sister",
    "our team",
    "the manager",
    "her brother",
    "a friend",
    "the neighbour",
]
DID = [
    "moved",
    "booked",
    "finished",
    "cancelled",
    "painted",
    "fixed",
    "visited",
    "ordered",
    "tried",
    "planned",
    "wrote",
    "sold",
    "cleaned",
    "measured",
    "tested",
    "learned",
    "carried",
    "returned",
    "opened",
    "closed",
    "repaired",
    "watched",
]
WHAT = [
    "the kitchen",
    "the report",
    "the old bicycle",
    "the database",
    "a train ticket",
    "the garden fence",
    "the quarterly budget",
    "our holiday",
    "the piano lesson",
    "the server migration",
    "a birthday cake",
    "the camera lens",
    "the tax form",
    "the coffee grinder",
    "a mountain hut",
    "the hiking boots",
    "the invoice",
    "the parser",
    "the login page",
    "the spare key",
    "the winter coat",
    "the reading list",
    "the river path",
]
WHEN = [
    "yesterday evening",
    "last Tuesday",
    "before the storm",
    "in early spring",
    "after lunch",
    "this morning",
    "at the weekend",
    "two weeks ago",
    "right after the meeting",
    "during the holidays",
    "on the way home",
]
WHY = [
    "because the weather finally got better",
    "since nobody else had any time",
    "although it cost far more than expected",
    "and everyone was quite happy with it",
    "but the second attempt went much better",
    "so that we could leave before noon",
    "which took nearly the whole afternoon",
    "and I would do it again next year",
    "because the deadline moved to October",
    "while the children were still asleep",
]
PLACE = [
    "Bergen",
    "Lisbon",
    "Kyoto",
    "Turin",
    "Dublin",
    "Quito",
    "Leipzig",
    "Perth",
    "Malmo",
    "Porto",
    "Hanoi",
    "Calgary",
]

ZH_WHO = [
    "我",
    "我们",
    "妈妈",
    "同事",
    "老板",
    "小王",
    "邻居",
    "姐姐",
    "他们",
    "王老师",
    "我朋友",
    "客户",
]
ZH_WHEN = [
    "昨天晚上",
    "上周二",
    "下雨之前",
    "今天早上",
    "周末",
    "两个星期前",
    "开完会以后",
    "放假的时候",
    "回家路上",
    "刚刚",
]
ZH_DID = [
    "修好了",
    "订了",
    "取消了",
    "试用了",
    "写完了",
    "卖掉了",
    "整理了",
    "看了",
    "买了",
    "学会了",
    "搬走了",
    "检查了",
    "推荐了",
]
ZH_WHAT = [
    "厨房的水管",
    "季度报告",
    "旧自行车",
    "数据库备份",
    "高铁票",
    "院子的篱笆",
    "钢琴课",
    "服务器迁移方案",
    "生日蛋糕",
    "相机镜头",
    "报税表",
    "咖啡机",
    "山里的民宿",
    "登山鞋",
    "发票",
    "登录页面",
    "备用钥匙",
    "冬天的大衣",
    "读书清单",
    "周报模板",
]
ZH_WHY = [
    "因为天气终于好起来了",
    "别人都没有时间",
    "虽然比预想的贵了不少",
    "大家都挺满意的",
    "不过第二次顺利多了",
    "这样中午之前就能出发",
    "花了差不多整个下午",
    "明年还想再来一次",
    "因为截止日期改到了十月",
    "当时孩子们还在睡觉",
    "后来才发现地址填错了",
]
ZH_PLACE = [
    "杭州",
    "成都",
    "青岛",
    "昆明",
    "厦门",
    "哈尔滨",
    "苏州",
    "拉萨",
    "桂林",
    "敦煌",
    "珠海",
    "洛阳",
]
FAMILY, GIVEN = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨", "明芳伟娜静磊洋勇艳杰涛霞斌宁欣雪松竹海岚"
SYLLABLES = [
    "ka",
    "ro",
    "mi",
    "ten",
    "dal",
    "su",
    "ver",
    "no",
    "pha",
    "lin",
    "gor",
    "es",
    "tu",
    "bra",
    "we",
    "zi",
    "mon",
    "ha",
]

TURNS_A_SESSION = 40


class Words:
    """Draws from lists, the earlier the more often."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self._weights = {n: list(accumulate(1 / i for i in range(1, n + 1))) for n in range(1, 64)}

    def one(self, words: list[str]) -> str:
        """One of these."""
        return self.chance.choices(words, cum_weights=self._weights[len(words)])[0]

    def name(self) -> str:
        """An invented name: one of about a hundred thousand."""
        return "".join(self.chance.choices(SYLLABLES, k=4)).capitalize()

    def person(self) -> str:
        """A Chinese name."""
        return self.chance.choice(FAMILY) + "".join(self.chance.choices(GIVEN, k=2))

    def number(self) -> int:
        """A sum, seldom the same."""
        return self.chance.randrange(10, 100_000)


def english(w: Words) -> str:
    return (
        f"{w.one(WHO).capitalize()} {w.one(DID)} {w.one(WHAT)} with {w.name()} in {w.one(PLACE)} "
        f"{w.one(WHEN)}, {w.one(WHY)}; it came to {w.number()} and {w.one(WHO)} {w.one(DID)} it."
    )


def chinese(w: Words) -> str:
    return (
        f"{w.one(ZH_WHO)}{w.one(ZH_WHEN)}和{w.person()}在{w.one(ZH_PLACE)}{w.one(ZH_DID)}{w.one(ZH_WHAT)}，"
        f"{w.one(ZH_WHY)}，一共{w.number()}块，{w.one(ZH_WHO)}也{w.one(ZH_DID)}。"
    )


def texts(count: int, seed: int = 0) -> list[str]:
    """So many distinct turns, the two languages in turn by stretches of four."""
    words, out = Words(seed), dict[str, None]()
    while len(out) < count:
        out[english(words) if len(out) // 4 % 2 else chinese(words)] = None
    return list(out)


def questions(turns: list[str], count: int, seed: int = 1) -> list[str]:
    """Distinct questions, each about one turn: some of its words in their order."""
    chance, out = random.Random(seed), dict[str, None]()
    while len(out) < count:
        turn = chance.choice(turns)
        if turn.isascii():
            words = turn.rstrip(".").replace(";", "").replace(",", "").split()
            start = chance.randrange(max(1, len(words) - 8))
            out["When did " + " ".join(words[start : start + 8]) + "?"] = None
        else:
            start = chance.randrange(max(1, len(turn) - 14))
            out[
                turn[start : start + 14].replace("。", "").replace("，", "") + "是什么时候的事？"
            ] = None
    return list(out)


def messages(turns: list[str]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Turns as sessions of messages, user and assistant by turns, with their ids."""
    for start in range(0, len(turns), TURNS_A_SESSION):
        part = enumerate(turns[start : start + TURNS_A_SESSION], start)
        yield (
            f"session-{start // TURNS_A_SESSION}",
            [
                {"id": f"turn-{i}", "role": ("user", "assistant")[i % 2], "content": text}
                for i, text in part
            ],
        )
