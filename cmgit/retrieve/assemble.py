"""From ranked units to what is shown: roots, their dependencies, short files whole, further units, call sites."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from cmgit.core.facts import NONE, UnitKind
from cmgit.core.record import record
from cmgit.core.records import ItemRole, RankedUnit, Role
from cmgit.retrieve import weights
from cmgit.retrieve.focus import QUIET_ROLES
from cmgit.retrieve.lexical import rarity
from cmgit.retrieve.lines import NamedLines, around_callback, lines_in
from cmgit.retrieve.parts import Span, Weigher, lines_of, signature_span, telling_parts
from cmgit.retrieve.ports import Edge, View
from cmgit.retrieve.rank import Ranking, owners
from cmgit.retrieve.shown import Assembled, Found, Ledger, Shown
from cmgit.retrieve.spend import Grant, spend
from cmgit.retrieve.uses import find_uses

SMALL_DEPENDENCY = 1_200
SHORT_FILE = 3_000
LARGEST_FILL = 2_400
PART_ROOM = 900
LEAST_PART = 200
NAMED_ROOM = 3_600  # bytes for a root of which the prompt names lines
MOST_INNER = 64  # units inside a root whose references are followed


@record
class Detail:
    """How far to go: roots, steps along the graph, nodes reached."""

    roots: int
    steps: int
    nodes: int


DETAILS = {
    "normal": Detail(weights.MOST_ROOTS, 1, 12),
    "expanded": Detail(weights.MOST_ROOTS_EXPANDED, 2, 24),
}


def assemble(
    view: View,
    ranking: Ranking,
    roots: list[RankedUnit],
    detail: str,
    budget: int,
    named: NamedLines | None = None,
    characters: int | None = None,
    weigh: Weigher | None = None,
) -> Assembled:
    """Spend the budget in the order of the design; deterministic for the same ranking.

    Args:
        named: lines that the prompt names; those of a root are shown, however large it is.
        characters: of the text that the pieces will make, headings included; None where they are not limited.
        weigh: see `weigher`; one for all layouts of an answer spares their work.
    """
    limits = DETAILS[detail]
    ledger = Ledger(view, budget)
    omitted: dict[str, int] = {}
    weigh = weigh or weigher(view, ranking.terms)
    lines = named or {}
    lifted = [around_callback(view, root, lines) for root in roots]
    roots = list({root.unit: root for root, _ in lifted}.values())
    shown = _show_granted(ledger, ranking, roots, weigh, omitted, lines, characters)
    scores = {ranked.unit: ranked.score for ranked in ranking.units}
    for owner in dict.fromkeys(owner for _, owner in lifted if owner is not None):
        _show_signature(ledger, owner, scores.get(owner, 0.0))
    _show_dependencies(ledger, shown, limits, scores, omitted)
    _show_short_files(ledger, shown)
    _fill(ledger, ranking, weigh)
    uses = find_uses(view, shown)
    names = tuple((found.unit, found.view.name or found.view.path) for found in shown)
    if uses.more:
        omitted["call_sites"] = uses.more
    cut = {(p.file, p.whole) for p in ledger.pieces if p.role == ItemRole.PART}
    if cut:
        omitted["cut_units"] = len(cut)
    return Assembled(tuple(ledger.pieces), names, uses, omitted, ledger.used, ledger.sources)


def _show_granted(
    ledger: Ledger,
    ranking: Ranking,
    roots: list[RankedUnit],
    weigh: Callable[[str], float],
    omitted: dict[str, int],
    named: NamedLines,
    characters: int | None,
) -> list[Found]:
    """The roots, then further ranked units, each as much as its chance is worth."""
    view = ledger.view
    chance = dict(zip((ranked.unit for ranked in ranking.units), ranking.chances, strict=False))
    mine = {root.unit for root in roots}
    # Tests and copies do not fill an answer about sources; where one of them is a root, they were asked for.
    quiet = any(_role(view, unit) in QUIET_ROLES for unit in mine)
    others = [r for r in ranking.units if r.unit not in mine and (quiet or _role(view, r.unit) not in QUIET_ROLES)]
    offered = [*roots, *others[: weights.MOST_OFFERS]]
    floor = weights.LEAST_CHANCE * max(ranking.chances, default=0.0)
    offered = [r for r in offered if r.unit in mine or chance.get(r.unit, 0.0) >= floor]
    kept = ledger.budget - int(weights.DEPENDENCY_SHARE * ledger.budget)
    least = {unit: min(NAMED_ROOM, kept // len(mine)) for unit in mine if lines_in(view, unit, named)}
    chances = [chance.get(r.unit, 0.0) for r in offered]
    granted = spend(view, [r.unit for r in offered], chances, kept, least, characters)
    grants = {grant.unit: grant for grant in granted}
    shown: list[Found] = []
    for ranked in offered:
        grant, root = grants.get(ranked.unit), ranked.unit in mine
        if grant is None and not root:
            continue
        found = ledger.find(ranked.unit)
        if found is None:
            _count(omitted, "gone")
            continue
        role = ItemRole.ROOT if root else ItemRole.DEPENDENCY
        room = ledger.room if grant is None or grant.whole else min(grant.room, ledger.room)
        lines = lines_in(view, ranked.unit, named) if root else []
        piece = found if grant is not None else _whole_around(ledger, found, grants)
        if _show(ledger, piece, role, ranked.score, weigh, room, lines) and root:
            shown.append(found)
        elif root and not ledger.touches(found.file, found.view.start_byte, found.view.end_byte):
            _count(omitted, "roots")
    return shown


def _whole_around(ledger: Ledger, root: Found, grants: dict[int, Grant]) -> Found:
    """What holds a root and is to be shown whole: shown by itself the root would stand in its way."""
    for owner in owners(ledger.view, root.unit):
        if owner in grants and grants[owner].whole:
            around = ledger.find(owner)
            return around if around is not None and around.size <= ledger.room else root
    return root


def _role(view: View, unit: int) -> Role:
    return view.files[int(view.units.file[unit])].role


def _show(
    ledger: Ledger,
    found: Found,
    role: ItemRole,
    score: float,
    weigh: Callable[[str], float],
    room: int,
    lines: Sequence[int] = (),
) -> bool:
    """A unit whole if it fits into the room, else its telling parts."""
    if found.size <= room:
        if found.view.kind == UnitKind.FILE.label:
            return ledger.add(_whole_file(found, score)) if found.size else False
        note = "" if role == ItemRole.ROOT else "also ranked"
        return ledger.add(_piece(found, role, _whole(found), score, note))
    if room < LEAST_PART:
        return False
    return _show_parts(ledger, found, score, weigh, room, lines)


def _count(omitted: dict[str, int], reason: str) -> None:
    omitted[reason] = omitted.get(reason, 0) + 1


def weigher(view: View, terms: dict[str, float]) -> Weigher:
    """Rarity of a term of the prompt in this view times its weight; 0 for other terms."""
    known: dict[str, float] = {}

    def weigh(term: str) -> float:
        if term not in terms:
            return 0.0
        if term not in known:
            posting = view.postings(term)
            known[term] = terms[term] * rarity(len(view.units), len(posting[0])) if len(posting[0]) else 0.0
        return known[term]

    return Weigher(terms, weigh)


def _piece(found: Found, role: ItemRole, span: Span, score: float, note: str = "") -> Shown:
    unit = found.view
    return Shown(
        role=role,
        file=found.file,
        path=unit.path,
        name=unit.name,
        qualname=unit.qualname,
        kind=unit.kind,
        span=span,
        whole=(unit.start_line, unit.end_line),
        score=score,
        note=note,
    )


def _whole(found: Found) -> Span:
    unit = found.view
    return Span(unit.start_byte, unit.end_byte, unit.start_line, unit.end_line)


def _body_start(view: View, found: Found) -> int:
    """Where the body begins, moved along with the unit when the file has changed since."""
    column = view.units.column
    return int(column("body_start")[found.unit]) - int(column("start")[found.unit]) + found.view.start_byte


def _show_parts(
    ledger: Ledger, found: Found, score: float, weigh: Callable[[str], float], room: int, lines: Sequence[int] = ()
) -> bool:
    unit, body = found.view, _body_start(ledger.view, found)
    spans = telling_parts(found.source.data, unit.start_byte, unit.end_byte, unit.start_line, body, weigh, room, lines)
    added = [ledger.add(_piece(found, ItemRole.PART, span, score)) for span in spans]
    return any(added)


def _whole_file(found: Found, score: float) -> Shown:
    data = found.source.data
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    lines = lines_of(data, start, len(data), 1)
    last = lines[-1].end_line if lines else 1
    name = found.view.path.rsplit("/", 1)[-1]
    span = Span(start, len(data), 1, last)
    return Shown(
        ItemRole.WHOLE_FILE, found.file, found.view.path, name, name, "file", span, (1, last), score, "whole file"
    )


def _show_dependencies(
    ledger: Ledger, roots: list[Found], limits: Detail, scores: dict[int, float], omitted: dict[str, int]
) -> None:
    """Declarations that the roots use: small ones whole, larger ones by their signature, nearest and best first."""
    view = ledger.view
    reached = {found.unit for found in roots}
    frontier, nodes = [found.unit for found in roots], 0
    for _ in range(limits.steps):
        targets: dict[int, int] = {}
        for unit in frontier:
            for edge in _uses(view, unit):
                if edge.target_unit not in reached and edge.target_unit != NONE:
                    targets.setdefault(edge.target_unit, edge.line)
        order = sorted(targets, key=lambda target: (-scores.get(target, 0.0), target))
        for target in order:
            reached.add(target)
            if nodes >= limits.nodes:
                _count(omitted, "dependencies")
                continue
            nodes += 1
            if not _show_dependency(ledger, target, scores.get(target, 0.0)):
                _count(omitted, "dependencies")
        frontier = order


def _uses(view: View, unit: int) -> list[Edge]:
    """References that stand in a unit or in a unit inside it, to units outside."""
    end, file = view.units.column("end"), view.units.file
    last = unit + 1
    while last < len(view.units) and file[last] == file[unit] and end[last] <= end[unit]:
        last += 1
    edges = [edge for inner in range(unit, min(last, unit + MOST_INNER)) for edge in view.callees(inner)]
    return [edge for edge in edges if not unit <= edge.target_unit < last]


def _show_dependency(ledger: Ledger, target: int, score: float) -> bool:
    """Whether it is shown now, in full or by its signature, or was shown before."""
    found = ledger.find(target)
    if found is None or found.view.kind == UnitKind.FILE.label:
        return True
    unit = found.view
    if ledger.touches(found.file, unit.start_byte, unit.end_byte):
        return True
    if found.size <= SMALL_DEPENDENCY:
        return ledger.add(_piece(found, ItemRole.DEPENDENCY, _whole(found), score))
    return _show_signature(ledger, target, score)


def _show_signature(ledger: Ledger, target: int, score: float) -> bool:
    found = ledger.find(target)
    if found is None:
        return False
    data, unit = found.source.data, found.view
    span = signature_span(data, unit.start_byte, unit.end_byte, unit.start_line, _body_start(ledger.view, found))
    return ledger.add(_piece(found, ItemRole.SIGNATURE, span, score, "signature only"))


def _show_short_files(ledger: Ledger, roots: list[Found]) -> None:
    """The roots' files whole where they are short, so that no second look is needed."""
    for found in roots:
        data = found.source.data
        if len(data) > SHORT_FILE or any(p.file == found.file and p.role == ItemRole.PART for p in ledger.pieces):
            continue
        pieces = [p for p in ledger.pieces if p.file == found.file]
        if pieces and pieces[0].role != ItemRole.WHOLE_FILE:
            whole = _whole_file(found, max(p.score for p in pieces))
            ledger.replace_file(found.file, replace(whole, note=f"whole file, for {found.view.name or 'its code'}"))


def _fill(ledger: Ledger, ranking: Ranking, weigh: Callable[[str], float]) -> None:
    """What is left goes to further ranked units, best first: small ones whole, large ones by their telling parts."""
    if not ranking.units:
        return
    view, kinds = ledger.view, ledger.view.units.column("kind")
    quiet = _role(view, ranking.units[0].unit) in QUIET_ROLES
    floor = weights.LEAST_CHANCE * ranking.chances[0]
    for ranked, chance in zip(ranking.units, ranking.chances, strict=True):
        if chance < floor or ledger.room < LEAST_PART:
            return
        role = view.files[int(view.units.file[ranked.unit])].role
        if int(kinds[ranked.unit]) == UnitKind.FILE or (role in QUIET_ROLES and not quiet):
            continue
        found = ledger.find(ranked.unit)
        if found is None or ledger.touches(found.file, found.view.start_byte, found.view.end_byte):
            continue
        if found.size <= min(ledger.room, LARGEST_FILL):
            ledger.add(_piece(found, ItemRole.DEPENDENCY, _whole(found), ranked.score, "also ranked"))
        else:
            _show_parts(ledger, found, ranked.score, weigh, min(ledger.room, PART_ROOM))
