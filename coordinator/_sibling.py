"""Makes sure that the `actors` that Python finds is the one that was installed together with `coordinator`.

A user's own project often has a folder `actors/`. Where that folder comes first on the path, Python takes it instead
of ours, and what breaks then says nothing about the cause. Only looks: a foreign `actors` is never imported for this.
"""

from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path


def check_siblings() -> None:
    """Refuse to start over a foreign `actors`; called once, when `coordinator` is imported.

    Holds for wheels, for editable installs and for a bare checkout: in all of them the two packages lie side by side.
    Raises ImportError, which names the file in the way and says how to get past it.
    """
    wanted = Path(__file__).resolve().parent.parent / "actors"
    spec = find_spec("actors")
    if spec is None:
        raise ImportError(_missing(wanted), name="actors")
    if not _lies_in(spec, wanted):
        raise ImportError(_shadowed(spec, wanted), name="actors", path=spec.origin)


def _lies_in(spec: ModuleSpec, wanted: Path) -> bool:
    """Whether the package is this very folder; symbolic links and the case of letters aside, where the disk says so."""
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    return any(folder.exists() and wanted.exists() and folder.samefile(wanted) for folder in folders)


def _missing(wanted: Path) -> str:
    return f"Scentfield's package 'actors' is not at {str(wanted)!r}: the installation is incomplete, install it again"


def _shadowed(spec: ModuleSpec, wanted: Path) -> str:
    in_the_way = spec.origin or next(iter(spec.submodule_search_locations or ()), "an unknown place")
    return (
        f"Scentfield's package 'actors' at {str(wanted)!r} is shadowed by {in_the_way!r}, which Python found first. "
        "Start from another folder, or use the command `scentfield` instead of `python -m`, "
        "or keep the current folder off the path with `python -P`"
    )
