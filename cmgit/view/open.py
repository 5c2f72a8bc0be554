"""Open a view: choose the base snapshot, find what differs from it, lay that over it in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cmgit.core.config import Config
from cmgit.core.errors import CmgitError, SegmentDamaged
from cmgit.core.facts import NONE, BlobFacts
from cmgit.core.record import record
from cmgit.core.records import BlobKey, Change, FileEntry, ProgressCallback, path_bytes
from cmgit.git.locate import Location, StartedProbe, probe
from cmgit.git.revisions import tree_of
from cmgit.index.entries import entries_of, known_entries, reader
from cmgit.index.recipes import Recipes, current_recipes
from cmgit.snapshot.manifest import Manifest
from cmgit.snapshot.opened import OpenSegments
from cmgit.snapshot.publish import load, load_all
from cmgit.store.segments import (
    EDGES,
    FACTS,
    TERMS,
    TEXTS,
    VECTORS,
    EdgesSegment,
    FactsSegment,
    SegmentRef,
    SegmentStore,
    TermsSegment,
    TextsSegment,
)
from cmgit.view.layout import FilePlace
from cmgit.view.memory import Build, Memory, build_here
from cmgit.view.overlay import (
    disk_state,
    exact_state,
    has_conversions,
    process_missing,
    sized_otherwise,
    with_roles,
)
from cmgit.view.past import PastSupply
from cmgit.view.sources import DiskReader, Reader, TreeReader
from cmgit.view.supply import VectorSupply
from cmgit.view.view import Segments, View

if TYPE_CHECKING:
    from cmgit.git.objects import Objects
    from cmgit.index.blobs import BlobProducts
    from cmgit.index.linking import Linked

Warn = Callable[[str], None]

CLOSED_NAMED = 5
"""Files that cannot be read are named, so many of them."""


@record
class Target:
    """What a view shall show. tree: what it is called after. entries: the files, in path order, links left out.
    data: content of the entries that differ from the tree. dirty: how many of them. rev: whose past counts.
    closed: files that cannot be read, which are missing."""

    tree: str
    entries: tuple[FileEntry, ...]
    read: Callable[[FileEntry], bytes | None]
    reader: Reader
    changed: tuple[str, ...]
    dirty: int
    rev: str = "HEAD"
    closed: tuple[str, ...] = ()


class Opened:
    """Segments of a base manifest, opened when asked for, and where its blobs stand."""

    __slots__ = ("edges", "facts", "manifest", "places", "refs", "status", "store")

    def __init__(self, store: SegmentStore, manifest: Manifest | None) -> None:
        self.store, self.manifest = store, manifest
        self.refs: dict[str, list[SegmentRef]] = {}
        self.places: dict[BlobKey, tuple[tuple[int, int], ...]] = {}
        self.status: dict[BlobKey, tuple[int, int]] = {}
        self.edges: dict[str, tuple[int, int]] = {}
        self.facts: list[FactsSegment] = []


def open_view(
    location: Location,
    config: Config,
    rev: str | None,
    progress: ProgressCallback,
    warn: Warn,
    exact: Callable[[str], bool] = lambda _: False,
    memory: Memory | None = None,
    started: StartedProbe | None = None,
) -> View:
    """The code as it is now, or the tree of a revision.

    A repository without any index is indexed first. A tree without a snapshot of its own is laid over the nearest one,
    in memory, without waiting for the builder. Vectors are completed when the view is first asked for them.

    Args:
        rev: None for the working tree.
        exact: for which paths the rows must be those of the bytes on disk even where git calls the file unchanged,
            because a filter or line-ending rule stands between the two. Shown files are always checked (`View.source`).
        memory: what earlier views of this repository left.
        started: git was asked for the state before this module was loaded; it is of the moment of asking.

    Raises:
        CmgitError: no working tree, an unknown revision, a store that cannot be read.
    """
    (view,) = open_views(location, config, rev, progress, warn, exact, memory, started)
    return view


def open_views(
    location: Location,
    config: Config,
    rev: str | None,
    progress: ProgressCallback,
    warn: Warn,
    exact: Callable[[str], bool] = lambda _: False,
    memory: Memory | None = None,
    started: StartedProbe | None = None,
    many: int | None = None,
) -> Iterator[View]:
    """As `open_view`; before it, where so `many` files or more differ from HEAD, a view of the snapshot alone for who
    cannot wait: it ranks the files as they were, shows them as they are, and its `pending` counts what changed."""
    recipes = current_recipes(config)
    tree, changed, commit = state_of(location, rev, started)
    memory = memory or Memory(location.cm_dir)
    base = find_base(location, tree, config, recipes, progress, warn, on_demand=rev is not None, build=memory.build)
    targets = [standing_target(location, tree, base)] if many is not None and len(changed) >= many else []
    targets.append(lambda: find_target(location, tree, changed, base, rev, exact))
    for number, target in enumerate(targets, 1):
        view = lay_over(location, target(), base, config, recipes, progress, warn, memory)
        view.location, view.changes = location, (None if rev is not None else changed)
        view.pending_files = len(changed) if number < len(targets) else 0
        if commit:
            view.past = PastSupply(location, "HEAD", view.tree, commit=commit)
        yield view


def standing_target(location: Location, tree: str | None, base: Manifest | None) -> Callable[[], Target]:
    """The files of a snapshot, whatever was changed since."""
    objects: list[Objects] = []

    def blobs() -> Objects:
        if not objects:
            objects.append(open_blobs(location))
        return objects[0]

    def target() -> Target:
        entries = tuple(entries_of(base)) if base is not None else ()
        name = tree or ""
        return Target(name, entries, lambda entry: blob_or_none(blobs(), entry), DiskReader(location, blobs), (), 0)

    return target


def state_of(
    location: Location, rev: str | None, started: StartedProbe | None = None
) -> tuple[str | None, Sequence[Change], str]:
    """The tree that is asked about and the changes over it, both of one moment; HEAD's commit for the working tree."""
    if rev is not None:
        return tree_of(location, rev), (), ""
    if location.top is None:
        raise CmgitError("a bare repository has no working tree", "name a revision: --rev HEAD")
    seen = started.answer() if started is not None else probe(location.top, with_changes=True)
    return seen.head_tree, seen.changes or (), seen.head_commit or ""


