"""The verbs, once: what each is called on, what it takes and what it gives.

Doors are made from this table, and a test holds the methods to it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verb:
    """One operation. `on` is the object that has it; `parameters` are the names of its method."""

    name: str
    on: str
    parameters: tuple[str, ...]
    result: str
    summary: str


VERBS = (
    Verb(
        "add",
        "memory",
        (
            "what",
            "layer",
            "category",
            "importance",
            "metadata",
            "session_id",
            "origin",
            "infer",
        ),
        "Added",
        "Remember a text, a record, or the messages of a conversation.",
    ),
    Verb(
        "search",
        "memory",
        ("query", "limit", "filter", "min_score", "abstain", "explain", "now", "turns"),
        "Results",
        "Find what was said or noted, best first.",
    ),
    Verb(
        "why",
        "memory",
        ("query", "id", "limit", "filter", "min_score", "abstain", "now", "turns"),
        "Why",
        "Why a search returns an item, or at which step it falls.",
    ),
    Verb("get", "memory", ("id",), "MemoryRecord | Message", "One memory or message, whole."),
    Verb("list", "memory", ("filter", "limit", "after"), "list", "Memories, newest first."),
    Verb(
        "update",
        "memory",
        ("id", "text", "category", "importance", "pinned", "metadata", "origin"),
        "MemoryRecord",
        "Change a memory; its history keeps how it was.",
    ),
    Verb(
        "correct",
        "memory",
        ("id", "text", "origin"),
        "MemoryRecord",
        "Replace a wrong memory; its claim does not come back.",
    ),
    Verb(
        "forget",
        "memory",
        ("id", "query", "session_id", "everything", "dry_run"),
        "Forgotten",
        "Erase something with all that was made from it, and what says it.",
    ),
    Verb("delete", "memory", ("id",), "Deleted", "Erase a memory or message, bytes included."),
    Verb("history", "memory", ("id",), "list", "Every change of a memory, oldest first."),
    Verb(
        "context",
        "memory",
        ("query", "max_tokens", "level", "frame", "filter", "now"),
        "Context",
        "The block for a prompt: dated, cited, within a budget.",
    ),
    Verb(
        "import_",
        "memory",
        ("path", "format", "progress"),
        "Imported",
        "Read conversations of other systems from a file or folder.",
    ),
    Verb("session", "memory", ("id", "project", "title"), "Session", "A conversation by its id."),
    Verb("for_user", "memory", ("user_id", "agent_id"), "Memory", "A handle on another user."),
    Verb("for_everyone", "memory", (), "Memory", "A handle on what every user may read."),
    Verb("close", "memory", (), "None", "Stop the work behind and release the store."),
    Verb(
        "add",
        "archive",
        ("path_or_text", "title", "prune", "metadata", "progress"),
        "Archived",
        "Keep a document, or all of a folder; what did not change is passed over.",
    ),
    Verb("list", "archive", (), "list", "Documents, by title."),
    Verb("remove", "archive", ("what",), "Archived", "Erase a document, bytes included."),
    Verb("list", "sessions", (), "list", "Conversations, the most recently used first."),
    Verb("get", "sessions", ("id",), "Session", "One that is there."),
    Verb("rename", "sessions", ("id", "title"), "SessionInfo", "Give it another title."),
    Verb("fork", "sessions", ("id", "new_id", "until"), "SessionInfo", "Begin with its turns."),
    Verb("delete", "sessions", ("id",), "Forgotten", "Erase a conversation with its notes."),
    Verb("ls", "entries", ("uri", "limit", "after"), "list", "What stands right below a URI."),
    Verb("tree", "entries", ("uri", "depth", "limit"), "list", "What stands below a URI."),
    Verb("read", "entries", ("uri", "level"), "str", "A text by its URI, at a level."),
    Verb("glob", "entries", ("pattern", "limit"), "list", "Entries whose URI is of a pattern."),
    Verb(
        "grep",
        "entries",
        ("pattern", "uri", "regex", "limit"),
        "list",
        "Lines that hold a text, or match a regular expression.",
    ),
    Verb("uri", "entries", ("id",), "str", "The URI of a memory, message or document."),
    Verb("list", "review", ("limit",), "list", "What waits to be accepted or refused."),
    Verb("accept", "review", ("id",), "Decision", "Make it a memory."),
    Verb("refuse", "review", ("id",), "Decision", "Let it go, for good."),
    Verb("users", "admin", (), "list", "Every user of the store."),
    Verb("status", "admin", (), "Status", "Counts of the whole store."),
    Verb("log", "admin", ("since", "until", "limit", "content"), "list", "What was done."),
    Verb("export_log", "admin", ("folder", "content"), "list", "The log as files of JSON lines."),
    Verb("export", "admin", ("path", "user_id", "mask"), "Exported", "Everything, as JSON Lines."),
    Verb("backup", "admin", ("path",), "Backup", "A copy of this moment, read and counted."),
    Verb("audit", "admin", (), "Audit", "How sound the memories are."),
    Verb("flush", "admin", ("progress", "most"), "int", "Wait until texts have their vectors."),
    Verb(
        "append",
        "session",
        ("role", "content", "name", "id", "created_at", "metadata", "extra"),
        "Message",
        "Keep a turn, word for word; on disk when it returns.",
    ),
    Verb(
        "extract",
        "session",
        ("dry_run",),
        "Extracted",
        "Read the conversation for facts now, by rules and by the model.",
    ),
    Verb(
        "begin_turn",
        "session",
        ("goal", "focus", "options"),
        "None",
        "Begin a turn: what it is for and about.",
    ),
    Verb("end_turn", "session", (), "int", "End it; its working layer is gone."),
    Verb("end", "session", (), "Ended", "Promote its notes, or let them expire."),
    Verb("messages", "session", ("limit",), "list", "The turns of the conversation, in order."),
    Verb("window", "session", ("max_tokens", "system", "tools"), "Window", "What to send now."),
    Verb(
        "compact",
        "session",
        ("limits", "tools", "summariser", "force"),
        "Compacting",
        "Shorten what is sent; nothing is lost.",
    ),
    Verb(
        "before_model",
        "session",
        ("messages", "limits", "shape", "tools", "summariser"),
        "Sent",
        "Keep what is new of a list of messages, and give back what to send.",
    ),
    Verb("expand", "session", ("handle",), "Message | Json", "What a handle stands for, whole."),
    Verb(
        "context",
        "session",
        ("query", "max_tokens", "window", "level", "frame"),
        "Context",
        "What is remembered for the last user message, less what the window holds.",
    ),
    Verb(
        "prompt",
        "session",
        ("max_tokens", "system", "tools", "level", "frame"),
        "Prompt",
        "System, window and recalled context within one budget.",
    ),
    Verb(
        "reply",
        "session",
        ("max_tokens", "system", "answer_tokens"),
        "Message",
        "Let the store's model answer, and append what it says.",
    ),
    Verb("state", "session", (), "Mapping", "A small JSON mapping saved with the conversation."),
)
