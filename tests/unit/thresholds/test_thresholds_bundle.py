import json
import time

import pytest

from actors.runtime.errors import Misuse
from actors.runtime.machine import Caller, Now
from actors.thresholds.bundle import bundle_text, read_bundle
from actors.thresholds.contribution import Contribution
from actors.thresholds.daily_count import DailyCounts
from actors.thresholds.limit import MAX_BUNDLE_BYTES, MAX_DAY_COUNT, MAX_ERA, MAX_REST_COUNT, MAX_REVISION, MAX_SAMPLES
from actors.thresholds.machine import Thresholds
from actors.thresholds.messages import ImportBundle
from actors.thresholds.origin import Origin
from actors.thresholds.ranking import LEARNED, MAX_RANKINGS, Ranking

TODAY = 19_700
ADA = Caller("ada#1")
NOW = Now(0.0, TODAY * 86_400.0)
RS = {"day": 19_700, "delta": 0.041, "revision": 27, "samples": 27}
DAYS = {"days": {"19700": [1, 2, 3, 4]}, "rest": {"counts": [1.5, 0, 0, 0], "through": 19_600}}
LARGEST_REST = {"counts": [MAX_REST_COUNT - 0.123] * 4, "through": 19_600}
ORIGIN = {"era": 0, "thresholds": {"rs": RS}, "placement": {"claude-code": DAYS}}
BUNDLE = {"schema": "scentfield-learning", "version": 1, "origins": {"0123456789abcdef": ORIGIN}}


def bundle(**changes):
    return {**BUNDLE, **changes}


def with_origin(name="0123456789abcdef", **changes):
    return bundle(origins={name: {**ORIGIN, **changes}})


def with_rs(**changes):
    return with_origin(thresholds={"rs": {**RS, **changes}})


def with_days(**changes):
    return with_origin(placement={"claude-code": {**DAYS, **changes}})


def text_of(value):
    return json.dumps(value).encode()


def nested(depth):
    return b'{"schema": ' + b"[" * depth + b"]" * depth + b"}"


