"""The columns of one table as one run of bytes.

A number of columns (1 byte), the length of each (4 bytes, little-endian), and for each a zstd frame, level 3. Frames
are apart so that each has statistics of its own. The order of the columns is the format's: no name is stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

LEVEL = 3


def pack_bundle(columns: Mapping[str, bytes]) -> bytes:
    """The bytes of a table, its columns in the order given."""
    import zstandard

    packer = zstandard.ZstdCompressor(level=LEVEL)
    frames = [packer.compress(raw) for raw in columns.values()]
    lengths = [len(frame).to_bytes(4, "little") for frame in frames]
    return b"".join([bytes([len(frames)]), *lengths, *frames])


def unpack_bundle(data: memoryview | bytes, names: Sequence[str]) -> dict[str, memoryview]:
    """The columns of `pack_bundle`, under their names.

    Raises:
        ValueError: other bytes, or another number of columns.
    """
    bundle = Bundle(data, names)
    return {name: bundle[name] for name in names}


class Bundle:
    """The columns of `pack_bundle`, each unpacked when it is asked for.

    Raises:
        ValueError: as `unpack_bundle`.
    """

    def __init__(self, data: memoryview | bytes, names: Sequence[str]) -> None:
        view = memoryview(data)
        if not len(view) or view[0] != len(names):
            raise ValueError("not the bytes of this table")
        self._frames: dict[str, memoryview] = {}
        position = 1 + 4 * len(names)
        for i, name in enumerate(names):
            length = int.from_bytes(view[1 + 4 * i : 5 + 4 * i], "little")
            self._frames[name] = view[position : position + length]
            position += length

    def __getitem__(self, name: str) -> memoryview:
        import zstandard

        try:
            return memoryview(zstandard.ZstdDecompressor().decompress(self._frames[name]))
        except zstandard.ZstdError as error:
            raise ValueError("not the bytes of this table") from error
