"""What a person or an agent asks of notes: one method for each question, the same for the command line and for MCP.
Methods take plain values and give plain documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from cmgit.core.errors import CmgitError, UsageError
from cmgit.notes import documents, entities
from cmgit.notes.anchors import Checker
from cmgit.notes.memory import Memory, open_memory
from cmgit.notes.model import Head
from cmgit.notes.search import Question, search_notes
from cmgit.notes.standing import Standing
from cmgit.notes.uri import Uri, read_uri

if TYPE_CHECKING:
    from cmgit.view.view import View

Document = dict[str, object]


class Reading:
    """The notes of one view or working tree at one moment.

    Args:
        view: makes one when the code has to be looked at. now: the time as `YYYY-MM-DDTHH:MM:SSZ`.
    """

    def __init__(self, standing: Standing, view: Callable[[], View], now: Callable[[], str]) -> None:
        self.standing, self._make_view, self._now = standing, view, now

    @cached_property
    def memory(self) -> Memory | None:
        return open_memory(self.standing)

    @cached_property
    def view(self) -> View:
        return self._make_view()

    @cached_property
    def checker(self) -> Checker:
        return self._checker(thorough=True)

    @cached_property
    def quick(self) -> Checker:
        """Says that something is gone, without looking for where it went."""
        return self._checker(thorough=False)

    def _checker(self, *, thorough: bool) -> Checker:
        return Checker(self.view, self._memory_or_empty, thorough=thorough)

    @cached_property
    def _memory_or_empty(self) -> Memory:
        return self.memory or Memory(self.standing)

    def _head(self, ident: str) -> Head:
        row = self.memory.row_of(ident) if self.memory is not None else None
        if row is None or self.memory is None:
            raise CmgitError(f"there is no note {ident}", "`git cm note list --all` shows those that are")
        return self.memory.head(row)

    def _writable(self) -> None:
        if self.standing.changes is None:
            raise UsageError("notes of a revision cannot be changed", "leave out --rev: the working tree is written")

    # Reading

    def listed(self, statuses: frozenset[str]) -> Document:
        memory = self.memory
        heads = [memory.head(row) for row in memory.rows()] if memory is not None else []
        chosen = [head for head in heads if head.status in statuses]
        chosen.sort(key=lambda head: (head.updated, head.id), reverse=True)
        return {
            "notes": [documents.line(head) for head in chosen],
            "others": len(heads) - len(chosen),
            "unreadable": documents.unreadable(memory),
        }

    def search(self, question: Question) -> Document:
        memory = self.memory
        if memory is None:
            if not question.anchors and not question.text.strip():
                raise UsageError("nothing to search for", "give words or anchors")
            return {"results": [], "more": 0, "searched": 0}
        answer = search_notes(memory, question)
        results: list[Document] = []
        for hit in answer.hits:
            stale = [state for state in self.quick.states(hit.head) if state.is_stale]
            results.append(documents.line(hit.head) | documents.hit(hit) | {"stale": documents.stale(stale)})
        return {"results": results, "more": answer.more, "searched": answer.searched}

    def show(self, idents: Iterable[str]) -> Document:
        found: list[Document] = []
        missing: list[str] = []
        for ident in dict.fromkeys(idents):
            memory = self.memory
            row = memory.row_of(ident) if memory is not None else None
            note = memory.note(row) if memory is not None and row is not None else None
            if memory is None or note is None:
                missing.append(ident)
                continue
            found.append(documents.whole(note, self.checker.states(note.head), self._linked(note.head)))
        return {"notes": found, "missing": missing}

    def _linked(self, head: Head) -> Sequence[tuple[str, Head | None]]:
        memory = self._memory_or_empty
        rows = [(ident, memory.row_of(ident)) for ident in head.links]
        return [(ident, memory.head(row) if row is not None else None) for ident, row in rows]

    def verify(self, touched: Callable[[Checker, Uri], bool] | None = None, idents: Sequence[str] = ()) -> Document:
        """Every note with an anchor that is not as it was; with `touched`, every one that a change touched."""
        memory = self.memory
        notes: list[Document] = []
        checked = 0
        for row in memory.rows() if memory is not None else []:
            head = self._memory_or_empty.head(row)
            if idents and head.id not in idents:
                continue
            checked += 1
            if touched is not None:
                hit = [
                    a
                    for a in head.anchors
                    if (uri := read_uri(a.uri)) is not None and uri.is_code and touched(self.checker, uri)
                ]
                states = [self.checker.state(anchor) for anchor in hit]
            else:
                states = [state for state in self.checker.states(head) if state.is_stale]
            if states or head.problems:
                notes.append(
                    documents.line(head) | {"anchors": documents.states(states), "problems": list(head.problems)}
                )
        return {"checked": checked, "notes": notes, "unreadable": documents.unreadable(memory)}

    def stats(self) -> Document:
        memory = self.memory
        heads = [memory.head(row) for row in memory.rows()] if memory is not None else []
        return documents.stats(self._memory_or_empty, heads, self.checker if heads else None)

    # Entities

    def entities(self) -> Document:
        memory = self.memory
        known = list(memory.entities.values()) if memory is not None else []
        counts = {
            entity.name: len(memory.with_uri(f"entity:{entity.name}")) if memory is not None else 0 for entity in known
        }
        return {"entities": [{"name": e.name, "meaning": e.meaning, "notes": counts[e.name]} for e in known]}

    def entity(self, name: str) -> Document:
        memory = self._memory_or_empty
        entity = entities.find(memory.entities_text, name)
        heads = [memory.head(row) for row, _ in memory.with_uri(f"entity:{name}")]
        return {"name": entity.name, "meaning": entity.meaning, "notes": [documents.line(head) for head in heads]}
