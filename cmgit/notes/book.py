"""Everything that a person or an agent does with notes: questions are in `reading`, what changes them here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cmgit.core.errors import CmgitError, UsageError
from cmgit.notes import documents, entities, rules
from cmgit.notes.anchors import MOVED
from cmgit.notes.edit import Editor, new_text
from cmgit.notes.model import ENTITIES, Anchor, Head
from cmgit.notes.reading import Document, Reading
from cmgit.notes.uri import read_uri, typed_uri
from cmgit.notes.write import NoteChanged, Written, change_file, create_file, dated, delete_file

CODE = ("file:", "symbol:")


@dataclass(frozen=True, slots=True)
class Changes:
    """What an edit of a note changes; None and () leave things as they are.

    anchors: (uri, weight) to add, or to give that weight. drop: URIs. confirm: the note holds for the code as it is.
    """

    summary: str | None = None
    status: str | None = None
    body: str | None = None
    append: str | None = None
    anchors: Sequence[tuple[str, str]] = ()
    drop: Sequence[str] = ()
    confirm: bool = False

    @property
    def nothing(self) -> bool:
        values = (self.summary, self.status, self.body, self.append)
        return all(value is None for value in values) and not (self.anchors or self.drop or self.confirm)


class Book(Reading):
    """Reading, and writing. What is written is seen by the next book: this one stays as it was opened."""

    # Writing

    def create(self, summary: str, body: str, anchors: Sequence[tuple[str, str]], status: str) -> Document:
        """A new note; its id is made here.

        Raises:
            UsageError: no anchors, an entity that is not registered, a summary with markup.
        """
        self._writable()
        checked = rules.check_anchors(anchors, self.memory)
        values = {"summary": rules.check_summary(summary), "status": rules.check_status(status)}
        text = rules.check_body(body)
        hashed = [self._with_hash(anchor) for anchor in checked]
        now = self._now()
        values |= {"created": now, "updated": now}
        memory = self.memory

        def taken(ident: str) -> bool:
            return memory is not None and memory.row_of(ident) is not None

        warnings = rules.warnings_for(hashed, text, memory, self.checker)
        ident, written = create_file(
            self.standing.location, taken, lambda ident: new_text({"id": ident} | values, hashed, text)
        )
        return {
            "id": ident,
            "path": written.path,
            "version": written.version,
            "warnings": warnings,
            "similar": self._similar(hashed, ident),
        }

    def _with_hash(self, anchor: Anchor) -> Anchor:
        uri = read_uri(anchor.uri)
        return Anchor(anchor.uri, anchor.weight, self.checker.current_hash(uri)) if uri is not None else anchor

    def _similar(self, anchors: Sequence[Anchor], besides: str) -> list[Document]:
        """Notes that share an anchor in code: perhaps one of them was to be changed instead."""
        memory = self.memory
        if memory is None:
            return []
        uris = [anchor.uri for anchor in anchors if anchor.uri.startswith(CODE)]
        rows = dict.fromkeys(row for uri in uris for row, _ in memory.with_uri(uri))
        heads = [memory.head(row) for row in rows if memory.status(row) != "outdated"]
        return [documents.line(head) for head in heads if head.id != besides][:5]

    def update(self, ident: str, changes: Changes, expected: str | None = None) -> Document:
        """Change a note.

        Args:
            expected: the version that was read. Needed to replace a body that others may change.

        Raises:
            NoteChanged: it is another version by now.
        """
        self._writable()
        if changes.nothing:
            raise UsageError("nothing to change", "name a summary, a status, a body, an anchor, or --confirm")
        head = self._head(ident)
        summary = rules.check_summary(changes.summary) if changes.summary is not None else None
        status = rules.check_status(changes.status) if changes.status is not None else None
        for text in (changes.body, changes.append):
            if text is not None:
                rules.check_body(text)
        added = rules.check_anchors(changes.anchors, self.memory) if changes.anchors else []
        hashed = {anchor.uri: self._with_hash(anchor) for anchor in added}
        confirmed = self._confirmed(head) if changes.confirm else {}

        def edit(text: str) -> str:
            editor = Editor(text)
            known = {uri for uri, _, _ in editor.front.anchors}
            if summary is not None:
                editor.set_value("summary", summary)
            if status is not None:
                editor.set_value("status", status)
            for uri, anchor in hashed.items():
                if uri in known:
                    editor.set_anchor(uri, weight=anchor.weight)
                else:
                    editor.add_anchor(anchor)
            for uri in changes.drop:
                editor.drop_anchor(uri)
            for uri, digest in confirmed.items():
                if uri in known and uri not in changes.drop:
                    editor.set_anchor(uri, digest=digest)
            if changes.body is not None:
                editor.set_body(changes.body)
            if changes.append is not None:
                editor.append(changes.append)
            if editor.text != text:
                editor.set_value("updated", dated(editor.front.values.get("updated", ""), self._now()))
            return editor.text

        written = change_file(self.standing.location, head.path, edit, expected)
        kept = [anchor for anchor in head.anchors if anchor.uri not in changes.drop] + added
        body = changes.body or changes.append or ""
        warnings = rules.warnings_for(kept, body, self.memory, self.checker if added else None)
        if changes.confirm:
            left = [one.uri for one in kept if one.uri.startswith(CODE) and one.uri not in (*confirmed, *hashed)]
            warnings += [f"{uri} is not confirmed: the code that it names was not found" for uri in left]
        return self._written(ident, written) | {"warnings": warnings}

    def _confirmed(self, head: Head) -> dict[str, str]:
        """The hash of each code anchor as the code is now."""
        states = [self.checker.state(anchor) for anchor in head.anchors if anchor.uri.startswith(CODE)]
        return {state.anchor.uri: state.hash for state in states if state.hash}

    def _written(self, ident: str, written: Written) -> Document:
        return {"id": ident, "path": written.path, "version": written.version}

    def replace_text(self, ident: str, text: str, expected: str) -> Document:
        """A note as an editor left it; the id stays, everything else is as it was written there."""
        self._writable()
        head = self._head(ident)
        Editor(text)  # it must be a note
        return self._written(ident, change_file(self.standing.location, head.path, lambda _: text, expected))

    def delete(self, ident: str, expected: str | None = None) -> Document:
        self._writable()
        head = self._head(ident)
        delete_file(self.standing.location, head.path, expected)
        return {"id": ident, "path": head.path, "deleted": True}

    def moves(self, idents: Sequence[str] = ()) -> list[tuple[Head, str, str]]:
        """(note, old URI, new URI) of every proven move."""
        memory = self.memory
        heads = [memory.head(row) for row in memory.rows()] if memory is not None else []
        chosen = [head for head in heads if not idents or head.id in idents]
        states = ((head, state) for head in chosen for state in self.checker.states(head))
        return [(head, s.anchor.uri, s.target) for head, s in states if s.status == MOVED and s.target]

    def follow(self, moves: Sequence[tuple[Head, str, str]]) -> Document:
        """Give anchors their new URIs, and change nothing else."""
        self._writable()
        by_note: dict[str, tuple[Head, list[tuple[str, str]]]] = {}
        for head, old, new in moves:
            by_note.setdefault(head.path, (head, []))[1].append((old, new))
        for path, (_, pairs) in by_note.items():
            change_file(self.standing.location, path, lambda text, pairs=pairs: _renamed(text, pairs))  # type: ignore[misc]
        return {
            "followed": [{"id": head.id, "from": old, "to": new} for head, old, new in moves],
            "notes": len(by_note),
        }

    def rename_anchor(self, old: str, new: str, *, dry_run: bool = False) -> Document:
        """One URI for another in every note; a file's also in the anchors of what is in it."""
        self._writable()
        before, after = typed_uri(old), typed_uri(new)
        if before.kind != after.kind:
            raise UsageError(f"{old} and {new} are of two kinds", "a file becomes a file, a symbol a symbol")
        if after.kind == "entity":
            rules.check_registered(after.name, self.memory)
        memory = self.memory
        moves: list[tuple[Head, str, str]] = []
        if memory is not None:
            moves = [(memory.head(row), before.text, after.text) for row, _ in memory.with_uri(before.text)]
            inner = f"symbol:{before.path}::" if before.kind == "file" else f"{before.text}."
            target = f"symbol:{after.path}::" if after.kind == "file" else f"{after.text}."
            if before.is_code:
                for uri, rows in memory.with_prefix(inner):
                    moves += [(memory.head(row), uri, target + uri[len(inner) :]) for row, _ in rows]
        if dry_run:
            return {"followed": [{"id": head.id, "from": a, "to": b} for head, a, b in moves], "notes": 0}
        return self.follow(moves)

    # Entities

    def add_entity(self, name: str, meaning: str) -> Document:
        self._writable()
        near = entities.near_names(name, list(self._memory_or_empty.entities.values()))
        change_file(self.standing.location, ENTITIES, lambda text: entities.add(text, name, meaning))
        return {"name": name, "meaning": meaning, "near": [other for other in near if other != name]}

    def update_entity(self, name: str, meaning: str | None, new_name: str | None) -> Document:
        """Another meaning; another name, also in every note."""
        self._writable()
        if meaning is None and new_name is None:
            raise UsageError("nothing to change", "give --meaning or --name")
        change_file(self.standing.location, ENTITIES, lambda text: entities.update(text, name, meaning, new_name))
        changed = 0
        if new_name is not None and self.memory is not None:
            memory = self.memory
            moves = [
                (memory.head(row), f"entity:{name}", f"entity:{new_name}")
                for row, _ in memory.with_uri(f"entity:{name}")
            ]
            changed = len(moves)
            self.follow(moves)
        return {"name": new_name or name, "notes": changed}

    def remove_entity(self, name: str) -> Document:
        """Take a name out of the registry, where no note has it."""
        self._writable()
        memory = self._memory_or_empty
        entities.find(memory.entities_text, name)
        used = [memory.head(row).id for row, _ in memory.with_uri(f"entity:{name}")]
        if used:
            raise CmgitError(
                f"the entity {name} is in use, by {len(used)} in all: {', '.join(used[:5])}",
                f"give them another first: git cm entity update {name!r} --name …, or drop the anchor",
            )
        change_file(self.standing.location, ENTITIES, lambda text: entities.remove(text, name))
        return {"name": name, "removed": True}


def _renamed(text: str, pairs: Sequence[tuple[str, str]]) -> str:
    editor = Editor(text)
    known = {uri for uri, _, _ in editor.front.anchors}
    for old, new in pairs:
        if old in known and new in known:
            editor.drop_anchor(old)  # the note has the new one already
        elif old in known:
            editor.set_anchor(old, new_uri=new)
    return editor.text


__all__ = ["Book", "Changes", "NoteChanged"]
