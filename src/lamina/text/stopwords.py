"""Words that say how a sentence is built, or that it is a question, and not what it is about.

Chosen by what the words mean, from the closed classes of the two grammars: articles, pronouns,
prepositions, conjunctions, auxiliaries, particles, measure words of "one", words of asking and
politeness. Left in on purpose: negations of content (没有 aside), words of time and place, numbers,
"may" (a month), and every verb of full meaning. All are written as folded text: lower case,
simplified characters.
"""

ENGLISH = frozenset(
    """
    a an the this that these those
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    one's oneself
    who whom whose which what when where why how
    whoever whomever whichever whatever whenever wherever however
    am is are was were be been being do does did doing done have has had having
    will would shall should can could might must ought
    and or but nor so if then than because as until while although though unless whether since
    of at by for with about against between into through during before after above below
    to from up down in out on off over under onto upon within without toward towards via per
    again further here there all any both each few more most other others some such
    no not only own same too very just also even ever still yet
    i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll
    it's it'd it'll we're we've we'd we'll they're they've they'd they'll
    that's that'd that'll this's there's there'd there'll here's
    who's who'd who'll who've what's what're what'd what'll what've when's when'd where's where'd
    why's why'd how's how'd how'll which's let's
    isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't
    won't wouldn't shan't shouldn't can't cannot couldn't mightn't mustn't needn't ain't
    dont doesnt didnt isnt arent wasnt werent havent hasnt hadnt wont wouldnt shouldnt cant couldnt
    im ive youre youve theyre theyve thats whats wheres hows
    s t d ll m o re ve y
    please tell
    http https www
    """.split()
)

CHINESE = frozenset(
    """
    的 地 得 了 着 过 之 所 者 等 等等
    吗 呢 吧 啊 呀 哦 哇 嘛 啦 呗 哈 嗯 噢 喔 哎 唉 嘿 哟 诶 么
    我 你 您 他 她 它 咱 俺 我们 你们 您们 他们 她们 它们 咱们 自己 大家 人家 本人 别人
    我的 你的 您的 他的 她的 它的 我们的 你们的 他们的 她们的 自己的
    这 那 此 该 其 某 各 每 这个 那个 这些 那些 这里 那里 这儿 那儿 这样 那样 这么 那么
    这种 那种 这边 那边 这是 那是 这位 那位 这次 那次 其他 其它 另外 某个 某些 各种 各个
    是 是的 就是 也是 都是 还是 不是 是不是 是否 算是 算不算
    有 有的 有些 有没有 没有 没 会不会 能不能 可不可以 要不要 对不对 好不好
    在 于 从 自 到 往 向 对 对于 关于 至于 由 由于 被 把 将 让 给 跟 和 与 及 以及 同 或 或者 并 并且
    而 而且 而是 但 但是 可是 不过 然而 因为 因此 所以 如果 要是 假如 虽然 尽管 即使 既 既然 为 为了
    以 以便 按 按照 根据 通过 比 除了 除 直到 随着 且 则 若 却 连 只要 只有 无论 不管 还有 再 又
    也 都 就 才 还 很 太 更 最 挺 非常 十分 特别 比较 相当 真 真的 好像 似乎 大概 大约 左右 也许 可能 一定 究竟 到底
    已 已经 曾 曾经 正 正在 刚 刚刚 刚才 便 即 仅 只 只是 只能 总 总是 一直 一般 通常 其实 当然 确实 的确
    能 能够 可 可以 会 要 想要 想 应 应该 应当 该不该 必须 需要 得以 愿意 肯 敢
    什么 甚么 啥 什么样 什么样子 样子 怎么 怎样 怎么样 怎么办 如何 为何 为什么 为啥 干嘛 干什么 做什么
    谁 谁的 哪 哪个 哪些 哪里 哪儿 哪种 哪位 哪一个 哪一些 哪一种 何 何时 何地 何处 几 几个 多少 多少个 多 多么
    多久 多长 多大 多高 多远 多长时间 什么时候 何种 何人 是谁 是什么 叫什么 有什么 在哪里 在哪儿 在哪 有哪些 哪方面 请问 问 请
    告诉 告诉我 知道 记得 还记得 说说 说一下 一下 帮我 帮 麻烦 谢谢 想知道 想问
    个 一个 一些 一种 一点 有点 一样 一会儿 种 些 次 里 里面 上 下 中 内 外 时 时候 的时候 之前 之后 以前 以后 后 前
    不 别 吗的 的话 来说 而言 来着 似的
    """.split()
)
