"""The board for whoever asks what was learned: from which outcomes, what `auto` does with it, what is remembered."""

from __future__ import annotations

from typing import Final

from coordinator.boards.board import Board, Query, Row, graph, number, table
from coordinator.boards.expression import now, or_zero, per_minute, series, within

_NOW: Final = Row(
    "Now",
    (
        number("Extensions learned of", "That any outcome said something about.", now("learning_extensions")),
        number("Costs learned", "Kinds of views (extension, mode, size) whose cost is learned.", now("learned_costs")),
        number("Profiles observed", "Client profiles whose recalls say where they look.", now("learning_profiles")),
        number("Machines merged", "Origins of what is known here, this one included.", now("learning_origins")),
        number("Facts", "Facts that are kept.", now("facts")),
        number("Playbook entries", "Entries of all playbooks.", now("playbook_entries")),
    ),
)
_EVIDENCE: Final = Row(
    "From which outcomes",
    (
        graph(
            "Outcomes taken into account, a day",
            "Bounces and failed edits raise thresholds' caution, clean and wasted reads lower it.",
            Query(within("1d", "learning_signals_total", "topic"), "{{topic}}"),
            stacked=True,
        ),
        graph(
            "Outcomes passed over, a day",
            "They say nothing about thresholds; the cause says why.",
            Query(or_zero(within("1d", "learning_signals_ignored_total", "cause")), "{{cause}}"),
        ),
        graph(
            "Forgotten to keep to a limit, a day",
            "Many: more kinds of files than there is room for.",
            Query(or_zero(within("1d", "learning_evicted_total", "kind")), "{{kind}}"),
        ),
        graph(
            "Bundles and replays, a day",
            "What others have learned, and what the history of a repository says; a reset forgets.",
            Query(within("1d", "learning_imports_total"), "imports"),
            Query(within("1d", "learning_replays_total"), "replays"),
            Query(within("1d", "learning_resets_total"), "resets"),
        ),
        graph(
            "Files and sessions in today's trials",
            "Units of the layers' comparisons.",
            Query(now("trial_units"), "units"),
        ),
        graph(
            "Outcomes without a place in a trial",
            "More units than are kept for a day: comparisons have fewer of them.",
            Query(now("trial_outcomes_left_out"), "left out"),
        ),
    ),
)
_EFFECT: Final = Row(
    "What is done with it",
    (
        graph(
            "Learned thresholds",
            "How much more (below 0: less) than the base a line must say to be kept by the mode `entropy`; empty "
            "until there is evidence enough.",
            Query(series("learned_delta"), ".{{extension}}"),
        ),
        graph(
            "Automatic reads by what decided, an hour",
            "Sizes and kinds by rule, learned costs, what bounced or failed before.",
            Query(within("1h", "auto_reads_total", "source"), "{{source}}"),
            stacked=True,
        ),
        graph(
            "Reads made whole because the mode is risky, a day",
            "And those that kept it, because their file is in the holdout.",
            Query(within("1d", "read_penalties_total", "extension", "mode"), ".{{extension}} {{mode}}"),
            Query(
                within("1d", "read_penalties_held_out_total", "extension", "mode"), ".{{extension}} {{mode}}, held out"
            ),
        ),
        graph(
            "Escalations",
            "Files whose next automatic read is whole, because an edit of them failed from a compressed view.",
            Query(now("escalations_pending"), "pending"),
            Query(within("1h", "escalations_armed_total"), "marked, an hour"),
            Query(within("1h", "escalations_returned_total"), "marked again, an hour"),
            Query(within("1h", "escalations_ended_total", "cause"), "{{cause}}, an hour"),
        ),
        table(
            "Risky pairs",
            "1: automatic reads of this kind of file keep away from the mode.",
            Query(now("edit_pair_risky", "extension", "mode")),
        ),
        graph(
            "Files that keep bouncing",
            "Whose bounces are remembered, and those that are shown whole for it.",
            Query(now("path_memory_paths"), "remembered"),
            Query(now("path_memory_full"), "shown whole"),
        ),
        graph(
            "Forgotten of files, a day",
            "Pairs and paths, decayed after 30 days or evicted to keep to a limit.",
            Query(within("1d", "edit_pairs_dropped_total", "cause"), "pairs, {{cause}}"),
            Query(within("1d", "path_memory_dropped_total", "cause"), "paths, {{cause}}"),
        ),
        graph(
            "Share of a wakeup at its beginning",
            "Calibrated from recalls; 0.7 before.",
            Query(series("placement_begin_share"), "{{profile}}"),
            unit="percentunit",
        ),
        graph(
            "Items of wakeups, a day",
            "By end, and whether they were used there or had to be asked for.",
            Query(within("1d", "placements_total", "kind"), "{{kind}}"),
            stacked=True,
        ),
    ),
)
_MEMORY: Final = Row(
    "What is remembered",
    (
        graph(
            "Playbooks and their entries",
            "Lasting entries are ten turns old or older.",
            Query(now("playbooks"), "playbooks"),
            Query(now("playbook_entries", "instance"), "entries at {{instance}}"),
            Query(now("playbook_lasting_entries"), "lasting"),
            Query(now("playbook_lasting_helpful_entries"), "lasting, and helpful"),
        ),
        graph(
            "Entries, a day",
            "Added by kind, found again, and those that came to be lasting.",
            Query(within("1d", "playbook_added_total", "kind"), "added: {{kind}}"),
            Query(within("1d", "playbook_confirmed_total"), "confirmed"),
            Query(within("1d", "playbook_became_lasting_total"), "became lasting"),
        ),
        graph(
            "Evicted, a day",
            "Entries, playbooks and pins that went.",
            Query(or_zero(within("1d", "memory_evicted_total", "cause")), "{{cause}}"),
        ),
        graph(
            "Facts that are kept",
            "Those with a vector are found by meaning.",
            Query(now("facts", "instance"), "kept at {{instance}}"),
            Query(now("facts_indexed"), "with a vector"),
        ),
        graph(
            "Facts, a day",
            "New, found again, and gone.",
            Query(within("1d", "facts_remembered_total"), "new"),
            Query(within("1d", "facts_confirmed_total"), "confirmed"),
            Query(or_zero(within("1d", "facts_forgotten_total", "cause")), "gone: {{cause}}"),
        ),
        graph(
            "Facts of wakeups, a minute",
            "That sessions were given to begin with.",
            Query(per_minute("wakeup_facts_total"), "facts"),
        ),
    ),
)
_RETRIEVAL: Final = Row(
    "Retrieval",
    (
        graph(
            "What is indexed",
            "Trees that have an index on the exporter's node, their files and sections; those with a vector are found "
            "by meaning.",
            Query(now("retrieval_trees"), "trees"),
            Query(now("retrieval_files"), "files"),
            Query(now("retrieval_sections"), "sections"),
            Query(now("retrieval_vectors"), "with a vector"),
        ),
        graph("Size of the indices", "On the disk.", Query(now("retrieval_bytes"), "bytes"), unit="bytes"),
        graph(
            "Indices that cannot be read",
            "Damaged, of another version, or being written by somebody else.",
            Query(now("retrieval_unreadable"), "unreadable"),
        ),
        graph(
            "Searches, a minute",
            "By how passages were looked for, and those that found nothing.",
            Query(per_minute("retrieval_searches_total", "way"), "{{way}}"),
            Query(per_minute("retrieval_empty_searches_total"), "found nothing"),
        ),
        graph(
            "Passages, a minute",
            "By what put them forward.",
            Query(per_minute("retrieval_passages_total", "way"), "{{way}}"),
            stacked=True,
        ),
        graph(
            "Passages read anew, a minute",
            "Their files had changed after they were indexed.",
            Query(per_minute("retrieval_reread_total"), "read anew"),
        ),
    ),
)
_ANSWERS: Final = Row(
    "Answers",
    (
        graph(
            "Quality of answers",
            "Mean of the last 100 answers of all agents, from 0 to 1. Empty where nobody asks for answers.",
            Query(series("answer_quality"), "{{instance}}"),
            unit="percentunit",
        ),
        graph(
            "By how much the last answers are worse",
            "The last 5 beside up to 20 before; over 15% is degrading.",
            Query(series("answer_quality_drop"), "{{instance}}"),
            unit="percentunit",
        ),
        graph(
            "Answers, a day",
            "By how they ended.",
            Query(within("1d", "answers_total", "cause"), "{{cause}}"),
            stacked=True,
        ),
        graph(
            "Mean quality of all answers",
            "The first answer, and the one that was returned: what asking again was worth.",
            Query(f"{now('answer_first_quality_points_total')} / ({now('answers_total')} > 0)", "first"),
            Query(f"{now('answer_quality_points_total')} / ({now('answers_total')} > 0)", "returned"),
            unit="percentunit",
        ),
        graph(
            "Rounds, a day",
            "That asked for an answer, and rounds in which a step raised, was late, or gave no text.",
            Query(within("1d", "answer_rounds_total"), "asked"),
            Query(within("1d", "answer_rounds_failed_total"), "failed"),
        ),
        graph(
            "Agents that answer",
            "In the last day; degrading are those whose own last 5 answers are over 15% worse than those before.",
            Query(now("answering_agents"), "answer"),
            Query(now("answering_agents_degrading"), "degrade"),
        ),
        graph(
            "Quality that degrades",
            "1 while the quality of all agents' answers does, and how often it began to, a day.",
            Query(now("answer_quality_degrading"), "degrades now"),
            Query(within("1d", "answer_quality_alerts_total"), "began, all agents"),
            Query(within("1d", "agent_answer_quality_alerts_total"), "began, single agents"),
            Query(within("1d", "answer_windows_dropped_total"), "agents forgotten"),
        ),
        table(
            "Strategies: gain",
            "Mean quality that a plan added against a weakness, older days weighing less.",
            Query(f"avg by (weakness, plan) ({series('strategy_gain')})"),
        ),
        table(
            "Strategies: tries",
            "How often it was tried, and (1) which is tried first.",
            Query(now("strategy_outcomes", "weakness", "plan")),
            Query(f"max by (weakness, plan) ({series('strategy_first')}) == 1"),
        ),
    ),
)

LEARNING: Final = Board(
    "learning",
    "Scentfield: learning",
    "What was learned from outcomes, what automatic reads do with it, and what is remembered.",
    (_NOW, _EVIDENCE, _EFFECT, _MEMORY, _RETRIEVAL, _ANSWERS),
    "now-7d",
)