SOUND = text_of(BUNDLE)
REFUSED = {
    "nothing": (b"", "not JSON"),
    "no JSON": (b"rs: 0.041", "not JSON"),
    "cut off": (SOUND[:-1], "not JSON"),
    "more after the end": (SOUND + b"{}", "not JSON"),
    "a byte order mark": (b"\xef\xbb\xbf" + SOUND, "not JSON"),
    "no UTF-8": (SOUND.replace(b"rs", b"\xff\xff"), "not UTF-8"),
    "too large": (SOUND + b" " * MAX_BUNDLE_BYTES, "over the limit of 6291456"),
    "deep": (nested(100_000), "nested too deep"),
    "deep, but not for the parser": (nested(50), "its schema is an array"),
    "no object": (b"[1]", "no bundle of what was learned"),
    "another schema": (text_of(bundle(schema="lean")), "its schema is 'lean'"),
    "no schema": (text_of({"version": 1, "origins": {}}), "its schema is null"),
    "a later version": (text_of(bundle(version=2)), "of version 2, this coordinator reads 1"),
    "an earlier version": (text_of(bundle(version=0)), "of version 0"),
    "a version that is no number": (text_of(bundle(version=True)), "of version True"),
    "an unknown field": (text_of(bundle(path="src/a.rs")), "unknown field 'path'"),
    "an unknown field of an origin": (text_of(with_origin(host="x")), "unknown field 'host'"),
    "an unknown field of a contribution": (text_of(with_rs(path="x")), "unknown field 'path'"),
    "an unknown field of a profile": (text_of(with_days(path="x")), "unknown field 'path'"),
    "a missing field": (text_of({"schema": "scentfield-learning", "version": 1}), "lacks origins"),
    "a missing number": (text_of(with_origin(thresholds={"rs": {"day": 1}})), "lacks revision, delta, samples"),
    "a field twice": (SOUND.replace(b'"version": 1', b'"version": 1, "version": 1'), "'version' twice"),
    "an extension twice": (SOUND.replace(b'"rs": {', b'"rs": 1, "rs": {'), "'rs' twice"),
    "an origin with a name": (text_of(with_origin("ada-laptop")), "8 to 32 hexadecimal digits, not 'ada-laptop'"),
    "an origin that is short": (text_of(with_origin("0123456")), "could carry secrets"),
    "an origin that is long": (text_of(with_origin("0" * 33)), "could carry secrets"),
    "a path for an extension": (text_of(with_origin(thresholds={"src/a.rs": RS})), "not 'src/a.rs'"),
    "a long extension": (text_of(with_origin(thresholds={"a" * 17: RS})), "could carry secrets"),
    "an extension in capitals": (text_of(with_origin(thresholds={"RS": RS})), "not 'RS'"),
    "no extension": (text_of(with_origin(thresholds={"": RS})), "not ''"),
    "a line in an extension": (text_of(with_origin(thresholds={"rs\n": RS})), "could carry secrets"),
    "half a character": (SOUND.replace(b'"rs"', b'"\\ud800"'), "could carry secrets"),
    "a person for a profile": (text_of(with_origin(placement={"Ada Lovelace": DAYS})), "not 'Ada Lovelace'"),
    "no number": (SOUND.replace(b"0.041", b"NaN"), "holds NaN"),
    "infinity": (SOUND.replace(b"0.041", b"Infinity"), "holds Infinity"),
    "minus infinity": (SOUND.replace(b"0.041", b"-Infinity"), "holds -Infinity"),
    "infinity by overflow": (SOUND.replace(b"0.041", b"1e999"), "delta must be a number from -0.15 to 0.15, not inf"),
    "a delta over the clamp": (text_of(with_rs(delta=0.1501)), "delta must be a number"),
    "a delta under the clamp": (text_of(with_rs(delta=-0.1501)), "delta must be a number"),
    "a delta as text": (text_of(with_rs(delta="0.041")), "delta must be a number from -0.15 to 0.15, not '0.041'"),
    "a delta that is true": (text_of(with_rs(delta=True)), "delta must be a number"),
    "no delta": (text_of(with_rs(delta=None)), "not null"),
    "negative samples": (text_of(with_rs(samples=-1)), "samples must be a whole number from 0"),
    "absurd samples": (text_of(with_rs(samples=MAX_SAMPLES + 1)), "samples must be a whole number"),
    "a number of a thousand digits": (SOUND.replace(b'"samples": 27', b'"samples": ' + b"9" * 1000), "samples must be"),
    "a number of ten thousand digits": (SOUND.replace(b'"samples": 27', b'"samples": ' + b"9" * 10_000), "not JSON"),
    "half a sample": (text_of(with_rs(samples=27.0)), "samples must be a whole number"),
    "samples that are true": (
        text_of(with_rs(samples=True)),
        "samples must be a whole number from 0 to 999999, not True",
    ),
    "a revision that is true": (text_of(with_rs(revision=True)), "revision must be a whole number"),
    "an era that is false": (text_of(with_origin(era=False)), "era must be a whole number"),
    "a count that is true": (text_of(with_days(days={"19700": [True, 2, 3, 4]})), "a whole number from 0"),
    "a count of the rest that is true": (
        text_of(with_days(rest={"counts": [True, 0, 0, 0], "through": 19_600})),
        "rest.counts must be a number",
    ),
    "revision zero": (text_of(with_rs(revision=0)), "revision must be a whole number from 1"),
    "an absurd revision": (text_of(with_rs(revision=MAX_REVISION + 1)), "revision must be"),
    "an absurd era": (text_of(with_origin(era=MAX_ERA + 1)), "era must be"),
    "a negative era": (text_of(with_origin(era=-1)), "era must be"),
    "a day before the epoch": (text_of(with_rs(day=-1)), "day must be a whole number from 0 to 19702"),
    "a day in three days": (text_of(with_rs(day=19_703)), "day must be a whole number from 0 to 19702, not 19703"),
    "a placement day in three days": (text_of(with_days(days={"19703": [1, 0, 0, 0]})), "19702, not 19703"),
    "a placement day in the rest": (text_of(with_days(days={"19600": [1, 0, 0, 0]})), "from 19601"),
    "a day with a zero before it": (text_of(with_days(days={"019700": [1, 0, 0, 0]})), "may only name UTC days"),
    "a day that is a date": (text_of(with_days(days={"2026-01-01": [1, 0, 0, 0]})), "may only name UTC days"),
    "a rest of tomorrow": (
        text_of(with_days(days={}, rest={"counts": [1, 0, 0, 0], "through": 19_701})),
        "through must be a whole number from 0 to 19700",
    ),
    "three counts": (text_of(with_days(days={"19700": [1, 2, 3]})), "an array of 4 counts"),
    "counts as an object": (text_of(with_days(days={"19700": {"hits": 1}})), "an array of 4 counts, not an object"),
    "a negative count": (text_of(with_days(days={"19700": [1, 2, -3, 4]})), "a whole number from 0 to 999999, not -3"),
    "an absurd count": (text_of(with_days(days={"19700": [MAX_DAY_COUNT + 1, 0, 0, 0]})), "whole number from 0"),
    "an absurd rest": (
        text_of(with_days(rest={"counts": [MAX_REST_COUNT + 1, 0, 0, 0], "through": 0})),
        "rest.counts must be a number",
    ),
    "257 origins": (text_of(bundle(origins={f"{n:08x}": ORIGIN for n in range(257)})), "257 entries, the limit is 256"),
    "65 extensions": (text_of(with_origin(thresholds={f"x{n}": RS for n in range(65)})), "65 entries"),
    "9 profiles": (text_of(with_origin(placement={f"p{n}": DAYS for n in range(9)})), "9 entries"),
    "8 named profiles": (text_of(with_origin(placement={f"p{n}": DAYS for n in range(8)})), "7 and 'other'"),
    "31 days": (text_of(with_days(days={str(19_670 + n): [1, 0, 0, 0] for n in range(31)})), "31 entries"),
    "origins as an array": (text_of(bundle(origins=[])), "origins must be an object, not an array"),
    "an origin as text": (text_of(bundle(origins={"0123456789abcdef": "x"})), "must be an object, not 'x'"),
    "a contribution as a number": (text_of(with_origin(thresholds={"rs": 1})), "must be an object, not 1"),
}


