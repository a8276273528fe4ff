"""One stream for many watchers: what each is told, who comes back, who falls behind, and how much is kept."""

import asyncio
import json

import pytest

from actors.runtime.errors import Busy
from coordinator.page.broadcast import MAX_EVENT_BYTES, MAX_EVENTS, MAX_WATCHERS, Broadcast


def run(story):
    return asyncio.run(asyncio.wait_for(story, 30.0))


def broadcast(**options):
    return Broadcast({"space": "s"}, lambda: 7.0, **options)


def read(raw):
    """(name, id, document) of an event."""
    fields = dict(line.split(": ", 1) for line in raw.decode().strip().split("\n"))
    return fields["event"], fields.get("id", ""), json.loads(fields["data"])


async def told(watch, n=1):
    return [read(await anext(watch)) for _ in range(n)]


def rows(**holders):
    return {"claims": {key: {"holder": holder} for key, holder in holders.items()}}


def test_who_comes_is_told_everything_and_then_what_changes():
    async def story():
        air = broadcast()
        air.tell(rows(a="ann"))
        watch = air.watch("")
        ((name, first_id, whole),) = await told(watch)
        air.tell(rows(a="ann", b="bob"))
        ((then, second_id, change),) = await told(watch)
        assert (name, whole["space"], whole["put"]) == ("whole", "s", rows(a="ann"))
        assert (then, change) == ("change", {"now": 7.0, "put": rows(b="bob"), "drop": {}})
        assert first_id.partition(".")[0] == second_id.partition(".")[0]

    run(story())


def test_who_comes_before_anything_is_known_is_told_that():
    async def story():
        ((name, _, whole),) = await told(broadcast().watch(""))
        assert (name, whole["put"]) == ("whole", {})

    run(story())


def test_what_has_not_changed_is_not_told():
    async def story():
        air = broadcast(beat_s=0.05)
        air.tell(rows(a="ann"))
        watch = air.watch("")
        await told(watch)
        air.tell(rows(a="ann"))
        assert [name for name, _, _ in await told(watch)] == ["beat"]

    run(story())


def test_who_comes_back_is_told_what_it_missed():
    async def story():
        air = broadcast()
        air.tell(rows(a="ann"))
        first = air.watch("")
        ((_, last_id, _),) = await told(first)
        await first.aclose()
        air.tell(rows(a="bob"))
        air.tell(rows(a="cat"))
        seen = await told(air.watch(last_id), 2)
        assert [(name, document["put"]) for name, _, document in seen] == [
            ("change", rows(a="bob")),
            ("change", rows(a="cat")),
        ]

    run(story())


def test_who_comes_back_and_missed_nothing_hears_that_it_is_connected():
    async def story():
        air = broadcast()
        air.tell(rows(a="ann"))
        ((_, last_id, _),) = await told(air.watch(""))
        assert [name for name, _, _ in await told(air.watch(last_id))] == ["beat"]

    run(story())


@pytest.mark.parametrize("last_id", ["other.1", "x", ".", "0.-1", "\u0661.\u0661", "." * 9_000])
def test_an_id_that_is_not_ours_is_told_everything(last_id):
    async def story():
        air = broadcast()
        air.tell(rows(a="ann"))
        assert [name for name, _, _ in await told(air.watch(last_id))] == ["whole"]

    run(story())


@pytest.mark.parametrize("number", ["99", "-1", "1e3", "9" * 5_000, ""])
def test_a_number_that_was_never_given_is_told_everything(number):
    async def story():
        air = broadcast()
        air.tell(rows(a="ann"))
        ((_, last_id, _),) = await told(air.watch(""))
        epoch = last_id.partition(".")[0]
        assert [name for name, _, _ in await told(air.watch(f"{epoch}.{number}"))] == ["whole"]

    run(story())


def test_who_falls_behind_further_than_is_kept_is_told_everything_anew():
    async def story():
        air = broadcast()
        watch = air.watch("")
        await told(watch)
        for n in range(MAX_EVENTS + 1):
            air.tell(rows(a=f"ann#{n}"))
        assert len(air) == MAX_EVENTS
        ((name, _, whole),) = await told(watch)
        assert (name, whole["put"]) == ("whole", rows(a=f"ann#{MAX_EVENTS}"))

    run(story())


def test_who_is_just_not_too_far_behind_is_told_each_change():
    async def story():
        air = broadcast()
        watch = air.watch("")
        await told(watch)
        for n in range(MAX_EVENTS):
            air.tell(rows(a=f"ann#{n}"))
        assert {name for name, _, _ in await told(watch, MAX_EVENTS)} == {"change"}

    run(story())


def test_what_changes_while_somebody_is_being_told_is_not_lost():
    async def story():
        air = broadcast()
        watch = air.watch("")
        await told(watch)
        air.tell(rows(a="1"))
        air.tell(rows(a="2"))
        await told(watch)
        air.tell(rows(a="3"))
        seen = await told(watch, 2)
        assert [document["put"] for _, _, document in seen] == [rows(a="2"), rows(a="3")]

    run(story())


def test_large_changes_are_not_kept_for_long():
    air = broadcast()
    for n in range(4):
        air.tell({"notes": {str(n): {"text": "x" * (MAX_EVENT_BYTES // 3)}}})
    assert len(air) <= 2


def test_watchers_are_bounded_and_one_that_leaves_makes_room():
    async def story():
        air = broadcast()
        watches = [air.watch("") for _ in range(MAX_WATCHERS)]
        for watch in watches:
            await told(watch)
        with pytest.raises(Busy, match="pages are open, which is the limit: close one"):
            await anext(air.watch(""))
        await watches[0].aclose()
        assert air.n_watchers == MAX_WATCHERS - 1
        await told(air.watch(""))

    run(story())


def test_at_the_end_all_streams_end():
    async def story():
        air = broadcast()
        watch = air.watch("")
        await told(watch)
        waiting = asyncio.ensure_future(anext(watch, None))
        await asyncio.sleep(0)
        air.close()
        assert await waiting is None

    run(story())
