"""Conflict markers: a file that git left for its user to mend.

Markers are blanked, so that what stands on both sides is parsed at its true place. Where both sides do not make one
program, the first side is parsed alone.
"""

from __future__ import annotations

import re

from cmgit.extract.blanks import blank

_MARKER = re.compile(rb"^(<{7}|\|{7}|={7}|>{7})(?=[ \r\n]|\Z)[^\r\n]*", re.MULTILINE)


def conflict_texts(source: bytes) -> tuple[bytes, ...]:
    """Texts of the same length to parse instead: both sides, the first side alone. Empty where there is no conflict."""
    if b"<<<<<<<" not in source:
        return ()
    markers = [(found.start(), found.end(), found.group(1)[:1]) for found in _MARKER.finditer(source)]
    both, ours = bytearray(source), bytearray(source)
    side = b""
    previous_end = 0
    conflicts = 0
    for start, end, sign in markers:
        if side == b"|":  # the common ancestor, in diff3 style, is on neither side
            blank(both, previous_end, start)
        if side in (b"|", b"="):
            blank(ours, previous_end, start)
        if (sign == b"=" and side not in (b"<", b"|")) or (sign == b">" and side != b"="):
            continue
        blank(both, start, end)
        blank(ours, start, end)
        conflicts += sign == b">"
        side = b"" if sign == b">" else sign
        previous_end = end
    return (bytes(both), bytes(ours)) if conflicts else ()
