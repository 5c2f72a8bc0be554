"""What speaks for a candidate: one row of signals for each unit of a pool, and nothing that is fitted.

Every signal is a share, 0 where nothing speaks for the unit and 1 for the best of its kind, so that one set of weights
serves every repository and every length of prompt.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from cmgit.core.facts import NONE, UnitFlag, UnitKind
from cmgit.core.record import record
from cmgit.retrieve import weights
from cmgit.retrieve.focus import Focus
from cmgit.retrieve.lexical import Lexical
from cmgit.retrieve.past import Past
from cmgit.retrieve.ports import View
from cmgit.retrieve.query import Query
from cmgit.retrieve.standing import standing
from cmgit.words.split import identifier_terms, split_identifier

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_KINDS = {
    "is a method": (UnitKind.METHOD,),
    "is a class": (UnitKind.CLASS, UnitKind.NAMESPACE),
    "is a type": (UnitKind.INTERFACE, UnitKind.TYPE, UnitKind.ENUM),
    "is a variable": (UnitKind.VARIABLE,),
    "is a callback": (UnitKind.CALLBACK,),
    "is statements": (UnitKind.BLOCK,),
    "is a file": (UnitKind.FILE,),
}
SIGNALS = (
    "words", "title", "share", "coverage", "within", "within share", "name", "name told", "phrase", "quoted",
    "around", "inside",
    "path", "file", "best of file", "cosine", "cosine of file", "named", "named file",
    "callers", "callees", "same file", "tested", "tested file",
    "similar", "often", "unit similar", "unit often",
    "size", "exported", "inner", "used", "aside", *_KINDS,
)  # fmt: skip
_ASIDE = re.compile(
    r"(?:^|/)(?:scripts?|tools?|tasks|ci|bench(?:marks?|es)?|integration|e2e|playgrounds?|examples?|demos?|samples?|"
    r"docs?|website|www|sandbox|storybook|stories)/|(?:^|/)[^/]*\.(?:config|conf|stories)\.[cm]?[jt]sx?$",
    re.IGNORECASE,
)
PAST_SIGNALS = ("similar", "often", "unit similar", "unit often")
VECTOR_SIGNALS = ("cosine", "cosine of file")


@record
class Draft:
    """What is known of every unit before the pool is chosen: float64 for each unit, `files` for each file.

    score: words, files and vectors joined by hand, damped by role and kind. cosine: centred for this query, 0…1.
    raw: as it is, 0 without vectors. past: what the history says, None where there is none.
    """

    lexical: Lexical
    score: Floats
    cosine: Floats
    raw: Floats
    past: Past | None = None


def gather(view: View, query: Query, focus: Focus, draft: Draft, pool: Ints) -> Floats:
    """Signals of the pool's units: float64 (len(pool), len(SIGNALS))."""
    lexical, file_of = draft.lexical, view.units.file
    files = file_of[pool]
    top = _best(lexical.words)
    words = lexical.words / top
    columns: dict[str, Floats] = {
        "words": words[pool],
        "title": lexical.title[pool] / _best(lexical.title),
        "share": lexical.evidence[pool] / lexical.spoken,
        "coverage": lexical.coverage[pool],
        "name": lexical.names[pool] / lexical.spoken,
        "quoted": lexical.quoted[pool],
        "path": lexical.paths[files] / _best(lexical.paths),
        "file": lexical.files[files] / _best(lexical.files),
        "cosine": draft.cosine[pool],
        "cosine of file": _largest(file_of, draft.cosine, len(view.files))[files],
    }
    columns["within"], columns["within share"] = _within(view, lexical, pool)
    columns["name told"], columns["phrase"] = _name_signals(view, query, pool)
    columns["around"], columns["inside"] = _nesting(view, words, pool)
    leads = (_largest(file_of, words, len(view.files))[files] <= words[pool]) & (words[pool] > 0)
    columns["best of file"] = leads.astype(np.float64)
    columns["named"], columns["named file"] = _focus_signals(view, focus, pool)
    columns.update(_graph_signals(view, draft, words, pool))
    columns.update(_past_signals(draft.past, files, pool))
    columns.update(_shape(view, pool))
    return np.stack([columns[name].astype(np.float64) for name in SIGNALS], 1)


