"""Whatever a row of the journal or a part of a snapshot holds: it is applied, or `Corrupt` says what it is."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any, Final

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.coordination.factory import make_coordination
from actors.memory.factory import make_memory
from actors.quality_store.factory import make_quality_store
from actors.runtime.errors import Corrupt, WireError
from actors.runtime.kernel import Kernel
from actors.runtime.recovery import replay_row
from actors.runtime.state_format import StateFormat, state_format_of
from actors.runtime.wire import unpack_own
from actors.thresholds.factory import make_thresholds

MACHINES: Final = {
    "scent_field": make_coordination,
    "quality_store": make_quality_store,
    "thresholds": partial(make_thresholds, origin="0" * 16),
    "memory": make_memory,
}
scalar = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.sampled_from(["", "house", "ann#1", "src/", "expired", "HOT", "scent_field"])
    | st.binary(max_size=8)
)
value = st.recursive(scalar, lambda inner: st.lists(inner, max_size=4), max_leaves=8)


@st.composite
def rows(draw: st.DrawFn, codes: list[int], n_fields: dict[int, int]) -> bytes:
    """A row of events that a machine knows, with fields that it may not."""
    events = []
    for _ in range(draw(st.integers(1, 4))):
        code = draw(st.sampled_from(codes))
        n = draw(st.sampled_from([n_fields[code]] * 6 + [0, 1, 20]))
        events.append([code, draw(st.lists(value, min_size=n, max_size=n))])
    raw: bytes = msgpack.packb([1.0, 1.0, events])
    return raw


hostile = st.binary(max_size=40) | value.map(msgpack.packb)


@pytest.mark.parametrize("domain", MACHINES)
@given(st.data())
def test_any_row_is_applied_or_corrupt(domain: str, data: st.DataObject) -> None:
    kernel = Kernel(MACHINES[domain]())
    kinds = kernel.events.kinds
    known = rows(sorted(kinds), {code: len(kind._fields) for code, kind in kinds.items()})
    form = state_format_of(kernel.machine)
    for raw in data.draw(st.lists(known | hostile, min_size=1, max_size=4)):
        if not is_applied(kernel, form, raw):
            break  # the kernel is not to be used


def is_applied(kernel: Kernel, form: StateFormat, raw: bytes) -> bool:
    """Whether a row was taken; False if it is `Corrupt`, and the error says which."""
    try:
        row: Any = unpack_own(raw)
        replay_row(kernel, form, "row 1 of the store s", row)
    except (Corrupt, WireError):
        return False
    return True


@pytest.mark.parametrize("domain", MACHINES)
@given(st.data())
def test_any_part_of_a_snapshot_is_taken_or_corrupt(domain: str, data: st.DataObject) -> None:
    """`restore_snapshot` takes each exception for damage: no part ends the process, or hangs it."""
    kernel = Kernel(MACHINES[domain]())
    tags = sorted({part[0] for part in kernel.snapshot() if isinstance(part[0], str)} | {"memory", "field", "space"})
    part = st.lists(value, max_size=12).map(lambda fields: [data.draw(st.sampled_from(tags)), *fields])
    with suppress(Exception):
        kernel.restore(iter(data.draw(st.lists(part, max_size=4))))
