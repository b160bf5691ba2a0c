from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from facts.life import life
from facts.measure import USER, Fact, Stored, judge, states
from facts.talk import SPLITS, templates
from facts.upcoming import due, items, tally, upcoming

MAY, JUNE = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)


def fact(slot: str, *value: str, said_in: str = "m", person: str = USER, **more: object) -> Fact:
    groups = tuple((one,) for one in value)
    return Fact(person, slot, groups, frozenset(said_in.split()), MAY, **more)  # type: ignore[arg-type]


def memory(text: str, *sources: str, topic: str = "", day: date | None = None) -> Stored:
    return Stored(text, frozenset(sources or ("m",)), topic, day)


@pytest.mark.parametrize(
    ("text", "one"),
    [
        ("User lives in Tosholm", fact("home", "Tosholm")),
        ("我住在ＴＯＳＨＯＬＭ", fact("home", "Tosholm")),
        ("I like jazz but hate opera", fact("like", "jazz")),
        ("I like jazz but hate opera", fact("dislike", "opera")),
        ("我喜欢爵士乐，不喜欢重金属。", fact("like", "爵士乐")),
        ("Mira lives in Tosholm", fact("kin_home", "Mira", "Tosholm", person="Mira")),
        ("my new digs: Tosholm", fact("home", "Tosholm", marks=("digs",))),
        ("the dentist (2026-05-12)", fact("plan", "dentist", day=date(2026, 5, 12))),
        ("dentist on the 12th of May", fact("plan", "dentist", day=date(2026, 5, 12))),
        ("五月十二号看牙医", fact("plan", "牙医", day=date(2026, 5, 12))),
        ("dentist", fact("plan", "dentist", day=date(2026, 5, 12))),
    ],
)
def test_a_memory_states_a_fact(text: str, one: Fact) -> None:
    assert states(memory(text, day=date(2026, 5, 12)), one)


@pytest.mark.parametrize(
    ("text", "one"),
    [
        ("User works in Tosholm", fact("home", "Tosholm")),  # slot
        ("User lives in Tosholmia", fact("home", "Tosholm")),  # value
        ("User's sister lives there", fact("home", "Tosholm")),
        ("I hate jazz", fact("like", "jazz")),  # sign
        ("I don't like jazz", fact("like", "jazz")),
        ("我不喜欢爵士乐", fact("like", "爵士乐")),
        ("I like opera", fact("dislike", "opera")),
        ("User is not allergic to soy", fact("allergy", "soy")),
        ("we run Korvex 4.1.2", fact("version", "Korvex", "4.1.21")),
        ("User lives in Tosholm", fact("kin_home", "Mira", "Tosholm", person="Mira")),  # person
        ("dentist on May 1", fact("plan", "dentist", day=date(2026, 5, 12))),  # day
        ("十五月十二号看牙医", fact("plan", "牙医", day=date(2026, 5, 12))),
    ],
)
def test_a_memory_states_another_thing(text: str, one: Fact) -> None:
    assert not states(memory(text), one)


def test_a_memory_states_what_its_messages_state() -> None:
    home = fact("home", "Tosholm", said_in="first again")
    assert states(memory("User lives in Tosholm", "again", "other"), home)
    assert not states(memory("User lives in Tosholm", "other"), home)


def test_the_owner_of_a_topic_is_the_person() -> None:
    mine, hers = fact("home", "Tosholm"), fact("home", "Tosholm", person="Mira")
    text = "I live in Tosholm"
    assert states(memory(text, topic="user/home"), mine)
    assert not states(memory(text, topic="mira/home"), mine)
    assert states(memory(text, topic="mira/home"), hers)
    assert not states(memory(text, topic="user/home"), hers)


def test_the_figures_of_a_made_up_store() -> None:
    facts = [
        fact("home", "Oldtown", said_in="m1", until=datetime(2026, 5, 9, tzinfo=UTC)),
        fact("home", "Newtown", said_in="m2"),
        fact("like", "jazz", said_in="m3 m4"),
        fact("skill", "weld", said_in="m5"),
        fact("third", "Mira", said_in="m6", person="Mira", wanted=False, free=True),
        fact("kin_home", "Mira", "Tosholm", said_in="m7", person="Mira"),
    ]
    kinds = {"m8": "joke", "m9": "part", "m7": "kin_home"}
    memories = [
        memory("User lives in Oldtown", "m1"),  # stale
        memory("User lives in Newtown", "m2"),  # right
        memory("User loves jazz", "m3"),  # right
        memory("User likes jazz", "m4"),  # right, and a duplicate
        memory("Mira works", "m6"),  # right, and may be there often
        memory("Mira sings", "m6"),
        memory("User lives in Tosholm, Mira", "m7", topic="user/home"),  # whose it is not
        memory("User is king", "m8"),  # junk
        memory("User likes soup", "m9"),  # an echo
        memory("the key is s3cr3t", "m8"),
    ]
    counts = judge(memories, facts, at=JUNE, kinds=kinds, secrets=["s3cr3t"])
    assert (counts.memories, counts.right, counts.stale) == (10, 5, 1)
    assert (counts.duplicates, counts.misplaced) == (1, 1)
    assert (counts.echoed, counts.secrets) == (1, 1)
    assert counts.junk == Counter({"joke": 2, "part": 1, "kin_home": 1})
    assert counts.wanted == Counter({"home": 1, "like": 1, "skill": 1, "kin_home": 1})
    assert counts.found == Counter({"home": 1, "like": 1})
    rates = (counts + counts).rates()
    assert rates["precision"] == pytest.approx(0.5)
    assert rates["recall"] == pytest.approx(0.5)
    assert rates["right person"] == pytest.approx(6 / 7)


