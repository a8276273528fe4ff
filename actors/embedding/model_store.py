"""Where a model's files come from: packages, a folder, or a hub, whose files are fetched once and pinned at first use.

Everything here blocks and runs in a thread of the actor's. With `may_download` false no network is touched at all.

    models/
      pins.json                           the hashes that are trusted
      static/model.onnx                   built
      hub/org/repo/revision/model.onnx    fetched; `model.onnx.part` is on its way
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from actors.embedding.download import Download, NotThere, Progress
from actors.embedding.engine import ModelFiles
from actors.embedding.model_folder import alone, put_in_place, sha256_of
from actors.embedding.packaged import model_files, packaged_files
from actors.embedding.pin import Pins
from actors.embedding.source import Folder, HubRepository, Packaged, Source
from actors.runtime.errors import Corrupt, Misuse, ScentfieldError, Unavailable

GRAPH: Final = "model.onnx"
TOKENIZER: Final = "tokenizer.json"
_REMOTE: Final = {GRAPH: ("onnx/model.onnx", "model.onnx"), TOKENIZER: ("tokenizer.json",)}


class DownloadsOff(ScentfieldError):
    """The model would have to be downloaded, and that is switched off."""

    code = "downloads_off"


@dataclass(frozen=True, slots=True)
class FetchRules:
    """How patient and how generous downloads are.

    A file is tried `max_tries` times in a row with `pause_s` between; each try goes on where the last one was cut.
    """

    hub_url: str
    may_download: bool
    stall_s: float = 30.0
    pause_s: float = 2.0
    max_tries: int = 5
    max_bytes: int = 2 * 2**30


class ModelStore:
    """The models of one folder. `stop` ends downloads.

    `try_out` is called with the files of a hub's model before they are pinned, and raises `Corrupt` if they are none.
    """

    def __init__(
        self, folder: Path, rules: FetchRules, stop: threading.Event, try_out: Callable[[ModelFiles], object]
    ) -> None:
        self._folder = folder
        self._rules = rules
        self._stop = stop
        self._try_out = try_out
        self._pins = Pins(folder / "pins.json")

    def is_here(self, source: Source) -> bool:
        """Whether the files can be had without a network."""
        if not isinstance(source, HubRepository):
            return True
        home = self._home(source)
        return all((home / file).is_file() for file in _REMOTE)

    def files(self, source: Source, progress: Progress) -> ModelFiles:
        """The model's files, fetched if they are not there; `progress` hears of that.

        Raises `DownloadsOff`, `Unavailable` (later it may work), `Corrupt` for files that are not to be trusted, and
        `Misuse` for a model that is not there at all.
        """
        if isinstance(source, Packaged):
            return packaged_files(source.name, self._folder)
        if isinstance(source, Folder):
            return _folder_files(source)
        return self._hub_files(source, progress)

    def _home(self, source: HubRepository) -> Path:
        return self._folder / "hub" / source.organisation / source.repository / source.revision

    def _hub_files(self, source: HubRepository, progress: Progress) -> ModelFiles:
        home = self._home(source)
        if not self.is_here(source):
            self._fetch(source, home, progress)
        sha256 = {file: sha256_of(home / file) for file in _REMOTE}
        files = model_files(source.name, home / GRAPH, sha256[GRAPH], home / TOKENIZER, sha256[TOKENIZER])
        pinned = [self._pins.check(source.name, file, sha256[file]) for file in _REMOTE]
        if not all(pinned):
            self._prove(files)
            self._pins.pin(source.name, sha256)
        return files

    def _prove(self, files: ModelFiles) -> None:
        """Nothing is trusted that never was a model, such as the page of whoever stands between us and the hub."""
        try:
            self._try_out(files)
        except Corrupt as error:
            for path in (files.graph, files.tokenizer):
                path.unlink(missing_ok=True)
            raise Corrupt(f"{error.message}. What was fetched is removed, and fetched anew when asked for") from error

    def _fetch(self, source: HubRepository, home: Path, progress: Progress) -> None:
        if not self._rules.may_download:
            raise DownloadsOff(
                f"{source.name} is not in {self._folder}, and downloads are switched off (auto_download under "
                "[embedding], or SCENTFIELD_EMBEDDINGS_AUTO_DOWNLOAD): allow them, or put its model.onnx and "
                "tokenizer.json into a folder and choose file:FOLDER"
            )
        with alone(home, self._stop):
            for file in sorted(
                _REMOTE, reverse=True
            ):  # the small one first: it tells soon whether there is such a model
                if not (home / file).is_file():
                    self._fetch_file(source, file, home, progress)

    def _fetch_file(self, source: HubRepository, file: str, home: Path, progress: Progress) -> None:
        partial = home / f"{file}.part"
        download = self._arrived(source, file, partial, progress)
        try:
            self._pins.check(source.name, file, sha256_of(partial))
        except Corrupt:
            download.forget()
            raise
        put_in_place(partial, home / file)
        download.forget()

    def _arrived(self, source: HubRepository, file: str, partial: Path, progress: Progress) -> Download:
        """The download that brought the file, from the first of the places where it may be."""
        for place in _REMOTE[file]:
            url = f"{self._rules.hub_url}/{source.organisation}/{source.repository}/resolve/{source.revision}/{place}"
            download = Download(url, partial, self._rules.stall_s, self._rules.max_bytes)
            try:
                self._patiently(download, progress)
            except NotThere as error:
                missing = error
            else:
                return download
        raise Misuse(f"{source.name} cannot be used: {missing.message}. Check the name, or choose another model")

    def _patiently(self, download: Download, progress: Progress) -> None:
        for n_left in range(self._rules.max_tries - 1, -1, -1):
            try:
                return download.run(progress, self._stop)
            except NotThere:
                raise
            except Unavailable:
                if not n_left or self._stop.wait(self._rules.pause_s):
                    raise
        return None


def _folder_files(source: Folder) -> ModelFiles:
    """The files of a folder that its owner may change at any time: they are hashed, not pinned."""
    home = Path(source.path).expanduser()
    for file in _REMOTE:
        if not (home / file).is_file():
            raise Misuse(
                f"{source.name} cannot be used: there is no {file} in {home}. Put it there, or name another folder"
            )
    graph, tokenizer = home / GRAPH, home / TOKENIZER
    return model_files(source.name, graph, sha256_of(graph), tokenizer, sha256_of(tokenizer))
