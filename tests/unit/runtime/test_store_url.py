"""Where a store is: URLs that people mistype, and what of them may be shown."""

import pytest

from actors.runtime.errors import Misuse
from actors.runtime.store_url import Patience, parse_url, shown_url, take_patience


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "postgresql://ada:sec@ret@host/base",
        "postgresql://ada:sec@ret@host:5432/base",
        "postgresql://ada:pw@host:ret/base",
        "postgresql://ada@host:5432ret/base",
        "postgresql://ada@host:/ret:x@host:pw/base",
    ],
)
def test_what_cannot_be_read_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(Misuse, match=r"the store's URL cannot be read: .* %40 for @") as refused:
        parse_url(url)
    assert "ret" not in refused.value.message
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ada:secret@host/base", "postgresql://ada@host/base"),
        ("postgresql://ada:sec%40ret@host:5432/base", "postgresql://ada@host:5432/base"),
        ("postgresql://ada:sec:ret/x#y@host/base", "postgresql://ada@host/base"),
        ("postgresql://ada:secret@[::1]:5432/base", "postgresql://ada@[::1]:5432/base"),
        ("postgresql:///base?host=/run/pg&password=secret", "postgresql:///base?host=%2Frun%2Fpg"),
        ("postgresql://ada@a/base?host=b&sslpassword=secret&passfile=secret", "postgresql://ada@a/base?host=b"),
    ],
)
def test_a_password_is_never_shown(url: str, shown: str) -> None:
    parsed = parse_url(url)
    assert shown_url(parsed) == shown
    assert "secret" not in repr(parsed).replace("sslpassword=secret", "").replace("passfile=secret", "")


def test_a_password_reaches_the_driver_as_it_is() -> None:
    assert parse_url("postgresql://ada:sec%40r%2Fet@host/base").password == "sec@r/et"
    assert parse_url("postgresql://ada@host/base?password=s%26t").password == "s&t"


@pytest.mark.parametrize("limit", ["x", "0", "-1", "nan", "inf", "1e9"])
def test_a_limit_that_is_no_span_is_named(limit: str) -> None:
    with pytest.raises(Misuse, match="statement_timeout_s in the store's URL"):
        take_patience(parse_url(f"postgresql://host/base?statement_timeout_s={limit}"))


def test_limits_in_the_url_are_before_those_of_the_settings() -> None:
    url = Patience(2.0, 3.0, 1.0).on("postgresql://host/base?lock_timeout_s=0.5")
    plain, patience = take_patience(parse_url(url))
    assert patience == Patience(2.0, 3.0, 0.5)
    assert "timeout_s" not in plain.render_as_string()
