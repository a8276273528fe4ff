"""Hand-made histories of stores and clocks, and of notes from one actor to another."""

from typing import Any

from actors.quality_store.event import EditTried, ViewShown
from actors.runtime.outbox import BOUNCE, EDIT_FAILURE, EDIT_SUCCESS, Note, NotePut, NotesSent
from actors.runtime.received import NotesApplied
from actors.scent_field.event import SignalDeposited
from coordinator.simulation.history import Mended, Opened, Stalled, Stopped, Torn, Troubled


def start(story: Any, process: int, *, epoch: int, seq: int, field_s: float) -> None:
    story.add(Opened(story.at_s, "scent_field", process, epoch, seq, field_s))


def test_a_restart_goes_on_where_the_store_ended(story: Any) -> None:
    story.wait(1.0)
    story.commit()
    story.add(Stopped(1.0, "scent_field", 1, "killed"))
    story.wait(9.0)
    start(story, 2, epoch=2, seq=1, field_s=1.0)
    story.wait(1.0)
    story.commit(process=2, epoch=2, field_s=2.0)
    assert story.broken() == []


def test_a_second_writer_of_an_old_epoch_is_found(story: Any) -> None:
    start(story, 2, epoch=2, seq=0, field_s=0.0)
    story.commit(process=1, epoch=1)
    assert story.broken() == ["one writer, one past"]
    assert "a writer of epoch 1 committed after epoch 2 had begun" in story.messages()


def test_an_epoch_that_is_opened_twice_is_found(story: Any) -> None:
    start(story, 2, epoch=1, seq=0, field_s=0.0)
    assert story.broken() == ["one writer, one past"]


def test_a_row_that_is_lost_or_left_out_is_found(story: Any) -> None:
    story.commit()
    story.commit(seq=3)
    assert story.broken() == ["one writer, one past"]
    story.records[-1] = story.records[-1]._replace(seq=2)
    start(story, 2, epoch=2, seq=1, field_s=0.0)
    assert story.broken() == ["one writer, one past"]


def test_clocks_that_run_back_are_found(story: Any) -> None:
    story.wait(5.0)
    story.commit(field_s=3.0, utc_s=1_005.0)
    story.commit(field_s=2.9, utc_s=1_005.0)
    assert story.broken() == ["one writer, one past"]
    story.records[-1] = story.records[-1]._replace(field_s=3.0, utc_s=1_004.0)
    assert story.broken() == ["one writer, one past"]


def test_field_time_that_runs_while_the_house_is_down_is_found(story: Any) -> None:
    story.add(Stopped(0.0, "scent_field", 1, "killed"))
    story.wait(60.0)
    start(story, 2, epoch=2, seq=0, field_s=0.0)
    story.wait(1.0)
    story.commit(process=2, epoch=2, field_s=1.0)
    assert story.broken() == []
    story.records[-1] = story.records[-1]._replace(field_s=61.0)
    assert story.broken() == ["one writer, one past"]


def test_a_standstill_counts_as_one_step_of_two_seconds(story: Any) -> None:
    story.add(Stalled(0.0, "scent_field", 1, 30.0))
    story.wait(30.0)
    story.commit(field_s=2.0)
    assert story.broken() == []
    story.records[-1] = story.records[-1]._replace(field_s=30.0)
    assert story.broken() == ["one writer, one past"]


def test_time_in_which_nothing_could_be_written_does_not_count(story: Any) -> None:
    story.add(Troubled(0.0, "scent_field", 1, "unavailable"))
    story.wait(30.0)
    start(story, 1, epoch=2, seq=0, field_s=0.0)
    story.commit(epoch=2, field_s=0.0)
    assert story.broken() == []
    story.records[-1] = story.records[-1]._replace(field_s=20.0)
    assert story.broken() == ["one writer, one past"]


def test_a_jump_of_the_wall_clock_by_more_than_a_day_is_not_believed(story: Any) -> None:
    story.commit(utc_s=1_000.0)
    story.commit(utc_s=1_000.0 + 86_400.0)
    assert story.broken() == []
    story.commit(utc_s=1_000.0 + 3 * 86_400.0)
    assert story.broken() == ["one writer, one past"]


