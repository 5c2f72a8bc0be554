"""What a view may take while a client waits: no build, and no vector for which there is no time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cmgit.cli.ahead import is_prepared
from cmgit.core.config import Config
from cmgit.core.errors import CmgitError, ModelUnavailable
from cmgit.core.records import Progress, ProgressCallback
from cmgit.git.locate import Location
from cmgit.view.memory import Memory

if TYPE_CHECKING:
    from cmgit.embed.model import Model

LAST_SECONDS = 0.3
"""Less than this left: no further vector is begun."""
MODEL_SECONDS = 0.45
"""Less than this left: the model is not loaded."""


class NoSnapshotError(Exception):
    """A view would have to be built first."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class TooLateError(ModelUnavailable):
    """Vectors would take too long; words and the graph answer."""


class HurriedMemory(Memory):
    """unmade: the snapshot has fewer vectors than it should, and a build would make them."""

    def __init__(self, cm_dir: str, left: Callable[[], float], no_snapshot: str) -> None:
        super().__init__(cm_dir, self.refuse)
        self.unmade = False
        self._left, self._no_snapshot = left, no_snapshot

    def refuse(
        self,
        location: Location,  # noqa: ARG002 - the shape of a build
        tree: str,  # noqa: ARG002
        config: Config,
        progress: ProgressCallback,  # noqa: ARG002
        warn: Callable[[str], None],  # noqa: ARG002
        *,
        on_demand: bool = False,  # noqa: ARG002
    ) -> object:
        """Raises: NoSnapshotError where there is none at all; CmgitError where only its vectors are missing."""
        if not config.vectors:
            raise NoSnapshotError(self._no_snapshot)
        self.unmade = True
        raise CmgitError("vectors are still being made")

    def check_model(self, config: Config) -> None:
        """Raises: TooLateError where the model has to be prepared for this machine first, or vectors are."""
        if self.unmade:
            raise TooLateError("vectors are still being made")
        if not config.model_dir and not is_prepared(config.cache_dir):
            self.unmade = True
            raise TooLateError("the model is still being prepared")

    def model(self, config: Config, warn: Callable[[str], None]) -> Model:
        """Raises: TooLateError as `check_model`, and where there is no time to load it."""
        self.check_model(config)
        if not self._models and self._left() < MODEL_SECONDS:
            raise TooLateError("there was no time for vectors")
        return super().model(config, warn)

    def watch(self, step: Progress) -> None:
        """For the progress of vectors that are made in memory: ends it when the time is up."""
        if step.stage == "embed" and self._left() < LAST_SECONDS:
            raise TooLateError("there was no time for vectors")
