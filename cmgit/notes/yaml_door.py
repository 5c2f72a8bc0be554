"""The only importer of PyYAML, and of that only the event parser: a document as nodes that know where they stand.

Nothing is constructed: values stay the text that was written, tags and aliases are refused (so nothing expands), and
size, depth and number of nodes are bounded. Loading costs a tenth of a second on a busy machine, so notes in the
ordinary shape are read without it (`cmgit.notes.front`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

LONGEST = 32_768  # characters of front matter, in whatever shape
DEEPEST = 8
MOST_NODES = 4_000


class BadYaml(ValueError):
    """What is wrong with the front matter, in one sentence."""


@dataclass(slots=True)
class Scalar:
    """value: the text that it means. start, end: characters of the document. block: written with `|` or `>`."""

    value: str
    start: int
    end: int
    block: bool = False
    plain: bool = False


@dataclass(slots=True)
class Sequence:
    start: int
    end: int
    flow: bool
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Mapping:
    start: int
    end: int
    flow: bool
    pairs: list[tuple[Scalar, Node]] = field(default_factory=list)

    def get(self, key: str) -> Node | None:
        return next((value for name, value in self.pairs if name.value == key), None)


Node = Scalar | Sequence | Mapping


def read_yaml(text: str) -> Mapping:
    """The one mapping of a document.

    Raises:
        BadYaml: it is not YAML, not a mapping, has a key twice, or holds what no note needs.
    """
    import yaml

    root: Node | None = None
    stack: list[Mapping | Sequence] = []
    keys: list[Scalar | None] = []
    count = 0

    def put(node: Node) -> None:
        nonlocal root
        if not stack:
            if root is not None:
                raise BadYaml("there is more than one document")
            root = node
        elif isinstance(stack[-1], Sequence):
            stack[-1].items.append(node)
        elif keys[-1] is None:
            if not isinstance(node, Scalar):
                raise BadYaml("a key is no plain text")
            if stack[-1].get(node.value) is not None:
                raise BadYaml(f"the key {node.value[:40]!r} stands there twice")
            keys[-1] = node
        else:
            stack[-1].pairs.append((keys[-1], node))
            keys[-1] = None

    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            count += 1
            if count > MOST_NODES:
                raise BadYaml("the front matter has too many parts")
            if isinstance(event, yaml.AliasEvent):
                raise BadYaml("aliases are not read")
            if getattr(event, "anchor", None) or getattr(event, "tag", None):
                raise BadYaml("YAML anchors and tags are not read")
            first, last = event.start_mark.index, event.end_mark.index
            if isinstance(event, yaml.ScalarEvent):
                put(Scalar(event.value, first, last, event.style in ("|", ">"), event.style is None))
            elif isinstance(event, yaml.CollectionStartEvent):
                if len(stack) >= DEEPEST:
                    raise BadYaml("the front matter is nested too deeply")
                kind = Mapping if isinstance(event, yaml.MappingStartEvent) else Sequence
                node = kind(first, last, bool(event.flow_style))
                put(node)
                stack.append(node)
                keys.append(None)
            elif isinstance(event, yaml.CollectionEndEvent):
                stack.pop().end = last
                keys.pop()
    except (yaml.YAMLError, RecursionError) as error:
        raise BadYaml(_said(error)) from error
    if not isinstance(root, Mapping):
        raise BadYaml("the front matter is no list of `key: value`")
    return root


def _said(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or type(error).__name__
    return f"line {mark.line + 2}: {problem}" if mark is not None else str(problem)
