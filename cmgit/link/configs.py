"""Config blobs of a tree that say how module names resolve: package.json, tsconfig.json, pnpm-workspace.yaml.

What does not parse counts as absent: a broken config must not take the graph with it.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cmgit.core.globs import matches

_STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A config blob. text: its bytes."""

    path: str
    text: bytes


@dataclass(frozen=True, slots=True)
class Package:
    """A package.json. folder: "" for the root. member: belongs to the workspace."""

    folder: str
    name: str
    json: Json
    member: bool


@dataclass(frozen=True, slots=True)
class PathMapping:
    """`paths` and `baseUrl` of one tsconfig. patterns: (prefix, suffix, exact, targets), targets relative to base."""

    base_url: str | None
    patterns: tuple[tuple[str, str, bool, tuple[str, ...]], ...]
    root_dirs: tuple[str, ...] = ()


@dataclass(slots=True)
class Configs:
    """All configs of a tree, parsed once."""

    packages: dict[str, Package] = field(default_factory=dict)
    by_name: dict[str, list[Package]] = field(default_factory=dict)
    mappings: dict[str, list[PathMapping]] = field(default_factory=dict)  # folder -> its own, nearest first
    source_roots: dict[str, list[str]] = field(default_factory=dict)  # package folder -> rootDir and includes


def parse_json(text: bytes) -> object:
    """JSON with comments, trailing commas and a byte-order mark; None where it does not parse."""
    decoded = text.decode("utf-8-sig", "replace")
    try:
        return json.loads(decoded)
    except (ValueError, RecursionError):
        pass
    plain = _STRING_OR_COMMENT.sub(lambda m: m.group() if m.group()[0] == '"' else " ", decoded)
    plain = _TRAILING_COMMA.sub(lambda m: m.group(1) or "", plain)
    try:
        return json.loads(plain)
    except (ValueError, RecursionError):
        return None


def join(folder: str, relative: str) -> str:
    """A normal repository path; leading `..` beyond the root are kept and match nothing."""
    path = posixpath.normpath(posixpath.join(folder, relative))
    return "" if path == "." else path


def read_configs(files: Sequence[ConfigFile]) -> Configs:
    configs = Configs()
    texts = {file.path: file.text for file in files}
    globs = _workspace_globs(texts)
    for path in sorted(texts):
        name = posixpath.basename(path)
        folder = posixpath.dirname(path)
        if name == "package.json":
            data = parse_json(texts[path])
            if isinstance(data, dict):
                label = data.get("name")
                package = Package(folder, label if isinstance(label, str) else "", data, _is_member(folder, globs))
                configs.packages[folder] = package
    for package in configs.packages.values():
        if package.name:
            configs.by_name.setdefault(package.name, []).append(package)
    for found in configs.by_name.values():
        found.sort(key=lambda p: (not p.member, p.folder == "", p.folder.count("/"), p.folder))
    _read_tsconfigs(texts, configs)
    return configs


# -- workspaces -----------------------------------------------------------------------------------

_FIXTURE = re.compile(r"(?:^|/)(?:__?fixtures?_*|templates?|template-[^/]*|examples?)(?:/|$)")


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _workspace_globs(texts: Mapping[str, bytes]) -> list[str]:
    globs: list[str] = []
    root = parse_json(texts.get("package.json", b""))
    if isinstance(root, dict):
        spaces = root.get("workspaces")
        globs += _strings(spaces.get("packages") if isinstance(spaces, dict) else spaces)
    lerna = parse_json(texts.get("lerna.json", b""))
    if isinstance(lerna, dict):
        globs += _strings(lerna.get("packages"))
    listed = False
    for line in texts.get("pnpm-workspace.yaml", b"").decode("utf-8", "replace").splitlines():
        if line[:1].strip() and not line.startswith("-"):
            listed = line.startswith("packages:")
        item = re.match(r"""\s*-\s*['"]?([^'"#\s]+)""", line) if listed else None
        if item:
            globs.append(item.group(1))
    return [re.sub(r"^\./|/$", "", glob) for glob in globs]


def _is_member(folder: str, globs: Sequence[str]) -> bool:
    if not folder:
        return True
    if not globs:
        return not _FIXTURE.search(folder)
    member = False
    for glob in globs:
        negative = glob.startswith("!")
        if matches(glob.lstrip("!"), folder):
            member = not negative
    return member


