from __future__ import annotations

import json
import os
from typing import Any

import pytest
from compacting import (
    Played,
    expandable,
    last_user_kept,
    no_orphan,
    nothing_lost,
    one_summary,
    order_kept,
    same_after_reopen,
    utf8_whole,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from traffic import traffic

from lamina.pipeline.compact.stages import compacted
from lamina.pipeline.compact.values import Compaction, Limits, state_json, state_of
from lamina.text.shapes import read

EXAMPLES = int(os.environ.get("LAMINA_EXAMPLES", "100"))


@pytest.mark.parametrize("shape", ["openai", "anthropic", "agentscope"])
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_any_conversation_gives_windows_that_providers_take_and_loses_nothing(
    shape: str, data: st.DataObject
) -> None:
    given_: list[dict[str, Any]] = data.draw(traffic(shape=shape))
    messages = read(given_, shape)
    pinned = frozenset(data.draw(st.sets(st.sampled_from([m.id for m in messages]), max_size=1)))
    limits = Limits(
        max_input_tokens=data.draw(st.sampled_from([600, 2_000, 20_000])),
        keep_messages=data.draw(st.integers(0, 3)),
    )
    moments = sorted(data.draw(st.sets(st.integers(1, len(messages)), min_size=1, max_size=3)))
    state = Compaction()
    for moment in moments:
        now = messages[:moment]
        reply = compacted(now, limits, state=state, pinned=pinned)
        state = state_of(json.loads(json.dumps(state_json(reply.state))))
        assert state == reply.state
        done = Played(shape, now, pinned & {m.id for m in now}, reply, reply.window, [])
        assert no_orphan(done)
        assert expandable(done)
        assert nothing_lost(done)
        assert one_summary(done)
        assert same_after_reopen(done)
        assert utf8_whole(done)
        assert order_kept(done)
        assert reply.after <= reply.before
        assert reply.after <= reply.threshold or reply.notes
        cut = [c.handle for c in reply.state.cuts if c.what == "text"]
        assert last_user_kept(done) or cut
