"""What a reference or import is bound to."""

from __future__ import annotations

from typing import NamedTuple

from cmgit.core.facts import NONE
from cmgit.core.tables import Confidence, EdgeStatus


class Edge(NamedTuple):
    """One answer for a reference. file, unit: NONE unless resolved."""

    status: int
    file: int
    unit: int
    confidence: int
    rule: str


UNKNOWN = Edge(EdgeStatus.UNKNOWN, NONE, NONE, Confidence.PROVEN, "unknown")
OUTSIDE = Edge(EdgeStatus.EXTERNAL, NONE, NONE, Confidence.PROVEN, "external")
