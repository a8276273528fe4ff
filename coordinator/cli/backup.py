"""The commands that keep state safe: back it up, put it back, and write it out for others."""

from __future__ import annotations

import secrets
import time
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome
from coordinator.cli.standard_stream import standard_output
from coordinator.up_lock import up_lock

if TYPE_CHECKING:
    from coordinator.store.backup_file import Backup
    from coordinator.store.manifest import Manifest
    from coordinator.store.place import StorePlace

_STAMP: Final = "%Y%m%dT%H%M%SZ"


def backup(
    call: Invocation,
    target: Annotated[Path, typer.Argument(help="The file to write, or a folder to write one into.", metavar="FILE")],
    replace: Annotated[bool, typer.Option("--replace", help="Replace a file of that name.")] = False,
) -> Outcome:
    """Write all stores of this namespace into one file, while the coordinator works or without it.

    Example: scentfield backup ~/backups

    The file is read back and replayed before it gets its name. Only you can read it.
    """
    # Databases are slow to import, and `--help` does without.
    from coordinator.cli.places import open_places
    from coordinator.store.backup import write_backup

    namespace, now = call.settings.namespace, time.time()
    if target.is_dir():
        target = target / f"scentfield-{namespace}-{_stamp(now)}.backup"
    with open_places(call.settings) as places:
        report = write_backup(
            target.absolute(),
            places,
            namespace=namespace,
            version=version("scentfield"),
            now_utc_s=now,
            replace=replace,
        )
    document = {
        "file": str(report.file),
        "bytes": report.n_bytes,
        "sha256": report.sha256,
        **_told(report.manifest),
        "without_store": list(report.empty),
    }
    lines = [
        Line(f"backed up into {report.file}: {report.n_bytes} bytes, read back and replayed", "green"),
        Line(f"sha256 {report.sha256}"),
        *(Line(f"{domain}: nobody has written to it yet") for domain in report.empty),
    ]
    return Outcome(document, [*lines, _contents(report.manifest)])


def _stamp(utc_s: float) -> str:
    return datetime.fromtimestamp(utc_s, UTC).strftime(_STAMP)


def _told(manifest: Manifest) -> dict[str, object]:
    return {
        "namespace": manifest.namespace,
        "version": manifest.version,
        "written_utc_s": manifest.written_utc_s,
        "stores": [asdict(one) for one in manifest.stores],
    }


def _contents(manifest: Manifest) -> Grid:
    rows = [(one.domain, one.store_id, one.seq, one.n_parts, one.n_rows) for one in manifest.stores]
    return Grid(("store", "identity", "last row", "snapshot parts", "rows after it"), rows)


def restore(
    call: Invocation,
    file: Annotated[Path, typer.Argument(help="A file that `scentfield backup` wrote.", metavar="FILE")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Put stores that are there aside, and say where they are.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Look whether all of it can be used, and do no more.")] = False,
) -> Outcome:
    """Put the stores of a backup back, or into another data folder or database. The coordinator must be down.

    Everything is checked before anything is written. From SQLite to PostgreSQL: back up, set store_url, restore.
    """
    # The same.
    from coordinator.cli.places import open_places
    from coordinator.store.backup_file import Backup

    with open_places(call.settings) as places:
        opened = Backup(file.absolute())
        if not check:
            return _restored(call, opened, places, may_replace=replace)
        opened.check({place.domain: place.make_machine for place in places})
    document = {"file": str(opened.file), "is_usable": True, **_told(opened.manifest)}
    line = Line(f"{opened.file} can be restored; {_origin(opened.manifest)}", "green")
    return Outcome(document, [line, _contents(opened.manifest)])


def _origin(manifest: Manifest) -> str:
    return (
        f"written at {_stamp(manifest.written_utc_s)} by version {manifest.version} in namespace {manifest.namespace}"
    )


def _restored(call: Invocation, opened: Backup, places: list[StorePlace], *, may_replace: bool) -> Outcome:
    # The same.
    from coordinator.cli.places import actors_of
    from coordinator.store import restore as restoring
    from coordinator.store.occupant import refuse_if_in_use

    settings = call.settings
    aside = settings.state_dir / f"replaced-{_stamp(time.time())}-{secrets.token_hex(2)}"
    with up_lock(settings.state_dir):  # `up` takes the same one, and so starts no actors meanwhile
        actors = actors_of(call)
        for place in places:
            refuse_if_in_use(place.store, place.domain, actors)
        done = restoring.restore(opened, places, aside=aside, may_replace=may_replace)
        _record(call, done.store_ids)
    kept = None if done.kept is None else str(done.kept)
    document = {"file": str(opened.file), "replaced": kept, "store_ids": done.store_ids, **_told(opened.manifest)}
    lines = [Line(f"restored {', '.join(one.domain for one in opened.manifest.stores)} from {opened.file}", "green")]
    lines += [Line(f"what was there before is in {kept}")] if kept else []
    return Outcome(document, [*lines, Line(_origin(opened.manifest)), Line("next: scentfield up")])


def _record(call: Invocation, store_ids: dict[str, str | None]) -> None:
    """Let a cluster that lives on know whose stores these are now: `up` takes no others than those on its record."""
    if call.house.address(call.settings) is None:
        return
    # Ray is slow to import, and without a cluster nothing is on record.
    from actors.runtime.errors import Unavailable
    from coordinator.store.record import record_stores

    try:
        record_stores(call.settings, store_ids)
    except Unavailable as error:
        call.screen.note(f"no cluster has these stores on record now ({error.message})")


def export(
    call: Invocation,
    store: Annotated[
        str | None,
        typer.Option(help="Another store: a URL, or an SQLite file, such as a backup.", metavar="URL"),
    ] = None,
    domain: Annotated[str | None, typer.Option(help="Only this domain.", metavar="DOMAIN")] = None,
) -> Outcome:
    """Print the whole state of the stores as JSON lines, which need no Scentfield to be read. No token is in it.

    The same state gives the same bytes. Example: scentfield export --json --domain scent_field > field.jsonl
    """
    # The same.
    from actors.runtime.store_url import sqlite_url
    from coordinator.cli.places import open_places
    from coordinator.domain import DOMAINS

    if domain is not None and domain not in DOMAINS:
        raise Misuse(f"there is no domain {domain!r}: name one of {', '.join(DOMAINS)}")
    url = store if store is None or "://" in store else sqlite_url(Path(store).absolute())
    with open_places(call.settings, url=url) as places:
        wanted = [one for one in places if domain in (None, one.domain)]
        _print_lines([one for one in wanted if one.store.head() is not None], wanted)
    raise typer.Exit(0)


def _print_lines(there: list[StorePlace], wanted: list[StorePlace]) -> None:
    # The same.
    from coordinator.store.export import export_lines

    if not there:
        named = ", ".join(place.store.where for place in wanted)
        raise Misuse(f"nobody has written to {named}: name the right --namespace, --data-dir or --store")
    for line in (line for place in there for line in export_lines(place)):
        with standard_output() as stream:
            stream.write(f"{line}\n")
    with standard_output() as stream:
        stream.flush()
