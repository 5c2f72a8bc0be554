"""The one question: which code must be seen to do this task? Prompt in, context out."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from cmgit.core.config import Config
from cmgit.core.errors import UsageError
from cmgit.core.records import Context, RankedUnit
from cmgit.retrieve import weights
from cmgit.retrieve.assemble import DETAILS, assemble, weigher
from cmgit.retrieve.focus import find_focus
from cmgit.retrieve.lines import NamedLines, named_lines
from cmgit.retrieve.near import nearer
from cmgit.retrieve.notes_part import NOTHING_BESIDE, Spot, notes_part
from cmgit.retrieve.ports import View
from cmgit.retrieve.prompt import read_prompt
from cmgit.retrieve.quote import json_length, one_line
from cmgit.retrieve.rank import Ranking, owners, rank
from cmgit.retrieve.render import Rendered, Renderer, render
from cmgit.retrieve.seen import NOTHING_SEEN, Seen
from cmgit.retrieve.shown import Assembled
from cmgit.retrieve.silence import silence

EmbedQuery = Callable[[str], NDArray[np.float32]]

ROUTES = ("auto", "direct", "named", "search")
POOL = 60
ATTEMPTS = 8
ORDINARY_BUDGET = 6_000
WRAPPER = 3_000  # characters beside the source
NOTHING = ""
"""What does not answer the prompt costs more than silence."""

NO_BUDGET = "The budget is 0 bytes: no source is shown.\n"


def search(view: View, query: str, k: int, embed_query: EmbedQuery | None = None) -> list[RankedUnit]:
    """The first k units for a question in words or names, best first; empty when nothing matches."""
    prompt = read_prompt(query)
    return list(rank(view, prompt, find_focus(view, prompt), embed_query, max(k, 0)).units)


def retrieve(
    view: View,
    prompt: str,
    config: Config,
    route: str = "auto",
    detail: str = "normal",
    budget: int | None = None,
    embed_query: EmbedQuery | None = None,
    explain: bool = False,
    seen: Seen = NOTHING_SEEN,
    near: str = "",
    most: int | None = None,
) -> Context:
    """The context for a prompt.

    Args:
        route: `auto` takes `named` when the glossary knows a name or path of the prompt, else `search`. `direct` needs
            no view, see `direct.direct_context`; here it is answered like `named`.
        budget: bytes of source, the config's when None; 0 shows none.
        embed_query: text to float32[d] of unit length; called by the search route only.
        seen: what the asker was shown before.
        near: the folder of the repository that the asker works in, of a package at best; its units come first.
        most: characters of the text as a JSON string (a line break is two); None: the config's, of the text itself.

    Raises:
        UsageError: an empty prompt, an unknown route or detail, a negative budget.
    """
    limit = config.budget if budget is None else budget
    _check(route, detail, limit)
    started = perf_counter()
    asked = read_prompt(prompt)
    focus = find_focus(view, asked)
    by_name = route in ("named", "direct") or (route == "auto" and focus.found)
    read = perf_counter()
    ranking = rank(view, asked, focus, None if by_name else embed_query, POOL)
    if route == "auto" and by_name and not ranking.units:
        by_name = False
        ranking = rank(view, asked, focus, embed_query, POOL)
    ranking = nearer(view, ranking, near)
    ranked = perf_counter()
    rendered, assembled = _answer(view, ranking, config, detail, limit, named_lines(view, asked, focus), seen, most)
    done = perf_counter()
    return Context(
        route="named" if by_name else "search",
        tree=view.tree,
        dirty=view.dirty,
        items=rendered.items,
        call_sites=assembled.uses.sites if assembled and rendered.items else (),
        omitted=dict(assembled.omitted) if assembled else {},
        source_bytes=sum(item.end_byte - item.start_byte for item in rendered.items),
        text=rendered.text,
        pending=view.pending,
        seconds={"prompt": read - started, "rank": ranked - read, "assemble": done - ranked, "total": done - started},
        explain=_explained(view, ranking) if explain else (),
        again=rendered.again,
        silence=silence(asked, focus, ranking),
        notes=rendered.notes,
        unknown=focus.unknown,
    )


def _check(route: str, detail: str, budget: int) -> None:
    if route not in ROUTES:
        raise UsageError(f"Unknown route: {route}", f"One of: {', '.join(ROUTES)}")
    if detail not in DETAILS:
        raise UsageError(f"Unknown detail: {detail}", f"One of: {', '.join(DETAILS)}")
    if budget < 0:
        raise UsageError("The budget is below 0", "Give a number of bytes, 0 for no source")


def _answer(
    view: View,
    ranking: Ranking,
    config: Config,
    detail: str,
    limit: int,
    named: NamedLines,
    seen: Seen,
    most: int | None,
) -> tuple[Rendered, Assembled | None]:
    """Assemble and render; where the text comes out too long, once more with less source."""
    if not ranking.units or not ranking.telling:
        return Rendered(NOTHING, ()), None
    if limit == 0:
        return Rendered(NO_BUDGET, ()), None
    roots = choose_roots(view, ranking, detail)
    note = (
        f"Only words and the graph were searched: {one_line(ranking.without_vectors)}.\n"
        if ranking.without_vectors
        else ""
    )
    measure = len if most is None else json_length
    longest = (most_characters(config, limit) if most is None else most) - measure(note)
    notes = notes_part(view, config, limit)
    budget = limit - notes.expected([_spot(view, root.unit) for root in roots]) if notes else limit
    weigh = weigher(view, ranking.terms)
    for _ in range(ATTEMPTS):
        assembled = assemble(view, ranking, roots, detail, budget, named, longest, weigh)
        if not assembled.pieces:
            break
        files = dict.fromkeys(piece.file for piece in assembled.pieces)
        languages = {file: view.files[file].language for file in files}
        rendered = render(assembled, Renderer(dict(assembled.sources), languages, seen))
        room = limit - assembled.used
        beside = notes.beside(list(map(Spot.of, rendered.items)), room) if notes else NOTHING_BESIDE
        text = beside.before + rendered.text + beside.after
        length = measure(text)
        if length <= longest and beside.size <= room:
            return Rendered(text + note, rendered.items, rendered.again, beside.rows), assembled
        if length <= longest:
            budget = min(limit - beside.size, budget - 1)
            continue
        budget = min(assembled.used, budget) * longest // length - 100
        if budget <= 0:
            break
    return Rendered("The code that was found does not fit the budget.\n", ()), None


def _spot(view: View, unit: int) -> Spot:
    seen = view.unit(unit)
    return Spot(seen.path, seen.qualname, seen.kind == "file")


def most_characters(config: Config, limit: int) -> int:
    """Of a whole context. Who asks for more source than the ordinary gets the text that it takes."""
    return config.max_characters if limit <= ORDINARY_BUDGET else max(config.max_characters, limit + WRAPPER)


def choose_roots(view: View, ranking: Ranking, detail: str) -> list[RankedUnit]:
    """The first units that are nearly as likely as the best; what is inside or around a root is no second root."""
    most = DETAILS[detail].roots
    chosen: list[RankedUnit] = []
    for ranked, chance in zip(ranking.units, ranking.chances, strict=True):
        if chance < weights.ROOT_SHARE * ranking.chances[0] or len(chosen) >= most:
            break
        around = set(owners(view, ranked.unit))
        if not any(root.unit in around or ranked.unit in owners(view, root.unit) for root in chosen):
            chosen.append(ranked)
    return chosen


def _explained(view: View, ranking: Ranking) -> tuple[dict[str, object], ...]:
    return tuple(
        {
            "path": view.files[int(view.units.file[ranked.unit])].path,
            "name": view.units.name(ranked.unit),
            "qualname": view.units.qualname(ranked.unit),
            "score": ranked.score,
            "why": dict(ranked.why),
        }
        for ranked in ranking.units[:20]
    )
