"""What was chosen as text: quoted as data, stated plainly, the same bytes for the same choice."""

from __future__ import annotations

from cmgit.core.digests import digest_of
from cmgit.core.facts import UnitKind
from cmgit.core.record import record
from cmgit.core.records import CallSite, ContextItem, ItemRole
from cmgit.retrieve.masking import mask, secret_spans
from cmgit.retrieve.ports import Source
from cmgit.retrieve.quote import escape_source, fence_for, one_line
from cmgit.retrieve.seen import NOTHING_SEEN, Seen
from cmgit.retrieve.shown import MODULE, Assembled, Shown, UsesOf, was_seen

LONGEST_LABEL = 160
_SUFFIX_TAGS = {"vue": "vue", "svelte": "svelte", "astro": "astro", "typescript": "ts", "tsx": "tsx", "jsx": "jsx"}


@record
class Rendered:
    """again: what was shown before and is pointed at."""

    text: str
    items: tuple[ContextItem, ...]
    again: tuple[ContextItem, ...] = ()
    notes: tuple[dict[str, object], ...] = ()


class Renderer:
    """Turns pieces into text."""

    def __init__(self, sources: dict[int, Source], languages: dict[int, str], seen: Seen = NOTHING_SEEN) -> None:
        self._sources = sources
        self._languages = languages
        self._seen = seen

    def again(self, piece: Shown) -> ContextItem | None:
        """The piece, where it was shown before and is the same."""
        source = self._sources[piece.file]
        if not was_seen(self._seen, piece, source):
            return None
        return _context_item(piece, piece.role, source, False)

    def quoted(self, piece: Shown) -> tuple[str, bool]:
        """The piece's source as it may be shown, and whether that differs from the disk."""
        data = self._sources[piece.file].data
        secrets = secret_spans(data, piece.span.start, piece.span.end)
        shown, masked = mask(data, piece.span.start, piece.span.end, secrets)
        text, escaped = escape_source(shown.decode("utf-8", "surrogateescape"))
        return text, masked or escaped

    def item(self, piece: Shown) -> tuple[str, ContextItem]:
        source, altered = self.quoted(piece)
        role = piece.role
        if altered and role == ItemRole.WHOLE_FILE:
            role = ItemRole.PART
        header = (
            f"{label(piece.path)}:{piece.span.start_line}-{piece.span.end_line} {label(_named(piece))} {piece.kind}"
        )
        notes = _notes(piece, altered, self._sources[piece.file].checked_out)
        fence = fence_for(source)
        tag = _SUFFIX_TAGS.get(self._languages.get(piece.file, ""), "js")
        end = "" if source.endswith("\n") else "\n"
        text = f"{header}{notes}\n{fence}{tag}\n{source}{end}{fence}\n"
        return text, _context_item(piece, role, self._sources[piece.file], altered)


def _named(piece: Shown) -> str:
    return piece.qualname or piece.name or ("module level" if piece.kind == UnitKind.BLOCK.label else "anonymous")


def _notes(piece: Shown, altered: bool, checked_out: bool) -> str:
    notes = []
    if piece.role == ItemRole.PART:
        notes.append(f"part of lines {piece.whole[0]}-{piece.whole[1]}")
    elif piece.note and not (altered and piece.role == ItemRole.WHOLE_FILE):
        cut = f", cut; lines {piece.whole[0]}-{piece.whole[1]} in all" if piece.role == ItemRole.SIGNATURE else ""
        notes.append(label(piece.note) + cut)
    if altered:
        notes.append("some characters are masked or escaped: differs from the file")
    if not checked_out:
        notes.append("not checked out here: git's copy")  # libgit2/libgit2#5813
    return f" ({'; '.join(notes)})" if notes else ""


def label(text: str) -> str:
    """A path or a name for a line of ours."""
    shown = one_line(text)
    return shown if len(shown) <= LONGEST_LABEL else shown[: LONGEST_LABEL - 1] + "…"


def _context_item(piece: Shown, role: ItemRole, source: Source, altered: bool) -> ContextItem:
    return ContextItem(
        role=role,
        path=piece.path,
        name=piece.name,
        qualname=piece.qualname,
        kind=piece.kind,
        start_line=piece.span.start_line,
        end_line=piece.span.end_line,
        start_byte=piece.span.start,
        end_byte=piece.span.end,
        oid=source.oid,
        score=piece.score,
        masked=altered,
        digest=digest_of(source.data[piece.span.start : piece.span.end]),
    )


