"""The registry of entities: `.memory/entities.md`, one line of meaning for each name.

Written as a list, `- **Name**: meaning`. Lists with other marks, tables and headings with a line below, as people and
other tools write them, are read too.
"""

from __future__ import annotations

import re

from cmgit.core.errors import CmgitError, UsageError
from cmgit.core.record import record
from cmgit.notes.uri import ENTITY

LONGEST_MEANING = 300
HEADER = "# Entities\n\n"

_NAME = r"(?P<name>\w[\w .+/&'-]{0,79}?)"
_ITEM = re.compile(
    rf"[ \t]*[-*+][ \t]+(?P<mark>\*\*|__|`|){_NAME}(?P=mark)[ \t]*(?::|—|–|[ \t]-)[ \t]+(?P<meaning>\S.*?)[ \t]*"
)
_BOLD_COLON = re.compile(rf"[ \t]*[-*+][ \t]+\*\*{_NAME}:\*\*[ \t]+(?P<meaning>\S.*?)[ \t]*")
_BARE = re.compile(r"[ \t]*[-*+][ \t]+(?:\*\*|`)?(?P<name>\w[\w.+/&'-]{0,79})(?:\*\*|`)?[ \t]*")
_HEADING = re.compile(r"#{2,6}[ \t]+`?(?P<name>\w[\w .+/&'-]{0,79}?)`?[ \t]*")
_ROW = re.compile(
    r"[ \t]*\|[ \t]*[*`]*(?P<name>\w[\w .+/&'-]{0,79}?)[*`]*[ \t]*\|[ \t]*(?P<meaning>[^|]*?)[ \t]*(?:\|.*)?"
)


@record
class Entity:
    """start, end: characters of the registry that say it. shape: how (`item`, `heading` or `row`)."""

    name: str
    meaning: str
    start: int
    end: int
    shape: str
    meaning_start: int
    meaning_end: int


def read_entities(text: str) -> list[Entity]:
    """Entities in the order of the file; of a name that stands there twice, the first."""
    found: dict[str, Entity] = {}
    at = 0
    pending: tuple[str, int, int] | None = None
    fenced = False
    for raw in text.splitlines(keepends=True):
        line = raw.rstrip("\r\n")
        start, end = at, at + len(raw)
        at = end
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced:
            continue
        match = _ITEM.fullmatch(line) or _BOLD_COLON.fullmatch(line)
        heading = _HEADING.fullmatch(line)
        row = _ROW.fullmatch(line)
        if match is not None:
            span = (start + match.start("meaning"), start + match.end("meaning"))
            entity = Entity(match["name"], match["meaning"], start, end, "item", *span)
        elif heading is not None:
            pending = (heading["name"], start, end)
            continue
        elif row is not None and not re.fullmatch(r"[ \t|:-]+", line) and row["name"].lower() not in _COLUMN_NAMES:
            span = (start + row.start("meaning"), start + row.end("meaning"))
            entity = Entity(row["name"], row["meaning"], start, end, "row", *span)
        elif (bare := _BARE.fullmatch(line)) is not None:
            entity = Entity(bare["name"], "", start, end, "item", start + len(line), start + len(line))
        elif pending is not None and line.strip() and not line.startswith("#"):
            entity = Entity(pending[0], line.strip(), pending[1], end, "heading", start, start + len(line))
        else:
            continue
        pending = None
        found.setdefault(entity.name, entity)
    return list(found.values())


_COLUMN_NAMES = ("entity", "name", "сущность", "имя", "название")


def check_entity(name: str, meaning: str) -> None:
    """Refuse what would not read back.

    Raises:
        UsageError: no name, markup in it, or not one line of meaning.
    """
    if not ENTITY.fullmatch(name) or name != name.strip():
        raise UsageError(f"{name!r} is no name for an entity", "letters, digits, blanks and . + / & ' - _, up to 80")
    if not meaning.strip() or "\n" in meaning or "\r" in meaning:
        raise UsageError("an entity has one line of meaning", "say in one line what it is and why it matters")
    if len(meaning) > LONGEST_MEANING:
        raise UsageError(f"the meaning is longer than {LONGEST_MEANING} characters", "say it shorter")


def near_names(name: str, entities: list[Entity]) -> list[str]:
    """Registered names that somebody may have meant."""
    from difflib import get_close_matches  # only a typing error pays for it

    folded = {entity.name.casefold(): entity.name for entity in entities}
    close = get_close_matches(name.casefold(), list(folded), 4, 0.55)
    inside = [key for key in folded if name.casefold() in key or key in name.casefold()]
    return list(dict.fromkeys(folded[key] for key in [*close, *sorted(inside)]))[:5]


def add(text: str, name: str, meaning: str) -> str:
    """The registry with one more entity, behind the last one and written like it."""
    check_entity(name, meaning)
    entities = read_entities(text)
    if any(entity.name == name for entity in entities):
        raise CmgitError(f"the entity {name} is registered already", f"git cm entity update {name} --meaning …")
    newline = "\r\n" if "\r\n" in text else "\n"
    last = entities[-1] if entities else None
    if last is not None and last.shape == "row":
        line = f"| {name} | {meaning.replace('|', '/')} |"
    elif last is not None and last.shape == "heading":
        line = f"{newline}## {name}{newline}{newline}{meaning}"
    else:
        line = f"- **{name}**: {meaning}"
    text = text or HEADER
    at = last.end if last is not None else len(text)
    before = text[:at] if not text[:at] or text[:at].endswith("\n") else text[:at] + newline
    return before + line + newline + text[at:]


def update(text: str, name: str, meaning: str | None, new_name: str | None) -> str:
    """The registry with another meaning or name for one entity; nothing else changes."""
    entity = find(text, name)
    check_entity(new_name or name, meaning if meaning is not None else entity.meaning or "-")
    if new_name and new_name != name and any(other.name == new_name for other in read_entities(text)):
        raise CmgitError(f"the entity {new_name} is registered already")
    if meaning is not None:
        glue = "" if entity.meaning else ": "
        text = text[: entity.meaning_start] + glue + meaning + text[entity.meaning_end :]
    if new_name:
        at = text.index(name, entity.start)
        text = text[:at] + new_name + text[at + len(name) :]
    return text


def remove(text: str, name: str) -> str:
    entity = find(text, name)
    return text[: entity.start] + text[entity.end :]


def find(text: str, name: str) -> Entity:
    entities = read_entities(text)
    for entity in entities:
        if entity.name == name:
            return entity
    near = near_names(name, entities)
    raise CmgitError(
        f"the entity {name} is not registered",
        f"did you mean {', '.join(near)}?" if near else "`git cm entity list` shows those that are",
    )
