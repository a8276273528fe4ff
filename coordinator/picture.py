"""Pictures of figures, as PNG files. Matplotlib is an extra of the project; whoever draws nothing does without.

What is drawn in the same way gives the same bytes with the same version of it.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from actors.runtime.errors import Misuse
from coordinator.folder import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def check_picture(path: Path) -> None:
    """Raise `Misuse` where no picture can be drawn or written, before the work."""
    try:
        import matplotlib  # noqa: F401  # the extra
    except ImportError:
        raise Misuse("a picture needs matplotlib: pip install 'scentfield[plot]', or do without") from None
    if path.suffix.lower() != ".png":
        raise Misuse(f"{str(path)!r} is no PNG: give the picture a name that ends in .png")
    if not path.parent.is_dir():
        raise Misuse(f"there is no folder {str(path.parent)!r} for the picture: make it, or name another")


@contextmanager
def picture(
    path: Path, width_inches: float, height_inches: float, *, dots_an_inch: int = 120, n_colours: int | None = None
) -> Iterator[Figure]:
    """A figure to draw on, which is written whole at the end; with few colours in a third of the bytes.

    Raises as `check_picture`; where drawing fails, nothing is written.
    """
    check_picture(path)
    # The figure alone: pyplot would look for a screen and keep what is drawn.
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"text.parse_math": False}):  # a dollar in a name is a dollar
        figure = Figure(figsize=(width_inches, height_inches), layout="constrained")
        yield figure
        written = io.BytesIO()
        figure.savefig(written, format="png", dpi=dots_an_inch, metadata={"Software": None})
    png = written.getvalue()
    write_whole(path, png if n_colours is None else _in_few_colours(png, n_colours))


def _in_few_colours(png: bytes, n_colours: int) -> bytes:
    from PIL import Image  # it comes with matplotlib

    written = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(n_colours).save(written, format="png", optimize=True)
    return written.getvalue()
