"""What can be set of embeddings: the table `[embedding]`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, field_validator

from actors.embedding.source import OFF, Folder, source_of
from actors.runtime.errors import Misuse

HUB_URL: Final = "https://huggingface.co"


class EmbeddingSettings(BaseModel):
    """Which model, whether it may be fetched, and how much of the machine it gets."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field(
        default="static", max_length=400, description="static, minilm, file:DIR, hf:org/repo@revision, or off"
    )
    auto_download: bool = Field(default=True, description="whether an hf: model may be downloaded")
    hub_url: str = Field(default=HUB_URL, pattern=r"^https?://[^\s?#]+$", description="where hf: models come from")
    stall_s: float = Field(default=30.0, gt=0.0, le=600.0, description="a silent server is given up after so long")
    n_threads: int = Field(default=2, ge=1, le=64, description="threads that compute")
    max_vectors: int = Field(default=16_384, ge=0, le=1_000_000, description="vectors kept in memory")

    @field_validator("model", mode="after")
    @classmethod
    def _known(cls, value: str) -> str:
        """A model's name, with a folder's path spelt out: the actor has another working folder."""
        try:
            source = source_of(value)
        except Misuse as error:
            raise ValueError(error.message) from error
        return f"file:{Path(source.path).expanduser().absolute()}" if isinstance(source, Folder) else value

    @field_validator("hub_url", mode="after")
    @classmethod
    def _without_slash(cls, value: str) -> str:
        return value.rstrip("/")

    @property
    def is_wanted(self) -> bool:
        """Whether there is a model at all."""
        return self.model != OFF

    def with_variable(self, auto_download: bool | None) -> EmbeddingSettings:
        """As SCENTFIELD_EMBEDDINGS_AUTO_DOWNLOAD says, if it says something: it wins over the table both ways."""
        return self if auto_download is None else self.model_copy(update={"auto_download": auto_download})
