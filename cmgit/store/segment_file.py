"""One segment as a file: written once, checked before a row is trusted.

A segment is a Lance file (format 2.1) with one binary column for each table. The first row holds the table (see
`cmgit.store.bundle`); the column `block` holds one piece of a big table in each row, so that a piece is read alone.
Kind, recipe and rows stand in the schema's metadata.

Lance writes the file and reads it back. Since its values are stored as they are, each is one run of bytes in the file;
where they begin is noted in the segment's ref, and a reader takes them from there: loading pyarrow and Lance costs 80
ms, the bytes of a table 0.05. A ref without places is read by Lance.

Columns are packed here, not by Lance: it leaves values below 32 KB as they are, and each of its columns costs 325
bytes beside its values (express: 363 KB of facts so, 120 KB now). Its lists, packed in pieces of 4 KB, take 1.8 times
as much.

Lance makes no fsync call and does not notice a flipped bit (measured: 11 of 12 flips gave wrong rows without an
error), so both are done here. Its file is the same bytes for the same content as long as every field has at most one
entry of metadata: with two, their order is left to chance.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cmgit.core.atomic import make_folder, storage_errors, sync_file, sync_folder, temp_name
from cmgit.core.errors import CmgitError, SegmentDamaged
from cmgit.store.lance_door import FILE_VERSION, arrow, lance_file
from cmgit.store.refs import SegmentRef

SEGMENT_FORMAT = 1
_META = b"cmgit"
BLOCK_COLUMN = "block"
_AS_IT_IS = {"lance-encoding:compression": "none"}
_CHUNK = 1 << 20
_NEARLY_FULL = 1 << 16
_ALL = 1 << 20  # rows in a batch: everything in one

_checked: dict[str, tuple[int, ...]] = {}
"""Files whose checksum this process has seen to be right, with what identifies the file: size, inode, time, crc."""


def write_segment(
    folder: Path, kind: str, recipe: str, rows: int, tables: Mapping[str, bytes], blocks: Sequence[bytes] = ()
) -> SegmentRef:
    """Write a segment, or find that the same content is there already.

    Args:
        tables: the bytes of each table. blocks: the pieces of the column `block`.

    Raises:
        CmgitError: the folder cannot be written; nothing is left behind.
        SegmentDamaged: what was written does not read back.
    """
    # A folder of our own: Lance writes beside its target first, and leaves that file when the disk fills.
    workshop = folder / temp_name()
    temp = workshop / "segment.lance"
    meta = {"format": SEGMENT_FORMAT, "kind": kind, "recipe": recipe, "rows": rows}
    with storage_errors(workshop):
        make_folder(folder)
        try:
            workshop.mkdir()
            _write_lance(temp, meta, tables, blocks)
            sync_file(temp)
            name, crc32, size = fingerprint(temp)
            ref = SegmentRef(name, kind, recipe, rows, size, crc32)
            places = find_places(temp.read_bytes(), {**{n: [t] for n, t in tables.items()}, BLOCK_COLUMN: blocks})
            final = folder / ref.file_name
            if not _is_whole(final, ref):
                _read_back(temp, ref, tables, blocks)
                temp.replace(final)
                sync_folder(folder)
        finally:
            import shutil  # it loads every compressor there is; readers need none

            shutil.rmtree(workshop, ignore_errors=True)
    return replace(ref, places=places)


def find_places(data: bytes, columns: Mapping[str, Sequence[bytes]]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Where each value of each column stands in a file, see `SegmentRef.places`; a column that is not there in one
    piece for each value is left out, and Lance reads it."""
    places: list[tuple[str, tuple[int, ...]]] = []
    after = 0
    for name, values in columns.items():
        found: list[int] = []
        for value in values:
            begin = data.find(value, after) if value else 0
            if begin < 0:
                begin = data.find(value)
            if begin < 0:
                break
            found += [begin, len(value)]
            after = max(after, begin + len(value))
        else:
            if values:
                places.append((name, tuple(found)))
    return tuple(places)


def _is_whole(path: Path, ref: SegmentRef) -> bool:
    """A file of that name may be there and be damaged: then it is written anew."""
    try:
        return fingerprint(path) == (ref.name, ref.crc32, ref.size)
    except FileNotFoundError:
        return False


