"""The table of Chinese expressions of days and longer, and of those that only look like one."""

from __future__ import annotations

from lamina.text.dates import chinese as zh
from lamina.text.dates.atoms import Rule
from lamina.text.dates.chinese_words import HAN, NUMBER, START

_NUMERALS = ("0", *HAN)
_TIE = r"\s?(?:到|至|-|–|—|~)\s?"
_WEEK = r"(?:周|星期|礼拜)"
# 月 wants 个 between it and a number, else it is a month's name.
_UNIT = (
    r"(?:个多?(?P<half>半)?(?P<unit>小时|钟头|星期|礼拜|月|季度)"
    r"|(?P<unit2>分钟|小时|天|周|星期|礼拜|年|秒|日(?=之?后))(?P<half2>半)?多?)"
)
_COUNT = rf"(?P<n>十几|{NUMBER}|好?几|半)\s?多?{_UNIT}"
_BEFORE = r"前(?![面台后往进途提夕期辈女男方锋任线世言沿轮卫哨])"
_AFTER = r"后(?![面悔果座勤期卫续方辈备者遗])"
# 上周一次: what counts the doings of a week is no Monday.
_NO_MEASURE = r"(?![次趟遍回件条篇位名场份顿杯年月周百千万]|[个家点](?![体半])|天(?!气)|节课)"
_DAY_OF_WEEK = (
    rf"(?:(?:一(?![直共般定样些边半起])|一(?=起[飞床程])|[二三四五六](?=十[一二]?[点时])"
    rf"|[二三四五六](?![十\d]))(?:{_NO_MEASURE}|(?=[上中下]午))|日(?!本)|天(?!子|天)|末(?!愉快|快乐)"
    rf"|[1-6](?![\d:.\-/%]){_NO_MEASURE})"
)
_UP = r"(?<![晚早马路楼网线街地桌世算加赶碰遇山海船车岸台床墙手头脸以])"
_DOWN = r"(?<![楼地留剩乡手脚底脸台山树床桌坐停躺放])"
_SHIFT = rf"(?P<shift>{_UP}上{{1,3}}|{_DOWN}下{{1,3}}|这|(?<!基)本)(?:一?个|一)?"
_MONTH = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
_DAY = (
    r"(?:\d{1,2}(?!\d)|[一二三]?十[一二三四五六七八九]?|廿[一二三四五六七八九]?"
    r"|[一二三四五六七八九])"
)
_NOT_MIDDLE = r"中(?![秋国午间学考的最有级文西医餐旬期心])"
_BRIGHT = r"(?<![聪黎文光透发说证声清表英])"

_TRAPS = (
    rf"[{HAN}]天(?:两头|打[鱼渔])|一天到晚|一天天|三年五载|一年到头|一年四季|五月天|今日头条|礼拜堂"
    rf"|[一每]日三餐|第[{HAN}\d]{{1,3}}[天周年月]|(?:农历|阴历|旧历)[^,，。;；\s]{{0,8}}|[{HAN}\d]{{1,2}}月龄"
    r"|周(?:到|期|围|边|岁|刊|全|折|转|密|详|游)|(?:星期|周|礼拜)几|几月几[日号]|哪[天年月日]"
    r"|(?:早上|上午|下午|晚上|中午)好|下午茶|早晚|晚安|早安|年夜饭|上月球|周[一二三四五六]围"
)
_HABITS = (
    rf"(?:每逢?|逢)隔?[{HAN}\d]{{0,2}}个?(?:{_WEEK}[一二三四五六日天末]?|天|日|月|年|晚上?|早上?|夜"
    r"|季度|上午|下午|小时|分钟|[春夏秋冬]天)|天天|年年|周周|月月|夜夜|日日"
    rf"|[{HAN}几\d]{{1,2}}{_WEEK}[{HAN}几\d]次"
)

