from __future__ import annotations

import numpy as np

from cmgit.embed import cache, fuse
from cmgit.embed.encoder import open_session


def test_both_forms_of_the_weights_give_the_same_vector() -> None:
    source = cache.read_source()
    ids = np.array([[101, *range(2000, 2060), 102]], np.int64)
    signed, unsigned = (
        open_session(fuse.fuse(source, unsigned_weights=form), optimise=False).run(None, {"input_ids": ids})[0]
        for form in (False, True)
    )
    if fuse.saturates():
        assert float((signed * unsigned).sum()) > 0.9
    else:
        assert signed.tobytes() == unsigned.tobytes()


def test_the_same_source_gives_the_same_bytes() -> None:
    source = cache.read_source()
    assert fuse.fuse(source, unsigned_weights=False) == fuse.fuse(source, unsigned_weights=False)
