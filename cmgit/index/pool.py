"""Parse workers: spawned processes, fed in bounded batches.

Spawn and never fork: Lance and ONNX Runtime hold threads and locks that do not survive a fork (lancedb/lancedb#1393).
A small job stays in this process, because a worker costs a third of a second before its first blob.
"""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from cmgit.core.records import BlobKey
from cmgit.index.blobs import BlobProducts, process_blob

INLINE_BYTES = 600_000
BATCH_BYTES = 256_000

Blob = tuple[BlobKey, bytes]


def begin_worker() -> None:
    """Nothing that is made of a blob lies in a circle (a test watches that), so nobody looks for circles: it would
    cost a tenth of parsing."""
    gc.collect()
    gc.freeze()
    gc.disable()


def process_batch(blobs: list[Blob], max_bytes: int) -> list[BlobProducts]:
    return [process_blob(key, data, max_bytes) for key, data in blobs]


def process_blobs(
    blobs: Iterable[Blob], total_bytes: int, max_bytes: int, workers: int, advance: Callable[[int], None]
) -> Iterator[BlobProducts]:
    """Products of each blob, in the order of `blobs`, whatever the number of workers.

    Args:
        blobs: read lazily, so that memory holds a few batches and no more.
        total_bytes: an estimate of the job, to choose between this process and workers.
        workers: processes; 0 for one for each processor that this process may use.
        advance: called with the number of blobs that are done.
    """
    count = workers or allowed_processors()
    if total_bytes <= INLINE_BYTES or count < 2:
        for key, data in blobs:
            yield process_blob(key, data, max_bytes)
            advance(1)
        return
    yield from spread(blobs, max_bytes, count, advance)


def spread(
    blobs: Iterable[Blob], max_bytes: int, workers: int, advance: Callable[[int], None]
) -> Iterator[BlobProducts]:
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing import get_context

    waiting: deque[Future[list[BlobProducts]]] = deque()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=begin_worker) as pool:
        for batch in batches(blobs):
            waiting.append(pool.submit(process_batch, batch, max_bytes))
            if len(waiting) > workers * 2:
                done = waiting.popleft().result()
                advance(len(done))
                yield from done
        while waiting:
            done = waiting.popleft().result()
            advance(len(done))
            yield from done


def batches(blobs: Iterable[Blob]) -> Iterator[list[Blob]]:
    batch: list[Blob] = []
    size = 0
    for key, data in blobs:
        batch.append((key, data))
        size += len(data) + 2_000
        if size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def allowed_processors() -> int:
    """Processors of this process's CPU set, not of the machine (microsoft/onnxruntime#8313)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
