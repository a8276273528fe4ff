"""How much an index takes, and what of it can be set: the table `[retrieval]`."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict, Field

MAX_QUERY_CHARACTERS: Final = 4_000
MAX_TOP_K: Final = 1_000
MAX_WORDS_LOOKED_FOR: Final = 16
"""Of a longer query its rarest words."""
MAX_SECTIONS_A_FILE: Final = 5_000
N_CANDIDATES: Final = 100
"""How many sections each way of looking puts forward; more where more are wanted."""
MAX_INLINE_FILES: Final = 64
MAX_INLINE_BYTES: Final = 2 * 2**20
"""A search takes so many changed files into the index before it looks; more are said, and left to `index`."""


class RetrievalSettings(BaseModel):
    """How much of a tree is taken in, and how often a search looks whether the tree has changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_files: int = Field(default=50_000, ge=1, le=1_000_000, description="files of a tree that are indexed")
    max_file_bytes: int = Field(default=2**20, ge=1, le=2**30, description="larger files are left out")
    max_sections: int = Field(default=200_000, ge=1, le=2_000_000, description="sections of a tree that are indexed")
    max_age_s: float = Field(
        default=2.0, ge=0.0, le=3_600.0, description="a search looks at the tree again when its last look is older"
    )