def render(assembled: Assembled, renderer: Renderer) -> Rendered:
    """The whole answer. Items stand in the order in which they were chosen; a gap within one unit is marked."""
    blocks: list[str] = []
    items: list[ContextItem] = []
    again: list[ContextItem] = []
    before: Shown | None = None
    for piece in assembled.pieces:
        earlier = renderer.again(piece)
        if earlier is not None:
            again.append(earlier)
            continue
        if before is not None and _same_unit(before, piece):
            gap = (before.span.end_line + 1, piece.span.start_line - 1)
            blocks.append(f"(lines {gap[0]}-{gap[1]} not shown)\n" if gap[0] <= gap[1] else "")
        text, item = renderer.item(piece)
        blocks.append(text)
        items.append(item)
        before = piece
    lines = _pointers(again)
    if items:
        known = {item.name for item in again if item.role == ItemRole.ROOT}
        lines += [*_site_lines(assembled, known), *_ending(assembled, any(item.masked for item in items))]
    quoted = "\n".join(filter(None, blocks))
    return Rendered((quoted + "\n" if quoted else "") + "\n".join(lines) + "\n", tuple(items), tuple(again))


def _pointers(again: list[ContextItem]) -> list[str]:
    """One line for all that was shown before."""
    if not again:
        return []
    places = ", ".join(f"{label(i.path)}:{i.start_line}-{i.end_line} {label(i.qualname or i.name)}" for i in again)
    return [f"Shown earlier in this conversation and unchanged since: {places}."]


def _same_unit(before: Shown, piece: Shown) -> bool:
    return before.role == piece.role == ItemRole.PART and (before.file, before.whole) == (piece.file, piece.whole)


def _site_lines(assembled: Assembled, known: set[str]) -> list[str]:
    """known: names whose call sites were told with their source."""
    return [line for uses in assembled.uses.of if uses.name not in known for line in _lines_of(uses)]


def _lines_of(uses: UsesOf) -> list[str]:
    lines = []
    name = label(uses.name)
    calls = _listed(uses.calls, uses.more_calls)
    if uses.inside:
        place = f"it is used where it stands, {'at' if uses.inside == MODULE else 'inside'} {label(uses.inside)}"
        outer = f"; those of the outer {name}: " if uses.of_outer else "; "
        lines.append(f"Call sites of {name}: {place}{outer + calls if calls else ''}.")
    elif calls:
        lines.append(f"Call sites of {name}: {calls}.")
    else:
        count = "1 use" if uses.unbound == 1 else f"{uses.unbound} uses"
        bound = "every use of the name in this tree was bound"
        known = f"not proven: {count} of the name could not be bound" if uses.unbound else bound
        lines.append(f"Call sites of {name}: none found ({known}).")
    if uses.values:
        lines.append(f"Passed on as a value: {name} at {_listed(uses.values, uses.more_values)}.")
    return lines


def _listed(sites: tuple[CallSite, ...], more: int) -> str:
    return ", ".join(map(_site, sites)) + (f", and {more} more" if more else "")


def _site(site: CallSite) -> str:
    caller = f" ({label(site.caller)})" if site.caller else " (module level)"
    likely = " likely" if site.confidence == "likely" else ""
    return f"{label(site.path)}:{site.line}{caller}{likely}"


_REASONS = {
    "roots": ("matching unit that did not fit", "matching units that did not fit"),
    "dependencies": (
        "dependency of the shown code that did not fit",
        "dependencies of the shown code that did not fit",
    ),
    "gone": ("unit that is no longer on disk", "units that are no longer on disk"),
    "cut_units": ("unit shown in part", "units shown in part"),
    "call_sites": ("further call site", "further call sites"),
}
"""Why something is left out, in the singular and the plural."""


def _ending(assembled: Assembled, masked: bool) -> list[str]:
    left = [
        f"{count} {_REASONS[reason][count > 1]}"
        for reason, count in assembled.omitted.items()
        if count and reason in _REASONS
    ]
    signatures = sum(1 for piece in assembled.pieces if piece.role == ItemRole.SIGNATURE)
    if signatures:
        bodies = "the body of 1 dependency" if signatures == 1 else f"the bodies of {signatures} dependencies"
        left.append(f"{bodies} shown by signature")
    lines = []
    if left:
        lines.append(f"Left out: {'; '.join(left)}.")
    elif assembled.roots:
        names = ", ".join(label(name) for _, name in assembled.roots)
        lines.append(f"Nothing that {names} is known to need from this repository was left out.")
    if masked:
        lines.append("Masked or escaped text stands for the file's own characters.")
    return lines