def _best(values: Floats) -> float:
    return float(values.max()) if len(values) and float(values.max()) > 0 else 1.0


def _largest(group: Ints, values: Floats, groups: int) -> Floats:
    found = np.zeros(groups, np.float64)
    np.maximum.at(found, group, values)
    return found


def _within(view: View, lexical: Lexical, pool: Ints) -> tuple[Floats, Floats]:
    """A unit with all that stands inside it as one text: BM25, the pool's best 1; and the share of the prompt's words.
    A file has 0: it holds everything."""
    column = view.units.column
    file_of, start, end = view.units.file[pool], column("start"), column("end")
    last = np.empty(len(pool), np.int64)
    for i, (unit, file) in enumerate(zip(pool.tolist(), file_of.tolist(), strict=True)):
        stop = view.files[file].first_unit + view.files[file].unit_count
        last[i] = unit + 1 + np.searchsorted(start[unit + 1 : stop], end[unit])
    lengths = np.concatenate(([0.0], np.cumsum(view.lengths.astype(np.float64))))
    size = lengths[last] - lengths[pool]
    norm = weights.K1 * (1.0 - weights.WITHIN_B + weights.WITHIN_B * size / max(float(view.lengths.mean()), 1.0))
    score, share = np.zeros(len(pool), np.float64), np.zeros(len(pool), np.float64)
    for heard in lexical.heard:
        low, high = np.searchsorted(heard.rows, pool), np.searchsorted(heard.rows, last)
        sums = np.concatenate(([0.0], np.cumsum(heard.frequency)))
        frequency = sums[high] - sums[low]
        score += heard.gain * frequency * (weights.K1 + 1.0) / (frequency + norm)
        if heard.alone:
            share += heard.gain * (high > low)
    alone = sum(heard.gain for heard in lexical.heard if heard.alone) or 1.0
    holds = column("kind")[pool] != UnitKind.FILE
    return score * holds / _best(score * holds), share * holds / alone


def _name_signals(view: View, query: Query, pool: Ints) -> tuple[Floats, Floats]:
    """Share of a name's parts that the prompt has; whether the prompt has them in a row or as this very name."""
    told, phrase = np.zeros(len(pool), np.float64), np.zeros(len(pool), np.float64)
    heads = {term[:2] for term in query.weights}
    for i, unit in enumerate(pool.tolist()):
        name = view.units.name(unit)
        if name.isascii() and not any(_may_begin(part, heads) for part in split_identifier(name)):
            continue
        terms = identifier_terms(name)
        if len(terms) > 1:
            parts = terms[:-1]
            told[i] = sum(1 for part in parts if part in query.weights) / len(parts)
            phrase[i] = terms[-1] in query.weights
        elif terms:
            told[i] = 0.5 * (terms[0] in query.weights)
    return told, phrase


def _may_begin(part: str, heads: set[str]) -> bool:
    """Whether the stem of a part may be a word that begins so. A stem's first two letters are its word's, but for
    `dying` → `die`; a part of one letter counts in the joined name only."""
    return part[:2] in heads or len(part) < 2 or part[1] == "y"


def _nesting(view: View, words: Floats, pool: Ints) -> tuple[Floats, Floats]:
    """Words of the unit around (never the file), and of the best unit directly inside."""
    owner, kind = view.units.owner, view.units.column("kind")
    holder = owner[pool]
    around = np.where((holder != NONE) & (kind[holder] != UnitKind.FILE), words[holder], 0.0)
    inner = np.flatnonzero((words > 0) & (owner != NONE))
    inside = np.zeros(len(words), np.float64)
    np.maximum.at(inside, owner[inner], words[inner])
    return around, inside[pool] * (kind[pool] != UnitKind.FILE)


