import pickle

import pytest

from actors.runtime import errors
from actors.runtime.errors import Busy, Misuse, ScentfieldError, error_from_code
from actors.runtime.journal import CommitFailed
from actors.runtime.wire import Failed

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ScentfieldError)]


def test_the_errors_are_all_here():
    assert {kind.__name__ for kind in KINDS} == {
        "ScentfieldError",
        "Misuse",
        "BadTarget",
        "UnknownAgent",
        "WireError",
        "StaleGeneration",
        "Busy",
        "Unavailable",
        "Corrupt",
        "InvariantBroken",
    }


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_pickles(kind):
    copy = pickle.loads(pickle.dumps(kind("what to do")))
    assert type(copy) is kind
    assert copy.message == str(copy) == "what to do"


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_crosses_as_code_and_message(kind):
    failed = Failed(kind.code, "what to do")
    assert type(failed.error()) is kind
    assert failed.error().message == "what to do"


def test_busy_keeps_its_hint():
    assert pickle.loads(pickle.dumps(Busy("full", 2.5))).retry_after_s == 2.5


def test_an_unknown_code_is_still_an_error_of_ours():
    assert type(error_from_code("from_the_future", "x")) is ScentfieldError


def test_a_commit_that_failed_is_unavailable_to_the_caller():
    assert type(error_from_code(CommitFailed.code, "x")) is errors.Unavailable
    assert issubclass(errors.WireError, Misuse)
