"""The board for whoever asks whether it helps: bounces, failed edits, what was saved, and each layer against chance."""

from __future__ import annotations

from typing import Final

from coordinator.boards.board import Board, Query, Row, Step, graph, number, table
from coordinator.boards.expression import now, per_minute, recorded, series, share, within

_THIS_WEEK: Final = 'week="this"'
_HIT: Final = 'result="hit"'
_WARNS: Final = (Step(None, "green"), Step(0.1, "yellow"), Step(0.25, "red"))
_GOOD: Final = (Step(None, "red"), Step(0.5, "yellow"), Step(0.8, "green"))

_NOW: Final = Row(
    "Newest 30 days (bounces: 7)",
    (
        number(
            "Bounce rate this week",
            "Share of compressed views that were followed by the whole file. Empty below 20 views.",
            f"avg({series('efficacy_bounce_rate', _THIS_WEEK)})",
            unit="percentunit",
            steps=_WARNS,
        ),
        number(
            "Placement hit rate",
            "Share of the items of wakeups that nobody had to ask for again.",
            f"{now('efficacy_placements', where=_HIT)} / {now('efficacy_placements')}",
            unit="percentunit",
            steps=_GOOD,
        ),
        number(
            "Playbook survival",
            "Of the entries that came to be ten turns old, those that are there and helped more than they harmed.",
            f"avg({series('efficacy_playbook_survival_ratio')})",
            unit="percentunit",
            steps=_GOOD,
        ),
        number(
            "Duplicate work prevented",
            "Times that an agent was kept from work that another one was at: by a claim, by the git guard, by a hook.",
            now("efficacy_duplicates_prevented"),
        ),
        number(
            "Net tokens saved",
            "Tokens that were not sent, less those of second reads and failed edits. Below 0: it cost more.",
            now("efficacy_net_saved_tokens"),
            steps=(Step(None, "red"), Step(0, "green")),
        ),
        number(
            "Their price",
            "At the price that `token_price` sets for a million tokens, in its currency; empty without one.",
            now("efficacy_net_saved_price"),
        ),
    ),
)
_READS: Final = Row(
    "Reads",
    (
        graph(
            "Bounce rate, week over week",
            "Share of compressed views that were followed by the whole file within the agent's next 5 reads.",
            Query(f"avg by (week) ({series('efficacy_bounce_rate')})", "{{week}}"),
            Query(f"avg({recorded('instance:scentfield_bounces:ratio1d')})", "last 24 hours"),
            unit="percentunit",
        ),
        graph(
            "Compressed views behind the rates",
            "A rate of few views is chance.",
            Query(now("efficacy_bounce_reads", "week"), "{{week}}"),
        ),
        graph(
            "Bounces by mode, a day",
            "Which views are too short.",
            Query(within("1d", "bounces_total", "mode"), "{{mode}}"),
            stacked=True,
        ),
        graph(
            "Bounces by extension, a day",
            "Of which kinds of files views are too short.",
            Query(within("1d", "bounces_total", "extension"), ".{{extension}}"),
            stacked=True,
        ),
        graph(
            "How views end, a day",
            "`clean`: the window closed without a bounce or a failed edit. `wasted`: a large whole view, no edit.",
            Query(within("1d", "clean_reads_total"), "clean"),
            Query(within("1d", "bounces_total"), "bounced"),
            Query(within("1d", "wasted_reads_total"), "wasted"),
            Query(within("1d", "retries_total"), "edit failed"),
        ),
        graph(
            "Whole-file views by mode, a day",
            "Those that showed something new: only these save anything.",
            Query(within("1d", "ledger_reads_total", "mode"), "{{mode}}"),
            stacked=True,
        ),
    ),
)
_TOKENS: Final = Row(
    "Tokens",
    (
        graph(
            "Net tokens saved, 30 days",
            "What this board is about in one line.",
            Query(now("efficacy_net_saved_tokens", "instance"), "{{instance}}"),
        ),
        graph(
            "Saved by mode, since ever",
            "Tokens that views were shorter than their files, before bounces and failed edits are charged.",
            Query(now("ledger_saved_tokens", "mode"), "{{mode}}"),
        ),
        graph(
            "What it cost, a day",
            "Tokens of second reads, and of failed edits, their answers and the reads after them.",
            Query(within("1d", "bounce_tokens_total"), "second reads"),
            Query(within("1d", "retry_tokens_total"), "failed edits"),
            stacked=True,
        ),
        graph(
            "Tokens of views, a minute",
            "Shown to agents, beside what the whole files would have been.",
            Query(per_minute("read_tokens_total"), "shown"),
            Query(per_minute("read_file_tokens_total"), "of the whole files"),
            width=12,
        ),
        graph(
            "Tokens of the ledger by mode, a day",
            "Tokens of all views.",
            Query(within("1d", "ledger_read_tokens_total", "mode"), "{{mode}}"),
            width=12,
            stacked=True,
        ),
    ),
)
_EDITS: Final = Row(
    "Edits",
    (
        graph(
            "Failed edits, last hour",
            "Share of all edits. Over a quarter of twenty or more raises an alert.",
            Query(f"avg by (instance) ({recorded('instance:scentfield_failed_edits:ratio1h')})", "{{instance}}"),
            unit="percentunit",
        ),
        graph(
            "Failures by cause, a day",
            "`not_shown`: the text is in the file, and was not in the view. `never_there`: it is not in the file.",
            Query(within("1d", "edit_failures_total", "cause"), "{{cause}}"),
            stacked=True,
        ),
        graph(
            "Failures by mode of the view, a day",
            "`none`: the agent had never seen the file.",
            Query(within("1d", "edit_failures_total", "mode"), "{{mode}}"),
            stacked=True,
        ),
        table(
            "Failures by extension, mode and cause, a day",
            "Where to look first.",
            Query(f"sort_desc({within('1d', 'edit_failures_total', 'extension', 'mode', 'cause')} > 0)"),
            width=12,
        ),
        table(
            "Pairs of extension and mode",
            "Edits whose text was not found, as a share of all; `auto` keeps away from pairs that fail often.",
            Query(
                share(
                    now("edit_pair_failures", "extension", "mode"),
                    f"{now('edit_pair_failures', 'extension', 'mode')} + "
                    f"{now('edit_pair_successes', 'extension', 'mode')}",
                )
            ),
            unit="percentunit",
            width=12,
        ),
    ),
)
_MEMORY: Final = Row(
    "Memory",
    (
        graph(
            "Placement hit rate by position",
            "Of the items of wakeups, by the end that they stood at, over 30 days.",
            Query(f"avg by (position) ({series('efficacy_placement_hit_rate')})", "{{position}}"),
            unit="percentunit",
        ),
        graph(
            "Playbook survival over time",
            "Of the entries that came to be ten turns old.",
            Query(f"avg by (instance) ({series('efficacy_playbook_survival_ratio')})", "{{instance}}"),
            unit="percentunit",
        ),
        graph(
            "Duplicate work prevented by what prevented it, 30 days",
            "`claim`: a claim that was held; `guard`: the git guard; `hook`: an agent's hook.",
            Query(now("efficacy_duplicates_prevented", "source"), "{{source}}"),
            stacked=True,
        ),
        graph(
            "Recalls that found something, a day",
            "By the way that facts were looked for.",
            Query(
                share(within("1d", "recall_hits_total", "way"), within("1d", "recalls_total", "way")),
                "{{way}}",
            ),
            unit="percentunit",
        ),
        graph(
            "Tokens of wakeups, a day",
            "Beside what the same facts are as a flat list.",
            Query(within("1d", "wakeup_tokens_total"), "by topic"),
            Query(within("1d", "wakeup_flat_tokens_total"), "flat"),
        ),
        graph(
            "Votes on playbook entries, a day",
            "What harmed more often than it helped goes at the next checkpoint.",
            Query(within("1d", "playbook_votes_total", "kind"), "{{kind}}"),
        ),
    ),
)
_LAYERS: Final = Row(
    "Learned layers against their holdout",
    (
        table(
            "Verdicts",
            "`no_difference`: there is evidence enough, and it does not help: consider to switch it off. "
            "`not_yet_known`: the units that are missing stand beside.",
            Query(f"{series('layer_verdict')} == 1", "{{layer}} {{measure}}: {{verdict}}"),
        ),
        table(
            "Units that are missing for a verdict",
            "Files or sessions, each for a UTC day. 0: there is one.",
            Query(f"max by (layer, measure) ({series('layer_units_missing')})"),
        ),
        table(
            "Units by arm",
            "With the layer (treatment) and without it (holdout), in 30 days.",
            Query(now("layer_units", "layer", "measure", "arm")),
        ),
        graph(
            "Difference, and its 95% interval",
            "Treatment less holdout: below 0 the layer helps. An interval across 0 says nothing yet. Empty where "
            "too few units are held out.",
            Query(series("layer_difference"), "{{layer}} {{measure}}"),
            Query(series("layer_difference_low"), "{{layer}} {{measure}}, low"),
            Query(series("layer_difference_high"), "{{layer}} {{measure}}, high"),
        ),
        graph(
            "Treatment and holdout",
            "What each layer is measured by; less is better.",
            Query(series("layer_ratio"), "{{layer}} {{measure}}, {{arm}}"),
        ),
        table(
            "Layers that are on",
            "1: on. 0: an operator has it off, everywhere (`scentfield learning disable LAYER`).",
            Query(f"min by (layer) ({series('layer_enabled')})"),
        ),
    ),
)

EFFICACY: Final = Board(
    "efficacy",
    "Scentfield: efficacy",
    "Whether it helps: what was saved, what it cost, and what would have happened anyway.",
    (_NOW, _READS, _TOKENS, _EDITS, _MEMORY, _LAYERS),
    "now-7d",
)
