"""`scentfield replay`: what each view would have shown of real changes, and what it would have cost to make them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome, Part, plain
from coordinator.cli.progress import progress
from coordinator.cli.source_file import read_source

if TYPE_CHECKING:
    from actors.thresholds.messages import ReplayCounted
    from coordinator.replay.question import QueryKind, Question
    from coordinator.replay.report import Report
    from coordinator.replay.run import Told

MAX_COMMITS: Final = 100_000
DEFAULT_COMMITS: Final = 300
MAX_DESCRIPTION_BYTES: Final = 2**20
_MAX_ROWS: Final = 12


def replay(
    call: Invocation,
    git: Annotated[Path | None, typer.Option(help="A repository; nothing in it is changed.", metavar="DIR")] = None,
    rev: Annotated[
        str | None, typer.Option(help="A range of commits, or where to begin; else HEAD.", metavar="RANGE")
    ] = None,
    before: Annotated[Path | None, typer.Option(help="Instead: a tree before a change.", metavar="DIR")] = None,
    after: Annotated[Path | None, typer.Option(help="And after it.", metavar="DIR")] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            help=f"The newest commits of the range, so many at most; else {DEFAULT_COMMITS}.",
            metavar="N",
            min=1,
            max=MAX_COMMITS,
        ),
    ] = None,
    modes: Annotated[str | None, typer.Option(help="Some modes only, with commas between.", metavar="A,B")] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            help="A share of the file's tokens, for modes that keep to one.", metavar="SHARE", min=0.01, max=1
        ),
    ] = None,
    query: Annotated[
        list[str] | None,
        typer.Option(
            help="message (of the commit), none, or a file that describes the change; again for each.", metavar="KIND"
        ),
    ] = None,
    learn: Annotated[
        bool, typer.Option("--learn", help="Tell the coordinator, as weak evidence for what `auto` chooses.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw it too; needs the extra `plot`.", metavar="FILE.png", dir_okay=False)
    ] = None,
    lexical: Annotated[bool, typer.Option("--lexical", help="Do without the static embedding model.")] = False,
) -> Outcome:
    """Show what each view would have shown of real changes: of how many hunks, and at what share of the tokens.

    Example: scentfield replay --git . --rev v1.0..HEAD --limit 200

    A hunk counts as shown if its old text and one line around it stand in the view whole.
    """
    # The reading engine comes along, which `--help` does without.
    from coordinator.picture import check_picture
    from coordinator.replay.plot import write_plot

    source = _source(git, rev, limit, before, after)
    question = _question(call, modes, budget, query, has_messages=git is not None, is_lexical=lexical)
    if plot is not None:
        check_picture(plot)
    if learn:
        question = replace(question, is_learning=True)
        call.agent.query(lambda core: core.learned.statistics())  # before the work, not after it
    with progress("replay", 1.0) as advance:
        report = source(question, lambda share: advance(share, ""))
    document = report.document()
    parts = _parts(document)
    if plot is not None:
        write_plot(document, plot)
        parts.append(Line(f"drawn: {plot}"))
    if learn:
        counted = _told(call, report)
        document["learned"] = plain(counted)
        document["rankings_changed"] = _told_ranking(call, report)
        parts += [Line(line) for line in _learned_lines(counted)]
    return Outcome(document, parts)


def _source(
    git: Path | None, rev: str | None, limit: int | None, before: Path | None, after: Path | None
) -> Callable[[Question, Told], Report]:
    """What replays the one source that was named. Raises `Misuse` for none, for two, and for options of the other."""
    # The same.
    from coordinator.replay.run import replay_folders, replay_history

    if (git is None) == (before is None and after is None):
        raise Misuse("name one source: --git DIR, or --before DIR and --after DIR")
    if git is not None:
        revision, n_commits = "HEAD" if rev is None else rev, limit or DEFAULT_COMMITS
        return lambda question, told: replay_history(git, revision, n_commits, question, told=told)
    if before is None or after is None:
        raise Misuse(f"--{'before' if before is None else 'after'} is missing: give both trees")
    for option, given in (("--rev", rev), ("--limit", limit)):
        if given is not None:
            raise Misuse(f"{option} chooses commits, and two trees have none: leave it out, or give --git DIR")
    return lambda question, told: replay_folders(before, after, question, told=told)


def _told(call: Invocation, report: Report) -> ReplayCounted:
    """Tell the coordinator what the first kind of query has shown."""
    # The same.
    from coordinator.replay.evidence import replay_rows

    rows = replay_rows(report.trials, report.question.kinds[0].name)
    if not rows:
        raise Misuse("nothing can be learned from these files: none has an extension that is learned for")
    return call.agent.act(lambda core: core.learned.record_replay(report.history, rows))


def _told_ranking(call: Invocation, report: Report) -> int:
    """Tell what the changes say of ranking pieces; how many extensions that is news for."""
    # The same.
    from coordinator.replay.ranking_fit import ranking_evidence

    rows = ranking_evidence(report.trials)
    return call.agent.act(lambda core: core.learned.record_ranking(rows)).n_changed if rows else 0


def _learned_lines(counted: ReplayCounted) -> list[str]:
    # The report belongs to its domain and is needed by this option only.
    from actors.thresholds.report import replay_lines

    return replay_lines(counted)


def _question(
    call: Invocation,
    modes: str | None,
    budget: float | None,
    query: list[str] | None,
    *,
    has_messages: bool,
    is_lexical: bool,
) -> Question:
    # The same.
    from coordinator.folder import private_folder
    from coordinator.replay.question import Question, chosen_modes
    from coordinator.replay.static_model import build_static_model

    kinds = _kinds(query, has_messages=has_messages)
    chosen = chosen_modes(modes)
    if is_lexical:
        return Question(chosen, kinds, budget)
    folder = private_folder(call.settings.state_dir / "models")
    build_static_model(folder)
    return Question(chosen, kinds, budget, str(folder))


def _kinds(query: list[str] | None, *, has_messages: bool) -> tuple[QueryKind, ...]:
    """The kinds of query that were asked for, each once; all files together are one description."""
    # The same.
    from coordinator.replay.change import MAX_QUERY_CHARACTERS
    from coordinator.replay.question import DESCRIPTION, MESSAGE, NONE, QueryKind

    wanted = query or [MESSAGE if has_messages else NONE]
    if MESSAGE in wanted and not has_messages:
        raise Misuse("two trees have no commit message: give --query none, or a file that describes the change")
    files = [one for one in wanted if one not in (MESSAGE, NONE)]
    texts = [
        read_source(file, what="description", max_bytes=MAX_DESCRIPTION_BYTES, then="name a text").decode(
            "utf-8", "replace"
        )
        for file in files
    ]
    kinds: dict[str, QueryKind] = {}
    for one in wanted:
        name = one if one in (MESSAGE, NONE) else DESCRIPTION
        text = "\n".join(texts)[:MAX_QUERY_CHARACTERS] if name == DESCRIPTION else ""
        kinds.setdefault(name, QueryKind(name, text))
    return tuple(kinds.values())


def _parts(document: dict[str, Any]) -> list[Part]:
    parts: list[Part] = [Line(_heading(document))]
    for kind, found in document["by_query"].items():
        parts.append(Line(f"query: {kind}"))
        parts += [_grid(found), _ways(found["policy"])]
    if document["skipped"]:
        parts.append(Line("passed over: " + ", ".join(f"{reason} {n}" for reason, n in document["skipped"].items())))
    return parts


def _heading(document: dict[str, Any]) -> str:
    source = document["source"]
    where = f"{source['commits']} commits" if "commits" in source else f"{source['compared']} files compared"
    return f"{where}: {document['hunks']} hunks in {document['files']} changed files of {document['tokens']} tokens"


def _grid(found: dict[str, Any]) -> Grid:
    rows = _rows("all", found)
    groups = sorted(found["by_extension"].items(), key=lambda one: (-_n_hunks(one[1]), one[0]))
    for extension, group in groups[:_MAX_ROWS]:
        rows += _rows(f".{extension}", group)
    return Grid(("files", "mode", "hunks", "shown", "of the tokens", "reached", "at"), rows)


def _rows(name: str, group: dict[str, Any]) -> list[tuple[object, ...]]:
    """The modes of a group, and the rankers that they are held against."""
    modes = [(name, mode, *_figures(score), *_reached(score)) for mode, score in group["modes"].items()]
    rankers = [(name, f"({ranker})", *_figures(score), "", "") for ranker, score in group["references"].items()]
    return [*modes, *rankers]


def _ways(policy: dict[str, Any]) -> Grid:
    """What every way to choose a mode cost; nothing is chosen by `cheapest`, which knew the outcome."""
    rows = [
        (way, f"{one['tokens_an_edit']:.0f}", f"{one['cost_share_of_full']:.0%}", f"{one['regret']:+.0%}")
        for way, one in policy["ways"].items()
    ]
    return Grid(("chosen", "tokens an edit", "of full", "over the cheapest"), rows)


def _n_hunks(group: dict[str, Any]) -> int:
    return max((int(score["hunks"]) for score in group["modes"].values()), default=0)


def _figures(score: dict[str, Any]) -> tuple[object, ...]:
    return score["hunks"], f"{score['hunk_recall']:.0%}", f"{score['token_share']:.0%}"


def _reached(score: dict[str, Any]) -> tuple[str, str]:
    return f"{score['hunks_reached']:.0%}", f"{score['cost_share']:.0%}"