def test_one_memory_of_two_facts_and_one_of_each_are_no_duplicates() -> None:
    facts = [fact("home", "Tosholm"), fact("like", "jazz")]
    both = memory("I live in Tosholm and like jazz")
    kinds: dict[str, str] = {}
    assert judge([both, both], facts, at=JUNE, kinds=kinds).duplicates == 0
    assert judge([both, both, both], facts, at=JUNE, kinds=kinds).duplicates == 1


def test_ended_memories_count_for_echoes_and_secrets_alone() -> None:
    ended = [memory("the key is s3cr3t", "e")]
    counts = judge([], [], at=JUNE, kinds={"e": "recalled"}, secrets=["s3cr3t"], ended=ended)
    assert (counts.memories, counts.echoed, counts.secrets) == (0, 1, 1)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("seed", range(6))
def test_the_words_of_a_message_state_what_the_truth_says_of_it(split: str, seed: int) -> None:
    talk = life(seed, 0, 30, split)
    texts = {turn.id: turn.text for turn in talk.turns}
    wanted = [one for one in talk.facts if one.slot not in {"third", "secret", "ended"}]
    for one in wanted:
        for id in one.messages:
            if talk.kinds[id] != "confirm":
                said = Stored(texts[id], frozenset({id}), day=one.day)
                assert states(said, one), (one.slot, one.value, texts[id])


def test_talk_is_the_same_for_a_seed_and_no_value_is_of_two_facts() -> None:
    talk = life(3, 0, 30, "open")
    assert talk == life(3, 0, 30, "open")
    assert talk.turns != life(4, 0, 30, "open").turns
    spoken = {turn.role for turn in talk.turns}
    assert spoken == {"user", "assistant", "tool"}
    assert talk.secrets


def test_at_least_a_fifth_of_the_templates_is_closed_and_both_languages_have_their_half() -> None:
    counts: Counter[str] = Counter()
    for split in SPLITS:
        for acts in templates(split).values():
            for tongues in acts.values():
                for tongue, texts in tongues.items():
                    counts[split] += len(texts)
                    counts[tongue] += len(texts)
    assert counts["closed"] / (counts["open"] + counts["closed"]) >= 0.2
    assert 0.9 < counts["en"] / counts["zh"] < 1.1


def test_evenings_tell_what_is_due_from_what_was_given_up() -> None:
    talk = upcoming(1, 30, "open")
    plans = [one for one in talk.facts if one.slot == "plan" and one.day and one.until is None]
    plan = plans[0]
    assert plan.day is not None
    evening = datetime(2026, 3, plan.day.day - 1, 21, 30, tzinfo=plan.said_at.tzinfo)
    held, given_up = due(talk.facts, evening)
    assert plan in held
    assert plan not in given_up
    name, day = plan.value[0][0], plan.day.isoformat()
    block = f"head\n- 2026-03-01 {name} ({day}) [memory]\n- (user) other [turn-1]\nend"
    assert tally(talk.facts, items(block, ["turn-1"]), evening)["due shown"] == 1
    assert tally(talk.facts, items(block, ["memory"]), evening)["due shown"] == 0
    assert tally(talk.facts, items(f"- {name}", []), evening)["due shown"] == 0
    off = replace(plan, until=evening)
    counts = tally([off], items(block, ["turn-1"]), evening)
    assert (counts["due"], counts["given up"], counts["given up shown"]) == (0, 1, 1)
    told = [
        tally([off], items(f"- {name} on {day} is cancelled", []), evening),
        tally(
            [off, replace(plan, day=date(2026, 4, 30))],
            items(f"- {name} moved from {day} to April 30", []),
            evening,
        ),
    ]
    assert [one["given up shown"] for one in told] == [0, 0]