# -- tsconfig -------------------------------------------------------------------------------------


def _read_tsconfigs(texts: Mapping[str, bytes], configs: Configs) -> None:
    parsed: dict[str, Json] = {}
    for path in sorted(texts):
        if path.endswith(".json") and posixpath.basename(path) not in ("package.json", "lerna.json"):
            data = parse_json(texts[path])
            if isinstance(data, dict):
                parsed[path] = data
    for path in sorted(parsed):
        name, folder = posixpath.basename(path), posixpath.dirname(path)
        if name in ("tsconfig.json", "jsconfig.json"):
            seen: set[str] = set()
            found: list[PathMapping] = []
            _collect(path, parsed, seen, found, configs)
            if found:
                configs.mappings.setdefault(folder, []).extend(found)
        if name in ("tsconfig.json", "tsconfig.build.json"):
            roots = configs.source_roots.setdefault(folder, [])
            options = parsed[path].get("compilerOptions")
            if isinstance(options, dict) and isinstance(options.get("rootDir"), str):
                roots.append(join(folder, options["rootDir"]))
            for include in _strings(parsed[path].get("include")):
                head = include.removeprefix("./").split("/")[0]
                if head and "*" not in head and head != ".." and "." not in head:
                    roots.append(join(folder, head))


def _collect(path: str, parsed: Mapping[str, Json], seen: set[str], found: list[PathMapping], configs: Configs) -> None:
    """The mapping of a config, and of the projects of the same folder that it references."""
    if path in seen or path not in parsed:
        return
    seen.add(path)
    mapping = _mapping(path, parsed, configs, set())
    if mapping is not None:
        found.append(mapping)
    references = parsed[path].get("references")
    for reference in references if isinstance(references, list) else []:
        target = reference.get("path") if isinstance(reference, dict) else None
        if isinstance(target, str):
            other = join(posixpath.dirname(path), target)
            if not other.endswith(".json"):
                other = join(other, "tsconfig.json")
            if posixpath.dirname(other) == posixpath.dirname(path):
                _collect(other, parsed, seen, found, configs)


def _bases(path: str, data: Json, configs: Configs) -> list[str]:
    extends = data.get("extends")
    names = [extends] if isinstance(extends, str) else _strings(extends)
    result: list[str] = []
    for name in names:
        if name.startswith("."):
            target = join(posixpath.dirname(path), name)
        else:
            parts = name.split("/")
            count = 2 if name.startswith("@") else 1
            packages = configs.by_name.get("/".join(parts[:count]))
            if not packages:
                continue
            target = join(packages[0].folder, "/".join(parts[count:]) or "tsconfig.json")
        result += [target] if target.endswith(".json") else [target + ".json", join(target, "tsconfig.json")]
    return result


def _mapping(path: str, parsed: Mapping[str, Json], configs: Configs, seen: set[str]) -> PathMapping | None:
    if path in seen or path not in parsed:
        return None
    seen.add(path)
    data, folder = parsed[path], posixpath.dirname(path)
    inherited: PathMapping | None = None
    for base in _bases(path, data, configs):
        inherited = _mapping(base, parsed, configs, seen) or inherited
    options = data.get("compilerOptions")
    if not isinstance(options, dict):
        return inherited
    base_url = options.get("baseUrl")
    own_base = join(folder, base_url) if isinstance(base_url, str) else None
    roots = tuple(join(folder, item) for item in _strings(options.get("rootDirs")))
    if own_base is None and inherited is not None:
        own_base = inherited.base_url
    paths = options.get("paths")
    if isinstance(paths, dict):
        anchor = own_base if own_base is not None else folder
        patterns = []
        for pattern, targets in paths.items():
            prefix, star, suffix = pattern.partition("*")
            patterns.append((prefix, suffix, not star, tuple(join(anchor, item) for item in _strings(targets))))
        return PathMapping(own_base, tuple(patterns), roots)
    if inherited is not None:
        return PathMapping(own_base, inherited.patterns, roots or inherited.root_dirs)
    return PathMapping(own_base, (), roots) if own_base is not None or roots else None