_WORDS = (
    (
        (*_NUMERALS, *"今礼每第农阴旧周星几哪早上下晚中年"),
        _TRAPS,
        zh.nothing,
    ),
    ((*_NUMERALS, *"每逢天年周月夜日几"), _HABITS, zh.habit),
    (
        (*_NUMERALS, "半", "几", "好"),
        rf"{START}{_COUNT}(?:[之以](?P<way>前|后)|(?P<way2>{_BEFORE}|{_AFTER}))(?:的?今[天日])?",
        zh.some_away,
    ),
    (
        ("再", "过"),
        rf"(?:再过|过(?=[^了]{{2,6}}[去再来就要回是]))(?:{_COUNT})(?![前后])",
        zh.more,
    ),
    (
        tuple("前这近过"),
        r"(?<![之以])前(?:几|两|些)天|前些日子|前阵子|这[几两]天|近几天|过[几两]天(?![前后])",
        zh.some_days,
    ),
    (
        tuple("过最近未今接这"),
        (
            rf"(?P<way>过去|最近|(?<![附最临靠接将])近|未来|今后|接下来|这(?!一))的?{_COUNT}"
            r"(?:以来|[里内来间中])?(?![前后])"
        ),
        zh.some_run,
    ),
    (_NUMERALS, rf"{START}(?P<way>(?!))?{_COUNT}[之以]?内(?!容)", zh.some_run),
    (tuple("昨今明"), r"([昨今明])([今明后])(?:两|三)?天", zh.two_days),
    (
        tuple("大昨今"),
        r"(?P<day>大前|大后|昨|(?<!如)今)(?:天|日|儿个?)(?P<part>(?!))?",
        zh.day_word,
    ),
    (
        ("前",),
        r"(?<![以之从目当提先午日史空眼面月年])(?P<day>前)(?:天|日|儿)(?!天)(?P<part>(?!))?",
        zh.day_word,
    ),
    (
        ("明",),
        rf"{_BRIGHT}(?P<day>明)(?:天|日|儿)(?P<part>(?!))?(?!才|使[^用]|窗|花板|香|之星|堂|方舟)",
        zh.day_word,
    ),
    (
        ("后",),
        (
            r"(?<![然之以最午雨先今往背前月年周日时天病])(?P<day>后)(?:天|日|儿)(?P<part>(?!))?"
            r"(?![性天才晴养]|的?(?:努力|习得|培养|教育|环境|因素|形成|获得))"
        ),
        zh.day_word,
    ),
    (
        tuple("昨今明"),
        rf"{_BRIGHT}(?P<day>[昨今明])(?P<part>[早晨晚夜])(?:[上间里](?![班学课线车台去来海网楼]))?",
        zh.day_word,
    ),
    (("前",), r"(?<![之以睡饭])(?P<day>前)(?P<part>晚)(?!上)", zh.day_word),
    (
        tuple("上下这本"),
        rf"{_SHIFT}{_WEEK}(?:(?:的?{_WEEK})?(?P<d>{_DAY_OF_WEEK}))?(?![围边期刊])",
        zh.a_week,
    ),
    (
        tuple("周星礼"),
        rf"(?<![{HAN}几每半整隔\d]){_WEEK}(?P<d>六)(?P<both>(?:[、和]?{_WEEK})?[日天])(?!本)",
        zh.a_weekday,
    ),
    (
        tuple("周星礼"),
        rf"(?<![{HAN}几每半整隔\d]){_WEEK}(?P<d>{_DAY_OF_WEEK})(?P<both>(?!))?",
        zh.a_weekday,
    ),
    (("双",), r"双休日", zh.free_days),
    (
        tuple("去前明上下"),
        rf"(?:(?P<y>去|(?<![以之目])前|{_BRIGHT}明)年|(?P<shift>{_UP}上|{_DOWN}下)个?月)的?今[天日]",
        zh.same_day,
    ),
    (
        tuple("上下这本"),
        rf"{_SHIFT}月(?:份|(?![球台亮饼光租薪嫂季色经供牙老子考]))",
        zh.month_word,
    ),
    (
        tuple("去今本明前后大"),
        (
            rf"(?:(?P<y>大前|大后|去|(?<!如)今|{_BRIGHT}明|(?<![以之目])前|(?<![以之然最今往])后|(?<!基)本))"
            r"年(?![轻纪级龄度]|货市|夜)"
        ),
        zh.year_word,
    ),
    (
        _NUMERALS,
        rf"{START}([12]\d{{3}})\s?年?{_TIE}([12]\d{{3}})\s?年",
        zh.years,
    ),
    (
        _NUMERALS,
        (
            rf"{START}(?P<y>[12]\d{{3}}|[一二][零〇一二三四五六七八九]{{3}}|\d\d(?=年(?:{_MONTH}月"
            r"|[初底末春夏秋冬]|国庆|元旦|第?[一二三四1-4]季度))|[07-9]\d(?=年(?:出生|毕业|生[人的]|入学|结婚|入职)))\s?年度?(?!级|的?历史|之久|间)"
        ),
        zh.a_year,
    ),
    (
        _NUMERALS,
        rf"{START}(?:(?P<c>\d\d|十九|二十一?)世纪)?(?P<y>(?:19|20)\d0|\d0|[二三四五六七八九]十)年代",
        zh.decade,
    ),
    (
        _NUMERALS,
        (
            rf"{START}(?P<m>{_MONTH})\s?月份?\s?(?P<d>{_DAY})\s?(?:[日号](?![本元])|(?={_TIE}{_DAY}\s?[日号])"
            rf"|(?<=\d)(?=[去来出到见开飞交回走考结办签]))(?:{_TIE}(?P<d2>{_DAY})\s?[日号])?"
        ),
        zh.a_date,
    ),
    (
        _NUMERALS,
        rf"{START}(?P<m>{_MONTH})(?:{_TIE}(?P<m2>{_MONTH}))?\s?月(?:份|(?![球亮饼薪嫂龄子租]|一次))",
        zh.a_month,
    ),
    (
        _NUMERALS,
        rf"{START}(?P<d>{_DAY})\s?[号日]?{_TIE}(?P<d2>{_DAY})\s?(?P<sign>[号日])(?![本元语])",
        zh.a_day,
    ),
    (_NUMERALS, rf"{START}(?P<d>{_DAY})\s?(?P<sign>[号日])(?![本元语])(?P<d2>(?!))?", zh.a_day),
    (
        ("年", "月"),
        rf"(?<![{HAN}\d个上下半岁])(?P<unit>[年月])(?P<edge>[初底末]|[上中下]旬|{_NOT_MIDDLE})",
        zh.a_part,
    ),
    (
        tuple("初底末中上下"),
        rf"(?P<unit>(?!))?(?P<edge>(?<=[年月])(?:[初底末](?![中级])|{_NOT_MIDDLE})|[上中下]旬)",
        zh.a_part,
    ),
    (
        (*_NUMERALS, *"第上下这本"),
        rf"(?:第\s?)?(?<![{HAN}\d])(?P<n>[一二三四1-4])季度(?P<shift>(?!))?",
        zh.a_quarter,
    ),
    (tuple("上下这本"), rf"{_SHIFT}季度", zh.a_quarter),
    (("上", "下"), r"[上下]半年", zh.half),
    (
        tuple("上下这今春夏秋冬"),
        r"(?:(?P<shift>上|下|这|今)个?(?:年的?)?)?(?P<season>[春夏秋冬])(?:[天季日])",
        zh.a_season,
    ),
    (tuple("今"), r"(?P<shift>今)(?P<season>[春夏秋冬])(?!令)", zh.a_season),
    (tuple("春夏秋冬"), r"(?<=年)(?P<shift>(?!))?(?P<season>[春夏秋冬])(?![衣装令])", zh.a_season),
    (tuple("元情妇三植愚劳五青儿六建教国十万双光平圣跨"), zh.HOLIDAY.pattern, zh.holiday),
)

RULES = tuple(Rule(tuple(starts), pattern, build) for starts, pattern, build in _WORDS)
