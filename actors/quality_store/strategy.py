"""What can be done about a weak answer, and which weakness calls for what: the feedback contract's table.

A weakness is what was found wrong with an answer; a plan is one step's strategies, in the order of the chain and joined
by "+". What was learned can only choose among these.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

EXPAND: Final = "expand_retrieval"
LIGHTEN: Final = "lighten_compression"
REQUERY: Final = "full_requery"
BOTH: Final = f"{EXPAND}+{LIGHTEN}"
CHAIN: Final = (EXPAND, LIGHTEN, REQUERY)
"""The order in which strategies are escalated."""
PLANS: Final = (EXPAND, LIGHTEN, BOTH, REQUERY)

OVERALL: Final = "overall"
RELEVANCE: Final = "relevance"
COMPLETENESS: Final = "completeness"
COHERENCE: Final = "coherence"
NO_WEAKNESS: Final = "none"
"""Below the threshold, and still no dimension below its own limit."""
TABLE: Final = MappingProxyType(
    {OVERALL: REQUERY, RELEVANCE: EXPAND, COMPLETENESS: BOTH, COHERENCE: LIGHTEN, NO_WEAKNESS: EXPAND}
)
WEAKNESSES: Final = tuple(TABLE)
