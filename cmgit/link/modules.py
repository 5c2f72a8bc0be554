"""Names of modules to files of the tree.

The order is TypeScript's: a relative name (with `.js` standing for `.ts` and so on), `#internal` imports, `paths` and
`baseUrl` of the nearest config and then of those further out, packages of the workspace. A package of the workspace
means its source: what is named below a build folder is looked for below the source folders.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence

from cmgit.link.configs import Configs, Json, Package, join

EXTERNAL = ""
"""A module that is not of this tree."""

_EXTENSIONS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts", ".d.mts", ".d.cts")
_COMPONENTS = (".vue", ".svelte", ".astro")
_SUBSTITUTES = {
    ".js": (".ts", ".tsx", ".js", ".jsx", ".d.ts"),
    ".jsx": (".tsx", ".ts", ".jsx", ".js", ".d.ts"),
    ".mjs": (".mts", ".mjs", ".d.mts"),
    ".cjs": (".cts", ".cjs", ".d.cts"),
    ".ts": (".ts", ".tsx", ".d.ts"),
    ".tsx": (".tsx",),
}
_BUILD = re.compile(r"(?:dist|build|lib|out|output|esm|cjs|es|umd|types|module|commonjs|\.output|\.build)(?:[-_.].*)?")
_DECLARATION = re.compile(r"\.d\.([cm]?)ts$")
_SCRIPT = re.compile(r"(?:\.d)?\.(?:[cm]?[jt]s|[jt]sx)$")
_CONDITIONS = ("source", "development", "module", "import", "browser", "node", "default", "require", "worker", "types")


class Modules:
    """Resolves names for the files of one tree."""

    def __init__(self, paths: Iterable[str], configs: Configs) -> None:
        self.files = set(paths)
        self.configs = configs
        self.folders = {""}
        for path in self.files:
            folder = posixpath.dirname(path)
            while folder and folder not in self.folders:
                self.folders.add(folder)
                folder = posixpath.dirname(folder)
        self._folded: dict[str, str | None] | None = None
        self._memo: dict[tuple[str, str], str | None] = {}
        self._folder_of: dict[str, str] = {}
        self._roots: dict[str, list[str]] = {}

    def resolve(self, name: str, importer: str) -> str | None:
        """The path that `name` means in a file: EXTERNAL for another package, None for a missing file of this tree."""
        folder = self._folder_of.get(importer)
        if folder is None:
            folder = self._folder_of[importer] = posixpath.dirname(importer)
        key = (folder, name)
        if key not in self._memo:
            self._memo[key] = self._resolve(name, importer)
        return self._memo[key]

    # -- files ------------------------------------------------------------------------------------

    def _implementation(self, path: str) -> str:
        """The JavaScript beside a declaration file, which is what runs."""
        match = _DECLARATION.search(path)
        if match:
            stem = path[: match.start()]
            for extension in (f".{match.group(1)}js", ".js", ".mjs", ".cjs", ".jsx"):
                if stem + extension in self.files:
                    return stem + extension
        return path

    def file(self, path: str) -> str | None:
        """A source for a path with or without an extension, or for a folder with an index."""
        if path.startswith("../"):
            return None
        found = self._exact(path)
        return self._implementation(found) if found is not None else self._other_case(path)

    def _exact(self, path: str) -> str | None:
        files = self.files
        stem, extension = posixpath.splitext(path)
        substitutes = _SUBSTITUTES.get(extension)
        if substitutes is not None:
            if extension in (".ts", ".tsx") and path in files:
                return path
            for other in substitutes:
                if stem + other in files:
                    return stem + other
        if path in files:
            return path
        for other in _EXTENSIONS:
            if path + other in files:
                return path + other
        prefix = f"{path}/index" if path else "index"
        if path in self.folders:
            for other in (*_EXTENSIONS, *_COMPONENTS):
                if prefix + other in files:
                    return prefix + other
        return None

    def _other_case(self, path: str) -> str | None:
        """A file whose path differs in case only, if there is just one: it works on the author's machine."""
        if self._folded is None:
            self._folded = {}
            for known in self.files:
                folded = known.lower()
                self._folded[folded] = None if folded in self._folded else known
        stem, extension = posixpath.splitext(path.lower())
        candidates = [path.lower(), *(path.lower() + other for other in _EXTENSIONS)]
        candidates += [stem + other for other in _SUBSTITUTES.get(extension, ())]
        candidates += [f"{path.lower()}/index{other}" for other in _EXTENSIONS]
        for candidate in candidates:
            found = self._folded.get(candidate)
            if found is not None:
                return found
        return None

    # -- names ------------------------------------------------------------------------------------

    def _resolve(self, name: str, importer: str) -> str | None:
        name = name.partition("?")[0] if "?" in name and not name.startswith("#") else name
        folder = posixpath.dirname(importer)
        if name.startswith((".", "/")):
            return self._relative(name, folder)
        if name.startswith("#"):
            found = self._internal(name, folder)
            if found is not None:
                return found
        mapped = self._mapped(name, folder)
        if mapped is not None:
            return mapped
        return self._package(name, importer)

    def _relative(self, name: str, folder: str) -> str | None:
        path = join(folder, name) if name.startswith(".") else name.lstrip("/")
        found = self.file(path)
        if found is not None:
            return found
        for mapping in self._mappings(folder):
            for root in mapping.root_dirs:
                if path == root or path.startswith(root + "/"):
                    tail = path[len(root) :].lstrip("/")
                    for other in mapping.root_dirs:
                        found = self.file(join(other, tail))
                        if found is not None:
                            return found
        package = self.configs.packages.get(path)
        if package is not None:
            return self._in_package(package, "", by_name=False)
        outer = path
        while outer:
            outer = posixpath.dirname(outer)
            if outer in self.configs.packages:
                tail = path[len(outer) :].lstrip("/")
                return self._built(outer, tail) if _BUILD.fullmatch(tail.split("/")[0]) else None
        return None

    def _mappings(self, folder: str):  # type: ignore[no-untyped-def]
        while True:
            yield from self.configs.mappings.get(folder, ())
            if not folder:
                return
            folder = posixpath.dirname(folder)

    def _mapped(self, name: str, folder: str) -> str | None:
        for mapping in self._mappings(folder):
            best: tuple[int, str, tuple[str, ...]] | None = None
            for prefix, suffix, exact, targets in mapping.patterns:
                if exact:
                    if name == prefix:
                        best = (1 << 30, "", targets)
                elif name.startswith(prefix) and name.endswith(suffix) and len(name) >= len(prefix) + len(suffix):
                    star = name[len(prefix) : len(name) - len(suffix)]
                    if best is None or len(prefix) > best[0]:
                        best = (len(prefix), star, targets)
            for target in best[2] if best is not None else ():
                found = self.file(target.replace("*", best[1] if best else ""))
                if found is None and target.replace("*", "") in self.configs.packages:
                    found = (
                        self._in_package(self.configs.packages[target.replace("*", best[1] if best else "")], "")
                        if target.replace("*", best[1] if best else "") in self.configs.packages
                        else None
                    )
                if found is not None:
                    return found
            if mapping.base_url is not None:
                found = self.file(join(mapping.base_url, name))
                if found is not None:
                    return found
        return None

    # -- packages ---------------------------------------------------------------------------------

    def _owner(self, folder: str) -> Package | None:
        while True:
            package = self.configs.packages.get(folder)
            if package is not None and package.name:
                return package
            if not folder:
                return None
            folder = posixpath.dirname(folder)

    def _internal(self, name: str, folder: str) -> str | None:
        """`#name` of the package's `imports`."""
        while True:
            package = self.configs.packages.get(folder)
            if package is not None:
                imports = package.json.get("imports")
                if isinstance(imports, dict):
                    targets = _match(imports, name)
                    found = self._pick(package.folder, targets)
                    for target in targets if found is None else ():
                        found = found or self.file(join(package.folder, target))
                    if found is not None:
                        return found
            if not folder:
                return None
            folder = posixpath.dirname(folder)

    def _package(self, name: str, importer: str) -> str | None:
        parts = name.split("/")
        count = 2 if name.startswith("@") else 1
        package = self._workspace("/".join(parts[:count]), importer)
        if package is None:
            return None if name.startswith("#") else EXTERNAL
        return self._in_package(package, "/".join(parts[count:]))

    def _workspace(self, name: str, importer: str) -> Package | None:
        candidates = self.configs.by_name.get(name)
        if not candidates:
            return None
        owner = self._owner(posixpath.dirname(importer))
        if owner is None:
            return candidates[0] if candidates[0].member else None
        if owner.name == name and (owner.folder or len(candidates) == 1):
            return owner
        wanted = ""
        for kind in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
            listed = owner.json.get(kind)
            if isinstance(listed, dict) and isinstance(listed.get(name), str):
                wanted = wanted or listed[name]
        linked = re.match(r"(?:file|link|portal):(.*)", wanted)
        if linked:
            return self.configs.packages.get(join(owner.folder, linked.group(1))) or candidates[0]
        return candidates[0] if candidates[0].member or wanted.startswith("workspace:") else None

    def _in_package(self, package: Package, below: str, by_name: bool = True) -> str | None:
        data, folder = package.json, package.folder
        targets: list[str] = []
        exports = data.get("exports")
        if exports is not None and by_name:
            table: Json = (
                exports if isinstance(exports, dict) and any(key.startswith(".") for key in exports) else {".": exports}
            )
            targets += _match(table, f"./{below}" if below else ".")
        if not below:
            for key in ("source", "module", "main", "types", "typings") if by_name else ("main", "module", "types"):
                value = data.get(key)
                if isinstance(value, str):
                    targets.append(value)
        found = self._pick(folder, targets)
        if found is not None:
            return found
        tail = below or "index"
        for root in self.roots(folder):
            found = self._exact(join(root, tail))
            if found is not None and not _DECLARATION.search(found):
                return found
        for target in targets:
            found = self.file(join(folder, target))
            if found is not None:
                return found
        return self.file(join(folder, tail))

    def _pick(self, folder: str, targets: Sequence[str]) -> str | None:
        """The source among the targets of a package's entry: TypeScript, then what a built path comes from."""
        full = [join(folder, target) for target in targets]
        for path in full:
            if path in self.files and re.search(r"\.[cm]?tsx?$", path) and not _DECLARATION.search(path):
                return path
        for target in targets:
            tail = target.removeprefix("./")
            if _BUILD.fullmatch(tail.split("/")[0]):
                found = self._built(folder, tail)
                if found is not None:
                    return found
        for path in full:
            if path in self.files and not _DECLARATION.search(path):
                return path
        for target in targets:
            found = self._built(folder, target.removeprefix("./"))
            if found is not None:
                return found
        return None

    def roots(self, folder: str) -> list[str]:
        """Folders that a package's built files may come from."""
        known = self._roots.get(folder)
        if known is None:
            named = [
                *self.configs.source_roots.get(folder, ()),
                *(join(folder, d) for d in ("src", "source", "lib")),
                folder,
            ]
            known = self._roots[folder] = [path for path in dict.fromkeys(named) if path in self.folders]
        return known

    def _built(self, folder: str, tail: str) -> str | None:
        """`dist/esm/index.js` -> `src/index.ts`: leading folders are dropped until a source answers."""
        parts = [part for part in tail.split("/") if part and part != "."]
        start = 1 if parts and _BUILD.fullmatch(parts[0]) and len(parts) > 1 else 0
        for first in range(start, len(parts)):
            rest = "/".join(parts[first:])
            for root in self.roots(folder):
                path = join(root, rest)
                found = self._exact(path) or self._exact(_SCRIPT.sub("", path))
                if found is not None and not _DECLARATION.search(found) and not _is_built(found, folder):
                    return found
        return None


