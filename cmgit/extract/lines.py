"""Line numbers of byte offsets. A line ends at LF, CRLF or a lone CR; the parser's own rows know LF only."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

_BREAK = re.compile(rb"\r\n|\r|\n")


class Lines:
    """Line starts of one text.

    starts: byte offset of the first byte of each line, ascending, the first is 0.
    """

    __slots__ = ("starts",)

    def __init__(self, data: bytes) -> None:
        if b"\r" in data:
            self.starts = [0, *(found.end() for found in _BREAK.finditer(data))]
        else:
            self.starts = [0, *accumulate(len(line) + 1 for line in data.split(b"\n"))]
            self.starts.pop()
        # What follows the last line break is a line only if it holds something.
        if len(self.starts) > 1 and self.starts[-1] >= len(data):
            self.starts.pop()

    def line_of(self, offset: int) -> int:
        """The line, from 1, in which a byte stands."""
        return bisect_right(self.starts, offset)

    @property
    def count(self) -> int:
        return len(self.starts)