def test_a_torn_row_must_be_noticed_and_cut_by_the_operator(story: Any) -> None:
    story.commit()
    story.add(Stopped(0.0, "scent_field", 1, "killed"))
    story.add(Torn(0.0, "scent_field", 2))
    before = len(story.records)
    story.add(Troubled(0.0, "scent_field", 2, "corrupt"))
    story.add(Mended(0.0, "scent_field", 1))
    start(story, 3, epoch=3, seq=1, field_s=0.0)
    assert story.broken() == []
    del story.records[before:]
    start(story, 2, epoch=2, seq=2, field_s=0.0)
    assert story.broken() == ["one writer, one past"]


def test_a_store_that_is_refused_without_damage_and_a_bug_are_found(story: Any) -> None:
    for code in ("corrupt", "invariant_broken"):
        story.add(Troubled(0.0, "scent_field", 1, code))
        assert story.broken() == ["one writer, one past"]
        del story.records[-1]


def put(path: str, topic: str = EDIT_FAILURE) -> NotePut:
    return NotePut("scent_field", Note(topic, "ann#1", "house", path, "py", "map", 1, 2, 0, 0.0))


def tried(path: str, signal: str = "failure") -> EditTried:
    return EditTried("ann#1", "house", path, "map", "", signal, False, 0, 10, 0.0, 100)


def bounced(path: str, *, is_bounce: bool = True) -> ViewShown:
    return ViewShown(
        "ann#1", "house", path, "full", "", "", 1, 2, True, False, is_bounce, False, 0, (), 10, 0.0, "", 100
    )


def missed(*paths: str) -> list[Any]:
    """Edits that missed, and the notes that tell of them."""
    return [event for path in paths for event in (tried(path), put(path))]


def applied(number: int) -> NotesApplied:
    return NotesApplied("quality_store@store", number)


def stuck(path: str) -> SignalDeposited:
    return SignalDeposited("house", "STUCK", path, "ann#1", 1.0, 0.0)


def test_notes_that_are_applied_once_in_order_break_nothing(story: Any) -> None:
    story.open(actor="quality_store")
    story.quality(1, *missed("src/api.py"), put("src/app.py", EDIT_SUCCESS), *missed("docs/guide.md"))
    story.commit(applied(2), stuck("src/api.py"))
    story.commit(applied(3), stuck("docs/guide.md"))
    story.quality(2, NotesSent("scent_field", 3))
    story.finish()
    assert story.broken() == []


def test_a_note_that_is_lost_doubled_or_early_is_found(story: Any) -> None:
    story.open(actor="quality_store")
    story.quality(1, *missed("src/api.py", "docs/guide.md"))
    before = len(story.records)
    for events in (
        (applied(2), stuck("src/api.py")),
        (applied(1), stuck("docs/guide.md")),
        (applied(3), stuck("src/api.py"), stuck("docs/guide.md")),
        (applied(2), stuck("src/api.py"), stuck("docs/guide.md"), applied(2)),
        (applied(1), stuck("src/api.py")),
    ):
        story.commit(*events)
        story.finish()
        assert story.broken() == ["each note is applied once"], events
        del story.records[before:]
        story.seq = 0
    story.quality(2, NotesSent("scent_field", 1))
    assert story.broken() == ["each note is applied once"]


def test_trouble_that_nobody_is_told_of_or_that_nobody_had_is_found(story: Any) -> None:
    story.open(actor="quality_store")
    bounce = put("docs/guide.md", BOUNCE)
    for right in (
        (*missed("src/api.py", "src/api.py"), tried("src/api.py", "success")),
        (bounced("docs/guide.md"), bounce, bounce),
        (bounced("docs/guide.md", is_bounce=False), put("docs/guide.md", EDIT_SUCCESS)),
    ):
        story.quality(1, *right)
        assert story.broken() == [], right
        del story.records[-1]
    for wrong in (
        (tried("src/api.py"),),
        (tried("src/api.py"), put("src/app.py")),
        (*missed("src/api.py"), put("src/api.py")),
        (bounced("docs/guide.md"),),
        (bounce,),
    ):
        story.quality(1, *wrong)
        assert story.broken() == ["trouble is told"], wrong
        del story.records[-1]


def test_a_writer_that_was_replaced_does_not_take_the_store_back(story: Any) -> None:
    start(story, 2, epoch=2, seq=0, field_s=0.0)
    start(story, 1, epoch=3, seq=0, field_s=0.0)
    assert story.broken() == ["one writer, one past"]
    assert "process 1 took the store back from 2, its successor" in story.messages()


def test_a_process_that_never_was_the_writer_may_open_the_store_late(story: Any) -> None:
    start(story, 3, epoch=2, seq=0, field_s=0.0)
    start(story, 2, epoch=3, seq=0, field_s=0.0)
    assert story.broken() == []
