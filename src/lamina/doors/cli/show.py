"""Values as lines for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from lamina.replies import Audit, Forgotten, LogEntry, Proposal, Status, Why
from lamina.types import (
    DEFAULT_USER,
    Decision,
    Document,
    HistoryEvent,
    Hit,
    Json,
    Kind,
    MemoryRecord,
    Message,
    Results,
    SessionInfo,
)

if TYPE_CHECKING:
    from lamina.evals.run import Report

WIDTH = 100  # characters of a text in a list
MISSED = 10  # questions that are listed
FIRST = 3  # ids of a kind that are shown
MOST = 50  # lines of what goes
DAY, MINUTE = "%Y-%m-%d", "%Y-%m-%d %H:%M"


def one_line(text: str, width: int = WIDTH) -> str:
    """A text on one line, cut with an ellipsis where it is longer."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def hits(results: Results, zone: ZoneInfo, *, explain: bool = False) -> str:
    """Hits as a numbered list."""
    if not results:
        return "Nothing found."
    return "\n".join(
        line
        for place, hit in enumerate(results, 1)
        for line in _hit(place, hit, zone, explain=explain)
    )


def _hit(place: int, hit: Hit, zone: ZoneInfo, *, explain: bool) -> list[str]:
    day = hit.date.astimezone(zone).strftime(DAY)
    marks = " weak" if hit.weak else ""
    marks += f" ({hit.count} alike)" if hit.count > 1 else ""
    if hit.valid_to is not None:
        marks += f" (true until {hit.valid_to.astimezone(zone).strftime(DAY)})"
    lines = [
        f"{place:2}. {hit.score:.2f}{marks}  {day}  {one_line(hit.text)}",
        f"    {_from(hit)}",
    ]
    if explain:
        parts = [f"{s.name} {s.weight * s.value:+.2f}" for s in hit.signals if s.value]
        lines.append(f"    raw {hit.raw:.2f} = {' '.join(parts)}")
    return lines


def why(told: Why) -> str:
    """Why an item is returned or not, its signals, and what would bring it in."""
    lines = [f"{'returned' if told.returned else 'not returned'}: {told.sentence}"]
    if told.signals:
        lines.append(f"raw {told.raw:.2f}, score {told.score:.2f}")
        lines += [f"  {s.name:10} {s.weight * s.value:+6.2f}  place {s.rank}" for s in told.signals]
    if told.behind:
        lines.append(f"{told.behind:.2f} behind the last one returned")
    for name, value in told.change.items():
        lines.append(f"to bring it in: {name} = {value}")
    return "\n".join(lines)


def _from(hit: Hit) -> str:
    source = hit.source[0]
    if hit.kind is Kind.DOCUMENT:
        return f"{source.name}, {source.quote}"
    who = source.name or hit.role
    where = f" in {source.session_id}" if source.session_id else ""
    return f"{hit.kind} {hit.id} by {who}{where}"


def memories(found: Sequence[MemoryRecord], zone: ZoneInfo) -> str:
    """Memories as a list, one a line."""
    if not found:
        return "No memories."
    return "\n".join(
        f"{record.id}  {record.created_at.astimezone(zone).strftime(DAY)}  {record.category:11}"
        f" {'* ' if record.pinned else ''}{one_line(record.content)}"
        for record in found
    )


def documents(found: Sequence[Document], zone: ZoneInfo) -> str:
    """Documents as a list, one a line."""
    if not found:
        return "No documents."
    return "\n".join(
        f"{one.id}  {one.added_at.astimezone(zone).strftime(DAY)}  {one.passages:5} passages"
        f"  {one_line(one.title, 40)}  {one.path or ''}".rstrip()
        for one in found
    )


def sessions(found: Sequence[SessionInfo], zone: ZoneInfo) -> str:
    """Conversations as a list, one a line."""
    return (
        "\n".join(
            f"{one.id}  {one.updated_at.astimezone(zone).strftime(MINUTE)}"
            f"  {one.messages:5} messages"
            f"  {one.project or ''}  {one_line(one.title, 60)}".rstrip()
            for one in found
        )
        or "No conversations."
    )


def turns(found: Sequence[Message], zone: ZoneInfo) -> str:
    """Turns of a conversation, each with its time and speaker."""
    return "\n".join(item(one, zone) for one in found) or "No turns."


def item(found: MemoryRecord | Message, zone: ZoneInfo) -> str:
    """A memory or message, whole."""
    at = found.created_at.astimezone(zone).strftime(MINUTE)
    if isinstance(found, Message):
        who = found.name or found.role
        return f"{at}  {who} in {found.session_id}\n{found.text}"
    pinned = ", pinned" if found.pinned else ""
    head = (
        f"{at}  {found.layer}, {found.category}, importance {found.importance:.2f}{pinned}"
        f", version {found.version}"
    )
    return f"{head}\n{found.content}"


def text_of(item: MemoryRecord | Message) -> str:
    """What an item says."""
    return item.text if isinstance(item, Message) else item.content