def find_base(
    location: Location,
    tree: str | None,
    config: Config,
    recipes: Recipes,
    progress: ProgressCallback,
    warn: Warn,
    *,
    on_demand: bool,
    build: Build = build_here,
) -> Manifest | None:
    """The snapshot of the tree; else the newest one; a repository without any is indexed. None where nothing is
    committed yet or the store cannot be written: then everything is laid over nothing."""
    if tree is None:
        return None

    def damaged(name: str) -> None:
        warn(f"{name} is damaged and not used; `git cm index` makes it anew")  # tenequm/pond#110: said, not hidden

    known = load(location.cm_dir, tree, recipes.snapshot, damaged)
    exact = usable(location, known)
    if exact is not None:
        return exact
    if known is not None:
        damaged(f"a segment of snapshot {tree}")
    for manifest in load_all(location.cm_dir):
        if manifest.recipes.snapshot == recipes.snapshot and usable(location, manifest):
            return manifest
    try:
        build(location, tree, replace(config, vectors=False), progress, warn, on_demand=on_demand)
    except CmgitError as error:
        warn(f"{error.message}; answering from memory")
        return None
    return usable(location, load(location.cm_dir, tree, recipes.snapshot))


def usable(location: Location, manifest: Manifest | None) -> Manifest | None:
    store = SegmentStore(location.cm_dir)
    # Vectors are checked by whoever asks for them: the routes that need none do not read through them.
    kept = [ref for ref in manifest.segments if ref.kind != VECTORS] if manifest is not None else []
    return manifest if all(store.whole(ref) for ref in kept) else None