def _focus_signals(view: View, focus: Focus, pool: Ints) -> tuple[Floats, Floats]:
    place = {unit: i for i, unit in enumerate(pool.tolist())}
    named = np.zeros(len(pool), np.float64)
    for unit, weight in focus.units:
        if unit in place:
            named[place[unit]] = max(named[place[unit]], weight)
    return named, np.isin(view.units.file[pool], np.array(focus.files, np.int64)).astype(np.float64)


def _graph_signals(view: View, draft: Draft, words: Floats, pool: Ints) -> dict[str, Floats]:
    """How likely the neighbours are by the draft: callers, callees, units of the same file; tests that use the unit or
    import its file, by their words. A hub's neighbours share what they give."""
    units, files = len(words), len(view.files)
    file_of = view.units.file
    chance = np.zeros(units, np.float64)
    best = _best(draft.score)
    chance[pool] = np.exp(weights.DRAFT_SHARPNESS * (draft.score[pool] / best - 1.0))
    chance /= chance.sum() or 1.0
    known = standing(view)
    source, target = known.source, known.target
    told = np.flatnonzero(chance[source] > 0)
    called = np.bincount(target[told], weights=(chance / known.uses)[source[told]], minlength=units)
    told = np.flatnonzero(chance[target] > 0)
    calling = np.bincount(source[told], weights=(chance / known.users)[target[told]], minlength=units)
    by_file = np.bincount(file_of, weights=chance, minlength=files)
    tested, tested_file = np.zeros(units, np.float64), np.zeros(files, np.float64)
    np.maximum.at(tested, target[known.from_test], words[source[known.from_test]])
    tests, sources = known.tests, known.tested
    share = draft.lexical.files / _best(draft.lexical.files)
    many = np.sqrt(np.bincount(tests, minlength=files).astype(np.float64))
    np.maximum.at(tested_file, sources, share[tests] / np.maximum(many[tests], 1.0))
    return {
        "callers": np.minimum(np.sqrt(called[pool]), 1.0),
        "callees": np.minimum(np.sqrt(calling[pool]), 1.0),
        "same file": np.minimum(by_file[file_of[pool]] - chance[pool], 1.0),
        "tested": tested[pool],
        "tested file": tested_file[file_of[pool]],
        "used": np.minimum(np.log2(1.0 + np.isin(pool, target) * known.users[pool] ** 2) / 6.0, 1.0),
    }


def _past_signals(past: Past | None, files: Ints, pool: Ints) -> dict[str, Floats]:
    if past is None:
        return dict.fromkeys(PAST_SIGNALS, np.zeros(len(pool), np.float64))
    found = past.similar[files], past.often[files], past.unit_similar[pool], past.unit_often[pool]
    return dict(zip(PAST_SIGNALS, found, strict=True))


def _shape(view: View, pool: Ints) -> dict[str, Floats]:
    column = view.units.column
    kind, flags = column("kind")[pool], column("flags")[pool]
    size = np.maximum(column("end")[pool] - column("start")[pool], 1).astype(np.float64)
    shape = {name: np.isin(kind, np.array(kinds)).astype(np.float64) for name, kinds in _KINDS.items()}
    shape["size"] = np.clip(np.log2(size / 64.0) / 8.0, 0.0, 1.0)
    files, place = np.unique(view.units.file[pool], return_inverse=True)
    aside = np.array([bool(_ASIDE.search(view.files[file].path)) for file in files.tolist()], np.float64)
    shape["aside"] = aside[place]
    shape["exported"] = ((flags & int(UnitFlag.EXPORTED)) > 0).astype(np.float64)
    shape["inner"] = ((flags & int(UnitFlag.LOCAL)) > 0).astype(np.float64)
    return shape