def _write_lance(path: Path, meta: Mapping[str, object], tables: Mapping[str, bytes], blocks: Sequence[bytes]) -> None:
    pa, lance = arrow(), lance_file()
    rows = max(1, len(blocks))
    values = {name: [table, *[b""] * (rows - 1)] for name, table in tables.items()}
    if blocks:
        values[BLOCK_COLUMN] = [*blocks]
    fields = [pa.field(name, pa.large_binary(), nullable=False, metadata=_AS_IT_IS) for name in values]
    schema = pa.schema(fields, metadata={_META: json.dumps(meta, sort_keys=True)})
    batch = pa.record_batch([pa.array(parts, pa.large_binary()) for parts in values.values()], schema=schema)
    # Opened first by us: the system says clearly why a folder cannot be written, Lance does not.
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    mode = path.stat().st_mode & 0o777
    with (
        _lance_path(path) as text,
        _lance_errors(path),
        lance.LanceFileWriter(text, schema, version=FILE_VERSION) as writer,
    ):
        writer.write_batch(batch)
    # On a full disk Lance may close without an error and leave the file a few bytes short (seen on a tmpfs).
    if path.stat().st_size != writer.size_bytes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    path.chmod(mode)  # Lance puts a private file in its place, which another user of the repository could not read


def _read_back(path: Path, ref: SegmentRef, tables: Mapping[str, bytes], blocks: Sequence[bytes]) -> None:
    file = SegmentFile(path, ref)
    try:
        read = {name: bytes(table) for name, table in file.tables(list(tables)).items()}
        same = read == dict(tables) and [bytes(block) for block in file.blocks(range(len(blocks)))] == list(blocks)
    except SegmentDamaged as error:
        import shutil

        if shutil.disk_usage(path.parent).free < _NEARLY_FULL:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
        raise
    if not same:
        raise SegmentDamaged(f"a segment of kind {ref.kind} does not read back as it was written", "try again")


class SegmentFile:
    """An open segment. Opening reads nothing; columns are read when they are asked for."""

    def __init__(self, path: Path, ref: SegmentRef) -> None:
        self._path = path
        self.ref = ref

    def tables(self, names: Sequence[str]) -> dict[str, memoryview]:
        """The bytes of the named tables."""
        places = dict(self.ref.places)
        if all(len(places.get(name, ())) == 2 for name in names):
            return dict(zip(names, self._cut([(places[name][0], places[name][1]) for name in names]), strict=True))
        table = self._ask(names, lambda reader: reader.read_range(0, 1))
        return {name: memoryview(table.column(name).chunk(0)[0].as_buffer()) for name in names}

    def blocks(self, rows: Sequence[int]) -> list[memoryview]:
        """The bytes of some blocks, `rows` ascending; no other block is read."""
        if not rows:
            return []
        places = dict(self.ref.places).get(BLOCK_COLUMN)
        if places is not None:
            return self._cut([(places[2 * row], places[2 * row + 1]) for row in rows])
        table = self._ask([BLOCK_COLUMN], lambda reader: reader.take_rows(list(rows), batch_size=_ALL))
        return [memoryview(value.as_buffer()) for chunk in table.column(BLOCK_COLUMN).chunks for value in chunk]

    def _cut(self, ranges: Iterable[tuple[int, int]]) -> list[memoryview]:
        """The bytes of some ranges of the file: begin, length."""
        with _reading(self._path), self._path.open("rb", buffering=0) as stream:
            out = []
            for begin, length in ranges:
                stream.seek(begin)
                piece = stream.read(length)
                while len(piece) < length and (more := stream.read(length - len(piece))):
                    piece += more
                if len(piece) != length:
                    raise ValueError("cut short")
                out.append(memoryview(piece))
            return out

    def _ask(self, names: Sequence[str], ask: Callable[[Any], Any]) -> Any:
        lance = lance_file()
        with _lance_path(self._path) as text, _reading(self._path):
            return ask(lance.LanceFileReader(text, columns=list(names))).to_table()

    @contextlib.contextmanager
    def decoding(self) -> Iterator[None]:
        """What cannot be decoded is a damaged segment."""
        with _reading(self._path):
            yield