def forgotten(done: Forgotten, texts: Mapping[str, str]) -> str:
    """What goes, and what changes with it, as a list."""
    parts = [
        ("memory", done.memories),
        ("message", done.messages),
        ("session", done.sessions),
        ("made again without it", done.rewritten),
        ("holds again", done.valid_again),
    ]
    rows = [(name, id) for name, ids in parts for id in ids]
    lines = [f"{name}  {id}  {one_line(texts.get(id, ''))}".rstrip() for name, id in rows[:MOST]]
    if len(rows) > MOST:
        lines.append(f"and {len(rows) - MOST} more")
    return "\n".join(lines) or "Nothing to forget."


def proposals(found: Sequence[Proposal], zone: ZoneInfo) -> str:
    """What waits for a person, each with its evidence."""
    lines = []
    for one in found:
        day = one.at.astimezone(zone).strftime(DAY)
        lines.append(f"{one.id}  {day}  {one.category:11} {one_line(one.text)}  ({one.reason})")
        lines += [f"    {one_line(source.quote)}" for source in one.source if source.quote]
    return "\n".join(lines) or "Nothing waits."


def decisions(done: Sequence[Decision]) -> str:
    """What was decided, one a line."""
    return "\n".join(
        f"{one.action:10} {one.reason:9} {one.memory or '-':26}  {one_line(one.text)}"
        for one in done
    )


def log(entries: Sequence[LogEntry], zone: ZoneInfo) -> str:
    """What was decided and done, one a line."""
    lines = []
    for entry in entries:
        at = entry.at.astimezone(zone).strftime(MINUTE)
        told = "  ".join(f"{key}={_value(value)}" for key, value in entry.payload.items())
        user = "" if entry.user == DEFAULT_USER else f"  {entry.user}"
        lines.append(f"{at}  {entry.event:13}{user}  {told}")
    return "\n".join(lines) or "Nothing was done."


def audit(found: Audit) -> str:
    """How sound the memories are: of each kind how many, their share, and the first ids."""
    lines = [f"memories that hold   {found.memories}"]
    for name in (
        "duplicates", "contradictions", "unsupported", "orphans", "stale", "secrets", "loops",
    ):  # fmt: skip
        ids: tuple[str, ...] = getattr(found, name)
        more = ", …" if len(ids) > FIRST else ""
        lines.append(
            f"{name:20} {len(ids)}  {found.rate(ids):.1%}  {', '.join(ids[:FIRST])}{more}".rstrip()
        )
    lines.append(f"importance in fifths {' '.join(map(str, found.importance))}")
    lines.append(f"waiting for review   {found.waiting}")
    lines += [f"decided              {count}  {what}" for what, count in found.decisions.items()]
    return "\n".join(lines)


METRICS = ("any_hit@5", "all_hit@5", "evidence_recall@5", "evidence_recall@10", "mrr", "ndcg@10")


def report(found: Report) -> str:
    """Means by category of question, and what was missed."""
    width = max([len(name) for name in found.metrics] + [len("questions")])
    head = f"{'questions':{width}} " + " ".join(f"{name:>18}" for name in METRICS)
    rows = [
        f"{name:{width}} " + " ".join(f"{values[metric]:18.3f}" for metric in METRICS)
        for name, values in found.metrics.items()
    ]
    missed = [f"missed: {one_line(text)}" for text in found.missed[:MISSED]]
    counts = f"{found.questions} questions, {found.unanswerable} without a known answer left out"
    return "\n".join([head, *rows, counts, *missed])


def history(events: Sequence[HistoryEvent], zone: ZoneInfo) -> str:
    """Changes of a memory, oldest first."""
    if not events:
        return "No changes."
    return "\n".join(
        f"{event.at.astimezone(zone).strftime(MINUTE)}  {event.action} by {event.actor}"
        f"  {_change(event)}"
        for event in events
    )


def _change(event: HistoryEvent) -> str:
    before, after = event.before or {}, event.after or {}
    if not before:
        return one_line(str(after.get("content", "")))
    changed = [
        f"{key}: {_value(before.get(key))} -> {_value(after.get(key))}"
        for key in after
        if key not in {"version", "updated_at"} and before.get(key) != after.get(key)
    ]
    return "; ".join(changed)


def _value(value: Json) -> str:
    return one_line(str(value), 60)


def status(found: Status, users: Sequence[str]) -> str:
    """A store's counts."""
    named = ["(default)" if user == DEFAULT_USER else user for user in users]
    listed = ", ".join(named[:5]) + (", …" if len(named) > 5 else "")
    rows = [
        ("store", found.path),
        ("size", f"{found.bytes / 1e6:.1f} MB"),
        ("users", f"{found.users}" + (f": {listed}" if named else "")),
        ("sessions", f"{found.sessions}"),
        ("messages", f"{found.messages}"),
        ("memories", f"{found.memories}"),
        ("passages", f"{found.passages}, {found.vectors} with vectors, {found.pending} waiting"),
        ("space", found.space or "words only"),
        *([("model", f"{found.tokens} tokens today")] if found.tokens else []),
        *([("", f"{found.unheard} conversations wait for it")] if found.unheard else []),
        *(("note", sentence) for sentence in found.degraded),
    ]
    return "\n".join(f"{name:9} {value}" for name, value in rows)
