"""The tools that the MCP server offers. One plain record for each; the SDK is not imported here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Arguments = Mapping[str, object]
Document = dict[str, object]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as a client sees it.

    input_schema, output_schema: JSON Schema objects. reads_only: it changes nothing. call: from the checked arguments
    to the document that the client gets as structured content; may raise CmgitError, which becomes a tool error with
    its hint. text: the same for a model to read; None where the document as JSON has to do.
    """

    name: str
    title: str
    description: str
    input_schema: Document
    output_schema: Document
    call: Callable[[Arguments], Document]
    text: Callable[[Document], str] | None = None
    reads_only: bool = True
