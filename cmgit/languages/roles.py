"""What a file is in its repository, judged by whole segments of its path.

Words inside other words do not count (`latest.ts`, `contest/`, `inspect.js`), and a folder that only looks like build
output below a source folder (`src/build/`) is source. What `.gitattributes` says wins over every name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cmgit.core.patterns import lazy
from cmgit.core.records import Role

_VENDOR = frozenset({"vendor", "vendors", "vendored", "third_party", "third-party", "thirdparty", "node_modules"})
_VENDOR |= {"bower_components", "jspm_packages", ".yarn"}
_BUILD = frozenset({"dist", "build", "out", "lib-min", ".next", ".nuxt", ".output", ".svelte-kit", "storybook-static"})
_BUILD_END = "-dist"  # what a build wrote for somebody else: `client-dist/` in a server's package
_GENERATED = frozenset({"__generated__", "generated", ".generated", "__codegen__"})
_FIXTURE = frozenset({"fixtures", "__fixtures__", "__fixture__", "testdata", "test-data", "test_data", "__mocks__"})
_FIXTURE |= {"__snapshots__", "__image_snapshots__", "__testfixtures__"}
_FIXTURE_OUTSIDE = frozenset({"fixture", "mocks", "snapshots"})
_TEST = frozenset({"test", "tests", "__tests__", "__test__", "spec", "specs", "__specs__", "e2e", "cypress"})
_TEST |= {"playwright", "test-d", "dts-test", "types-test", "integration-tests", "e2e-tests", "unit-tests"}
_EXAMPLE = frozenset({"example", "examples", "demo", "demos", "stories", "docs", "doc", "documentation", "bench"})
_EXAMPLE |= {"benches", "benchmark", "benchmarks", "playground", "playgrounds", "samples", "sample", "sandbox"}
_EXAMPLE |= {"__benchmarks__", "perf", ".storybook", "storybook", "website", "tutorials", "tutorial"}

# A folder called `build` or `out` below one of these holds source code about building; and a `docs` or `test` folder
# below it is a feature of the product, unless it is one of the unmistakable names.
_SOURCE = frozenset({"src", "source", "sources", "app", "lib"})
_ANYWHERE = frozenset({"__tests__", "__test__", "__specs__", "tests", "test", "e2e", "cypress", "spec", "specs"})

_FILE_MINIFIED = lazy(r"(?:[.-]min(?:\.[a-z]+)?|\.bundle|\.umd\.min|[.-]packed)\.[cm]?[jt]sx?\Z", re.IGNORECASE)
_FILE_GENERATED = lazy(r"(?:\.generated|\.gen|\.g|_generated|_pb|\.pb|_grpc_pb)(?:\.d)?\.[cm]?[jt]sx?\Z")
_FILE_TEST = lazy(
    r"(?:.+[._-](?:test|tests|spec|specs|e2e|cy|test-d|spec-d)|test|tests|spec|setup-?tests?|test-?setup)"
    r"\.(?:[cm]?[jt]sx?|vue|svelte)\Z",
    re.IGNORECASE,
)
_FILE_TEST_BEFORE = lazy(r".+\.(?:test|spec|test-d)\.[^/]*(?:[cm]?[jt]sx?|vue|svelte)\Z", re.IGNORECASE)
_FILE_EXAMPLE = lazy(r".+\.(?:stories|story|bench|benchmark|demo|example)\.[cm]?[jt]sx?\Z", re.IGNORECASE)
_FILE_DECLARATION = lazy(r"\.d(?:\.[^/.]+)?\.[cm]?ts\Z", re.IGNORECASE)
_FILE_CONFIG = lazy(
    r"(?:.*\.config|\.[a-z-]+rc|(?:rollup|webpack|vite|gulp|jest|karma|babel|eslint|vitest|rspack|metro|next)\.?"
    r"(?:config|conf)(?:\..+)?|gulpfile|gruntfile|gulpfile\.babel|jakefile|vetur\.config)(?:\.[a-z-]+)?\.[cm]?[jt]sx?\Z",
    re.IGNORECASE,
)


def role_of(path: str, generated: bool | None = None, vendored: bool | None = None) -> Role:
    """The role of a file.

    Args:
        path: repository-relative, with `/`.
        generated: what `linguist-generated` says, None where it says nothing.
        vendored: what `linguist-vendored` says.
    """
    if vendored:
        return Role.VENDORED
    if generated:
        return Role.GENERATED
    denied: set[Role] = set()
    if vendored is False:
        denied.add(Role.VENDORED)
    if generated is False:
        denied.update((Role.GENERATED, Role.MINIFIED, Role.BUILD))
    return next(role for role in _roles(path) if role not in denied)


def _roles(path: str) -> Iterator[Role]:
    """The roles that a path claims, the strongest first."""
    *folders, name = path.split("/")
    lowered = [folder.lower() for folder in folders]
    places = set(lowered)
    # Whatever stands below the outermost source folder is the product's own, but for unmistakable names.
    depth = next((i for i, folder in enumerate(lowered) if folder in _SOURCE), len(lowered))
    outside, inside = set(lowered[:depth]), set(lowered[depth:])
    if places & _VENDOR:
        yield Role.VENDORED
    if _FILE_MINIFIED.search(name):
        yield Role.MINIFIED
    if places & _GENERATED or _FILE_GENERATED.search(name):
        yield Role.GENERATED
    if outside & _BUILD or any(folder.endswith(_BUILD_END) for folder in outside):
        yield Role.BUILD
    if places & _FIXTURE or outside & _FIXTURE_OUTSIDE:
        yield Role.FIXTURE
    if _FILE_CONFIG.match(name):
        yield Role.CONFIG
    if outside & _TEST or inside & _ANYWHERE or _FILE_TEST.match(name) or _FILE_TEST_BEFORE.match(name):
        yield Role.TEST
    if outside & _EXAMPLE or _FILE_EXAMPLE.match(name):
        yield Role.EXAMPLE
    if _FILE_DECLARATION.search(name):
        yield Role.DECLARATION
    yield Role.SOURCE
