"""The log: what was decided and done, read from the store, and as lines for other programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from lamina.engine.core import Core
from lamina.errors import LaminaError
from lamina.plain import EARLIEST, LATEST, to_plain
from lamina.replies import LogEntry
from lamina.types import Decision, Event, HistoryEvent, Json, Partition
from lamina.whole import write_whole

EVENTS = "events"  # folder of a store for the exported log
MUCH = 100  # events for which the work behind is woken
NAMES = {"add": "memory_add"}  # all other changes are memory_update
FIELDS = ("layer", "category", "importance")  # of a memory, that an entry tells


def logged(
    core: Core, since: datetime, until: datetime, *, limit: int, content: bool
) -> list[LogEntry]:
    """The last entries between two times, in order."""
    store = core.store
    write_waiting(core)
    partitions = store.partitions()
    found = [
        *(_changed(p, one, content=content) for p, one in store.changed(partitions, since, until)),
        *(_entry(p, one.at, one.name, one.payload) for p, one in
          store.events(partitions, since, until)),
        *(_decided(p, one, content=content) for p, one in store.decisions(partitions)
          if since <= one.at < until),
    ]  # fmt: skip
    return sorted(found, key=lambda entry: entry.at)[-limit:]


def _entry(partition: Partition, at: datetime, name: str, payload: Mapping[str, Json]) -> LogEntry:
    return LogEntry(at, name, partition.user, partition.agent, payload)


def _changed(partition: Partition, event: HistoryEvent, *, content: bool) -> LogEntry:
    after = event.after or {}
    payload = {"id": event.memory, "role": str(event.actor), "action": event.action}
    payload |= {field: after[field] for field in FIELDS if field in after}
    if content:
        payload["content"] = after.get("content", "")
    return _entry(partition, event.at, NAMES.get(event.action, "memory_update"), payload)


def _decided(partition: Partition, one: Decision, *, content: bool) -> LogEntry:
    payload = {
        "action": str(one.action),
        "reason": one.reason,
        "id": one.memory,
        "target": one.target,
        "message": one.message,
        "content": one.text if content else None,
    }
    kept = {key: value for key, value in payload.items() if value is not None}
    return _entry(partition, one.at, "decision", kept)


def line(entry: LogEntry) -> str:
    """An entry as one line of JSON: `ts`, `event`, `payload`."""
    found = {"ts": to_plain(entry.at), "event": entry.event, "payload": entry.payload}
    return json.dumps(found, ensure_ascii=False)


# --- what is done


def retrieved(core: Core, partition: Partition, ids: Sequence[str]) -> bool:
    """Note a search, to be written by the work behind. Tells whether much waits by now."""
    note(core, partition, "retrieve_ctx", {"resultCount": len(ids), "ids": list(ids)})
    return len(core.noted) >= MUCH


def note(core: Core, partition: Partition, name: str, payload: Mapping[str, Json]) -> None:
    """Note something for the log, to be written later."""
    core.noted.append((partition, Event(core.clock.now(), name, payload)))


def write_waiting(core: Core) -> None:
    """Write what was noted; where the store cannot be written to now, it is let go."""
    waiting: dict[Partition, list[Event]] = {}
    while core.noted:
        partition, event = core.noted.popleft()
        waiting.setdefault(partition, []).append(event)
    with suppress(LaminaError):
        known = set(core.store.partitions()) if waiting else set()
        for partition in waiting.keys() & known:  # a user of whom nothing is kept leaves no trace
            core.store.note(partition, waiting[partition])


# --- as files


def export_log(core: Core, folder: Path, *, content: bool) -> list[Path]:
    """Write all of the log as lines, one file for each local day. Returns the files."""
    days: dict[str, list[str]] = {}
    for entry in logged(core, EARLIEST, LATEST, limit=sys.maxsize, content=content):
        day = entry.at.astimezone(core.clock.zone).strftime("%Y-%m-%d")
        days.setdefault(day, []).append(line(entry))
    files = {folder / f"{day}.jsonl": "".join(f"{one}\n" for one in days[day]) for day in days}
    for path, text in files.items():
        write_whole(path, text.encode())
    return list(files)


def scrub_exported(core: Core, texts: Iterable[str]) -> None:
    """Take the lines that hold any of these texts out of the files in the store's folder."""
    forms = [json.dumps(text, ensure_ascii=False)[1:-1].encode() for text in texts if text]
    for path in sorted(Path(core.path, EVENTS).glob("*.jsonl")):
        found = path.read_bytes()
        kept = [one for one in found.splitlines(keepends=True) if not any(f in one for f in forms)]
        if len(kept) < found.count(b"\n"):
            write_whole(path, b"".join(kept))