def test_a_name_that_stands_twice_behind_many_others_is_found_at_once():
    names = "".join(f'"{n}":0,' for n in range(40_000))
    begun_s = time.process_time()
    with pytest.raises(Misuse, match="names 'twin' twice"):
        read_bundle(f'{{{names}"twin":0,"twin":1}}'.encode(), TODAY)
    assert time.process_time() - begun_s < 5.0  # it took a minute when each name was looked for among all others


@pytest.mark.parametrize("fault", REFUSED)
def test_a_bundle_with_one_fault_is_refused_and_nothing_changes(fault):
    text, message = REFUSED[fault]
    machine = Thresholds("aaaaaaaa")
    machine.perform(ADA, ImportBundle(text_of(with_origin("bbbbbbbb"))), NOW)
    machine.take_events()
    before = list(machine.snapshot())
    with pytest.raises(Misuse) as refusal:
        machine.perform(ADA, ImportBundle(text), NOW)
    assert message in refusal.value.message
    assert len(refusal.value.message) < 400
    assert machine.take_events() == []
    assert list(machine.snapshot()) == before


def test_what_is_written_by_hand_is_read_as_it_stands():
    assert read_bundle(SOUND, TODAY) == {
        "0123456789abcdef": Origin(
            0,
            {"rs": Contribution(27, 0.041, 19_700, 27)},
            {"claude-code": DailyCounts(19_600, (1.5, 0.0, 0.0, 0.0), {19_700: (1, 2, 3, 4)})},
        )
    }


def test_layout_and_order_of_what_comes_in_do_not_matter():
    pretty = json.dumps(dict(reversed(BUNDLE.items())), indent=4).encode()
    assert bundle_text(read_bundle(pretty, TODAY)) == bundle_text(read_bundle(SOUND, TODAY))


def test_equal_numbers_are_equal_however_they_are_written():
    forms = [with_rs(delta=0), with_rs(delta=-0.0), with_rs(delta=0.0), with_rs(delta=1e-12)]
    assert len({bundle_text(read_bundle(text_of(form), TODAY)) for form in forms}) == 1