def _is_built(path: str, folder: str) -> bool:
    head = path[len(folder) :].lstrip("/").split("/")[0]
    return head in ("dist", "build", "out")


def _leaves(entry: object, star: str | None, found: list[str]) -> list[str]:
    """All targets of an entry of `exports` or `imports`, in the order of the conditions."""
    if isinstance(entry, str):
        found.append(entry if star is None else entry.replace("*", star))
    elif isinstance(entry, list):
        for item in entry:
            _leaves(item, star, found)
    elif isinstance(entry, dict):
        for key in sorted(entry, key=_condition_rank):
            _leaves(entry[key], star, found)
    return found


def _condition_rank(key: str) -> int:
    if key in _CONDITIONS:
        return _CONDITIONS.index(key)
    return -1 if re.search(r"source|custom|src", key) else 5


def _match(table: Json, name: str) -> list[str]:
    if name in table:
        return _leaves(table[name], None, [])
    best: tuple[int, str, str] | None = None
    for pattern in table:
        prefix, star, suffix = pattern.partition("*")
        fits = name.startswith(prefix) and name.endswith(suffix) and len(name) >= len(prefix) + len(suffix)
        if star and fits and (best is None or len(prefix) > best[0]):
            best = (len(prefix), pattern, name[len(prefix) : len(name) - len(suffix)])
    return _leaves(table[best[1]], best[2], []) if best is not None else []