def find_target(
    location: Location,
    tree: str | None,
    changed: Sequence[Change],
    base: Manifest | None,
    rev: str | None,
    exact: Callable[[str], bool],
) -> Target:
    """Entries of what the view shall show, and how their content is read."""
    if base is not None and base.tree == tree:
        entries = tuple(entries_of(base))
        objects: Objects | None = None
    elif tree is not None:
        objects = open_blobs(location)
        from cmgit.index.plan import plan_files

        known = known_entries(base) if base is not None else ()
        entries = plan_files(objects.list_tree(tree), reader(objects), known).files
    else:
        objects, entries = None, ()
    held: list[Objects] = [objects] if objects is not None else []

    def blobs() -> Objects:
        if not held:
            held.append(open_blobs(location))
        return held[0]

    def read_blob(entry: FileEntry) -> bytes | None:
        return blob_or_none(blobs(), entry)

    def index_blob(oid: str) -> bytes | None:
        try:
            return blobs().read_blob(oid)
        except CmgitError:
            return None

    name = tree or ""
    if rev is not None:
        return Target(name, entries, read_blob, TreeReader(blobs), (), 0, rev)
    state = disk_state(entries, changed, location, index_blob)
    everything = has_conversions(location, state.entries, changed)
    some = frozenset[str]() if everything else sized_otherwise(location, state, base)
    state = exact_state(state, location, lambda path: everything or path in some or exact(path))

    def read(entry: FileEntry) -> bytes | None:
        return state.data[entry.path] if entry.path in state.data else blob_or_none(blobs(), entry)

    return Target(
        name, state.entries, read, DiskReader(location, blobs), tuple(state.data), state.dirty, closed=state.closed
    )


def open_blobs(location: Location) -> Objects:
    from cmgit.git.objects import open_objects  # a clean tree asks git for no blob

    return open_objects(location)


def blob_or_none(objects: Objects, entry: FileEntry) -> bytes | None:
    try:
        return objects.read_blob(entry.oid)
    except CmgitError:
        return None


def lay_over(
    location: Location,
    target: Target,
    base: Manifest | None,
    config: Config,
    recipes: Recipes,
    progress: ProgressCallback,
    warn: Warn,
    memory: Memory | None = None,
) -> View:
    memory = memory or Memory(location.cm_dir)
    opened = memory.opened(base, open_base)
    products = process_missing(target.entries, opened.places.__contains__, target.read, config, progress, memory)

    def facts_of(key: BlobKey) -> BlobFacts | None:
        if key in products:
            return products[key].facts
        segment, row = opened.places[key][0]
        return opened.facts[segment].facts(row)

    entries = with_roles(target.entries, facts_of, target.changed) if target.changed else list(target.entries)
    unchanged = base is not None and base.tree == target.tree and not target.changed and not target.dirty
    linked = None if unchanged else relink(entries, facts_of, opened)
    segments, places = combine(opened, entries, products, linked)
    supply = VectorSupply(
        location, base, target.tree, unchanged, target.read, config, recipes, progress, warn, memory,
        "git cm index" if target.rev == "HEAD" else f"git cm index --rev {target.rev}",
    )  # fmt: skip
    wanted = supply if config.vectors else None
    view = View(target.tree, target.dirty, places, segments, target.reader, config.max_blob_bytes, wanted)
    view.past, view.warn, view.closed = PastSupply(location, target.rev, target.tree), warn, target.closed
    if view.unreadable:
        warn(f"git cannot give {view.unreadable} of the files: the answer is without what they hold (`git cm status`)")
    if target.closed:
        named = ", ".join(path_bytes(path).decode("utf-8", "backslashreplace") for path in target.closed[:CLOSED_NAMED])
        more = f" and {len(target.closed) - CLOSED_NAMED} more" if len(target.closed) > CLOSED_NAMED else ""
        warn(f"no permission to read {named}{more}: the answer is without what stands there")
    return view


