"""What the embedding actor answers, beside `BusyFor` and `Failed` of the wire. All of it pickles."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from actors.embedding.nearness import Duplicate, Similar
from actors.embedding.status import Status
from actors.runtime.wire import BusyFor, Failed


class Vectors(NamedTuple):
    """One row for each text, in order: [n, d] float32, unit length, or zero for a text without tokens.

    Rows may only be compared with rows of the same `model_id`. What came through Ray is read-only.
    """

    model_id: str
    rows: npt.NDArray[np.float32]


class SimilarTexts(NamedTuple):
    """The nearest texts, nearest first."""

    model_id: str
    nearest: tuple[Similar, ...]


class DuplicateTexts(NamedTuple):
    """What repeats an earlier text, in order."""

    model_id: str
    dropped: tuple[Duplicate, ...]


class NotReady(NamedTuple):
    """Nothing was done, because the model cannot answer yet; `status` says why."""

    status: Status


Refusal: TypeAlias = NotReady | BusyFor | Failed
