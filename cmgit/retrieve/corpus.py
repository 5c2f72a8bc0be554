"""Arrays over a view's files and units that ranking multiplies by: roles, kinds, copies, words of paths."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from cmgit.core.facts import UnitKind
from cmgit.core.record import record
from cmgit.core.records import Role
from cmgit.retrieve import weights
from cmgit.retrieve.ports import View
from cmgit.retrieve.prompt import Prompt
from cmgit.retrieve.standing import standing
from cmgit.words.split import identifier_terms, tokens

Floats = NDArray[np.float64]


@record
class Damping:
    """What a unit's score is multiplied by: float64 for each unit. Copies of a blob have 0: the first path speaks for
    them (FreePeak/LeanKG#304). role: the share of it that the file's role gives."""

    factor: Floats
    role: Floats


def damping(view: View, prompt: Prompt) -> Damping:
    roles = dict(weights.ROLE)
    if prompt.tests_asked:
        roles.update(weights.TESTS_ASKED)
    elif prompt.mentions_tests:
        roles.update(weights.TESTS_MENTIONED)
    known = standing(view)
    by_role = np.array([roles[role] for role in Role], np.float64)
    by_file = by_role[known.roles]
    for copies in known.copies:  # the first path of the best role speaks
        speaker = max(copies, key=lambda index: (by_file[index], -index))
        by_file[[index for index in copies if index != speaker]] = 0.0
    kinds = np.array([weights.KIND.get(kind, 1.0) for kind in UnitKind], np.float64)
    if not len(view.units):
        return Damping(np.zeros(0, np.float64), np.zeros(0, np.float64))
    role = by_file[view.units.file]
    return Damping(role * kinds[view.units.column("kind")], role)


def path_hits(view: View, terms: dict[str, float]) -> list[tuple[str, list[int]]]:
    """(term, files whose path has it) for the terms that occur in any path, in the order of `terms`."""
    known = standing(view)
    known.asked += 1
    if known.asked == 2:
        for index, file in enumerate(view.files):
            for term in path_terms(file.path):
                known.paths.setdefault(term, []).append(index)
    if known.asked >= 2:
        return [(term, known.paths[term]) for term in terms if len(term) > 1 and term in known.paths]
    paths = [file.path for file in view.files]
    wanted = [term for term in terms if len(term) > 1]
    if not wanted or not paths:
        return []
    # A stem is the beginning of its word, give or take the last letter (y → i), so one scan finds the candidates.
    prefixes = sorted({re.escape(term[: max(2, len(term) - 1)]) for term in wanted}, key=len, reverse=True)
    rough = re.compile("|".join(prefixes))
    hits: dict[str, list[int]] = {}
    for index, path in enumerate(paths):
        if not path.isascii() or rough.search(path.lower()):
            for term in path_terms(path, rough):
                if term in terms and len(term) > 1:
                    hits.setdefault(term, []).append(index)
    return [(term, hits[term]) for term in terms if term in hits]


def path_terms(path: str, rough: re.Pattern[str] | None = None) -> list[str]:
    """Distinct terms of a path; a joined form needs no prefix of its own, its parts are there too.

    rough: names of ASCII letters in which it finds nothing are left out before they are stemmed.
    """
    found: dict[str, None] = {}
    for token in tokens(path):
        if rough is not None and token.isascii() and not rough.search(token.lower()):
            continue
        found.update(dict.fromkeys(identifier_terms(token)))
    return list(found)