def relink(entries: Sequence[FileEntry], facts_of: Callable[[BlobKey], BlobFacts | None], opened: Opened) -> Linked:
    """Edges of the entries; those of the base stand where nothing that it differs in can have changed them."""
    from cmgit.index.linking import Linked, link_entries, relink_entries  # a clean tree loads no linker

    if opened.manifest is not None:
        try:
            return relink_entries(
                entries, facts_of, opened.manifest, OpenSegments(opened.store, opened.manifest.segments)
            )
        except SegmentDamaged:
            pass  # what the base says of its edges cannot be read: all of them are made anew
    return Linked(link_entries(entries, facts_of), {})


def open_base(store: SegmentStore, base: Manifest | None) -> Opened:
    """Where the base's blobs and edges stand. Segments are opened lazily by `combine`, facts here."""
    opened = Opened(store, base)
    if base is None:
        opened.refs = {FACTS: [], TERMS: [], TEXTS: [], EDGES: []}
        return opened
    index_of: dict[int, int] = {}
    for kind in (FACTS, TERMS, TEXTS, EDGES):
        numbered = base.of_kind(kind)
        opened.refs[kind] = [ref for _, ref in numbered]
        index_of.update({number: i for i, (number, _) in enumerate(numbered)})
    opened.facts = [store.open_facts(ref) for ref in opened.refs[FACTS]]
    table = base.files
    columns = [
        [(index_of.get(s, NONE), r) for s, r in zip(table.segment(k).tolist(), table.row(k).tolist(), strict=True)]
        for k in (FACTS, TERMS, TEXTS, EDGES)
    ]
    for i, (path, oid, language) in enumerate(zip(table.path, table.oid, table.language, strict=True)):
        if columns[0][i][0] == NONE:
            continue
        key = BlobKey(oid, language)
        opened.places[key] = (columns[0][i], columns[1][i], columns[2][i])
        opened.status[key] = (int(table.status[i]), int(table.size[i]))
        opened.edges[path] = columns[3][i]
    return opened


def combine(
    opened: Opened,
    entries: Iterable[FileEntry],
    products: dict[BlobKey, BlobProducts],
    linked: Linked | None,
) -> tuple[Segments, list[FilePlace]]:
    """The base's segments with those in memory behind them, and a place for each file. linked: None where nothing
    differs from the base."""
    store, refs = opened.store, opened.refs
    facts, terms = list(opened.facts), [store.open_terms(ref) for ref in refs[TERMS]]
    texts = [store.open_texts(ref) for ref in refs[TEXTS]]
    fresh: dict[BlobKey, int] = {key: row for row, key in enumerate(products)}
    if fresh:
        facts.append(FactsSegment.of([(p.key, p.facts) for p in products.values()]))
        terms.append(TermsSegment.of([(p.key, p.terms) for p in products.values()]))
        texts.append(TextsSegment.of([(p.key, p.texts) for p in products.values()]))
    if linked is None:
        edges, edge_place = [store.open_edges(ref) for ref in refs[EDGES]], opened.edges
    else:
        edges = [store.open_edges(ref) for ref in refs[EDGES]] if linked.kept else []
        edge_place = {path: opened.edges[path] for path in linked.kept}
        edge_place.update({path: (len(edges), row) for row, (path, _) in enumerate(linked.fresh)})
        edges.append(EdgesSegment.of(linked.fresh))
    places: list[FilePlace] = []
    for entry in entries:
        key = BlobKey(entry.oid, entry.language)
        if key in fresh:
            row = fresh[key]
            status, size = int(products[key].facts.status), products[key].facts.size
            where = ((len(facts) - 1, row), (len(terms) - 1, row), (len(texts) - 1, row))
        else:
            where = opened.places[key]  # type: ignore[assignment]
            status, size = opened.status[key]
        places.append(
            FilePlace(
                entry.path, entry.oid, entry.mode, entry.language, entry.role, status, size,
                *where, edge_place.get(entry.path, (NONE, NONE)),
            )
        )  # fmt: skip
    return Segments(facts, terms, texts, edges), places
