"""What can be set of asking: the table `[ask]`. A key is never in it: it names the variable that holds one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from coordinator.feedback.attempt import Timeouts

if TYPE_CHECKING:
    from coordinator.feedback.generator import Generator


class AskSettings(BaseModel):
    """Who answers, and the loop's numbers; spans in seconds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str = Field(
        default="",
        max_length=400,
        description="an OpenAI-compatible endpoint (https://host/v1); else sentences of the tree",
    )
    model: str = Field(default="", max_length=200, description="which of the endpoint's models")
    key_variable: str = Field(
        default="", max_length=100, pattern=r"^[A-Za-z0-9_]*$", description="the environment's variable with its key"
    )
    max_tokens: int = Field(default=800, ge=1, le=1_000_000, description="of an answer, as the endpoint counts them")
    timeout_s: float = Field(default=60.0, gt=0.0, le=3_600.0, description="an answer may take so long")
    quality_threshold: float = Field(default=0.6, ge=0.0, le=1.0, description="an answer of this quality will do")
    max_iterations: int = Field(default=3, ge=0, le=100, description="rounds after the first")
    min_improvement: float = Field(
        default=0.02, ge=0.0, le=1.0, description="what a round must gain to be gone on with"
    )
    top_k: int = Field(default=8, ge=1, le=100, description="passages of the first round")
    level: float = Field(default=0.5, ge=0.0, le=1.0, description="their compression: 0.0 nothing, 1.0 most")

    @property
    def timeouts(self) -> Timeouts:
        """The loop's: a second more for the endpoint, which says by itself why it is late."""
        return Timeouts(generate_s=self.timeout_s + 1.0)

    def generator(self) -> Generator:
        """Who answers. Raises `Misuse` for an endpoint that cannot be one."""
        from coordinator.feedback.chat_endpoint import ChatEndpoint  # each is needed where it is chosen
        from coordinator.feedback.extractive import Extractive

        if not self.url:
            return Extractive()
        return ChatEndpoint(
            self.url,
            self.model,
            key_variable=self.key_variable,
            timeout_s=self.timeout_s,
            max_tokens=self.max_tokens,
        )