def test_what_says_nothing_is_left_out():
    empty = {"era": 0, "thresholds": {}, "placement": {"cursor": {"days": {"19700": [0, 0, 0, 0]}}}}
    assert read_bundle(text_of(bundle(origins={"0123456789abcdef": empty})), TODAY) == {}
    assert bundle_text({}) == b'{"origins":{},"schema":"scentfield-learning","version":1}\n'


def test_two_days_ahead_is_within_what_clocks_differ():
    assert read_bundle(text_of(with_rs(day=19_702)), TODAY)["0123456789abcdef"].thresholds["rs"].day == 19_702


def test_a_full_house_can_be_imported_again():
    """The bounds fit together: what the largest state exports is within what an import takes."""
    thresholds = {f"{'x' * 14}{n:02}": Contribution(MAX_REVISION, -0.123456789, 19_700, MAX_SAMPLES) for n in range(64)}
    days = {19_671 + n: (MAX_DAY_COUNT,) * 4 for n in range(30)}
    counts = DailyCounts(19_670, (MAX_REST_COUNT - 0.123,) * 4, days)
    placement = dict.fromkeys(["other", *(f"{'p' * 15}{n}" for n in range(7))], counts)
    ranking = Ranking(MAX_REVISION, (-0.123,) * len(LEARNED), 19_700, MAX_SAMPLES)
    rankings = {f"{'x' * 14}{n:02}": ranking for n in range(MAX_RANKINGS)}
    origin = Origin(MAX_ERA, thresholds, placement, rankings)
    origins = {f"{n:032x}": origin for n in range(256)}
    text = bundle_text(origins)
    assert 5_000_000 < len(text) <= MAX_BUNDLE_BYTES
    assert read_bundle(text, TODAY) == origins


@pytest.mark.parametrize("count", [1 / 3, 1.2345678901234567e-300, 12_345_678.901234567, MAX_REST_COUNT - 1e-8])
def test_a_rest_with_more_digits_than_are_kept_takes_no_more_room_than_others(count):
    """Else bundles within the limit could add up to a state whose own bundle nobody can import."""
    read = read_bundle(text_of(with_days(rest={"counts": [count] * 4, "through": 19_600})), TODAY)
    assert read["0123456789abcdef"].placement["claude-code"].rest == (round(count, 3),) * 4
    assert len(bundle_text(read)) <= len(bundle_text(read_bundle(text_of(with_days(rest=LARGEST_REST)), TODAY)))


def with_ranking(**changed):
    shifts = dict.fromkeys(LEARNED, 0.25)
    ranking = {"day": 19_700, "revision": 3, "samples": 120, "shifts": shifts} | changed
    origin = {"era": 0, "thresholds": {}, "placement": {}, "rankings": {"py": ranking}}
    return text_of(bundle(origins={"0123456789abcdef": origin}))


def test_rankings_are_read_and_written_with_the_names_of_their_signals():
    read = read_bundle(with_ranking(), TODAY)
    assert read["0123456789abcdef"].rankings == {"py": Ranking(3, (0.25,) * len(LEARNED), 19_700, 120)}
    assert read_bundle(bundle_text(read), TODAY) == read
    assert b"rankings" not in bundle_text(read_bundle(SOUND, TODAY))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"shifts": dict.fromkeys(LEARNED, 1.5)}, "must be a number from -1.0 to 1.0"),
        ({"shifts": dict.fromkeys(LEARNED[1:], 0.1)}, "lacks words"),
        ({"shifts": dict.fromkeys(LEARNED, 0.1) | {"secret": 1}}, "unknown field 'secret'"),
        ({"shifts": [0.1] * 9}, "must be an object"),
        ({"revision": 0}, "whole number from 1"),
        ({"day": 19_703}, "whole number from 0"),
        ({"note": "x"}, "unknown field 'note'"),
    ],
)
def test_a_ranking_with_a_fault_is_refused(changed, message):
    with pytest.raises(Misuse, match=message):
        read_bundle(with_ranking(**changed), TODAY)