def check(path: Path, ref: SegmentRef) -> SegmentFile:
    """Open a segment after its checksum was seen to be right, once for each process and file.

    Raises:
        SegmentDamaged: missing, cut short, or other bytes than those that were published.
    """
    try:
        stat = path.stat()
        state = (stat.st_size, stat.st_ino, stat.st_mtime_ns, ref.crc32)
        if _checked.get(str(path)) != state:
            if stat.st_size != ref.size or crc_of(path) != ref.crc32:
                raise SegmentDamaged(
                    f"segment {ref.name} ({ref.kind}) is damaged", "run `git cm index`: it is made anew from git"
                )
            _checked[str(path)] = state
    except OSError as error:
        raise SegmentDamaged(
            f"segment {ref.name} ({ref.kind}) cannot be read: {error.strerror}",
            "run `git cm index`: it is made anew from git",
        ) from error
    return SegmentFile(path, ref)


def crc_of(path: Path) -> int:
    """zlib.crc32 of a file."""
    crc = 0
    for chunk in _chunks(path):
        crc = zlib.crc32(chunk, crc)
    return crc


def fingerprint(path: Path) -> tuple[str, int, int]:
    """Name (BLAKE2b, 32 hex digits), crc32 and size of a file's bytes."""
    digest, crc, size = hashlib.blake2b(digest_size=16), 0, 0
    for chunk in _chunks(path):
        digest.update(chunk)
        crc = zlib.crc32(chunk, crc)
        size += len(chunk)
    return digest.hexdigest(), crc, size


def _chunks(path: Path) -> Iterator[memoryview]:
    # Not mmap: a file that is cut short while it is mapped kills the process.
    with path.open("rb", buffering=0) as stream:
        buffer = bytearray(min(_CHUNK, os.fstat(stream.fileno()).st_size + 1))
        while count := stream.readinto(buffer):
            yield memoryview(buffer)[:count]


def places_of(path: Path) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """`SegmentRef.places` of a file whose ref was lost, as Lance reads it; the file was checked before.

    Raises:
        SegmentDamaged: not a segment.
    """
    with _lance_path(path) as text, _reading(path):
        table = lance_file().LanceFileReader(text).read_all(batch_size=_ALL).to_table()
        columns = {
            name: [bytes(value.as_buffer()) for chunk in table.column(name).chunks for value in chunk]
            for name in table.column_names
        }
        return find_places(
            path.read_bytes(),
            {name: values if name == BLOCK_COLUMN else values[:1] for name, values in columns.items()},
        )


def read_meta(path: Path) -> tuple[str, str, int]:
    """Kind, recipe and rows as the file itself states them; the file was checked before.

    Raises:
        SegmentDamaged: not a segment, or one of another format.
    """
    with _lance_path(path) as text, _reading(path):
        schema = lance_file().LanceFileReader(text).metadata().schema
        meta = json.loads(schema.metadata[_META])
        if meta["format"] != SEGMENT_FORMAT:
            raise SegmentDamaged(f"{path.name} has segment format {meta['format']}, not {SEGMENT_FORMAT}")
        return str(meta["kind"]), str(meta["recipe"]), int(meta["rows"])


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, RuntimeError, KeyError, TypeError) as error:  # what Lance and pyarrow raise
        raise SegmentDamaged(
            f"{path.name} cannot be read: {str(error)[:200]}", "run `git cm index`: it is made anew from git"
        ) from error


@contextlib.contextmanager
def _lance_errors(path: Path) -> Iterator[None]:
    """Lance's errors carry no errno; the number stands in the text."""
    try:
        yield
    except OSError as error:
        if error.errno is not None:
            raise
        for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO):
            if f"(os error {number})" in str(error):
                raise OSError(number, os.strerror(number)) from error
        raise CmgitError(f"Lance could not write {path.name}: {str(error)[:200]}") from error


@contextlib.contextmanager
def _lance_path(path: Path) -> Iterator[str]:
    """The file's name as Lance takes it: no bytes that are not UTF-8, no control characters, in any folder above.

    Git takes a repository in such a folder, so it is reached by the number of the open folder there.
    """
    text = str(path.absolute())
    if text.isprintable():
        yield text
        return
    fd = os.open(path.parent, os.O_RDONLY)
    try:
        for numbered in (f"/proc/self/fd/{fd}", f"/dev/fd/{fd}"):
            if Path(numbered).is_dir():
                yield f"{numbered}/{path.name}"
                return
        raise CmgitError("the path of this repository holds characters that Lance cannot open", "move the repository")
    finally:
        os.close(fd)
