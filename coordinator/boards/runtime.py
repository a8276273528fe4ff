"""The board for whoever runs the coordinator: state actors, stores, notes between them, the exporter, and Ray."""

from __future__ import annotations

from typing import Final

from coordinator.boards.board import GOOD_AT_ZERO, Board, Panel, Query, Row, Step, graph, number, table
from coordinator.boards.expression import RATE, now, per_minute, per_second, series, within

_BY: Final = "{{domain}}"
_NOW: Final = Row(
    "Now",
    (
        number(
            "Exporters that do not answer",
            "Without an exporter nothing below moves.",
            'count(up{job="scentfield",instance=~"$instance"} == 0) or vector(0)',
            steps=GOOD_AT_ZERO,
        ),
        number(
            "State actors that do not serve",
            "All four are needed.",
            'count(scentfield_up{instance=~"$instance"} == 0) or vector(0)',
            steps=GOOD_AT_ZERO,
        ),
        number(
            "Restarts, last hour",
            "Stores that were opened anew. Ray restarts an actor that died; its state comes from its store.",
            f"sum(changes({series('epoch')}[1h]))",
            steps=(Step(None, "green"), Step(1, "yellow"), Step(8, "red")),
        ),
        number(
            "Commits that failed, last hour",
            "Nothing of them was done, and their callers were told so.",
            within("1h", "failed_commits_total"),
            steps=GOOD_AT_ZERO,
        ),
        number(
            "Bugs caught, last hour",
            "Errors of Scentfield itself. Please report what the actor's log says.",
            within("1h", "bugs_total"),
            steps=GOOD_AT_ZERO,
        ),
        number(
            "Calls turned away, last hour",
            "A limit was reached, and the caller told when to ask again.",
            within("1h", "busy_total"),
            steps=(Step(None, "green"), Step(1, "yellow")),
        ),
    ),
)
_ACTORS: Final = Row(
    "State actors",
    (
        Panel(
            "Which serve",
            "Red is an actor that does not answer, or refuses to serve because of its store.",
            (Query(series("up"), "{{domain}} at {{instance}}"),),
            kind="states",
            width=12,
            steps=(Step(None, "red"), Step(1, "green")),
            names=(("0", "does not serve"), ("1", "serves")),
        ),
        graph(
            "How often each store was opened",
            "A step is a restart. Many steps close together are an actor that cannot stay.",
            Query(series("epoch"), "{{domain}} at {{instance}}"),
            width=12,
        ),
        graph(
            "Requests, a second",
            "Calls that arrived.",
            Query(per_second("requests_total", "domain"), _BY),
            unit="reqps",
        ),
        graph(
            "Requests that wait for their turn",
            "More than a few for minutes: the actor cannot keep up.",
            Query(now("queue", "domain"), _BY),
        ),
        graph(
            "Requests without an answer",
            "Those queued, and those that wait for a target by their own wish.",
            Query(now("unanswered", "domain"), _BY),
        ),
        graph(
            "Turns of the loop, a second",
            "Requests that arrive together share a turn and a commit.",
            Query(per_second("turns_total", "domain"), _BY),
            unit="ops",
        ),
        graph(
            "Largest batch",
            "Most requests that shared one turn, since the process started.",
            Query(now("largest_batch", "domain"), _BY),
        ),
        graph("Calls turned away, a minute", "A limit was reached.", Query(per_minute("busy_total", "domain"), _BY)),
        graph(
            "Time since the process started",
            "Falls to zero with each restart.",
            Query(series("uptime_seconds"), "{{domain}} at {{instance}}"),
            unit="s",
        ),
        graph(
            "Clock of service",
            "Each actor's own clock stands still while nobody serves, so that down time ends no lease.",
            Query(series("clock_seconds"), "{{domain}} at {{instance}}"),
            unit="s",
        ),
        graph(
            "Clock jumps that were not believed",
            "Since the process started. A machine that slept, or whose clock was set.",
            Query(now("refused_clock_jumps_total", "domain"), _BY),
        ),
    ),
)
_STORES: Final = Row(
    "Stores",
    (
        graph(
            "Mean time of a commit",
            "What a change waits for beside its turn. Over 50 ms for ten minutes raises an alert.",
            Query(
                f"sum by (domain) (rate({series('commit_seconds_total')}[{RATE}])) / "
                f"sum by (domain) (rate({series('commits_total')}[{RATE}]))",
                _BY,
            ),
            unit="s",
        ),
        graph(
            "Commits, a second",
            "One for each turn that changes something.",
            Query(per_second("commits_total", "domain"), _BY),
            unit="ops",
        ),
        graph(
            "Commits that failed, a minute",
            "The actor rebuilds its state from the store and goes on when the store is back.",
            Query(per_minute("failed_commits_total", "domain"), _BY),
        ),
        graph(
            "Rows written, a minute",
            "Journal rows: one for each event.",
            Query(per_minute("journal_rows_total", "domain"), _BY),
        ),
        graph(
            "Rows that are not folded",
            "A restart replays them. Folding begins at 20,000 rows or 64 MB.",
            Query(now("rows_since_snapshot", "domain"), _BY),
        ),
        graph(
            "Bytes that are not folded",
            "The same in bytes.",
            Query(now("bytes_since_snapshot", "domain"), _BY),
            unit="bytes",
        ),
        graph(
            "Foldings, an hour",
            "Journals folded into snapshots; one that fails keeps the journal.",
            Query(within("1h", "compactions_total", "domain"), "{{domain}}"),
            Query(within("1h", "failed_compactions_total", "domain"), "{{domain}}, failed"),
        ),
        graph(
            "Rows replayed",
            "By the process that runs now: at its start, and after failed commits.",
            Query(now("replayed_rows_total", "domain"), _BY),
        ),
        graph(
            "Bugs caught, an hour",
            "The state was rebuilt from the store after each.",
            Query(within("1h", "bugs_total", "domain"), _BY),
        ),
    ),
)
_NOTES: Final = Row(
    "Between the actors",
    (
        graph(
            "Notes that wait",
            "What the quality store tells the others of reads and edits.",
            Query(now("outbox_waiting", "receiver"), "to {{receiver}}"),
        ),
        graph(
            "Notes applied, a minute",
            "Each exactly once.",
            Query(per_minute("outbox_sent_total", "receiver"), "by {{receiver}}"),
        ),
        graph(
            "Notes dropped, an hour",
            "Too many waited: the receiver was away for long.",
            Query(within("1h", "outbox_dropped_total", "receiver"), "to {{receiver}}"),
        ),
        graph(
            "Sessions whose token is remembered",
            "Over the limit the oldest is forgotten, and has to be pinned again.",
            Query(now("pinned_sessions"), "remembered"),
            Query(within("1h", "pinned_sessions_evicted_total"), "forgotten, an hour"),
        ),
        graph(
            "Texts that wait for their vectors",
            "The embedding model's queue.",
            Query(now("embedding_queue"), "waiting"),
        ),
        graph(
            "Vectors, a minute",
            "Computed by the model, or answered from its cache.",
            Query(per_minute("embedding_computed_total"), "computed"),
            Query(per_minute("embedding_cached_total"), "from the cache"),
        ),
        table(
            "Embedding model",
            "Its state, and which model it is.",
            Query(f"{series('embedding_state')} == 1", "{{model}}: {{state}}"),
            width=12,
        ),
        graph(
            "Vectors that are kept",
            "The cache of the embedding actor.",
            Query(now("embedding_cache"), "kept"),
            width=12,
        ),
    ),
)
_EXPORTER: Final = Row(
    "Exporter",
    (
        graph(
            "Time of a scrape",
            "The exporter waits two seconds at most for an actor that is silent.",
            Query('scrape_duration_seconds{job="scentfield",instance=~"$instance"}', "{{instance}}"),
            unit="s",
        ),
        Panel(
            "Totals outlive their processes",
            "Counts of processes are added up in a file of the state folder. Red: it cannot be written, and they would "
            "begin anew with the exporter.",
            (Query(series("process_totals_kept"), "{{instance}}"),),
            kind="states",
            steps=(Step(None, "red"), Step(1, "green")),
            names=(("0", "not kept"), ("1", "kept")),
        ),
        graph(
            "Samples of a scrape",
            "Labels are bounded: this stays below 10,000 whatever agents do.",
            Query('scrape_samples_scraped{job="scentfield",instance=~"$instance"}', "{{instance}}"),
        ),
    ),
)
_RAY: Final = Row(
    "Ray",
    (
        graph(
            "Processors in use",
            "Of each node, in percent.",
            Query("ray_node_cpu_utilization", "{{instance}}"),
            unit="percent",
        ),
        graph("Memory in use", "Of each node.", Query("ray_node_mem_used", "{{instance}}"), unit="bytes"),
        graph(
            "Disk in use",
            "Of the root file system of each node.",
            Query("ray_node_disk_usage", "{{instance}}"),
            unit="bytes",
        ),
        graph(
            "Open files and connections",
            "File descriptors of the actors' processes.",
            Query('sum by (Component) (ray_component_num_fds{Component=~"ray::.*"})', "{{Component}}"),
        ),
        graph(
            "Memory of the actors' processes",
            "Their own, without what they share.",
            Query('sum by (Component) (ray_component_uss_bytes{Component=~"ray::.*"})', "{{Component}}"),
            unit="bytes",
        ),
        graph(
            "Processor of the actors' processes",
            "In percent of one processor.",
            Query('sum by (Component) (ray_component_cpu_percentage{Component=~"ray::.*"})', "{{Component}}"),
            unit="percent",
        ),
    ),
)

RUNTIME: Final = Board(
    "runtime",
    "Scentfield: runtime",
    "State actors, their stores, the notes between them, the exporter, and the Ray below.",
    (_NOW, _ACTORS, _STORES, _NOTES, _EXPORTER, _RAY),
)
