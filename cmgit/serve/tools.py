"""The tools that the MCP server offers. Plain records; the SDK is not imported here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Arguments = Mapping[str, object]
Document = dict[str, object]
Source = TypeVar("Source")


@dataclass(frozen=True, slots=True)
class Sheet(Generic[Source]):
    """A tool as a client sees it, and how it answers.

    input_schema, output_schema: JSON Schema objects. answer: from what it asks and the checked arguments to the
    document that the client gets as structured content; may raise CmgitError, which becomes a tool error with its hint.
    text: the same for a model to read; None where the document as JSON has to do. reads_only: it changes nothing.
    """

    name: str
    title: str
    description: str
    input_schema: Document
    output_schema: Document
    answer: Callable[[Source, Arguments], Document]
    text: Callable[[Document], str] | None = None
    reads_only: bool = True


@dataclass(frozen=True, slots=True)
class Tool:
    """A sheet that knows whom to ask."""

    sheet: Sheet[Any]
    call: Callable[[Arguments], Document]

    @property
    def name(self) -> str:
        return self.sheet.name


def object_schema(properties: Mapping[str, object], required: Sequence[str] = ()) -> Document:
    """The schema of arguments: what is not named is refused."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
